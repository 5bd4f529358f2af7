"""One JSON document is told from JSON lines by its beginning."""

import json

import pytest

from memlab.reading.documents import HEAD, is_document

EVENT = {"type": "turn", "conversation": "c", "id": "1", "text": "你好", "meta": {"a": [1, {}]}}
LINE = json.dumps(EVENT, ensure_ascii=False)
DOCUMENTS = {
    "indented list": json.dumps([EVENT] * 3, indent=2),
    "indented object": json.dumps({"data": [EVENT]}, indent=1),
    "objects over several lines": (json.dumps(EVENT, indent=2) + "\n") * 3,
    "a list a line with commas": "[\n" + ",\n".join([LINE] * 3) + "\n]",
    "long": json.dumps([EVENT] * 2000, indent=2, ensure_ascii=False),
    "long, one event a line": "[\n" + ",\n".join([LINE] * 2000) + "\n]",
    "list on one line": json.dumps([EVENT] * 3),
    "long list on one line": json.dumps([EVENT] * 2000),
    "object on one line": json.dumps({"data": [1]}),
    "windows": json.dumps([EVENT], indent=2).replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + json.dumps([EVENT], indent=2),
}
LINES = {
    "nothing": "",
    "blank": " \n\n",
    "one": LINE,
    "two": LINE + "\n" + LINE,
    "long": "\n".join([LINE] * 2000),
    "a long first line": json.dumps({**EVENT, "text": "x" * HEAD}),
    "blank first": "\n\n" + LINE,
    "first broken": '{"type": "turn",\n' + LINE,
    "first cut, long": '{"type": "turn",\n' + "\n".join([LINE] * 2000),
    "only line cut": LINE[:30],
    "a list first": "[1]\n" + LINE,
    "no type": '{"conversation": "c"}',
    "a number": "5",
    "deep": "[" * 200_000,
    "deep, then more": "[" * 20_000 + "\n" + LINE,
    "nonsense": "Dear all,\n\nhow are you?",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name):
    assert is_document(DOCUMENTS[name].encode()[:HEAD])


@pytest.mark.parametrize("name", LINES)
def test_lines(name):
    assert not is_document(LINES[name].encode()[:HEAD])
