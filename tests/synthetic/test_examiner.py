"""The examiner itself: it confirms what is right and catches every planted fault."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from examiner.days import named
from examiner.verdict import judge
from miniature import changed, script

from memlab.types import Forget, Probe, Turn

MULTI_HOP, LIST, COUNT, WHEN, RELATIVE, ORDER, NTH, AGO, NOW, PAST, HISTORY = (
    f"q{i}" for i in range(11)
)
DELETED, JOB, FOREIGN, OWN, RESTATED, EATS, AVOIDS, FELT = (f"q{i}" for i in range(11, 19))


def reasons(made, probe):
    """Return why the examiner does not believe a probe."""
    verdict = judge(made.scene())
    return " | ".join(r for name, rs in verdict.probes.items() if f" {probe} " in name for r in rs)


def test_a_right_conversation_is_confirmed():
    verdict = judge(script().scene())
    assert verdict.probes == {}
    assert verdict.beside == []
    assert (verdict.share, verdict.examined.total()) == (1.0, 19)


LABELS = [
    (WHEN, {"evidence": ("t5",)}, "evidence lacks ['t4']"),
    (LIST, {"evidence": ("t4",)}, "evidence lacks ['t5']"),
    (LIST, {"evidence": ("t4",)}, "evidence does not suffice"),
    (MULTI_HOP, {"evidence": ("t3",)}, "evidence does not suffice"),
    (JOB, {"evidence": ("t10",)}, "evidence lacks ['t9']"),
    (NOW, {"evidence": ("t6", "t0"), "stale": ()}, "evidence has ['t0'] besides"),
    (NOW, {"evidence": ("t6", "t1")}, "evidence t1 is not necessary"),
    (NOW, {"stale": ()}, "stale lacks ['t0']"),
    (NOW, {"stale": ("t0", "t1")}, "stale has ['t1'] besides"),
    (NOW, {"answers": ("Lisbon",)}, "answer 'Lisbon', the ledger gives"),
    (NOW, {"answers": ()}, "has no answers"),
    (NOW, {"answerable": False}, "is called unanswerable"),
    (NOW, {"category": "contradiction"}, "nobody contradicts"),
    (WHEN, {"answers": ("3 May 2024", "4 May")}, "answer '4 May'"),
    (COUNT, {"answers": ("3",)}, "answer '3', the ledger gives 2"),
    (LIST, {"answers": ("Ghent",)}, "lacks 'Porto'"),
    (LIST, {"answers": ("Ghent, Porto, Osaka",)}, "holds more than its values"),
    (HISTORY, {"answers": ("Osaka, Lisbon",)}, "not in the order"),
    (DELETED, {"forbidden": ()}, "forbidden lacks ['t7']"),
    (DELETED, {"forbidden": ("t7", "t1")}, "forbidden has ['t1'] besides"),
    (DELETED, {"answerable": True}, "is called answerable"),
    (DELETED, {"answers": ("oolong tea",)}, "has answers"),
    (FOREIGN, {"forbidden": ()}, "forbidden lacks ['t11']"),
    (OWN, {"evidence": ("t11", "t7")}, "deleted turns or turns of others: ['t7']"),
    (OWN, {"forbidden": ()}, "forbidden lacks ['t7']"),
    (NTH, {"evidence": ("t5",)}, "evidence lacks ['t4']"),
    (NTH, {"answers": ("Ghent",)}, "answer 'Ghent', the ledger gives"),
    (ORDER, {"evidence": ("t4",)}, "evidence does not suffice: it gives None"),
    (ORDER, {"answers": ("Porto",)}, "answer 'Porto', the ledger gives"),
    (AGO, {"answers": ("5",)}, "answer '5', the ledger gives 4"),
    (RESTATED, {"forbidden": ()}, "forbidden lacks ['t7']"),
    (RESTATED, {"evidence": ("t7",)}, "deleted turns or turns of others: ['t7']"),
    (EATS, {"evidence": ("t14",), "answers": ("leeks",)}, "evidence lacks ['t13']"),
    (AVOIDS, {"evidence": ("t13",), "answers": ("okra",)}, "evidence lacks ['t14']"),
    (FELT, {"evidence": ("t4",)}, "evidence lacks ['t15']"),
    (JOB, {"evidence": ("t9", "t10", "t99")}, "not said by then: ['t99']"),
]
WORDS = [
    (NOW, {"text": "Where do I live, in Osaka?"}, "gives the answer away"),
    (NOW, {"text": "Where does one live?"}, "does not name the asker"),
    (MULTI_HOP, {"text": "What is Mia's job?"}, "does not name the sister"),
    (MULTI_HOP, {"text": "What does my sister Mia do?"}, "names Mia"),
    (RELATIVE, {"text": "Which city did I visit yesterday?"}, "should name 2024-05-05"),
    (PAST, {"text": "Where did I live on 3 May?"}, "should name 2024-05-02"),
    (WHEN, {"text": "When was I there?"}, "does not name 'Ghent'"),
    (WHEN, {"text": "How long ago was I in Ghent?"}, "asks for a span of time"),
    (PAST, {"text": "Where did I live on 2 May, these days?"}, "the past with 'these days'"),
    (NTH, {"text": "Which city did I visit first?"}, "asks for number 1, not -1"),
    (EATS, {"text": "What can I not eat?"}, "asks for the opposite"),
    (FELT, {"text": "How did I feel?"}, "does not name the key 'Ghent'"),
    (NOW, {"text": "我住在哪里？"}, "does not end as a sentence of 'en'"),
]


@pytest.mark.parametrize(("probe", "fields", "reason"), [*LABELS, *WORDS])
def test_a_wrong_probe_is_caught(probe, fields, reason):
    made = script()
    changed(made.events, probe, **fields)
    assert reason in reasons(made, probe)


TURNS = [
    ("t4", "I went to Ghent last Thursday.", WHEN, "should name 2024-05-03"),
    ("t4", "I went to Ghent on 2 May.", WHEN, "should name 2024-05-03"),
    ("t4", "I went to Ghent.", WHEN, "should name 2024-05-03"),
    ("t4", "I went there last Friday.", WHEN, "does not hold the value"),
    ("t1", "Osaka, lovely!", NOW, "turn t1 holds 'Osaka' without a row"),
    ("t1", "Oolong tea, lovely!", DELETED, ""),
    ("t3", "She works as a notary.", MULTI_HOP, "Mia cannot be told"),
    ("t3", "I spoke to Mia. He works as a notary.", MULTI_HOP, "the pronoun is not that of Mia"),
    ("t3", "I spoke to Mia and Ada. She works as a notary.", MULTI_HOP, "the pronoun refers to a"),
    ("t3", "I spoke to Mia, my sister. She works as a notary.", MULTI_HOP, "t3 betrays the sister"),
    ("t6", "I left Lisbon: my home is in Osaka now.", HISTORY, "t6 tells the former value"),
    ("t6", "My home isn't at Osakas now.", NOW, "does not hold the value"),
    ("t6", "The home is in Osaka now.", NOW, "does not speak of themselves"),
    ("t13", "I cannot eat okra.", EATS, "is denied in the text"),
    ("t14", "I can eat leeks.", AVOIDS, "is affirmed in the text"),
    ("t9", "A paramedic, or what do you do?", JOB, "already holds the value"),
    ("t9", "Fancy a chat?", JOB, "does not speak of themselves"),
]


@pytest.mark.parametrize(("turn", "text", "probe", "reason"), TURNS)
def test_a_text_that_disagrees_is_caught(turn, text, probe, reason):
    made = script()
    changed(made.events, turn, text=text)
    verdict = judge(made.scene())
    told = reasons(made, probe) or " | ".join(verdict.beside)
    assert (reason or "without a row") in told


def test_days_off_by_one_are_caught():
    made = script()
    made.rows[3] = replace(made.rows[3], day=made.rows[3].day + timedelta(days=1))
    assert "should name 2024-05-04" in reasons(made, WHEN)
    assert "answer '3 May 2024'" in reasons(made, WHEN)


def test_a_row_nobody_said_is_caught():
    made = script()
    made.rows[5] = replace(made.rows[5], turn="t1", position=1, said_at=made.events[2].time)
    assert "does not hold the value" in reasons(made, NOW)


def test_a_wrong_end_of_a_state_is_caught():
    made = script()
    made.rows[0] = replace(made.rows[0], valid_until=None)
    beside = judge(made.scene()).beside
    assert beside == ["mini row r0 holds until None, by its successor until 2024-05-07"]


def test_hearsay_is_no_answer_and_must_sound_like_it():
    made = script()
    made.rows[5] = replace(made.rows[5], authority=0.5)
    assert "the ledger gives Value(kind='city', n=0" in reasons(made, NOW)
    assert "hearsay that does not say so" in reasons(made, NOW)


def test_a_second_statement_of_the_answer_is_caught():
    made = script()
    again = replace(made.rows[5], id="r9", position=1, turn="t1", said_at=made.events[2].time)
    made.rows.insert(1, replace(again, said_by="assistant"))
    changed(made.events, "t1", text="I live in Osaka.")
    assert "other turns answer as well: ['t1']" in reasons(made, NOW)


def _forget(made, **fields):
    place = next(i for i, e in enumerate(made.events) if isinstance(e, Forget))
    made.events[place] = replace(made.events[place], **fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"turn_ids": ()}, "names no turn"),
        ({"turn_ids": ("t11",)}, "t11, which was not said by then"),
        ({"user": "b"}, "'b' forgets t7, a turn of 'a'"),
    ],
)
def test_a_wrong_forget_is_caught(fields, reason):
    made = script()
    _forget(made, **fields)
    verdict = judge(made.scene())
    assert reason in " | ".join(verdict.beside)
    if "turn_ids" in fields:
        assert "something is known" in reasons(made, DELETED)


SEEN = [
    ({"meta": {"fact": "home_city"}}, "has meta ['fact']"),
    ({"text": "By the way, {s} lives."}, "unfilled slot '{s}'"),
    ({"text": "I live in Lisbon\u200b."}, "hidden characters"),
    ({"text": "I live  in Lisbon."}, "clumsy punctuation"),
    ({"text": ""}, "is empty"),
    ({"user": "b"}, "belongs to 'b', not 'a'"),
    ({"session": "s1"}, "comes after the end"),
    ({"role": "tool"}, "does not follow its call"),
    ({"id": "t0-home_city"}, "named like a row or a fact"),
]


@pytest.mark.parametrize(("fields", "reason"), SEEN)
def test_labels_and_blemishes_are_caught(fields, reason):
    made = script()
    turn = "t2" if "session" in fields else "t0"
    changed(made.events, turn, **fields)
    assert reason in " | ".join(judge(made.scene()).beside)


def test_events_out_of_order_are_caught():
    made = script()
    turn = next(e for e in made.events if isinstance(e, Turn) and e.id == "t5")
    changed(made.events, "t5", time=turn.time - timedelta(days=2))
    assert "comes before" in " | ".join(judge(made.scene()).beside)


@pytest.mark.parametrize("probe", [NOW, WHEN, LIST, NTH, ORDER, MULTI_HOP, JOB, OWN, FELT])
def test_every_evidence_turn_counts(probe):
    """Dropping any single evidence turn, or adding any other turn, is noticed."""
    asked = next(e for e in script().events if isinstance(e, Probe) and e.id == probe)
    others = [e.id for e in script().events if isinstance(e, Turn) and e.user == asked.user]
    for turn in {*asked.evidence, *others}:
        made = script()
        changed(made.events, probe, evidence=tuple({*asked.evidence} ^ {turn}))
        assert reasons(made, probe), f"{turn} was taken or added unnoticed"


WEDNESDAY = date(2024, 5, 8)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yesterday", date(2024, 5, 7)),
        ("the day before yesterday", date(2024, 5, 6)),
        ("last Friday", date(2024, 5, 3)),
        ("last Wednesday", date(2024, 5, 1)),  # never today
        ("two weeks ago", date(2024, 4, 24)),
        ("a week ago", date(2024, 5, 1)),
        ("nine days ago", date(2024, 4, 29)),
        ("45 days ago", date(2024, 3, 24)),
        ("on 3 May", date(2024, 5, 3)),
        ("on 9 May", date(2023, 5, 9)),  # of the days gone by
        ("on 29 February", date(2024, 2, 29)),
        ("昨天", date(2024, 5, 7)),
        ("前天", date(2024, 5, 6)),
        ("上周五", date(2024, 5, 3)),
        ("上周日", date(2024, 5, 5)),
        ("这周三", date(2024, 5, 8)),
        ("两周前", date(2024, 4, 24)),
        ("十天前", date(2024, 4, 28)),
        ("5月3日", date(2024, 5, 3)),
        ("今天", WEDNESDAY),
    ],
)
def test_days(text, day):
    assert [d.day for d in named(f"({text})", WEDNESDAY)] == [day]
