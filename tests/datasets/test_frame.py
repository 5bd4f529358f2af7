"""Frames of turns and probes: defaults, order, and every fault with its row and column."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.checks import dataset_faults
from memlab.datasets.frame import load
from memlab.errors import ConfigError, Faults
from memlab.types import Probe, SessionEnd, Turn


def test_all_columns():
    turns = pd.DataFrame(
        {
            "conversation": ["c", "c"],
            "id": ["t1", "t2"],
            "text": ["I moved to Oslo.", "我喜欢茶。"],
            "time": pd.to_datetime(["2024-05-08T13:56", "2024-05-09T10:00"]),
            "session": ["s1", "s2"],
            "speaker": ["Ann", "Bot"],
            "role": ["user", "assistant"],
            "user": ["ann", "ann"],
            "imputed": [False, True],
            "meta": [{"mood": "glad"}, None],
        }
    )
    probes = pd.DataFrame(
        {
            "conversation": ["c"],
            "id": ["q"],
            "text": ["Where?"],
            "time": ["2024-05-08T18:00:00+02:00"],
            "user": ["ann"],
            "category": ["single-hop"],
            "evidence": [["t1"]],
            "answers": [("Oslo", "in Oslo")],
            "stale": [[]],
            "forbidden": [[]],
            "answerable": [True],
            "meta": [{"dial": 3}],
        }
    )
    data = load(turns, probes, title="mine")
    assert dataset_faults(data) == []
    assert (data.name, data.defects) == ("mine", ())
    assert list(data.conversations[0].events) == [
        Turn(
            id="t1",
            text="I moved to Oslo.",
            time=datetime(2024, 5, 8, 13, 56),  # noqa: DTZ001 - naive is UTC
            session="s1",
            speaker="Ann",
            user="ann",
            meta={"mood": "glad"},
        ),
        SessionEnd(session="s1", time=datetime(2024, 5, 8, 13, 56, tzinfo=UTC)),
        Probe(
            id="q",
            text="Where?",
            time=datetime(2024, 5, 8, 16, 0, tzinfo=UTC),
            user="ann",
            category="single-hop",
            evidence=("t1",),
            answers=("Oslo", "in Oslo"),
            meta={"dial": 3},
        ),
        Turn(
            id="t2",
            text="我喜欢茶。",
            time=datetime(2024, 5, 9, 10, 0, tzinfo=UTC),
            session="s2",
            speaker="Bot",
            role="assistant",
            user="ann",
            imputed=True,
        ),
        SessionEnd(session="s2", time=datetime(2024, 5, 9, 10, 0, tzinfo=UTC)),
    ]


def test_text_alone_is_enough():
    data = load(
        pd.DataFrame({"text": ["a", "b"]}), pd.DataFrame({"text": ["?"], "evidence": ["1"]})
    )
    (talk,) = data
    assert talk.id == "1"
    assert [(t.id, t.user, t.session, t.imputed) for t in talk.turns()] == [
        ("0", "1", "1", True),
        ("1", "1", "1", True),
    ]
    (probe,) = talk.probes()
    assert (probe.id, probe.evidence) == ("q0", ("1",))
    assert probe.time == datetime(2000, 1, 1, 0, 2, tzinfo=UTC)  # one minute after the last turn
    (defect,) = data.defects
    assert (defect.kind, defect.where, defect.action) == ("no time", "1", "repaired")
    assert defect.found == "2 of 2 turns, the first at turns, row 0"


def test_rows_are_put_in_the_order_of_their_times():
    times = ["2024-01-02", "2024-01-01", "2024-01-02"]
    data = load(pd.DataFrame({"text": ["b", "a", "c"], "time": times}))
    assert [t.text for t in data.conversations[0].turns()] == ["a", "b", "c"]


def test_a_turn_without_a_time_gets_that_of_the_turn_before():
    times = [None, "2024-01-01T10:00", None, "2024-01-01T11:00"]
    data = load(pd.DataFrame({"text": list("abcd"), "time": times}))
    turns = list(data.conversations[0].turns())
    assert [t.time.hour for t in turns] == [10, 10, 10, 11]
    assert [t.imputed for t in turns] == [True, False, True, False]
    assert [t.text for t in turns] == list("abcd")


def test_sessions_of_one_day_end_one_after_the_other():
    turns = pd.DataFrame({"text": ["a", "b"], "session": ["1", "2"], "time": ["2024-01-01"] * 2})
    data = load(turns, pd.DataFrame({"text": ["?"], "time": [date(2024, 1, 1)]}))
    shape = [
        e.session if isinstance(e, SessionEnd) else e.text for e in data.conversations[0].events
    ]
    assert shape == ["a", "1", "b", "2", "?"]


@pytest.mark.parametrize(
    "ids", [[1, 2], np.array([1, 2]), [1.0, 2.0], pd.array([1, 2], dtype="Int64")]
)
def test_whole_numbers_are_ids(ids):
    turns = pd.DataFrame({"conversation": [7, 7], "id": ids, "text": ["a", "b"]})
    probes = pd.DataFrame({"conversation": [7], "text": ["?"], "evidence": [np.array([2])]})
    (talk,) = load(turns, probes)
    assert talk.id == "7"
    assert [t.id for t in talk.turns()] == ["1", "2"]
    assert next(talk.probes()).evidence == ("2",)


def test_one_answer_or_id_stands_for_a_list():
    turns = pd.DataFrame({"text": ["a"]})
    probes = pd.DataFrame({"text": ["?"], "evidence": [0], "answers": [2023]})
    (probe,) = load(turns, probes).conversations[0].probes()
    assert (probe.evidence, probe.answers) == (("0",), ("2023",))


def test_all_faults_at_once_with_row_and_column():
    turns = pd.DataFrame(
        {
            "id": ["t", "t", "u", "v"],
            "text": ["a", 5, "c", None],
            "role": ["user", "bot", "user", "user"],
            "time": ["2024-01-01", "soon", "2024-01-03", "2024-01-04"],
            "meta": [{"x": float("nan")}, None, None, None],
        },
        index=["r0", "r1", "r2", "r3"],
    )
    probes = pd.DataFrame({"text": ["?"], "evidence": [["w"]], "answerable": ["yes"]})
    with pytest.raises(Faults) as caught:
        load(turns, probes)
    faults = caught.value.faults
    starts = [
        "turns, row 'r0', column 'meta': cannot be used: Out of range float values",
        "turns, row 'r1', column 'text': found 5; expected text",
        "turns, row 'r1', column 'role': found \"bot\"; expected one of user, assistant",
        "turns, row 'r1', column 'time': found \"soon\"; expected an ISO 8601 time",
        "turns, row 'r1', column 'id': turn 't' is there already",
        "turns, row 'r3', column 'text': missing; a row of type 'turn' must have it",
        "probes, row 0, column 'answerable': found \"yes\"; expected true or false",
        "probes, row 0, column 'evidence': 'w' is no turn before this row",
    ]
    assert len(faults) == len(starts)
    for start in starts:
        assert any(fault.startswith(start) for fault in faults), start


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"text": ["a"], "tme": ["x"]}, r"unknown column 'tme'; did you mean 'time'\?"),
        ({"words": ["a"]}, "no column 'text'"),
        ({"text": ["a"], 3: ["x"]}, "unknown column 3"),
        ({"text": ["a"], "type": ["turn"]}, "unknown column 'type'"),
    ],
)
def test_columns_are_checked(frame, message):
    with pytest.raises(ConfigError, match=message):
        load(pd.DataFrame(frame))


def test_other_columns_go_to_meta_if_asked():
    frame = pd.DataFrame({"text": ["a", "b"], "mood": ["glad", None], "n": [np.int64(3), 4]})
    turns = list(load(frame, extra="meta").conversations[0].turns())
    assert [t.meta for t in turns] == [{"mood": "glad", "n": 3}, {"n": 4}]
    with pytest.raises(ConfigError, match="one of error, meta"):
        load(frame, extra="drop")


def test_what_is_no_frame():
    with pytest.raises(ConfigError, match="turns is list; expected a pandas DataFrame"):
        load([{"text": "a"}])
    doubled = pd.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(ConfigError, match="'text' twice"):
        load(doubled)
    with pytest.raises(Faults, match="there is no turn"):
        load(pd.DataFrame({"text": []}))


def test_texts_and_numbers_as_ids_are_not_mixed():
    with pytest.raises(Faults, match="row 0, column 'id': found 1; expected text"):
        load(pd.DataFrame({"id": [1, "1"], "text": ["a", "b"]}))


def test_a_probe_of_no_conversation_and_another_users_turn():
    turns = pd.DataFrame({"id": ["t"], "text": ["a"], "user": ["ann"]})
    probes = pd.DataFrame({"text": ["?"], "user": ["bob"], "evidence": [["t"]]})
    with pytest.raises(Faults, match="'t' belongs to user 'ann', the asker is 'bob'"):
        load(turns, probes)
    probes = pd.DataFrame({"conversation": ["x"], "text": ["?"]})
    with pytest.raises(Faults, match=r"probes, row 0: conversation 'x' has no turn"):
        load(turns, probes)


def test_through_load_and_evaluate_without_a_table_to_load_it_again():
    turns = pd.DataFrame({"text": ["I moved to Oslo.", "I like tea."]})
    probes = pd.DataFrame({"text": ["Where do I live?"], "evidence": ["0"], "answers": ["Oslo"]})
    data = ml.load("frame", turns=turns, probes=probes)
    assert data.options == {}
    results = ml.evaluate({"all": "FullHistory()"}, data, ["Recall()"], budget=None)
    assert results.values("Recall()").tolist() == [1.0]


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["2024-01-01", "9999-12-31T23:59:59", "\ud800", pd.NaT, pd.NA]),
    st.datetimes(),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=2), st.floats(), max_size=2),
    st.just(object()),
)
COLUMNS = ["conversation", "id", "text", "time", "session", "role", "user", "imputed", "meta"]


@given(st.data())
def test_any_cells_give_a_sound_data_set_or_a_typed_error(data):
    names = ["text", *data.draw(st.lists(st.sampled_from(COLUMNS), unique=True))]
    size = data.draw(st.integers(1, 4))
    good = {"text": st.text(max_size=3), "role": st.just("user"), "imputed": st.booleans()}
    columns = {
        name: [data.draw(st.one_of(good.get(name, st.integers(0, 3)), CELLS)) for _ in range(size)]
        for name in names
    }
    frame = pd.DataFrame({n: pd.Series(values, dtype=object) for n, values in columns.items()})
    try:
        found = load(frame, pd.DataFrame({"text": ["?"]}) if data.draw(st.booleans()) else None)
    except (Faults, ConfigError):
        return
    assert dataset_faults(found) == []
    assert sum(1 for talk in found for _ in talk.turns()) == size
