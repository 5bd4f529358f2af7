"""A judge's verdicts corrected by an audit: the same estimate in every table, and its coverage."""

import math

import numpy as np
import pytest

from memlab.inference.correction import corrected_mean, rogan_gladen
from memlab.metrics import Judged
from memlab.results import Results
from memlab.stats import cluster_mean
from memlab.types import Record

CORRECTED = Judged(corrected=True)
MANIFEST = {"name": "toy", "hash8": "00000000"}


def run(judged, audited, talks, strategies=("a",), failed=(), datasets=None):
    """Return results of verdicts (strategies, n); NaN where not judged or not audited."""
    records = []
    for s, label in enumerate(strategies):
        for i, talk in enumerate(talks):
            verdicts = {"judged/judged": judged[s][i], "audited/judged": audited[s][i]}
            records.append(
                Record(
                    strategy=label,
                    conversation=f"c{talk}",
                    dataset=datasets[i] if datasets else "",
                    probe=f"p{i}",
                    budget=100,
                    verdicts={k: None if math.isnan(v) else float(v) for k, v in verdicts.items()},
                    error="boom" if (s, i) in failed else None,
                )
            )
    return Results(records, [], [], MANIFEST, [Judged(), CORRECTED])


def simulated(rng, talks, mean=0.6, sensitivity=0.85, specificity=0.75, share=0.3):
    """Return true labels, alike within a conversation, a judge's, and a random audit."""
    hard = rng.normal(0, 0.1, talks.max() + 1)
    truth = (rng.random(len(talks)) < mean + hard[talks]).astype(float)
    right = rng.random(len(talks))
    judged = np.where(truth == 1, right < sensitivity, right >= specificity).astype(float)
    audited = np.where(rng.random(len(talks)) < share, truth, np.nan)
    return truth, judged, audited


def test_the_mean_of_the_values_is_the_prediction_powered_estimate():
    rng, talks = np.random.default_rng(5), np.arange(120) % 10
    _, judged, audited = simulated(rng, talks)
    made = run([judged], [audited], talks)
    expected = corrected_mean(judged, audited, talks.tolist())
    values = made.values(CORRECTED)
    assert values.mean() == pytest.approx(expected.mean, abs=1e-12)
    table = made.judged()
    line = table.iloc[0]
    assert (line["raw"], line["corrected"]) == (expected.raw, expected.mean)
    assert (line["low"], line["high"]) == (expected.low, expected.high)
    assert (line["n"], line["audited"]) == (120, expected.audited)
    rates = rogan_gladen(judged, audited, talks.tolist())
    assert (line["sensitivity"], line["specificity"]) == (rates.sensitivity, rates.specificity)
    assert line["by_rates"] == rates.mean
    known = ~np.isnan(audited)
    assert line["agreement"] == np.mean(judged[known] == audited[known])
    summed = made.summary().iloc[0]
    assert summed["Judged(corrected=True)"] == pytest.approx(expected.mean)
    # the table's interval is CR3 of the values; that of corrected_mean estimates lambda anew
    half = (summed["Judged(corrected=True) high"] - summed["Judged(corrected=True) low"]) / 2
    assert half == pytest.approx((expected.high - expected.low) / 2, rel=0.2)


def test_values_by_hand():
    # judged 1 0 1 1, audited 1 - 0 -, of one conversation each. Covariance of the audited with
    # their labels is 0 (the judge says 1 for both), so lambda is 0: the mean of the audited, 0.5.
    nan = math.nan
    made = run([[1, 0, 1, 1]], [[1, nan, 0, nan]], range(4))
    values = made.values(CORRECTED)
    assert values.tolist() == [0.5 + 4 / 2 * 0.5, 0.5, 0.5 + 4 / 2 * -0.5, 0.5]


def test_groups_are_corrected_apart_and_failures_score_0():
    nan = math.nan
    judged = [[1, 1, 0, 1], [1, 0, 0, 0]]
    audited = [[1, nan, 0, nan], [nan] * 4]
    made = run(judged, audited, range(4), ("a", "b"), failed=[(0, 3)])
    values = made.values(CORRECTED)
    assert values[3] == 0.0  # its read failed; the mean of a is 3/4 of that of its other reads
    expected = corrected_mean(judged[0][:3], audited[0][:3], list("xyz")).mean
    assert values[:3].mean() == pytest.approx(expected)
    assert np.isnan(values[4:]).all()  # nothing of b was audited
    table = made.judged().set_index("strategy")
    assert table.loc["b", "note"] == "nothing audited"
    assert math.isnan(table.loc["b", "corrected"])
    assert table.loc["a", "failed"] == 1


def test_data_sets_are_corrected_apart():
    rng, talks = np.random.default_rng(1), np.arange(40) % 8
    _, judged, audited = simulated(rng, talks, share=0.5)
    named = ["x" if talk < 4 else "y" for talk in talks]
    made = run([judged], [audited], talks, datasets=named)
    values, of_x = made.values(CORRECTED), np.array(named) == "x"
    for part in (of_x, ~of_x):
        found = corrected_mean(judged[part], audited[part], talks[part].tolist())
        assert values[part].mean() == pytest.approx(found.mean)
    assert made.judged()["dataset"].tolist() == ["x", "y"]


def test_scores_between_0_and_1_have_no_rates():
    rng, talks = np.random.default_rng(2), np.arange(60) % 6
    judged = rng.random(60)
    audited = np.where(rng.random(60) < 0.4, np.clip(judged + 0.1, 0, 1), np.nan)
    line = run([judged], [audited], talks).judged().iloc[0]
    assert math.isnan(line["sensitivity"])
    assert line["corrected"] > line["raw"]


def test_corrected_means_and_differences_cover_the_truth_where_raw_ones_do_not():
    """Two strategies, ten conversations of 20; the judge errs for one and not for the other.

    True means .6 and .5; the judge of a calls 85 % of the right and 25 % of the wrong right, so
    its raw mean tends to .6 * .85 + .4 * .25 = .61, close by luck; that of b errs on 5 % of the
    right and 40 % of the wrong: .5 * .95 + .5 * .4 = .675, so the raw difference has another sign.
    400 replicates: the standard error of a coverage of .95 is .011, and 3.5 of them are .038.
    """
    rng, talks = np.random.default_rng(11), np.arange(200) % 10
    covered = np.zeros(3)
    raw = 0
    for _ in range(400):
        _, judged_a, audited_a = simulated(rng, talks, 0.6, 0.85, 0.75)
        _, judged_b, audited_b = simulated(rng, talks, 0.5, 0.95, 0.6)
        made = run([judged_a, judged_b], [audited_a, audited_b], talks, ("a", "b"))
        values = made.values(CORRECTED)
        for k, (part, true) in enumerate(
            ((values[:200], 0.6), (values[200:], 0.5), (values[:200] - values[200:], 0.1))
        ):
            found = cluster_mean(part, talks.tolist())
            covered[k] += found.low <= true <= found.high
        found = cluster_mean(judged_a - judged_b, talks.tolist())
        raw += found.low <= 0.1 <= found.high
    assert (np.abs(covered / 400 - 0.95) < 0.038).all(), covered / 400
    assert raw / 400 < 0.5
