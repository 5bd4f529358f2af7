"""The loader on small records in the published schema that have every defect."""

import json
import pickle
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets.longmemeval import load
from memlab.errors import ConfigError, DataError
from memlab.evidence import audit
from memlab.types import Probe, SessionEnd, Turn


def user(text, mark=None):
    return {"role": "user", "content": text} | ({} if mark is None else {"has_answer": mark})


def assistant(text, mark=None):
    return user(text, mark) | {"role": "assistant"}


TOOL = {"role": "tool", "content": "42"}
ANSWERS = ["answer_a_1", "answer_a_2"]


def record(**changes):
    made = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many plants do I have?",
        "answer": "three",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21",
            "2023/05/21 (Sun) 10:00",
            "2023/05/21 (Sun) 10:02",
        ],
        "haystack_session_ids": ["answer_a_1", "sharegpt_x_0", "answer_a_2"],
        "haystack_sessions": [
            [user("I bought a fern.", True), assistant("Nice.", False)],
            [user("Hello."), assistant("Hi."), user("Bye."), assistant("Goodbye.")],
            [user("Plants?", False), assistant("You have two more.", True)],
        ],
        "answer_session_ids": ANSWERS,
    }
    return {k: v for k, v in {**made, **changes}.items() if v is not ...}


@pytest.fixture
def file(tmp_path):
    def made(*records, text=None):
        path = tmp_path / "longmemeval_s_cleaned.json"
        path.write_text(json.dumps(list(records)) if text is None else text, encoding="utf-8")
        return path

    return made


def kinds(data):
    found = Counter(d.kind for d in data.defects)
    assert found.pop("unknown file") == 1
    return found


def only(data):
    (talk,) = data.conversations
    return talk


def turns(data):
    return list(only(data).turns())


def probe(data):
    (found,) = only(data).probes()
    return found


def test_sessions_turns_and_question(file):
    data = load(file(record()))
    shape = [type(e).__name__ for e in only(data).events]
    assert (
        shape
        == "Turn Turn SessionEnd Turn Turn Turn Turn SessionEnd Turn Turn SessionEnd Probe".split()
    )
    assert kinds(data) == {}
    assert dataset_faults(data) == []
    one, two, three = dict.fromkeys(t.session for t in turns(data))
    assert [t.id for t in turns(data)][:3] == [f"{one}:1", f"{one}:2", f"{two}:1"]
    assert probe(data).evidence == (f"{one}:1", f"{three}:2")
    assert probe(data).time == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert probe(data).meta == {"answer_sessions": (one, three), "distance": 0}
    assert (probe(data).category, probe(data).answers) == ("multi-session", ("three",))
    assert only(data).id == probe(data).id == "q1"
    assert only(data).meta["language"] == "en"
    assert only(data).meta["sessions"] == {
        one: "answer_a_1",
        two: "sharegpt_x_0",
        three: "answer_a_2",
    }


def test_times_are_imputed_and_stay_inside_the_session(file):
    times = [t.time for t in turns(load(file(record())))]
    assert times[:2] == [datetime(2023, 5, 20, 2, m, tzinfo=UTC) for m in (21, 22)]
    # Four turns in the two minutes before the next session: half a minute each.
    begin = datetime(2023, 5, 21, 10, 0, tzinfo=UTC)
    assert times[2:] == [begin + timedelta(seconds=s) for s in (0, 30, 60, 90, 120, 180)]
    assert all(t.imputed for t in turns(load(file(record()))))


def test_two_sessions_of_one_minute_keep_their_order(file):
    dates = ["2023/05/20 (Sat) 02:21"] * 3
    data = load(file(record(haystack_dates=dates)))
    assert len({t.time for t in turns(data)[:6]}) == 1
    assert [t.text for t in turns(data)][:3] == ["I bought a fern.", "Nice.", "Hello."]
    assert kinds(data) == {}


@pytest.mark.parametrize("lazy", [False, True])
def test_nothing_a_strategy_sees_tells_the_label(file, lazy):
    data = load(file(record(question_id="answer_q_abs")), lazy=lazy)
    seen = [repr(event) for event in only(data).events if isinstance(event, Turn | SessionEnd)]
    seen.append(probe(data).user)  # the query has its text, time and user
    assert not any(w in text for text in seen for w in ("answer", "_abs", "sharegpt", "True}"))
    assert all(t.meta == {} for t in turns(data))
    assert {t.user for t in turns(data)} == {probe(data).user}


def test_equal_session_ids_get_ids_of_their_own(file):
    data = load(file(record(haystack_session_ids=["x", "x", "answer_a_2"])))
    assert kinds(data) == {
        "repeated session id": 1,
        "evidence session not in the history": 1,
        "marked session is not listed": 1,
        "evidence session without 'answer' in its id": 1,
    }
    assert len({t.session for t in turns(data)}) == 3
    assert len({t.id for t in turns(data)}) == 8
    assert probe(data).meta["lost_evidence"] == {"unknown": 1}
    other = load(file(record(question_id="q2")))
    assert {t.session for t in turns(load(file(record())))} == {t.session for t in turns(other)}


def test_sessions_are_put_in_the_order_of_their_dates(file):
    dates = ["2023/05/21 (Sun) 10:02", "2023/05/22 (Mon) 10:00", "2023/05/20 (Sat) 02:21"]
    data = load(file(record(haystack_dates=dates)))
    assert kinds(data) == {"sessions out of order": 1}
    assert [t.text for t in turns(data)][:3] == [
        "Plants?",
        "You have two more.",
        "I bought a fern.",
    ]
    assert probe(data).evidence == (turns(data)[1].id, turns(data)[2].id)
    assert probe(data).meta["distance"] == 5


def test_user_turns_alone(file):
    data = load(file(record()), roles=("user",))
    assert [t.text for t in turns(data)] == ["I bought a fern.", "Hello.", "Bye.", "Plants?"]
    assert [t.id.split(":")[1] for t in turns(data)] == ["1", "1", "3", "1"]
    assert probe(data).evidence == (turns(data)[0].id,)
    assert probe(data).meta["lost_evidence"] == {"assistant": 1}
    assert kinds(data) == {"evidence on a turn left out": 1}
    assert data.card["roles"] == ["user"]
    shares = {line.role: (line.kept, line.lost) for line in audit(data).lines}
    assert shares == {"user": (1, 0), "assistant": (0, 1)}


def test_evidence_on_assistant_turns_alone_leaves_no_evidence(file):
    one = record(
        haystack_sessions=[[user("?"), assistant("!", True)], [user("a")], [user("b", False)]]
    )
    data = load(file(one), roles=["user"])
    assert probe(data).evidence == ()
    assert kinds(data) == {
        "evidence on a turn left out": 1,
        "no evidence": 1,
        "evidence session without a marked turn": 1,
    }
    (lost,) = [d for d in data.defects if d.kind == "evidence on a turn left out"]
    assert lost == ("evidence on a turn left out", "q1 answer_a_1:2", "assistant", "dropped")


def test_abstention_is_in_the_id(file):
    data = load(file(record(question_id="q7_abs", answer="You did not mention that.")))
    assert not probe(data).answerable
    assert probe(data).category == "multi-session"
    assert probe(data).answers == ("You did not mention that.",)
    unmarked = [[user("a", False)], [user("b")], [user("c", False)]]
    bare = load(file(record(question_id="q7_abs", haystack_sessions=unmarked)))
    assert kinds(bare) == {"evidence session without a marked turn": 2}  # no evidence is expected


@pytest.mark.parametrize(
    ("answer", "answers", "defects"),
    [
        (3, ("3",), {"integer answer": 1}),
        (2.5, ("2.5",), {"number as answer": 1}),
        (None, (), {"no answer": 1}),
        ("", (), {"no answer": 1}),
        (["x"], (), {"no answer": 1}),
        (..., (), {"no answer": 1}),
    ],
)
def test_answers(file, answer, answers, defects):
    data = load(file(record(answer=answer)))
    assert probe(data).answers == answers
    assert kinds(data) == defects


@pytest.mark.parametrize(
    ("changes", "defects"),
    [
        ({"question_type": "two_hop"}, {"unknown question type": 1}),
        ({"question_type": None}, {"unknown question type": 1}),
        ({"question_date": "yesterday"}, {"no question date": 1}),
        ({"question_date": "2023/05/21 (Sun) 10:01"}, {"question before its history ends": 1}),
        ({"answer_session_ids": None}, {"no answer_session_ids": 1}),
        ({"answer_session_ids": [*ANSWERS, "answer_a_1"]}, {"odd answer_session_ids": 1}),
        ({"answer_session_ids": ["answer_a_1"]}, {"marked session is not listed": 1}),
        ({"haystack_session_ids": ["answer_a_1", None, "answer_a_2"]}, {"session without id": 1}),
        (
            {"haystack_sessions": [[user("a", True)], [], [user("b", True)]]},
            {"empty session": 1},
        ),
        (
            {"haystack_sessions": [[user("a", 1), user("b", True)], "x", [user("b", True)]]},
            {"unreadable session": 1, "unclear has_answer": 1},
        ),
        (
            {"haystack_sessions": [[user(7, True), user("a", True)], ["x"], [user("b", True)]]},
            {"unreadable turn": 2, "evidence on a turn left out": 1},
        ),
        (
            {"haystack_sessions": [[user("a", True)], [TOOL], [user("b", True)]]},
            {"unreadable turn": 1},
        ),
    ],
)  # fmt: skip
def test_what_is_odd_is_reported(file, changes, defects):
    data = load(file(record(**changes)))
    assert kinds(data) == defects
    assert dataset_faults(data) == []
    assert audit(data).dangling == 0
    last = [e.time for e in only(data).events if not isinstance(e, Probe)][-1]
    assert probe(data).time >= last


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("x", "a record with a 'question_id'"),
        (record(question_id=None), "a record with a 'question_id'"),
        (record(question=None), "q1 has None as 'question'"),
        (record(question=" "), "q1 has an empty question"),
        (record(haystack_dates=[]), "q1 has 3 ids, 0 dates, 3 sessions"),
        (record(haystack_sessions=...), "q1 has None as 'haystack_sessions'"),
        (record(haystack_dates=["2023/05/20", "", ""]), "q1 answer_a_1 has the date '2023/05/20'"),
        (record(haystack_dates=["2023/13/20 (Sat) 02:21"] * 3), "has the date '2023/13/20"),
        (record(haystack_dates=["9999/12/31 (Fri) 23:59"] * 3), "has the date '9999/12/31"),
        (record(haystack_sessions=[[], [], []]), "q1 has no turn"),
        (record(question_id="q0"), "question id 'q0' is used twice"),
    ],
)
def test_a_record_that_cannot_be_used_is_dropped_and_told(file, wrong, message):
    data = load(file(record(question_id="q0"), wrong))
    assert [c.id for c in data] == ["q0"]
    (dropped,) = [d for d in data.defects if d.kind == "unreadable record"]
    assert dropped.action == "dropped"
    assert message in dropped.found
    if "twice" not in message:
        with pytest.raises(DataError, match="no conversation that can be read") as caught:
            load(file(wrong))
        assert message in str(caught.value)


def test_strict_lists_all(file):
    with pytest.raises(DataError) as caught:
        load(file(record(answer=3, question_type="x")), strict=True)
    assert str(caught.value).startswith("3 defects in ")  # with the unknown file
    assert "integer answer at q1: 3 (repaired)" in str(caught.value)


def test_one_object_is_a_file(file):
    data = load(file(text=json.dumps(record())))
    assert (len(data), only(data).id) == (1, "q1")


def test_lazy_events_are_those_of_the_file(file):
    path = file(*(record(question_id=f"q{n}", answer=n) for n in range(5)))
    eager, lazy = load(path), load(path, lazy=True)
    assert dataset_digest(lazy) == dataset_digest(eager)
    assert (lazy.defects, lazy.sha256, lazy.card) == (eager.defects, eager.sha256, eager.card)
    again = pickle.loads(pickle.dumps(lazy.conversations[3]))
    assert tuple(again.events) == tuple(eager.conversations[3].events) == tuple(again.events)
    assert not isinstance(lazy.conversations[0].events, tuple)
    path.write_text(path.read_text("utf-8").replace("fern", "palm"), encoding="utf-8")
    with pytest.raises(DataError, match="has changed since it was loaded"):
        list(again.turns())


def test_large_files_are_lazy_by_themselves(file, monkeypatch):
    path = file(record())
    monkeypatch.setattr("memlab.datasets.longmemeval.LAZY_BYTES", 10)
    assert not isinstance(only(load(path)).events, tuple)
    assert isinstance(only(load(path, lazy=False)).events, tuple)


@pytest.mark.parametrize("lazy", [False, True])
def test_first_stops_early(file, lazy):
    text = json.dumps([record(question_id=f"q{n}") for n in range(3)])
    data = load(file(text=text[:-1] + ', {"torn": '), first=2, lazy=lazy)
    assert [c.id for c in data] == ["q0", "q1"]
    with pytest.raises(DataError, match="broken in record 3"):
        load(file(text=text[:-1] + ', {"torn": '), lazy=lazy)
    whole = file(text=text)
    assert load(whole, first=1).sha256 == load(whole).sha256


@pytest.mark.parametrize(
    "options",
    [
        {"roles": ()},
        {"roles": "user"},
        {"roles": ("user", "tool")},
        {"first": 0},
        {"first": True},
        {"lazy": 1},
        {"strict": None},
    ],
)
def test_options_that_cannot_work(file, options):
    with pytest.raises(ConfigError):
        load(file(record()), **options)


def test_no_file_and_no_records(file, tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path)
    with pytest.raises(DataError, match="no conversation that can be read"):
        load(file())
