"""The distributions of latencies: curves, marks, the key, and what is warned of."""

import numpy as np
import pytest
from matplotlib.text import Text

from memlab.errors import ConfigError
from memlab.timings import spread


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def drawn(axes, label):
    return [line.get_xydata() for line in axes.lines if line.get_label() == label]


def test_reads_are_warm_ones_and_first_reads_a_mark(make):
    (axes,) = make(["a", "b"]).plot.latency().axes
    # a: 8 conversations with a read of 0.1 ms and one of 0.2 ms after the first, of 1 ms.
    np.testing.assert_allclose(drawn(axes, "a")[0], [[0.1, 0], [0.1, 0.5], [0.2, 1.0]])
    np.testing.assert_allclose(drawn(axes, "b")[0], [[0.2, 0], [0.2, 0.5], [0.3, 1.0]])
    # p50 of eight 0.1 and eight 0.2 is 0.15, as in `costs`; p95 lies among the 0.2.
    np.testing.assert_allclose(drawn(axes, "_marks")[0], [[0.15, 0.5], [0.2, 0.95]])
    np.testing.assert_allclose(drawn(axes, "_cold"), [[[1.0, 0.5]]] * 2)
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "one read (ms)"


def test_marks_are_the_percentiles_of_the_table_of_costs(make):
    results = make(["a", "b"], budgets=(100, 200))
    marks, costs = spread(results, "read").marks, results.costs()
    for quantile in ("p50", "p95"):
        np.testing.assert_allclose(marks[quantile], costs[f"read_ms_{quantile}"])
    np.testing.assert_allclose(marks["cold"], costs["cold_read_ms"])
    written = spread(results, "write").marks.set_index("strategy")["p95"]
    wanted = costs.drop_duplicates("strategy").set_index("strategy")["write_us_p95"]
    np.testing.assert_allclose(written, wanted)


def test_the_key_tells_percentiles_and_how_many_calls(make):
    assert "p50 0.15, p95 0.2 ms, n 16" in texts(make(["a"]).plot.latency())
    # A bucket from 992 to 1,024 ns has its middle at 1,008.
    assert "p50 1.01, p95 1.01 µs, n 320" in texts(make(["a"]).plot.latency("write"))


def test_budgets_have_panels_and_writes_have_none(make):
    results = make(budgets=(100, None))
    titles = [axes.get_title(loc="left") for axes in results.plot.latency().axes]
    assert titles == ["budget 100 tokens", "no token limit"]
    assert len(results.plot.latency("write").axes) == 1


def test_first_reads_stand_in_where_there_are_no_others(make):
    results = make(["a"])
    results.latencies = [u | {"read": {"100": u["read"]["100"][:1]}} for u in results.latencies]
    figure = results.plot.latency()
    np.testing.assert_allclose(drawn(figure.axes[0], "a")[0], [[1, 0], [1, 1]])
    assert any("p50 and p95 of first reads" in text for text in texts(figure))


def test_units_side_by_side_are_warned_of(make):
    assert not any("side by side" in text for text in texts(make().plot.latency()))
    warned = [text for text in texts(make(jobs=2).plot.latency()) if "side by side" in text]
    assert "measured with 2 units side by side" in warned[0]


def test_many_calls_are_drawn_with_a_thousand_points_at_most_and_keep_their_ends(make):
    results = make(["a"], talks=1)
    times = [1, *range(1000, 6000)]
    results.latencies = [results.latencies[0] | {"read": {"100": times}}]
    shares = spread(results, "read").shares
    assert len(shares) == 1000
    assert shares["latency"].iloc[-1] == pytest.approx(5999 / 1e6)
    assert shares["share"].iloc[-1] == 1.0
    # The share at a time is the part of the 5,000 reads that took no longer: 1000 … the time.
    wanted = (shares["latency"] * 1e6 - 999) / 5000
    np.testing.assert_allclose(shares["share"], wanted)


def test_times_below_the_clock_have_a_place(make):
    results = make(["a"], talks=1)
    results.latencies = [results.latencies[0] | {"read": {"100": [0, 0, 0]}}]
    (axes,) = results.plot.latency().axes
    np.testing.assert_allclose(drawn(axes, "a")[0], [[1e-6, 0], [1e-6, 1]])


def test_a_strategy_without_times_is_told_and_an_unknown_phase_refused(make):
    results = make(["a", "b"])
    results.latencies = [u for u in results.latencies if u["strategy"] == "a"]
    figure = results.plot.latency()
    assert any("not shown: b (no read timed)" in text for text in texts(figure))
    with pytest.raises(ConfigError, match="no read of these strategies was timed"):
        results.plot.latency(strategies=["b"])
    with pytest.raises(ConfigError, match="phase='flush'"):
        results.plot.latency("flush")
    results.latencies = ()
    with pytest.raises(ConfigError, match="no write of this run was timed"):
        results.plot.latency("write")
