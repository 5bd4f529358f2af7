"""The portrait of a data set: arithmetic by hand, a plain second reckoning, real data."""

import math
import runpy
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import ConfigError
from memlab.text import terms

START = datetime(2024, 1, 1, tzinfo=UTC)
QUANTILES = ["p10", "p25", "p50", "p75", "p90"]


def turn(name, text, **kept):
    return ml.Turn(id=name, text=text, time=START, **kept)


def probe(text, *evidence, **kept):
    return ml.Probe(id=text, text=text, time=START, evidence=evidence, **kept)


def dataset(*talks):
    return ml.Dataset("made", tuple(ml.Conversation(str(i), t) for i, t in enumerate(talks)))


def portrait(*talks):
    return ml.describe(dataset(*talks), tokenizer="estimate")


HAND = [
    turn("t1", "I moved to Oslo.", speaker="Ann"),
    turn("t2", "Nice.", speaker="Bob", role="assistant"),
    turn("t3", "My dog is called Rex.", speaker="Ann"),
    probe("What is the dog called?", "t3"),
    ml.SessionEnd(session="1", time=START),
    turn("t4", "Rex eats fish.", speaker="Bob", role="assistant", session="2"),
    turn("t5", "Ok", speaker="Bob", role="assistant", session="2"),
    probe("Where does Ann live?", "t1", answerable=False),
    probe("What does Rex eat?", "t3", "t4"),
    probe("Who won?", answerable=False),
]

# The estimate of English is 0.22 tokens a character, rounded up: 16, 5, 21, 14 and 2 characters
# give 4, 2, 5, 4, 1 (and the questions 23, 20, 18, 8: 6, 5, 4, 2).
MEANS = {
    "turns per conversation": (5, 1),
    "turns per session": (2.5, 2),
    "turn tokens": (16 / 5, 5),
    "turn tokens: user": (9 / 2, 2),
    "turn tokens: assistant": (7 / 3, 3),
    "evidence share": (3 / 5, 5),  # t1, t3, t4
    "evidence share: user": (1.0, 2),
    "evidence share: assistant": (1 / 3, 3),
    "question tokens": (17 / 4, 4),
    "evidence per probe": (4 / 3, 3),  # 1, 1, 2: the unanswerable one that has evidence counts
    "distance": (5 / 3, 3),  # t3 was the last of 3: 0; t1 … t5: 4; t4, t5: 1
    "distance share": ((0 / 3 + 4 / 5 + 1 / 5) / 3, 3),
    "evidence position": ((3 / 5 + 1 / 5 + 3 / 5 + 4 / 5) / 4, 4),
    # {dog, call} in t3; {ann, live} in t1, where Ann speaks; {rex, eat} in t3 and in t4.
    "overlap": ((1 + 1 / 2 + 1 / 2 + 1) / 4, 4),
    "overlap none": (0.0, 4),
    "length AUC": (1.0, 1),  # evidence 4, 5, 4; the others 2, 1
}


def test_means_by_hand():
    found = portrait(HAND)
    assert list(found.columns) == ["unit", "mean", *QUANTILES, "n", "note"]
    assert found.index.name == "statistic"
    assert set(found.index) == {*MEANS, "text AUC"}
    for name, (mean, n) in MEANS.items():
        assert found.loc[name, "mean"] == pytest.approx(mean), name
        assert found.loc[name, "n"] == n, name
        assert found.loc[name, "note"] == ""


def test_every_conversation_is_reckoned_by_itself():
    found = portrait(HAND, HAND)
    for name, (mean, n) in MEANS.items():
        assert found.loc[name, "mean"] == pytest.approx(mean), name
        assert found.loc[name, "n"] == 2 * n, name


def test_quantiles_are_straight_between_values_and_shares_have_none():
    found = portrait(HAND)
    # 1, 2, 4, 4, 5: p10 lies 0.4 of the way from 1 to 2, p90 0.6 of the way from 4 to 5.
    assert found.loc["turn tokens", QUANTILES].tolist() == pytest.approx([1.4, 2, 4, 4, 4.6])
    single = ["evidence share", "evidence share: user", "overlap none"]
    assert found.loc[single, QUANTILES].isna().all(axis=None)
    assert found["unit"].unique().tolist() == ["turns", "tokens", "share", "AUC"]


def test_the_tokenizer_of_evaluate_is_the_default():
    # cl100k_base: "I", " moved", " to", " Oslo", "." and "Nice", "."; the estimate says 4 and 2
    data = dataset([turn("a", "I moved to Oslo."), turn("b", "Nice.")])
    assert ml.describe(data).loc["turn tokens", "mean"] == 3.5


@pytest.mark.parametrize(
    ("speaker", "text", "question", "overlap"),
    [
        # 小明 明住 住在 在哪 哪里, of which the turn has 小明 (its speaker) and 住在.
        ("小明", "我住在北京海淀。", "小明住在哪里？", 2 / 5),
        ("Alice", "I like 咖啡 a lot", "What does Alice like, 咖啡?", 1.0),
        ("Alice", "我最爱喝咖啡", "Does 爱喝 Alice tea?", 2 / 3),
        ("Bob", "Nothing of that", "咖啡 or tea?", 0.0),
    ],
)
def test_overlap_in_english_chinese_and_mixed(speaker, text, question, overlap):
    found = portrait([turn("a", text, speaker=speaker), probe(question, "a")])
    assert found.loc["overlap", "mean"] == pytest.approx(overlap)
    assert found.loc["overlap none", "mean"] == (overlap == 0)


def test_a_question_of_stop_words_has_evidence_but_no_overlap():
    found = portrait([turn("a", "tea"), probe("What did you do?", "a")])
    assert found.loc["evidence per probe", "n"] == 1
    assert found.loc["overlap", "n"] == found.loc["overlap none", "n"] == 0
    assert found.loc["overlap", "note"] == "no question with terms has evidence"


def test_evidence_that_was_not_said_yet_is_left_out_and_counted():
    talk = [turn("a", "tea"), probe("tea?", "a", "a", "b", "lost"), turn("b", "tea")]
    found = portrait(talk)
    assert found.loc["evidence per probe", "mean"] == 1  # named twice, it is one turn
    assert found.loc["evidence share", "mean"] == 0.5
    note = "left out: 2 evidence ids that name no turn said before their probe"
    assert found.loc["evidence per probe", "note"] == note


def marked(word):
    """A conversation of 8 turns, in which the 2 evidence turns hold `word`."""
    said = [turn(str(i), f"{word if i in (2, 5) else 'rain'} today", role="tool") for i in range(8)]
    return [*said, probe("what?", "2", "5")]


def test_a_word_that_marks_evidence_gives_it_away_in_other_conversations():
    found = portrait(*[marked("snow")] * 3)
    assert found.loc["text AUC", "mean"] == 1.0
    assert found.loc["text AUC", "n"] == 3
    assert found.loc["length AUC", "mean"] == 0.5  # snow and rain are equally long
    assert found.loc["evidence share: tool", "mean"] == 0.25


def test_equal_words_give_nothing_away():
    assert portrait(*[marked("rain")] * 3).loc["text AUC", "mean"] == 0.5


def test_a_length_below_the_others_counts_against():
    assert portrait(marked("")).loc["length AUC", "mean"] == 0.0


@pytest.mark.parametrize(
    ("talks", "note"),
    [
        ([], "no conversation has both evidence and other turns"),
        ([[]], "no conversation has both evidence and other turns"),
        ([[turn("a", "x")]] * 2, "no conversation has both evidence and other turns"),
        ([[turn("a", "x"), probe("x", "a")]] * 2, "no conversation has both evidence and other"),
        ([marked("snow")], "a model needs at least two conversations"),
        ([marked("snow"), []], "a model needs at least two conversations"),
        ([marked("snow"), [turn("a", "x")]], "the other conversations hold nothing to learn from"),
        ([[turn("a", "x"), turn("b", "y"), probe("x", "a")]] * 2, "hold nothing to learn from"),
    ],
)
def test_no_value_has_a_reason(talks, note):
    found = portrait(*talks)
    assert math.isnan(found.loc["text AUC", "mean"])
    assert found.loc["text AUC", "n"] == 0
    assert note in found.loc["text AUC", "note"]
    absent = found[found["n"] == 0]
    assert absent["mean"].isna().all()
    assert (absent["note"] != "").all()
    assert found[found["n"] > 0]["mean"].notna().all()


def test_what_is_no_data_set_is_refused():
    with pytest.raises(ConfigError, match="expected a data set"):
        ml.describe("locomo")
    with pytest.raises(ConfigError, match="unknown tokenizer"):
        ml.describe(dataset(HAND), tokenizer="cl100")


def test_heavy_packages_are_imported_on_use():
    code = "import memlab.portrait, sys; sys.exit(bool({'sklearn', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


WORDS = ["tea", "rain", "北京", "喝茶", "the", "rex"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=4).map(" ".join)
EVENTS = st.one_of(
    st.tuples(st.just("turn"), TEXTS, st.sampled_from(["user", "assistant"])),
    st.tuples(st.just("probe"), TEXTS, st.sets(st.integers(0, 7), max_size=3).map(sorted)),
)


def conversation(drawn):
    events, turns = [], 0
    for kind, text, more in drawn:
        if kind == "turn":
            events.append(turn(str(turns), text, role=more))
            turns += 1
        else:
            events.append(probe(text, *map(str, more)))
    return events


def plainly(talks):
    """The same figures by looking back from every probe."""
    found = {name: [] for name in ("evidence per probe", "distance", "overlap", "evidence share")}
    for events in talks:
        cited = set()
        for i, event in enumerate(events):
            before = [e for e in events[:i] if isinstance(e, ml.Turn)]
            at = {e.id: n for n, e in enumerate(before)}
            known = [e for e in getattr(event, "evidence", ()) if e in at]
            if known:
                cited.update(known)
                found["evidence per probe"].append(len(known))
                found["distance"].append(min(len(before) - 1 - at[e] for e in known))
                asked = set(terms(event.text))
                for e in known if asked else ():
                    said = set(terms(f"{before[at[e]].role} {before[at[e]].text}"))
                    found["overlap"].append(len(asked & said) / len(asked))
        found["evidence share"] += [e.id in cited for e in events if isinstance(e, ml.Turn)]
    return found


@given(st.lists(st.lists(EVENTS, max_size=14).map(conversation), max_size=3))
def test_agrees_with_a_plain_reckoning_and_stays_in_range(talks):
    found = portrait(*talks)
    for name, values in plainly(talks).items():
        mean = np.mean(values) if values else math.nan
        assert found.loc[name, "mean"] == pytest.approx(mean, nan_ok=True), name
        assert found.loc[name, "n"] == len(values)
    shares = found[found["unit"].isin(["share", "AUC"])][["mean", *QUANTILES]].stack().dropna()
    assert shares.between(0, 1).all()
    steps = found[QUANTILES].diff(axis=1).iloc[:, 1:].stack().dropna()
    assert (steps >= -1e-12).all()


class Stream:
    """Turns made while they are walked; every hundredth is asked about at once."""

    def __init__(self, turns, length):
        self.turns, self.length = turns, length

    def __iter__(self):
        for i in range(self.turns):
            time = START + timedelta(minutes=i)
            yield turn(f"t{i}", f"{i} ".ljust(self.length, "x"))
            if i % 100 == 99:
                yield ml.Probe(id=f"p{i}", text="who?", time=time, evidence=(f"t{i}",))


def test_texts_are_not_kept():
    # 5,000 texts of 2,000 characters are 10 MB, of which 1 % are evidence and kept for a while.
    data = ml.Dataset("stream", (ml.Conversation("1", Stream(5_000, 2_000)),))
    ml.describe(data.take(0))  # what is imported on use
    tracemalloc.start()
    found = ml.describe(data, tokenizer="estimate")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.loc["turn tokens", "n"] == 5_000
    assert peak < 2_000_000


def test_the_text_model_is_the_usual_pipeline():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import PredefinedSplit, cross_val_predict
    from sklearn.pipeline import make_pipeline

    sample = ml.load("quickstart")
    texts, labels, groups = [], [], []
    for number, talk in enumerate(sample):
        cited = {e for p in talk.probes() for e in p.evidence}
        for said in talk.turns():
            texts.append(said.text)
            labels.append(said.id in cited)
            groups.append(number)
    words = TfidfVectorizer(tokenizer=terms, token_pattern=None, sublinear_tf=True, min_df=2)
    model = make_pipeline(words, LogisticRegression(class_weight="balanced"))
    # Of 36, 37, 38, 36, 36, 34, 37 and 34 turns; the largest goes to the emptiest fold first.
    folds = PredefinedSplit([(3, 1, 0, 4, 3, 4, 2, 1)[number] for number in groups])
    scores = cross_val_predict(model, texts, labels, cv=folds, method="decision_function")
    labels, groups = np.array(labels), np.array(groups)
    inside = [groups == number for number in range(len(sample))]
    aucs = [roc_auc_score(labels[at], scores[at]) for at in inside]
    assert ml.describe(sample).loc["text AUC", "mean"] == pytest.approx(np.mean(aucs), abs=1e-6)


def test_locomo(locomo_path):
    found = ml.describe(ml.load("locomo", path=locomo_path))
    expected = {
        "turn tokens": (31.77, 5882),
        "evidence share": (0.2431, 5882),
        "evidence per probe": (1.4228, 1982),
        "distance": (281.47, 1982),
        "overlap": (0.4829, 2820),
        "overlap none": (0.0121, 2820),
        "text AUC": (0.7956, 10),
        "length AUC": (0.7513, 10),
    }
    assert found.loc[list(expected), "n"].tolist() == [n for _, n in expected.values()]
    for name, (mean, _) in expected.items():
        assert found.loc[name, "mean"] == pytest.approx(mean, rel=5e-4, abs=5e-5), name


def test_beam(data):
    path = data / "beam" / "100K"
    if not path.is_dir():
        pytest.skip("BEAM is not at hand")
    found = ml.describe(ml.load("beam", path=path))
    expected = {
        "turn tokens": 548.03,
        "turn tokens: user": 168.41,
        "evidence share": 0.2287,
        "evidence share: assistant": 0.1376,
        "evidence per probe": 3.3111,
        "overlap": 0.3588,
        "text AUC": 0.6525,
        "length AUC": 0.3890,
    }
    for name, mean in expected.items():
        assert found.loc[name, "mean"] == pytest.approx(mean, rel=5e-4, abs=5e-5), name


def test_two_portraits_side_by_side():
    script = Path(__file__).resolve().parent.parent / "experiments" / "profile_match.py"
    match = runpy.run_path(str(script))["match"]
    found = match(portrait(HAND), portrait(*[marked("snow")] * 3))
    # 3 / 5 and 2 / 8 of the turns are evidence.
    assert found.loc["evidence share", "difference"] == pytest.approx(-0.35)
    assert found.loc["evidence share", "verdict"] == "apart"
    assert found.loc["turn tokens", "verdict"] == ""
    assert found.loc["text AUC", "verdict"] == "missing"  # one conversation has none
    assert found.loc["turn tokens: tool", "synthetic"] == 3.0  # "snow today": 10 characters
    same = match(portrait(HAND), portrait(HAND))
    assert set(same["verdict"]) == {"", "within", "missing"}
