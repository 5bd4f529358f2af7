"""Events as JSON and the digest of a data set."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from memlab.content import TYPES, dataset_digest, event_json, plain
from memlab.errors import DataError
from memlab.types import Conversation, Dataset, Forget, Probe, SessionEnd, Tick, Turn

AT = datetime(2024, 1, 1, tzinfo=UTC)
TURN = Turn(id="t", text="你好", time=AT, user="u", meta={"a": 1, "b": (2, 3)})
PROBE = Probe(id="q", text="?", time=AT, user="u", evidence=("t",), answers=("x", "y"))
EVENTS = (TURN, PROBE, SessionEnd(session="1", time=AT), Tick(time=AT))


def data(*events, **other):
    return Dataset("d", (Conversation("c", events or EVENTS),), **other)


BASE = dataset_digest(data())


def test_where_it_comes_from_does_not_matter():
    same = data(
        replace(TURN, meta={"b": [2, 3], "a": 1}),
        *EVENTS[1:],
        sha256="0",
        card={"x": 1},
        vectors=("v",),
    )
    assert dataset_digest(replace(same, name="other")) == BASE


@pytest.mark.parametrize(
    "events",
    [
        (replace(TURN, text="你好 "), *EVENTS[1:]),
        (replace(TURN, meta={"a": 1}), *EVENTS[1:]),
        (replace(TURN, user="v"), *EVENTS[1:]),
        (replace(TURN, imputed=True), *EVENTS[1:]),
        (TURN, replace(PROBE, evidence=()), *EVENTS[2:]),
        (TURN, replace(PROBE, answers=("y", "x")), *EVENTS[2:]),
        (TURN, replace(PROBE, answerable=False), *EVENTS[2:]),
        EVENTS[:-1],
        (*EVENTS, Forget(turn_ids=("t",), user="u", time=AT)),
        (TURN, PROBE, EVENTS[3], EVENTS[2]),
    ],
)
def test_what_is_said_matters(events):
    assert dataset_digest(data(*events)) != BASE


def test_conversations_and_their_order_matter():
    one, two = Conversation("a", EVENTS), Conversation("b", EVENTS)
    digests = {
        dataset_digest(Dataset("d", talks))
        for talks in ((one, two), (two, one), (one,), (two,), ())
    }
    assert len(digests) == 5


def test_digest_is_fixed():
    # sha256 of the two lines of canonical JSON, made with hashlib by hand.
    import hashlib

    lines = '{"conversation":"c","meta":{}}\n{"time":"2024-01-01T00:00:00+00:00","type":"tick"}\n'
    assert dataset_digest(data(Tick(time=AT))) == hashlib.sha256(lines.encode()).hexdigest()


def test_half_surrogates_can_be_hashed():
    assert dataset_digest(data(replace(TURN, text="\ud800"))) != BASE


def test_every_type_has_a_name_and_every_field_is_there():
    for name, cls in TYPES.items():
        event = next((e for e in EVENTS if isinstance(e, cls)), None)
        if event is not None:
            assert set(event_json(event)) == {"type", *cls.__slots__}
            assert event_json(event)["type"] == name


def test_plain():
    assert plain({"s": {2, 1}, "d": date(2024, 1, 2), "t": (AT,), 3: None}) == {
        "s": [1, 2],
        "d": "2024-01-02",
        "t": ["2024-01-01T00:00:00+00:00"],
        "3": None,
    }
    with pytest.raises(DataError, match="of type object"):
        plain(object())


def test_infinity_is_refused():
    with pytest.raises(DataError, match="finite numbers"):
        dataset_digest(data(replace(TURN, meta={"x": float("inf")})))
