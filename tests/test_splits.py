"""Several data sets as one: names, macro-averages, splits, coverage."""

import math

import pytest

import memlab as ml
from memlab.errors import ConfigError, CoverageWarning
from memlab.evidence import audit, coverage, shortfall
from memlab.metrics import MRR, Recall
from memlab.splits import LeaveOneConversationOut, LeaveOneDatasetOut, join
from memlab.stats import cluster_mean, macro_mean
from memlab.strategies import Window
from memlab.types import Conversation, Dataset, Probe, Turn, utc

NOW = utc("2024-01-01")


def talk(name, evidence=("t2",), probes=1, **meta):
    turns = [
        Turn(id=f"t{i}", text=f"w{i}", time=NOW, user=name, role="user" if i % 2 else "assistant")
        for i in range(3)
    ]
    asked = [
        Probe(id=f"p{i}", text="?", time=NOW, user=name, category="x", evidence=evidence, meta=meta)
        for i in range(probes)
    ]
    return Conversation(name, (*turns, *asked))


EASY = Dataset("easy", tuple(talk(f"c{i}") for i in range(6)))
HARD = Dataset("hard", tuple(talk(f"c{i}", ("t0",), probes=3) for i in range(6)))


def test_joining_names_conversations_and_averages_over_data_sets():
    results = ml.evaluate({"last": Window(turns=1)}, ml.load([EASY, HARD]), [Recall(), MRR()])
    assert {r.conversation for r in results.records} >= {"easy/c0", "hard/c0"}
    # easy: 6 probes, all found; hard: 18 probes, none. The mean of the two means is one half.
    assert results.summary()["Recall()"].tolist() == [0.5]
    macro = results.macro(["Recall()"])
    assert macro[["easy", "hard", "macro"]].values.tolist() == [[1.0, 0.0, 0.5]]
    by = results.by("dataset", metrics=["Recall()"])
    assert dict(zip(by["dataset"], by["Recall()"], strict=True)) == {"easy": 1.0, "hard": 0.0}
    shown = repr(results)
    assert "macro" in shown
    assert "every data set weighs the same" in shown
    assert results._repr_html_().count("<table>") == 3


def test_the_interval_of_a_macro_average():
    # Equal variances s2/4 of two samples with 9 degrees of freedom each: se = s / 2 * sqrt(2) / 2 …
    values = [0.0, 1.0] * 5
    part = cluster_mean(values, list(range(10)))
    both = macro_mean([part, part])
    assert both.mean == part.mean
    assert both.se == pytest.approx(part.se / math.sqrt(2))
    # Satterthwaite with equal parts: degrees of freedom add up, 18; t_.975 = 2.10092.
    assert (both.high - both.mean) / both.se == pytest.approx(2.10092, abs=1e-4)


def test_data_sets_load_as_a_list_and_from_a_file(tmp_path):
    text = '{"type":"turn","conversation":"c","id":"t","text":"x","time":"2024-01-01T00:00"}\n'
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(text)
    tables = [{"name": "jsonl", "path": str(tmp_path / f"{n}.jsonl")} for n in ("one", "two")]
    results = ml.evaluate({"w": Window()}, [*tables], [], out=tmp_path)
    assert results.manifest["dataset"]["name"] == "one+two"
    assert str(tmp_path) not in (results.path / "manifest.json").read_text("utf-8")
    again = ml.Results.load(results.path)
    assert [c.id for c in again.dataset] == ["one/c", "two/c"]
    with pytest.raises(ConfigError, match="names of their own"):
        ml.load([tables[0], tables[0]])
    with pytest.raises(ConfigError, match="a table with a name"):
        ml.load([5])


def test_leave_one_out():
    both = join([EASY, HARD])
    splits = list(LeaveOneDatasetOut().splits(both))
    assert [s.name for s in splits] == ["easy", "hard"]
    for split in splits:
        held = {c.id for c in split.held_out}
        assert all(c.startswith(f"{split.name}/") for c in held)
        assert held | {c.id for c in split.development} == {c.id for c in both}
        assert not held & {c.id for c in split.development}
    talks = list(LeaveOneConversationOut().splits(EASY))
    assert [len(s.development) for s in talks] == [5] * 6
    assert [s.held_out.conversations for s in talks] == [(c,) for c in EASY]
    with pytest.raises(ConfigError, match="two or more"):
        list(LeaveOneDatasetOut().splits(EASY))


def test_coverage_counts_what_was_lost_by_category_and_role():
    whole = Dataset("whole", (talk("c"),))
    assert coverage(whole)["share"].tolist() == [1.0]
    assert shortfall(whole, audit(whole).lines) == ""
    cut = Dataset(
        "cut", (talk("c", ("t2", "t9"), lost_evidence={"assistant": 2}), talk("d", ("t1",)))
    )
    table = coverage(cut).set_index("role")
    # t2 is an assistant turn, t1 a user turn, t9 no turn; two assistant ones were lost in loading.
    assert table[["kept", "lost"]].T.to_dict("list") == {
        "assistant": [1, 2],
        "user": [1, 0],
        "unknown": [0, 1],
    }
    assert shortfall(cut, audit(cut).lines).startswith(
        "cut: 40.00 % of 5 evidence references survived loading"
    )
    with pytest.warns(CoverageWarning, match="40.00 %"):
        results = ml.evaluate({"w": Window()}, cut, [Recall()])
    assert "coverage: cut: 40.00 %" in repr(results)


def test_the_report_lists_defects_by_what_was_done():
    from memlab.types import Defect

    defects = [Defect("odd id", f"c#{i}", f"D{i}", "dropped") for i in range(3)]
    report = Dataset("d", (talk("c"),), defects=tuple(defects)).report()
    assert report.splitlines() == [
        "<d: 1 conversations, 3 turns, 1 probes; defects: 3 dropped>",
        "     3 dropped: odd id, as c#0: D0",
    ]
