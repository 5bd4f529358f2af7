"""The JSON Schema of a line and the checks in code say the same."""

import json
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.reading.lines import FIELDS, TIME, line_faults

SCHEMA = json.loads((files("memlab.datasets") / "jsonl.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
WHEN = "2024-05-08T13:56:00+02:00"
LINES = [
    {"type": "dataset", "name": "d"},
    {"type": "dataset", "name": "d", "licence": "CC0-1.0", "version": "", "meta": {"x": [1]}},
    {"type": "conversation", "conversation": "c", "meta": {}},
    {"type": "turn", "conversation": "c", "id": "1", "text": "", "time": WHEN},
    {
        "type": "turn",
        "conversation": "c",
        "id": "1",
        "text": "x",
        "time": "2024-05-08 13:56",
        "session": "1",
        "speaker": "",
        "role": "tool",
        "user": "u",
        "imputed": True,
        "meta": {"call": "a", "n": None},
    },
    {
        "type": "probe",
        "conversation": "c",
        "id": "q",
        "text": "?",
        "time": "2024-05-08T13:56:59.123456Z",
        "user": "u",
        "category": "",
        "evidence": ["1", "2"],
        "answers": ["x", "x"],
        "stale": [],
        "forbidden": ["3"],
        "answerable": False,
        "meta": {},
    },
    {"type": "session_end", "conversation": "c", "session": "1", "time": WHEN},
    {"type": "forget", "conversation": "c", "turn_ids": ["1"], "user": "u", "time": WHEN},
    {"type": "tick", "conversation": "c", "time": WHEN},
]
VALUES = [
    None, True, 0, 1.5, "", " ", "\u3000", "\x1f", "x", "tool", "user", "turn", "tick",
    [], ["1"], ["1", "1"], [""], [" "], [1],
    {}, {"call": ""}, {"call": "a"}, {"call": 1}, WHEN, "2024-05-08", "2024-05-08T24:00",
    WHEN + "\n", "2024-5-8T10:00", "2024-05-08T10:00:00,5", "2024-05-08t10:00",
    "2024-05-08T10:00+0200",
]  # fmt: skip
NAMES = sorted({field for fields in FIELDS.values() for field in fields} | {"sesion", "Type", ""})


def check_agreement(line):
    faults = line_faults(1, line)
    assert VALIDATOR.is_valid(line) == (not faults), (line, faults)
    return not faults


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["time"]["pattern"] == TIME.pattern
    assert {ref["$ref"].rsplit("/", 1)[1] for ref in SCHEMA["oneOf"]} == set(FIELDS)


@pytest.mark.parametrize("line", LINES)
def test_good_lines(line):
    assert check_agreement(line)


def test_every_single_change_of_a_good_line():
    bad = 0
    for line in LINES:
        for field in ("", "sesion", *FIELDS[line["type"]]):
            changed = [{**line, field: value} for value in VALUES]
            changed.append({k: v for k, v in line.items() if k != field})
            bad += sum(not check_agreement(one) for one in changed)
    assert bad > 1000


@given(
    st.sampled_from(LINES),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=3),
    st.sets(st.sampled_from(NAMES), max_size=2),
)
def test_several_changes_at_once(line, put, taken):
    check_agreement({k: v for k, v in {**line, **put}.items() if k not in taken})
