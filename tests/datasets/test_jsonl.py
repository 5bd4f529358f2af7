"""memlab's own format: faults, loading, writing back."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.content import dataset_digest
from memlab.datasets.jsonl import check, dump, load
from memlab.errors import DataError, Faults
from memlab.types import Conversation, Dataset, Forget, Probe, SessionEnd, Tick, Turn


def line(kind, **values):
    return {"type": kind, "conversation": "c", "time": "2024-01-01T10:00", **values}


def turn(name="t1", **values):
    return {**line("turn", id=name, text="Hello."), **values}


def probe(**values):
    return line("probe", id="q", text="Well?", **values)


def nested(depth):
    """Return an object that is `depth` deep, itself counted."""
    value = {}
    for _ in range(depth - 1):
        value = {"x": value}
    return value


def faults(path):
    return [(f.line, f.field) for f in check(path)]


GOOD = turn()
GB18030 = '{"type": "turn", "text": "茶"}'.encode("gb18030")
FAULTY = {
    "GB18030": ([GB18030], 1, "", "is not UTF-8; save it as UTF-8"),
    "broken JSON": (['{"type": "turn",'], 1, "", "broken JSON at column 17"),
    "not UTF-8": ([b'{"type": "\xff"}'], 1, "", "byte 11 is not UTF-8; save it as UTF-8"),
    "no object": (["[1]"], 1, "", "found [1]; expected one JSON object"),
    "deep": (["[" * 200_000], 1, "", "not strict JSON"),
    "NaN": (['{"type": "turn", "meta": {"x": NaN}}'], 1, "", "NaN is not a JSON number"),
    "key twice": (['{"type": "tick", "type": "turn"}'], 1, "", "key 'type' stands twice"),
    "half pair": (['{"type": "\\ud800"}'], 1, "", "surrogate"),
    "no type": ([{"conversation": "c"}], 1, "type", "missing; expected one of dataset"),
    "bad type": ([{**GOOD, "type": "trun"}], 1, "type", "did you mean 'turn'"),
    "missing": ([{k: v for k, v in GOOD.items() if k != "time"}], 1, "time", "missing"),
    "typo": ([{**GOOD, "sesion": "1"}], 1, "sesion", "did you mean 'session'"),
    "mistyped": ([{**GOOD, "text": 5}], 1, "text", "found 5; expected text"),
    "null": ([{**GOOD, "speaker": None}], 1, "speaker", "found null"),
    "no name": ([{**GOOD, "id": ""}], 1, "id", "text that is not blank"),
    "blank name": ([{**GOOD, "id": " \u3000"}], 1, "id", "text that is not blank"),
    "blank user": ([{**GOOD, "user": "\t"}], 1, "user", "text that is not blank"),
    "blank answer": ([GOOD, probe(answers=["Oslo", " "])], 2, "answers", "none blank"),
    "empty answer": ([GOOD, probe(answers=[""])], 2, "answers", "a list of texts, none blank"),
    "infinite": (
        [json.dumps({**GOOD, "meta": 0}).replace('"meta": 0', '"meta": {"a": [1e400]}')],
        1,
        "meta",
        "beyond the range of a double",
    ),
    "nested": ([{**GOOD, "meta": nested(65)}], 1, "meta", "more than 64 lists and objects"),
    "nested 600": ([{**GOOD, "meta": nested(600)}], 1, "meta", "more than 64 lists and objects"),
    "bad time": ([{**GOOD, "time": "8 May"}], 1, "time", "ISO 8601"),
    "no such day": ([{**GOOD, "time": "2023-02-29T10:00"}], 1, "time", "2023-02-29"),
    "before year 1": ([{**GOOD, "time": "0001-01-01T00:00+10:00"}], 1, "time", "ISO 8601"),
    "bad role": ([{**GOOD, "role": "bot"}], 1, "role", "user, assistant, system, tool"),
    "time back": ([GOOD, turn("t2", time="2024-01-01T09:59")], 2, "time", "before the line above"),
    "zone back": ([GOOD, turn("t2", time="2024-01-01T11:59+02:00")], 2, "time", "before the line"),
    "turn twice": ([GOOD, GOOD], 2, "id", "turn 't1' is there already"),
    "probe twice": ([GOOD, probe(), probe()], 3, "id", "probe 'q' is there already"),
    "evidence twice": ([GOOD, probe(evidence=["t1", "t1"])], 2, "evidence", "none twice"),
    "unknown evidence": ([GOOD, probe(evidence=["t9"])], 2, "evidence", "'t9' is no turn before"),
    "later evidence": (
        [GOOD, probe(evidence=["t2"]), turn("t2")],
        2,
        "evidence",
        "'t2' is no turn before this line",
    ),
    "unknown stale": ([GOOD, probe(stale=["t9"])], 2, "stale", "'t9' is no turn before"),
    "unknown forbidden": ([GOOD, probe(forbidden=["t9"])], 2, "forbidden", "'t9' is no turn"),
    "own forbidden": ([GOOD, probe(forbidden=["t1"])], 2, "forbidden", "the asker's own turn"),
    "stale evidence": ([GOOD, probe(evidence=["t1"], stale=["t1"])], 2, "stale", "as well"),
    "forgotten evidence": (
        [GOOD, line("forget", turn_ids=["t1"]), probe(evidence=["t1"])],
        3,
        "evidence",
        "was forgotten at line 2",
    ),
    "foreign evidence": (
        [turn(user="a"), probe(user="b", evidence=["t1"])],
        2,
        "evidence",
        "belongs to user 'a', the asker is 'b'",
    ),
    "forget nothing": ([GOOD, line("forget", turn_ids=[])], 2, "turn_ids", "at least one"),
    "forget unknown": ([GOOD, line("forget", turn_ids=["t9"])], 2, "turn_ids", "no turn before"),
    "forget foreign": (
        [turn(user="a"), line("forget", turn_ids=["t1"], user="b")],
        2,
        "turn_ids",
        "belongs to user 'a', not to 'b'",
    ),
    "forget twice": (
        [GOOD, line("forget", turn_ids=["t1"]), line("forget", turn_ids=["t1"])],
        3,
        "turn_ids",
        "forgotten at line 2 already",
    ),
    "user missing": ([turn(user="a"), turn("t2")], 2, "user", "all must"),
    "no call": ([turn(role="tool")], 1, "meta", "needs meta.call"),
    "call not text": ([turn(meta={"call": 7})], 1, "meta", "call is 7"),
    "unknown call": ([turn(role="tool", meta={"call": "x"})], 1, "meta", "makes the call 'x'"),
    "call of another": (
        [turn(user="a", meta={"call": "x"}), turn("t2", user="b", role="tool", meta={"call": "x"})],
        2,
        "meta",
        "for user 'b'",
    ),
    "no session": ([GOOD, line("session_end", session="7")], 2, "session", "in session '7'"),
    "no turn": ([line("tick")], 1, "", "conversation 'c' has no turn"),
    "nothing": ([], 1, "", "the file has no conversation"),
    "only blank": (["", " "], 1, "", "the file has no conversation"),
    "late head": ([GOOD, {"type": "dataset", "name": "x"}], 2, "type", "only be the first line"),
    "late conversation": (
        [GOOD, {"type": "conversation", "conversation": "c"}],
        2,
        "type",
        "began at line 1",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_each_fault_is_told_once(write, name):
    lines, number, field, message = FAULTY[name]
    other = [GOOD | {"conversation": "other"}] if lines and lines != ["", " "] else []
    path = write(*lines, *other)
    found = check(path)
    assert [(f.line, f.field) for f in found] == [(number, field)]
    assert message in found[0].message
    with pytest.raises(Faults) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_all_faults_of_a_file_at_once(write):
    path = write(
        {"type": "dataset", "name": "bad", "license": "x"},
        {**GOOD, "sesion": "1"},
        turn("t1"),
        probe(evidence=["t1", "t5"], stale=["t6"]),
        "{",
        line("tick", time="1999-01-01T00:00"),
    )
    assert faults(path) == [
        (1, "license"),
        (2, "sesion"),
        (3, "id"),
        (4, "evidence"),
        (4, "stale"),
        (5, ""),
        (6, "time"),
    ]
    with pytest.raises(Faults, match=r"7 fault\(s\) found"):
        load(path)


def test_a_document_is_one_fault(write, locomo_file):
    # Line by line this file has 66,752 faults.
    (fault,) = check(locomo_file)
    assert (fault.line, fault.field) == (1, "")
    assert "one JSON document, not JSON lines" in fault.message
    with pytest.raises(Faults, match=r"1 fault\(s\) found"):
        load(locomo_file)
    (fault,) = check(write(json.dumps([GOOD, GOOD])))
    assert "one JSON document" in fault.message


@pytest.mark.parametrize(("named", "missing", "at"), [(1, 3, 4), (3, 1, 4), (2, 2, 3)])
def test_a_user_named_on_some_lines_only_is_one_fault_at_the_fewer(write, named, missing, at):
    few, many = sorted([named, missing])
    # The many come first; of two that are as many, those without a user are told.
    first = {"user": "a"} if missing <= named else {}
    second = {} if first else {"user": "a"}
    lines = [turn(f"t{n}", **(first if n <= many else second)) for n in range(1, few + many + 1)]
    (fault,) = check(write(*lines, turn(user="b") | {"conversation": "other"}))
    assert (fault.line, fault.field) == (at, "user")
    assert f"missing in {missing} of the 4 turns, probes and deletions of con" in fault.message


def test_what_is_allowed(write):
    path = write(
        turn(user="a", meta=nested(64)),
        # Somebody new asks: nothing is known, and what others said is forbidden.
        probe(user="b", answerable=False, forbidden=["t1"], answers=["I do not know"]),
    )
    assert faults(path) == []
    asked = next(load(path).conversations[0].probes())
    assert (asked.user, asked.answers) == ("b", ("I do not know",))


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
@pytest.mark.parametrize("speaker", ["", "user", "assistant", "Ana"])
def test_the_speaker_is_the_role_unless_named(tmp_path, role, speaker):
    spoken = Turn(id="t", text="x", time=START, role=role, speaker=speaker, user="c")
    dump(Dataset("d", (Conversation("c", (spoken,)),)), tmp_path / "d.jsonl")
    (again,) = load(tmp_path / "d.jsonl").conversations[0].turns()
    assert again == spoken
    assert again.speaker == (speaker or role)
    written = (tmp_path / "d.jsonl").read_text(encoding="utf-8")
    assert ('"speaker"' in written) == ((again.speaker, role) != ("user", "user"))


def test_a_misspelt_field_does_not_hide_the_turn(write):
    path = write({**GOOD, "sesion": "2"}, probe(evidence=["t1"]), turn("t2", user=3))
    assert faults(path) == [(1, "sesion"), (3, "user")]


def test_load(write):
    path = write(
        b'\xef\xbb\xbf{"type": "dataset", "name": "tiny", "licence": "CC0-1.0", "meta": {"n": 1}}',
        {"type": "conversation", "conversation": "c", "meta": {"language": "zh"}},
        turn(time="2024-01-01 11:59:59.5+02:00"),
        "",
        turn("t1") | {"conversation": "d", "user": "u", "text": "你好\u2028。"},
        line("tick"),
        line("session_end", session="1"),
        probe(evidence=["t1"], answers=["x"], answerable=False),
        line("forget", turn_ids=["t1"]),
    )
    data = load(path)
    at = datetime(2024, 1, 1, 10, tzinfo=UTC)
    first = Turn(id="t1", text="Hello.", time=at - timedelta(seconds=0.5), user="c")
    assert faults(path) == [(6, "time"), (7, "time"), (8, "time"), (9, "time")] or data
    assert (data.name, data.card) == ("tiny", {"licence": "CC0-1.0", "n": 1})
    assert data.conversations[0].events[0] == first
    assert data.conversations[1].events == (Turn(id="t1", text="你好\u2028。", time=at, user="u"),)
    assert load(path, title="mine").name == "mine"


def test_name_is_the_stem_by_default(write):
    assert load(write(GOOD, name="talks.jsonl")).name == "talks"


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        check(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path)


START = datetime(2024, 1, 1, tzinfo=UTC)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
name = text.filter(str.strip)
meta = st.dictionaries(
    text.filter(lambda key: key != "call"),
    st.none() | st.booleans() | st.integers() | text,
    max_size=2,
)


@st.composite
def conversations(draw, talk):
    users = draw(st.sampled_from([[talk], ["a", "b"], [talk, "b"]]))
    events, owned, gone = [], {user: [] for user in users}, {user: [] for user in users}
    for number in range(draw(st.integers(1, 8))):
        now = START + timedelta(seconds=draw(st.integers(0, 9)) / 3 + 10 * number)
        user = draw(st.sampled_from(users))
        kinds = ["turn", "probe", "forget", "end", "tick"] if events else ["turn"]
        kind = draw(st.sampled_from(kinds))
        if kind == "turn":
            values = {"speaker": draw(text), "meta": draw(meta), "imputed": draw(st.booleans())}
            role = draw(st.sampled_from(["user", "assistant", "system"]))
            session = draw(st.sampled_from(["1", "2"]))
            turn_ = Turn(
                id=f"t{number}",
                text=draw(text),
                time=now,
                session=session,
                role=role,
                user=user,
                **values,
            )
            owned[user].append(turn_.id)
            events.append(turn_)
        elif kind == "probe":
            evidence = draw(st.permutations(owned[user]))[: draw(st.integers(0, 3))]
            events.append(
                Probe(
                    id=f"q{number}",
                    text=draw(text),
                    time=now,
                    user=user,
                    category=draw(text),
                    evidence=evidence,
                    stale=[t for t in owned[user] if t not in evidence],
                    forbidden=gone[user],
                    answers=draw(st.lists(name, max_size=2)),
                    answerable=draw(st.booleans()),
                    meta=draw(meta),
                )
            )
        elif kind == "forget" and owned[user]:
            gone[user].append(owned[user].pop())
            events.append(Forget(turn_ids=gone[user][-1:], user=user, time=now))
        elif kind == "end":
            session = [e.session for e in events if isinstance(e, Turn)][-1]
            events.append(SessionEnd(session=session, time=now))
        else:
            events.append(Tick(time=now))
    return Conversation(talk, tuple(events), draw(meta))


@st.composite
def datasets(draw):
    talks = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    talks = [t for t in talks if t not in ("a", "b")] or ["c"]
    card = {
        **draw(meta),
        **draw(st.fixed_dictionaries({}, optional={"licence": text, "source": st.integers()})),
    }
    card = {k: v for k, v in card.items() if k not in ("type", "name", "meta")}
    return Dataset(draw(name), tuple(draw(conversations(t)) for t in talks), card=card)


@given(datasets())
def test_round_trip(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("round") / "data.jsonl"
    dump(data, path)
    again = load(path)
    assert again.conversations == data.conversations
    assert (again.name, again.card) == (data.name, data.card)
    assert dataset_digest(again) == dataset_digest(data)
    first = path.read_bytes()
    dump(again, path)
    assert path.read_bytes() == first


def test_dump_writes_plain_unicode_and_owners(tmp_path):
    talk = Conversation("c", (Turn(id="t", text="你好 🐱", time=START, user=""),))
    dump(Dataset("d", (talk,)), tmp_path / "d.jsonl")
    assert "你好 🐱" in (tmp_path / "d.jsonl").read_text(encoding="utf-8")
    assert next(load(tmp_path / "d.jsonl").conversations[0].turns()).user == "c"


def test_dump_leaves_nothing_half_written(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("old", encoding="utf-8")
    lost = Conversation("c", (Probe(id="q", text="?", time=START, evidence=("t",)),))
    with pytest.raises(Faults, match="'t' is no turn before this line"):
        dump(Dataset("d", (lost,)), path)
    odd = Conversation("c", (Turn(id="t", text="x", time=START, meta={"x": float("nan")}),))
    with pytest.raises(DataError, match="finite"):
        dump(Dataset("d", (odd,)), path)
    half = Conversation("c", (Turn(id="t", text="\ud800", time=START),))
    with pytest.raises(DataError, match="whole characters"):
        dump(Dataset("d", (half,)), path)
    assert [p.name for p in tmp_path.iterdir()] == ["d.jsonl"]
    assert path.read_text(encoding="utf-8") == "old"
    with pytest.raises(DataError, match="cannot be written"):
        dump(Dataset("d", ()), tmp_path / "none" / "d.jsonl")
