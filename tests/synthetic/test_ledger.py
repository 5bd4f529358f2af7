"""The ledger answers by hand-made rows: what holds when, by whom, and what misleads."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from memlab.synthetic.asks import Ask
from memlab.synthetic.derive import truth
from memlab.synthetic.ledger import HEARSAY, Ledger, Row
from memlab.synthetic.values import Value

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
TODAY = date(2024, 6, 1)


def row(position, value, **details):
    given = {
        "id": f"f{position}", "owner": "user1", "subject": "u0", "fact": "home_city",
        "value": Value("city", value), "position": position, "turn": f"t{position}",
        "said_at": START + timedelta(days=position), "said_by": "u0",
    }  # fmt: skip
    return Row(**{**given, **details})


def ledger(*rows):
    made = Ledger()
    for one in rows:
        made.add(one)
    made.close()
    return made


def ask(kind, position=100, **details):
    given = {"owner": "user1", "category": "x", "subject": "u0", "fact": "home_city"}
    return Ask(kind=kind, position=position, **{**given, **details})


def found(question, *rows):
    answer = truth(question, ledger(*rows), TODAY, "u0")
    names = [[r.turn for r in part] for part in (answer.evidence, answer.stale, answer.forbidden)]
    return *names, [v.n for v in answer.answer]


def test_the_newest_value_holds_and_the_ones_before_are_stale():
    assert found(ask("current"), row(1, 7), row(5, 8), row(9, 9)) == (["t9"], ["t1", "t5"], [], [9])


def test_what_is_said_after_the_question_is_not_known_yet():
    assert found(ask("current", position=6), row(1, 7), row(5, 8), row(9, 9))[0] == ["t5"]


def test_a_repeated_value_is_not_stale():
    assert found(ask("current"), row(1, 7), row(5, 7)) == (["t5"], [], [], [7])


def test_hearsay_never_beats_what_is_known_first_hand():
    rumour = row(5, 8, authority=HEARSAY)
    assert found(ask("current"), row(1, 7), rumour) == (["t1"], ["t5"], [], [7])


def test_the_past_is_asked_by_day_and_by_when_it_held():
    # Said on day 9 that it holds since 4 March; t1 was said on 2 March.
    late = row(9, 9, day=date(2024, 3, 4))
    assert found(ask("past", as_of=date(2024, 3, 3)), row(1, 7), late)[0] == ["t1"]
    assert found(ask("past", as_of=date(2024, 3, 4)), row(1, 7), late)[0] == ["t9"]


def test_history_lists_every_value():
    assert found(ask("history"), row(1, 7), row(5, 8)) == (["t1", "t5"], [], [], [7, 8])


def test_deleted_rows_are_forbidden_and_answer_nothing():
    book = ledger(row(1, 7))
    book.forget("f1", 3)
    answer = truth(ask("deleted"), book, TODAY, "u0")
    assert not answer.answerable
    assert answer.evidence == ()
    assert [r.turn for r in answer.forbidden] == ["t1"]


def test_what_is_said_anew_after_a_deletion_answers():
    book = ledger(row(1, 7), row(5, 8))
    book.forget("f1", 3)
    answer = truth(ask("restated"), book, TODAY, "u0")
    assert [r.turn for r in answer.evidence] == ["t5"]
    assert [r.turn for r in answer.forbidden] == ["t1"]
    assert answer.stale == ()


def test_events_are_counted_ordered_and_dated():
    days = {2: date(2024, 3, 20), 4: date(2024, 3, 10), 6: date(2024, 3, 15)}
    rows = [row(p, p, fact="trip", group="event", day=d) for p, d in days.items()]
    trip = {"fact": "trip"}
    assert truth(ask("count", **trip), ledger(*rows), TODAY, "u0").number == 3
    assert found(ask("nth", n=1, **trip), *rows)[3] == [4]
    assert found(ask("nth", n=-1, **trip), *rows)[3] == [2]
    order = ask("order", args=(Value("city", 2), Value("city", 6)), **trip)
    assert found(order, *rows) == (["t2", "t6"], [], [], [6])
    when = truth(ask("when", args=(Value("city", 4),), **trip), ledger(*rows), TODAY, "u0")
    assert when.day == date(2024, 3, 10)
    # From 10 March to 1 June: 21 + 30 + 31 + 1 days.
    ago = ask("ago", args=(Value("city", 4),), **trip)
    assert truth(ago, ledger(*rows), TODAY, "u0").number == 83


def test_a_state_holds_until_the_next_begins():
    book = ledger(row(1, 7), row(5, 8), row(6, 9, authority=HEARSAY))
    assert [r.valid_until for r in book] == [date(2024, 3, 6), None, None]


def test_a_bare_answer_needs_its_question():
    bare = row(5, 8, needs="t4")
    assert bare.turns == ("t4", "t5")
    assert row(5, 8).turns == ("t5",)


def test_taking_a_row_out_again_leaves_no_trace():
    book, kept = ledger(row(1, 7)), row(2, 8)
    book.add(kept)
    book.remove(kept)
    assert len(book) == 1
    assert found(ask("current"), *book)[0] == ["t1"]


@pytest.mark.parametrize("negated", [True, False])
def test_a_negation_is_another_question(negated):
    eats = row(1, 3, fact="eats", group="twin")
    not_eats = replace(row(2, 4, fact="eats", group="twin"), negated=True)
    question = ask("negated" if negated else "current", fact="eats")
    assert found(question, eats, not_eats)[0] == ["t2" if negated else "t1"]
