"""What is said beside a comparison: true of what was tested, and nothing left unsaid."""

import math

import pytest

from memlab.errors import ConfigError
from memlab.metrics import Recall, StaleHit
from memlab.naming import component
from memlab.results import Results
from memlab.types import Record

METRIC = "Recall(k=1)"
SHOWN = (Recall(k=1),)


def record(strategy, conversation, probe, hit, **given):
    known = {
        "budget": 100,
        "evidence": ("e",),
        "candidates": 5,
        "ranked": ("e",) if hit else ("x",),
    }
    return Record(strategy=strategy, conversation=conversation, probe=probe, **{**known, **given})


def run(hits, metrics=SHOWN, **given):
    """Return a run: strategy -> one list of hits for each conversation a, b, c, …"""
    records = [
        record(strategy, chr(97 + i), str(j), hit, **given)
        for strategy, talks in hits.items()
        for i, talk in enumerate(talks)
        for j, hit in enumerate(talk)
    ]
    return Results(records, [], [], {}, metrics)


def said(comparison, start):
    (found,) = [note for note in comparison.notes if note.startswith(start)]
    return found


def row(comparison):
    (found,) = comparison.table.to_dict("records")
    return found


EIGHT = {"old": [[0, 0]] * 8, "new": [[1, 0]] * 7 + [[0, 1]]}


def test_the_family_is_that_of_the_contrasts_that_were_adjusted():
    records = [
        record(s, talk, f"{c}{i}", s == "new", category=c)
        for s in ("old", "new")
        for c, talks in {"many": "abcdefgh", "more": "abcdefg", "few": "ab"}.items()
        for talk in talks
        for i in range(2)
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    compared = made.compare("old", by="category")
    assert "adjusted over 2 contrasts of a metric (Holm)" in said(compared, "p:")
    assert sum(not math.isnan(p) for p in compared.table["p adjusted"]) == 2
    bare = made.compare("old", by="category", adjust="none")
    assert said(bare, "p:").endswith("not adjusted, for 2 contrasts of a metric")
    few = run({"old": [[0]] * 5, "new": [[1]] * 5}).compare("old")
    assert said(few, "p:").endswith("nothing to adjust")


def test_holm_over_more_contrasts_than_the_conversations_allow_is_told():
    six = {"old": [[0]] * 6, "b": [[1]] * 6, "c": [[1]] * 6}
    # 2 / 2^6 = .031 twice: no adjusted p is below .062, whatever the data say.
    compared = run(six).compare("old")
    assert set(compared.table["verdict"]) == {"not separated"}
    assert "at least .062, so none can be separated" in said(compared, METRIC)
    assert not any("at least" in note for note in run(six).compare("old", strategies=["b"]).notes)
    assert not any("at least" in note for note in run(six).compare("old", adjust="bh").notes)


@pytest.mark.parametrize(("level", "shown"), [(0.9, "90 %"), (0.975, "97.5 %"), (0.999, "99.9 %")])
def test_the_level_is_not_rounded(level, shown):
    compared = run(EIGHT).compare("old", level=level)
    assert f"{shown} interval" in repr(compared)
    assert said(compared, "interval:").startswith(f"interval: {shown}, not adjusted")
    assert compared.alpha == pytest.approx(1 - level, abs=1e-15)


def test_reads_that_failed_are_counted():
    records = [
        record(s, talk, "0", 1, error="ValueError: no" if s == "new" else None)
        for s in ("old", "new")
        for talk in "abcdefgh"
    ]
    compared = Results(records, [], [], {}, [Recall(k=1)]).compare("old")
    assert row(compared)["verdict"] == "worse"
    assert said(compared, "failed reads").endswith("'new' 8 of 8")
    assert not any("failed" in note for note in run(EIGHT).compare("old").notes)
    across = run(EIGHT).compare(other=run(EIGHT, error="x"))
    assert said(across, "failed reads").endswith(
        "'old' of the baseline's run 16 of 16, 'new' of the baseline's run 16 of 16"
    )


def test_ranks_that_contradict_the_mean_conclude_nothing():
    """Nine conversations win a little each, one of a hundred probes loses more."""
    hits = {"old": [[0, 0]] * 9 + [[1] * 100], "new": [[1, 0]] * 9 + [[0] * 10 + [1] * 90]}
    compared = run(hits).compare("old", test="wilcoxon")
    found = row(compared)
    # Means of .5 nine times and -.1 once: W- = 1, p = 4 / 2^10; the mean is (9 - 10) / 118.
    assert found["p"] == 4 / 2**10
    assert found["difference"] == pytest.approx(-1 / 118)
    assert found["verdict"] == "not separated"
    assert said(compared, "ranks that point another way").endswith(": 1 contrast")


def spent(rankings):
    """Tokens, of which less is better."""
    return rankings.tokens.astype(float)


@component
class Spent:
    """Tokens: a metric that states a direction and nothing else."""

    higher_is_better = False

    def __call__(self, rankings):
        return rankings.tokens.astype(float)


def test_a_direction_counts_whoever_states_it():
    records = [
        record(s, talk, "0", 1, tokens=10 if s == "old" else 20)
        for s in ("old", "new")
        for talk in "abcdefgh"
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    stated = made.compare("old", metrics=[Spent()])
    assert (row(stated)["verdict"], row(stated)["losses"]) == ("worse", 8)
    assert made.pareto(Spent())["front"].tolist() == [True, False]
    assert not any("which way" in note for note in stated.notes)
    assert any(
        "spent does not say which way" in n for n in made.compare("old", metrics=[spent]).notes
    )


def test_data_sets_without_pairs_are_named():
    records = [
        record(s, f"{d}{i}", "0", s == "new", dataset=d, stale=("x",) if d == "x" else ())
        for s in ("old", "new")
        for d in ("x", "y")
        for i in range(6)
    ]
    compared = Results(records, [], [], {}, [StaleHit()]).compare("old")
    assert row(compared)["n"] == 6
    assert said(compared, "no pairs in y").endswith("1 contrast")


def test_d_is_that_of_one_data_set():
    records = [
        record(s, f"{d}{i}", "0", s == "new" and i, dataset=d)
        for s in ("old", "new")
        for d in ("x", "y")
        for i in range(6)
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    assert math.isnan(row(made.compare("old"))["d"])
    # Five 1 and a 0: 5/6 over sd .408, times gamma(2.5) / (sqrt(2.5) gamma(2)) = .841.
    assert made.compare("old", by="dataset").table["d"].tolist() == pytest.approx(
        [1.716, 1.716], abs=1e-3
    )


def test_notes_in_markdown_are_escaped():
    records = [record(s, t, "0", 1, tokens=9, cut=True) for s in ("<b>|", "b") for t in "abcdefgh"]
    text = Results(records, [], [], {}, [Recall(k=1)]).compare("b", tokens=5).to_markdown()
    assert "no value for '<b>|'" not in text
    assert r"- no value for '\<b\>\|': its smallest budget gave 9 tokens" in text


def test_margins_are_not_adjusted_and_say_so():
    compared = run(EIGHT).compare("old", margin=0.1)
    assert said(compared, "margin 0.1").endswith("at 0.05, not adjusted")


def infinite(rankings):
    """No number."""
    return rankings.tokens + math.inf


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"level": 0.2}, "level=0.2"),
        ({"level": "0.9"}, "level='0.9'"),
        ({"margin": "0.1"}, "margin='0.1'"),
        ({"margin": True}, "margin=True"),
        ({"metrics": []}, "no metric"),
        ({"metrics": [infinite]}, "infinite is infinite for 16 probes of 'new'"),
    ],
)
def test_options_that_cannot_work_are_told(options, told):
    with pytest.raises(ConfigError, match=told):
        run(EIGHT).compare("old", **options)


@pytest.mark.parametrize("name", ["value", "d", "p", "tokens", "verdict", "metric"])
def test_a_field_must_not_be_named_like_a_column(name):
    """Else it would be overwritten, or overwrite what a line is about."""
    with pytest.raises(ConfigError, match=f"by='{name}'"):
        run(EIGHT, dials={name: 1}).compare("old", by=name)


def test_one_strategy_may_be_named_without_a_list():
    assert row(run(EIGHT).compare("old", strategies="new"))["strategy"] == "new"
