"""The turns a memory keeps."""

import pytest

from memlab.errors import ContractError
from memlab.history import History, turn_from_json, turn_to_json
from memlab.run import Run
from memlab.types import Turn, utc

NOW = utc("2024-05-05T12:00:00+02:00")


def test_json_leaves_out_defaults_and_comes_back():
    plain = Turn(id="a", text="안녕 你好 👩‍👩‍👧 Å", time=NOW)
    assert turn_to_json(plain) == {
        "id": "a",
        "text": "안녕 你好 👩‍👩‍👧 Å",
        "time": "2024-05-05T10:00:00+00:00",
    }
    full = Turn(
        id="b", text="", time=NOW, session="2", speaker="s", role="tool", user="u",
        imputed=True, meta={"call": 1, "x": [1, {"y": None}]},
    )  # fmt: skip
    assert [turn_from_json(turn_to_json(t)) for t in (plain, full)] == [plain, full]


def test_an_id_is_written_once():
    history = History(Run())
    history.add(Turn(id="a", text="x", time=NOW))
    with pytest.raises(ContractError, match="'a' was written twice"):
        history.add(Turn(id="a", text="y", time=NOW))


def test_forgotten_rows_stay_empty_and_only_the_owner_forgets():
    history = History(Run())
    for name, user in (("a", "ann"), ("b", "bob"), ("c", "ann")):
        history.add(Turn(id=name, text=name, time=NOW, user=user))
    assert history.forget(["a", "b", "nothing"], "bob") == [1]
    assert (history.rows("ann"), history.rows("bob"), len(history)) == ([0, 2], [], 2)
    with pytest.raises(ContractError, match="forgotten"):
        history[1]
    history.add(Turn(id="b", text="again", time=NOW, user="bob"))
    assert history.rows("bob") == [3]


def test_naive_times_are_declared_utc_and_zones_converted():
    times = ["2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+02:00"]
    first, second, third = (Turn(id="x", text="", time=utc(t)).time for t in times)
    assert first == second
    assert third < first
    assert Turn(id="x", text="", time=first.replace(tzinfo=None)).time == first
