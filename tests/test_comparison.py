"""Paired comparisons: hand-made records, with their arithmetic."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.cli import main
from memlab.errors import ConfigError, Faults, RunError
from memlab.metrics import MRR, Recall, StaleHit
from memlab.results import Results
from memlab.strategies import NoMemory
from memlab.types import Record

METRIC = "Recall(k=1)"
SHOWN = (Recall(k=1),)


def record(strategy, conversation, probe, hit, **given):
    named = {"strategy": strategy, "conversation": conversation, "probe": probe}
    ranked = ("e",) if hit else ("x",)
    shown = {"budget": 100, "evidence": ("e",), "ranked": ranked, "candidates": 5}
    return Record(**named, **{**shown, **given})


def run(hits, metrics=SHOWN, **given):
    """Return a run: strategy -> one list of hits for each conversation a, b, c, …"""
    records = [
        record(strategy, chr(97 + i), str(j), hit, **given)
        for strategy, talks in hits.items()
        for i, talk in enumerate(talks)
        for j, hit in enumerate(talk)
    ]
    return Results(records, [], [], {"resolved": {"data": "d"}}, metrics)


def row(comparison, strategy="new", **chosen):
    table = comparison.table
    kept = table["strategy"] == strategy
    for name, value in chosen.items():
        kept &= table[name] == value
    (found,) = table[kept].to_dict("records")
    return found


EIGHT = {"old": [[0, 0]] * 8, "new": [[1, 0]] * 7 + [[0, 1]]}


def test_difference_interval_and_test_are_those_of_eight_conversations():
    found = row(run(EIGHT).compare("old"))
    assert (found["value"], found["baseline value"], found["difference"]) == (0.5, 0, 0.5)
    # Every conversation differs by 1/2: the jackknife has no spread; all 2 of 2^8 patterns.
    assert (found["low"], found["high"]) == (0.5, 0.5)
    assert found["p"] == found["smallest p"] == 2 / 256
    assert (found["wins"], found["ties"], found["losses"]) == (8, 8, 0)
    assert (found["n"], found["clusters"], found["verdict"]) == (16, 8, "better")


def test_less_is_better_turns_the_verdict_and_the_wins():
    records = [
        record(
            s, talk, "0", 0, stale=("s",), ranked=("s",) if s == "new" else ("x",), evidence=("e",)
        )
        for s in ("old", "new")
        for talk in "abcdefgh"
    ]
    run_ = Results(records, [], [], {}, [StaleHit()])
    found = row(run_.compare("old"))
    assert (found["difference"], found["verdict"]) == (1.0, "worse")
    assert (found["wins"], found["losses"]) == (0, 8)


def test_holm_is_for_ten_contrasts_and_benjamini_hochberg_for_more():
    few = {"old": EIGHT["old"], **{f"s{i}": EIGHT["new"] for i in range(10)}}
    table = run(few).compare("old").table
    assert set(table["p adjusted"]) == {10 * 2 / 256}
    assert set(table["verdict"]) == {"not separated"}
    many = run({**few, "s10": EIGHT["new"]}).compare("old")
    assert set(many.table["p adjusted"]) == {2 / 256}
    assert any("Benjamini-Hochberg" in note for note in many.notes)
    bare = run(few).compare("old", adjust="none")
    assert set(bare.table["p adjusted"]) == {2 / 256}


def test_fewer_than_six_conversations_conclude_nothing():
    hits = {"old": [[0] * 50] * 5, "new": [[1] * 50] * 5}
    compared = run(hits).compare("old")
    found = row(compared)
    assert found["verdict"] == "descriptive"
    assert math.isnan(found["p adjusted"])
    assert found["p"] == 2 / 2**5
    assert "descriptive" in repr(compared)
    assert "+1.000, " not in repr(compared), "no interval is shown"


def test_descriptive_contrasts_do_not_count_in_the_family():
    records = [
        record(s, talk, f"{c}{i}", s == "new", category=c)
        for s in ("old", "new")
        for c, talks in {"many": "abcdefgh", "few": "ab"}.items()
        for talk in talks
        for i in range(2)
    ]
    table = Results(records, [], [], {}, [Recall(k=1)]).compare("old", by="category").table
    assert dict(zip(table["category"], table["verdict"], strict=True)) == {
        "few": "descriptive",
        "many": "better",
    }
    assert table.set_index("category")["p adjusted"]["many"] == 2 / 256
    assert table.set_index("category")["n"].to_dict() == {"few": 4, "many": 16}


def test_identical_strategies_have_p_1():
    found = row(run({"old": EIGHT["new"], "new": EIGHT["new"]}).compare("old"))
    assert (found["p"], found["verdict"], found["difference"]) == (1.0, "identical", 0.0)


def test_probes_without_a_value_are_left_out_and_counted():
    records = [
        record(s, talk, p, s == "new", evidence=() if p == "none" else ("e",))
        for s in ("old", "new")
        for talk in "abcdefgh"
        for p in ("asked", "none")
    ]
    compared = Results(records, [], [], {}, [Recall(k=1)]).compare("old")
    assert row(compared)["n"] == 8
    assert any("left out: up to 8 probes" in note for note in compared.notes)


def test_a_metric_without_a_value_has_no_pairs():
    found = row(run(EIGHT, [StaleHit()]).compare("old"))
    assert (found["verdict"], found["n"]) == ("no pairs", 0)
    assert math.isnan(found["difference"])


def test_data_sets_of_a_joined_run_weigh_the_same():
    records = [
        record(s, f"{d}{i}", str(j), s == "new" and d == "x", dataset=d)
        for s in ("old", "new")
        for d, probes in {"x": 1, "y": 9}.items()
        for i in range(6)
        for j in range(probes)
    ]
    found = row(Results(records, [], [], {}, [Recall(k=1)]).compare("old"))
    assert found["difference"] == found["value"] == 0.5
    assert found["n"] == 60
    with pytest.raises(ConfigError, match="wilcoxon"):
        Results(records, [], [], {}, [Recall(k=1)]).compare("old", test="wilcoxon")
    with pytest.raises(ConfigError, match="bootstrap"):
        Results(records, [], [], {}, [Recall(k=1)]).compare("old", interval="bootstrap")


def test_alternatives_by_name():
    hits = {"old": [[0]] * 8, "new": [[1]] * 7 + [[0]]}
    drawn = row(run(hits).compare("old", interval="bootstrap", test="wilcoxon"))
    # Seven means of 1 and a 0, which is left out: 2 / 2^7.
    assert drawn["p"] == 2 / 2**7
    assert 0.5 <= drawn["low"] < 7 / 8 <= drawn["high"] == 1.0


def test_margins():
    hits = {"old": [[1, 0] * 20] * 8, "new": [[1, 0] * 20] * 7 + [[1, 0] * 19 + [1, 1]]}
    found = row(run(hits).compare("old", margin=0.05))
    # One of 320 differences is 1: the mean is 1/320, its jackknife error 1/320, t(7) 1.895.
    assert found["equivalent"]
    assert found["not inferior"]
    assert "equivalent" not in row(run(hits).compare("old"))
    with pytest.raises(ConfigError, match="margin=0"):
        run(hits).compare("old", margin=0)


def test_two_runs_compare_namesakes():
    old, new = (
        run({"a": [[0, 0]] * 8, "b": EIGHT["new"]}),
        run({"a": EIGHT["new"], "c": [[1, 1]] * 8}),
    )
    compared = new.compare(other=old)
    assert [(e.strategy, e.baseline) for e in compared.entries] == [("a", "a")]
    assert row(compared, "a")["verdict"] == "better"
    across = new.compare("b", other=old).table
    assert list(across["strategy"]) == ["a", "c"]
    assert list(across["verdict"]) == ["identical", "better"]


def manifest(**changed):
    about = {
        "resolved": {"data": "d1", "tokenizer": "estimate", "budget": [100]},
        "dataset": {"options": {"name": "locomo", "labels": "raw"}},
        "definitions": {METRIC: {"definition": "x"}},
        "evidence_rule": "r",
    }
    for path, value in changed.items():
        *places, last = path.split("__")
        at = about
        for place in places:
            at = at[place]
        at[last] = value
    return about


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"resolved__data": "d2"}, "data: d1 and d2"),
        ({"resolved__tokenizer": "cl100k"}, "tokenizer: estimate and cl100k"),
        ({"resolved__budget": [200]}, r"budget: \[100\] and \[200\]"),
        ({"dataset__options": {"name": "locomo", "labels": "repaired"}}, "labels of locomo"),
        ({"definitions": {METRIC: {"definition": "y"}}}, r"definition of Recall\(k=1\)"),
        ({"evidence_rule": "s"}, "evidence rule"),
    ],
)
def test_runs_that_mean_different_things_are_refused(change, named):
    first, second = run(EIGHT), run(EIGHT)
    first.manifest, second.manifest = manifest(), manifest(**change)
    with pytest.raises(RunError, match=named):
        first.compare(other=second)
    with pytest.raises(RunError, match=named):
        first.diff(second)
    second.manifest = manifest()
    assert len(first.compare(other=second).table) == 2


def test_runs_that_mean_the_same_are_not_refused():
    first, second = run(EIGHT), run(EIGHT)
    first.manifest = manifest(resolved__budget=[None, 50, 100])
    second.manifest = manifest(
        dataset__options={"name": "locomo"}, resolved__budget=[100, None, 50]
    )
    assert len(first.compare(other=second).table) == 2
    assert len(second.compare(other=first).table) == 2
    second.manifest["resolved"]["data"] = "d2"
    with pytest.raises(RunError, match=r"data: .*labels of locomo: raw and None"):
        first.compare(other=second)


def test_a_strategy_without_one_of_the_budgets_is_told():
    other = run({"old": EIGHT["old"]}, budget=50)
    with pytest.raises(ConfigError, match="'old' was not run with budget=100"):
        run(EIGHT).compare(other=other)


def test_all_wrong_names_are_told_at_once():
    with pytest.raises(Faults, match=r"(?s)'nwe'.*did you mean 'new'.*'odl'"):
        run(EIGHT).compare("odl", strategies=["nwe"])
    with pytest.raises(Faults, match="no baseline"):
        run(EIGHT).compare()
    with pytest.raises(Faults, match="nothing to compare"):
        run(EIGHT).compare("old", strategies=["old"])
    with pytest.raises(ConfigError, match="sing flip"):
        run(EIGHT).compare("old", test="sing flip")
    with pytest.raises(ConfigError, match="budget=7"):
        run(EIGHT).compare("old", budget=7)
    with pytest.raises(ConfigError, match="one name"):
        run(EIGHT).compare("old", by=["category"])


def test_strategies_that_were_asked_other_probes_are_refused():
    records = [record("old", "a", "1", 1), record("new", "a", "2", 1)]
    with pytest.raises(ConfigError, match="0 common probes"):
        Results(records, [], [], {}, [Recall(k=1)]).compare("old")


def test_every_pair_once():
    hits = {"a": [[0, 0]] * 8, "b": [[1, 0]] * 8, "c": [[1, 1]] * 8}
    table = run(hits).pairs(METRIC).table
    assert list(zip(table["strategy"], table["baseline"], strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert list(table["difference"]) == [-0.5, -1.0, -0.5]
    assert set(table["p adjusted"]) == {3 * 2 / 256}
    with pytest.raises(ConfigError, match="two at least"):
        run({"a": [[1]] * 8}).pairs(METRIC)


def test_texts_and_json():
    compared = run(EIGHT, [Recall(k=1), MRR()]).compare("old")
    shown = compared.to_json()
    assert json.loads(json.dumps(shown, allow_nan=False))["contrasts"][0]["verdict"] == "better"
    assert [line["metric"] for line in shown["contrasts"]] == [METRIC, "MRR()"]
    assert "| Recall(k=1) | new | old |" in compared.to_markdown()
    assert r"\begin{tabular}{lll" in compared.to_latex()
    assert compared.to_latex("A_b").startswith(r"\begin{table}")
    hostile = run({"<b>x": EIGHT["old"], "new": EIGHT["new"]}).compare("<b>x")._repr_html_()
    assert "<b>x" not in hostile
    assert "&lt;b&gt;x" in hostile


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=6, max_size=8), st.data())
def test_swapping_sides_turns_every_sign(hits, data):
    other = [data.draw(st.lists(st.booleans(), min_size=len(t), max_size=len(t))) for t in hits]
    made = run({"a": hits, "b": other})
    one, two = row(made.compare("a"), "b"), row(made.compare("b"), "a")
    assert one["difference"] == -two["difference"]
    assert one["p"] == two["p"]
    assert (one["wins"], one["losses"]) == (two["losses"], two["wins"])
    np.testing.assert_allclose([one["low"], one["high"]], [-two["high"], -two["low"]], atol=1e-12)
    turned = {"better": "worse", "worse": "better"}
    assert turned.get(one["verdict"], one["verdict"]) == two["verdict"]


def test_equal_tokens_are_compared_probe_by_probe():
    """Two budgets; a's contexts take 10 and 30 tokens, b's 20 and 40, both always cut."""
    records = [
        record(s, talk, "0", hit, budget=budget, tokens=tokens, cut=True)
        for s, rows in {"a": ((50, 10, 0), (100, 30, 1)), "b": ((50, 20, 0), (100, 40, 1))}.items()
        for talk in "abcdefgh"
        for budget, tokens, hit in rows
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    found = row(made.compare("a", tokens=20), "b")
    share = (math.log(21) - math.log(11)) / (math.log(31) - math.log(11))
    assert found["baseline value"] == pytest.approx(share)
    assert found["value"] == 0.0
    assert found["difference"] == pytest.approx(-share)
    assert made.at_tokens(20, METRIC)[METRIC].tolist() == pytest.approx([share, 0.0])
    # The area from 20 to 30, over log(1 + tokens): a rises from `share` to 1, b from 0.
    top = (math.log(31) - math.log(21)) / (math.log(41) - math.log(21))
    areas = row(made.compare("a", tokens="area"), "b")
    assert areas["baseline value"] == pytest.approx((share + 1) / 2)
    assert areas["value"] == pytest.approx(top / 2)
    curve = made.curve(METRIC).drop_duplicates("strategy").set_index("strategy")["area"]
    assert curve.to_dict() == pytest.approx({"a": (share + 1) / 2, "b": top / 2})
    assert row(made.compare("a", tokens=(20, 30)), "b")["value"] == pytest.approx(top / 2)


def test_out_of_the_measured_range_there_is_no_value_and_a_reason():
    records = [
        record(s, talk, "0", 1, tokens=tokens, cut=True)
        for s, tokens in {"a": 10, "b": 20}.items()
        for talk in "abcdefgh"
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    compared = made.compare("a", tokens=20)
    assert row(compared, "b")["verdict"] == "no pairs"
    assert any("'a': its largest budget gave 10 tokens" in note for note in compared.notes)
    assert made.at_tokens(20, METRIC)["why"].tolist()[1] == ""
    with pytest.raises(ConfigError, match="no range of tokens"):
        made.compare("a", tokens="area")
    with pytest.raises(ConfigError, match="tokens='all'"):
        made.compare("a", tokens="all")


def test_the_sample_agrees_with_its_summary():
    made = ml.evaluate(["Window(turns=10)", "BM25()"], "quickstart", [METRIC, "MRR()"], budget=200)
    table, summary = made.compare("Window(turns=10)").table, made.summary().set_index("strategy")
    for _, one in table.iterrows():
        assert one["value"] == pytest.approx(summary[one["metric"]]["BM25()"])
        assert one["difference"] == pytest.approx(
            summary[one["metric"]]["BM25()"] - summary[one["metric"]]["Window(turns=10)"]
        )


def test_compare_after_a_run_whose_every_read_failed_exits_3(tmp_path, capsys):
    class Breaks(NoMemory):
        def read(self, query, budget):
            raise ValueError("no luck")

    labels = {"one": Breaks(), "two": Breaks()}
    made = ml.evaluate(labels, "quickstart", ["Recall(k=5)"], budget=50, out=tmp_path)
    assert main(["compare", str(made.path), "--baseline", "one"]) == 3
    assert "failed reads" in capsys.readouterr().out


def test_one_metric_needs_no_list():
    assert list(run(EIGHT).compare("old", metrics="MRR()").table["metric"]) == ["MRR()"]
