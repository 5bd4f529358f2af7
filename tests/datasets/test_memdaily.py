"""The loader on small files in MemDaily's shape that have every defect."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets import jsonl
from memlab.datasets.memdaily import load
from memlab.errors import ConfigError, DataError
from memlab.types import SessionEnd, Turn


def message(number, said, time="2024年04月01日 周一 08:30"):
    return {"mid": number, "message": said, "time": time, "place": "广东深圳"}


def record(tid=0, **other):
    return {
        "tid": tid,
        "message_list": [
            message(0, "张伟是我的表弟，他住在北京。"),
            message(1, "我明天去游泳。", "2024年04月03日 周三 09:00"),
            message(2, "李婷是我的表妹。。", "2024年04月01日 周一 21:29"),
            message(3, "李婷住在上海。", "2024年04月03日 周三 09:00"),
        ],
        "question_list": [ask(**other)],
    }


def ask(**other):
    return {
        "qid": 0,
        "question": "我的表弟住在哪里？",
        "answer": "北京",
        "target_step_id": [0],
        "choices": {"A": "北京", "B": "上海", "C": "广州", "D": "深圳"},
        "ground_truth": "A",
        "time": "2024年04月05日 周五 18:28",
        **other,
    }


FAILED = {"question": "[ERRORQ]", "answer": None, "choices": "[ERRORC]", "ground_truth": "[ERRORG]"}


@pytest.fixture
def write_files(tmp_path):
    def made(**files):
        for stem, records in (files or {"x01_simple_roles": [record()]}).items():
            text = json.dumps(records)
            (tmp_path / f"{stem.removeprefix('x')}.json").write_text(text, encoding="utf-8")
        return tmp_path

    return made


def kinds(data):
    found = Counter(d.kind for d in data.defects)
    del found["unknown file"]
    return found


def test_events_in_order(write_files):
    data = load(write_files())
    (talk,) = data
    assert talk.id == "01_simple_roles#0"
    assert talk.meta == {"language": "zh", "kind": "simple", "subject": "roles"}
    shape = [e.id if isinstance(e, Turn) else type(e).__name__ for e in talk.events]
    assert shape == ["0", "2", "SessionEnd", "1", "3", "SessionEnd", "Probe"]
    ends = [e.session for e in talk.events if isinstance(e, SessionEnd)]
    assert ends == ["2024-04-01", "2024-04-03"]
    first = next(talk.turns())
    assert first == Turn(
        id="0",
        text="张伟是我的表弟，他住在北京。",
        time=datetime(2024, 4, 1, 8, 30, tzinfo=UTC),
        session="2024-04-01",
        user=talk.id,
        meta={"place": "广东深圳"},
    )
    assert kinds(data) == {"messages not in time order": 1, "doubled full stop": 1}
    assert [d.found for d in data.defects if "order" in d.kind] == ["0 2 1 3"]


def test_the_question(write_files):
    (probe,) = load(write_files()).conversations[0].probes()
    assert (probe.id, probe.category, probe.user) == (
        *("01_simple_roles#0/0", "simple", "01_simple_roles#0"),
    )
    assert probe.time == datetime(2024, 4, 5, 18, 28, tzinfo=UTC)
    assert (probe.evidence, probe.answers, probe.answerable) == (("0",), ("北京",), True)
    # Turn 0 comes first of four: three follow.
    assert probe.meta == {
        "subject": "roles",
        "distance": 3,
        "choices": {"A": "北京", "B": "上海", "C": "广州", "D": "深圳"},
        "ground_truth": "A",
    }


def test_failed_generation_is_dropped(write_files):
    answerless = {**FAILED, "question": "有几个人？", "answer": "[ERRORA]"}
    path = write_files(
        x04_aggregative_roles=[record(3, **FAILED), record(5), record(6, **answerless)]
    )
    data = load(path)
    assert [c.id for c in data] == ["04_aggregative_roles#5"]
    found = [d for d in data.defects if d.action == "dropped"]
    assert [(d.kind, d.where) for d in found] == [
        ("failed generation", "04_aggregative_roles#3"),
        ("failed generation", "04_aggregative_roles#6"),
    ]
    assert found[0].found.startswith("1 questions, 4 messages: [{'qid': 0, 'question': '[ERRORQ]'")


def test_one_failed_question_of_two(write_files):
    two = record()
    two["question_list"] = [ask(**FAILED), ask()]
    data = load(write_files(x01_simple_roles=[two]))
    assert [p.id for p in data.conversations[0].probes()] == ["01_simple_roles#0/0"]
    assert kinds(data)["failed generation"] == 1


@pytest.mark.parametrize(
    ("time", "asked"),
    [
        ("2024年04月03日 周三 09:00", datetime(2024, 4, 3, 9, 0, tzinfo=UTC)),
        ("2024年04月03日 周三 08:59", datetime(2024, 4, 3, 9, 1, tzinfo=UTC)),
        ("昨天", datetime(2024, 4, 3, 9, 1, tzinfo=UTC)),
        (None, datetime(2024, 4, 3, 9, 1, tzinfo=UTC)),
    ],
)
def test_when_it_is_asked(write_files, time, asked):
    data = load(write_files(x01_simple_roles=[record(time=time)]))
    (probe,) = data.conversations[0].probes()
    assert probe.time == asked
    early = kinds(data)["question before the last message"]
    unreadable = kinds(data)["unreadable time"]
    assert (early, unreadable) == (time is not None and "08:59" in time, time in ("昨天", None))


@pytest.mark.parametrize(
    ("other", "kind", "evidence", "answers"),
    [
        ({"target_step_id": [0, 0]}, "repeated id", ("0",), ("北京",)),
        ({"target_step_id": [0, 9]}, "id of no turn", ("0",), ("北京",)),
        ({"target_step_id": []}, "no evidence", (), ("北京",)),
        ({"target_step_id": None}, "no evidence", (), ("北京",)),
        ({"answer": 2, "choices": {"A": "2"}}, "number as answer", ("0",), ("2",)),
        ({"answer": None}, "no answer", ("0",), ()),
        ({"ground_truth": "B"}, "answer is not the right choice", ("0",), ("北京",)),
        ({"ground_truth": "Z"}, "answer is not the right choice", ("0",), ("北京",)),
        ({"choices": ["北京"]}, "unreadable choices", ("0",), ("北京",)),
        ({"choices": {"A": 1}}, "unreadable choices", ("0",), ("北京",)),
        ({"choices": {"A": "北京", "B": "北京"}}, "equal choices", ("0",), ("北京",)),
    ],
)
def test_odd_questions(write_files, other, kind, evidence, answers):
    data = load(write_files(x01_simple_roles=[record(**other)]))
    (probe,) = data.conversations[0].probes()
    assert kinds(data)[kind] == 1
    assert (probe.evidence, probe.answers) == (evidence, answers)


def test_lost_evidence_is_booked(write_files):
    data = load(write_files(x01_simple_roles=[record(target_step_id=[9, 0, 8])]))
    (probe,) = data.conversations[0].probes()
    assert probe.meta["lost_evidence"] == {"unknown": 2}


def changed(change):
    one = record()
    change(one)
    return [one, record(7)]


@pytest.mark.parametrize(
    ("change", "kind", "turns", "asked"),
    [
        (lambda r: r["message_list"].append(5), "unreadable message", 4, 1),
        (lambda r: r["message_list"][1].pop("mid"), "unreadable message", 3, 1),
        (lambda r: r["message_list"][1].update(message=None), "unreadable message", 3, 1),
        (lambda r: r["message_list"][1].update(mid=0), "repeated mid", 4, 1),
        (lambda r: r["message_list"][3].update(time="09:00"), "unreadable time", 4, 1),
        (
            lambda r: r["message_list"][3].update(time="2024年04月31日 周三 09:00"),
            "unreadable time",
            4,
            1,
        ),
        (lambda r: r["message_list"][1].update(message="\ud800"), "half surrogate pair", 4, 1),
        (lambda r: r["message_list"][1].update(message=" "), "empty message", 4, 1),
        (lambda r: r.update(question_list=[]), "no question", 4, 0),
        (lambda r: r.update(question_list=None), "unreadable question", 4, 0),
        (lambda r: r["question_list"][0].update(question=3), "unreadable question", 4, 0),
        (lambda r: r.update(tid=None), "no tid", 4, 1),
        (lambda r: r.update(tid=7), "repeated conversation id", 4, 1),
    ],
)
def test_odd_records_lose_nothing_silently(write_files, change, kind, turns, asked):
    data = load(write_files(x01_simple_roles=changed(change)))
    assert kinds(data)[kind] == 1
    talk = data.conversations[0]
    assert (len(list(talk.turns())), len(list(talk.probes()))) == (turns, asked)
    assert dataset_faults(data) == []


@pytest.mark.parametrize(
    ("odd", "kind"),
    [
        (7, "unreadable record"),
        ({"tid": 1}, "unreadable record"),
        (record(1) | {"message_list": []}, "record without messages"),
        (record(1) | {"message_list": [{}]}, "record without messages"),
    ],
)
def test_records_that_are_lost_are_told(write_files, odd, kind):
    data = load(write_files(x01_simple_roles=[odd, record()]))
    assert [c.id for c in data] == ["01_simple_roles#0"]
    assert {d.kind for d in data.defects if d.action == "dropped"} >= {kind}


def test_a_message_without_time_follows_the_one_before(write_files):
    one = record()
    one["message_list"][3]["time"] = None
    *_, last = load(write_files(x01_simple_roles=[one])).conversations[0].turns()
    assert (last.id, last.imputed, last.time) == (
        *("3", True, datetime(2024, 4, 3, 9, 0, tzinfo=UTC)),
    )


def test_repeated_questions_are_counted_by_file(write_files):
    path = write_files(
        x01_simple_roles=[record(0), record(1)], x05_post_processing_items=[record(0)]
    )
    data = load(path)
    told = [(d.where, d.found) for d in data.defects if d.kind == "repeated question"]
    assert told == [("01_simple_roles#1/0", "same text as 01_simple_roles#0/0")]
    assert data.conversations[2].meta["kind"] == "post-processing"


def test_kinds(write_files):
    path = write_files(
        x01_simple_roles=[record()], x01_simple_items=[record()], x06_noisy_roles=[record()]
    )

    def stems(wanted):
        return [c.id.partition("#")[0] for c in load(path, kinds=wanted)]

    assert stems(None) == ["01_simple_items", "01_simple_roles", "06_noisy_roles"]
    assert stems("simple") == ["01_simple_items", "01_simple_roles"]
    assert stems(["noisy", "01_simple_items"]) == ["01_simple_items", "06_noisy_roles"]
    assert load(path, kinds="noisy").card["kinds"] == ["06_noisy_roles"]
    for wanted, message in (
        ("simpel", "did you mean 'simple'"),
        (["noisy", 3], "kinds has 3"),
        ([], "kinds="),
        (5, "kinds=5"),
    ):
        with pytest.raises(ConfigError, match=message):
            load(path, kinds=wanted)


def test_one_file_a_file_of_another_name_and_the_round_trip(write_files, tmp_path):
    path = write_files(x01_simple_roles=[record()], mine=[record()])
    assert [c.id for c in load(path / "01_simple_roles.json")] == ["01_simple_roles#0"]
    data = load(path)
    assert [c.meta["kind"] for c in data] == ["simple", "mine"]
    assert kinds(data)["unknown type of question"] == 1
    jsonl.dump(data, tmp_path / "out.jsonl")
    assert dataset_digest(jsonl.load(tmp_path / "out.jsonl")) == dataset_digest(data)


def test_wrong_files(write_files, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="has no JSON file"):
        load(tmp_path / "none")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "nowhere.json")
    with pytest.raises(DataError, match="a list of records"):
        load(write_files(x01_simple_roles={"simple": {}}))
    with pytest.raises(DataError, match=r"no conversation (?s:.)*file without records"):
        load(write_files(x01_simple_roles=[]))


def test_strict(write_files):
    with pytest.raises(DataError, match=r"3 defects in (?s:.)*unknown file at 01_simple_roles"):
        load(write_files(), strict=True)
