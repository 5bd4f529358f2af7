"""Nothing personal is stored, asked for or encoded."""

from datetime import timedelta

import numpy as np
import pytest

from memlab.errors import ConfigError
from memlab.naming import component
from memlab.prepare import announced
from memlab.protocols import Encoded
from memlab.run import Run
from memlab.runner import evaluate
from memlab.strategies import BM25, CachedRetriever, Dedup, FullHistory, Redacted, Vector
from memlab.types import Conversation, Dataset, Probe, Query, Turn, utc

START = utc("2024-05-08")
TEXTS = ("My number is 13812345678.", "Noted.", "写信到a@b.org。")


def said(number, text, **more):
    return Turn(id=f"t{number}", text=text, time=START, user="u", **more)


def filled(memory, *turns):
    memory.reset()
    memory.attach(Run())
    for number, turn in enumerate(turns):
        memory.write(said(number, turn) if isinstance(turn, str) else turn)
    return memory


def ask(memory, text="number", budget=None):
    return memory.read(Query(text, START + timedelta(days=1), "u"), budget)


def test_the_memory_inside_sees_what_is_left():
    memory = filled(Redacted(inner=FullHistory()), *TEXTS)
    assert [(item.text, item.kind) for item in ask(memory)] == [
        ("写信到[邮箱]。", "redacted"),
        ("Noted.", "turn"),
        ("My number is [mobile].", "redacted"),
    ]
    assert memory.stats() == {
        "turns redacted": 2,
        "redacted: email": 1,
        "redacted: mobile": 1,
    }


def test_speakers_and_meta_are_redacted_but_not_the_call():
    meta = {"call": "4111111111111111", "caption": "a@b.org", "more": ["13812345678", 7]}
    turn = said(0, "hello", speaker="a@b.org", meta=meta)
    memory = filled(Redacted(inner=FullHistory()), turn)
    (kept,) = memory.inner.history.live()
    assert kept.speaker == "[email]"
    assert dict(kept.meta) == {
        "call": "4111111111111111",
        "caption": "[email]",
        "more": ("[mobile]", 7),
    }
    assert [item.kind for item in ask(memory)] == ["turn"]  # its own words are the turn's


def test_saving_forgetting_and_what_is_saved(tmp_path):
    memory = filled(Redacted(inner=FullHistory()), *TEXTS)
    memory.forget(["t2"], "u")
    memory.save(tmp_path)
    files = [file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not any("13812345678" in text or "t2" in text for text in files)
    again = filled(Redacted(inner=FullHistory()))
    again.load(tmp_path)
    assert ask(again) == ask(memory)
    assert [item.kind for item in ask(again)] == ["turn", "redacted"]


def test_a_question_is_asked_without_its_personal_data():
    memory = filled(Redacted(inner=CachedRetriever()), *TEXTS)
    assert ask(memory, "Whose is 13812345678?")[0].sources == ("t0",)
    assert "13812345678" not in repr(memory.inner._kept)


@component
class Spy:
    """Embeds nothing, and fails if it is shown a number."""

    def identity(self):
        return {"name": "spy"}

    def encode(self, texts, role):
        if any("13812345678" in text for text in texts):
            raise ValueError("shown a number")
        rows = np.ones((len(texts), 2), dtype=np.float32)
        return Encoded(rows, (1,) * len(texts), (False,) * len(texts))


def dialogue(first=TEXTS[0]):
    probe = Probe(id="p", text="Whose is 13812345678?", time=START, user="u", evidence=("t0",))
    texts = (first, *TEXTS[1:])
    events = (*(said(number, text) for number, text in enumerate(texts)), probe)
    return Dataset("one", (Conversation("c", events),))


def test_an_embedder_is_shown_what_is_left():
    data = dialogue()
    memory = Redacted(inner=Dedup(inner=Vector(embedder=Spy())))
    texts = {text for _, (_, _, text) in announced(memory, data.conversations[0])}
    assert texts == {
        "user: My number is [mobile].",
        "user: Noted.",
        "user: 写信到[邮箱]。",
        "Whose is [mobile]?",
    }
    results = evaluate({"redacted": memory}, data, ["Recall()"], budget=None)
    assert [record.error for record in results.records] == [None]


def test_a_redacted_turn_is_evidence_as_far_as_its_words_go():
    def rejected(text):
        data = dialogue(text)
        results = evaluate({"redacted": Redacted(inner=BM25())}, data, ["Recall()"], budget=99)
        assert results.records[0].ranked == ("t0",)
        return results.records[0].rejected

    assert rejected("My dentist in Bergen lets you call 13812345678. Whose else?") == ()
    assert rejected("13812345678, whose?") == (0,)


@pytest.mark.parametrize("fields", [{"policy": 1}, {"inner": 1}])
def test_wrong_parts_are_refused(fields):
    with pytest.raises(ConfigError):
        Redacted(**fields).reset()
