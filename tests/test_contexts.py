"""The contexts of a run: their exact text, and that nothing is missing without being told."""

import json

import pytest

import memlab as ml
from memlab.errors import Faults, RunError
from memlab.results import Results
from memlab.types import Conversation, Dataset, Forget, Item, Probe, Turn

TEXTS = ("I moved to Oslo in May.", "Nice!\nNear the fjord?", "是的，离峡湾很近。", "See you.")


def data(texts=TEXTS):
    turns = tuple(
        Turn(
            id=f"t{i}",
            text=text,
            time=f"2024-05-0{i + 1}T13:56",
            speaker="Ann" if i % 2 == 0 else "",
            role="user" if i % 2 == 0 else "assistant",
        )
        for i, text in enumerate(texts)
    )
    asked = [
        Probe(
            id=f"p{i}",
            text=f"Where, {i}?",
            time="2024-05-09T09:00+02:00",
            category="place",
            evidence=["t0"],
            answers=["Oslo"] if i == 0 else [],
            answerable=i == 0,
        )
        for i in range(2)
    ]
    return Dataset("toy", (Conversation("c", (*turns, *asked)),), card={"licence": "CC0-1.0"})


@ml.strategy
class Mixed(ml.TurnMemory):
    """Return a turn, an excerpt, a page, and a fact of no source; fail on the second probe."""

    failing: bool = False

    def read(self, query, budget):
        if self.failing and "1" in query.text:
            raise RuntimeError("out of luck")
        return [
            Item("See you.", ("t3",)),
            Item("离峡湾很近", ("t2",), "excerpt"),
            Item("They talked of Oslo.", ("t1", "t0", "t1"), "summary"),
            Item("Ann is a person.", (), "fact"),
        ]


def run(**given):
    return ml.evaluate(
        {"mixed": Mixed(**given)}, data(), ["Recall()"], budget=[None, 500], name="r"
    )


def test_a_context_holds_its_items_in_dialogue_order():
    table = run().to_contexts()
    row = table.iloc[0]
    assert row["context"] == (
        "[fact] Ann is a person.\n"  # no source: before all others
        "[summary] They talked of Oslo.\n"  # at its first source, t0
        "[2024-05-03 13:56] Ann (excerpt): 离峡湾很近\n"
        "[2024-05-04 13:56] assistant: See you."
    )
    assert row["sources"] == ["t3", "t2", "t0", "t1"]  # ranks: best first, a page in its order
    assert (row["question"], row["question_time"]) == ("Where, 0?", "2024-05-09T07:00:00+00:00")
    assert (row["answers"], row["answerable"], row["category"]) == (["Oslo"], True, "place")
    assert row["run"].startswith("r-")
    assert list(table["probe"]) == ["p0", "p0", "p1", "p1"]  # the order of the records
    assert table["tokens"].tolist() == [record.tokens for record in run().records]


def test_whole_turns_keep_their_line_feeds():
    made = ml.evaluate({"w": "Window(turns=3)"}, data(), ["Recall()"], budget=500)
    assert made.to_contexts().context[0] == (
        "[2024-05-02 13:56] assistant: Nice!\nNear the fjord?\n"
        "[2024-05-03 13:56] Ann: 是的，离峡湾很近。\n"
        "[2024-05-04 13:56] assistant: See you."
    )


def test_an_empty_context_is_a_text_and_a_failed_read_has_none():
    made = ml.evaluate(
        {"none": "NoMemory()", "mixed": Mixed(failing=True)}, data(), ["Recall()"], budget=500
    )
    table = made.to_contexts()
    assert table.context.tolist()[:2] == ["", ""]
    assert table.context.isna().tolist() == [False, False, False, True]
    assert "out of luck" in table.error[3]
    assert table.error[0] is None or table.error.isna()[0]


def test_a_saved_run_gives_the_same_contexts_as_json_lines(tmp_path):
    made = ml.evaluate({"m": Mixed()}, data(), ["Recall()"], budget=[None, 500], out=tmp_path)
    loaded = Results.load(made.path, dataset=data())
    assert loaded.to_contexts().equals(run().to_contexts().assign(strategy="m", run=run_name(made)))
    written = loaded.to_contexts(tmp_path / "contexts.jsonl", budget=None)
    lines = [json.loads(line) for line in written.read_text("utf-8").splitlines()]
    assert [line["budget"] for line in lines] == [None, None]
    assert lines[0]["context"] == loaded.to_contexts().context[0]
    assert list(lines[0]) == list(loaded.to_contexts().columns)


def run_name(results):
    return f"{results.manifest['name']}-{results.manifest['hash8']}"


def test_the_choice_of_strategies_and_budget():
    made = ml.evaluate({"a": "NoMemory()", "b": Mixed()}, data(), ["Recall()"], budget=[9, 500])
    assert set(made.to_contexts(strategies=["b"], budget=500).strategy) == {"b"}
    assert len(made.to_contexts(budget=9)) == 4
    with pytest.raises(Faults, match=r"(?s)2 fault.*no strategy 'c'.*no budget 8") as told:
        made.to_contexts(strategies=["c"], budget=8)
    assert "9, 500" in str(told.value)


@pytest.fixture
def saved(tmp_path):
    made = ml.evaluate({"m": Mixed()}, data(), ["Recall()"], budget=[None, 500], out=tmp_path)
    return made.path


def test_a_missing_file_of_texts_is_told(saved):
    (saved / "texts.jsonl").unlink()
    with pytest.raises(RunError, match=r"texts\.jsonl: it is not there.*--fresh"):
        Results.load(saved, dataset=data()).to_contexts()


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"strategy":"m","conversation":"c","probe":"p0","items":[]}',
        '{"strategy":"m","conversation":"c","probe":"p0","budget":1,"items":[{"kind":"fact"}]}',
        '{"strategy":"m","conversation":"c","probe":"p0","budget":1,"items":[EXCERPT]}',
    ],
)
def test_a_damaged_file_of_texts_is_told(saved, line):
    excerpt = '{"kind":"excerpt","text":"x","sources":[]}'  # it names no source
    (saved / "texts.jsonl").write_text(line.replace("EXCERPT", excerpt) + "\n")
    with pytest.raises(RunError, match=r"cannot read .*texts\.jsonl"):
        Results.load(saved, dataset=data()).to_contexts()


def test_lost_and_changed_texts_are_told_all_at_once(saved):
    path = saved / "texts.jsonl"
    first, second, third, _ = map(json.loads, path.read_text("utf-8").splitlines())
    first["items"].pop()
    second["items"][1]["text"] = "They talked of Oslo and of Bergen."
    path.write_text("\n".join(map(json.dumps, [first, second, third])) + "\n", "utf-8")
    with pytest.raises(Faults, match="3 contexts") as told:
        Results.load(saved, dataset=data()).to_contexts()
    assert "the derived texts are not those of this read" in told.value.faults[0]
    assert "its texts have" in told.value.faults[1]
    assert "probe 'p1' of 'c', budget 500" in told.value.faults[2]  # its line is gone
    with pytest.raises(Faults):
        Results.load(saved, dataset=data()).to_contexts(saved / "out.jsonl")
    assert not (saved / "out.jsonl").exists()


def test_an_excerpt_whose_text_was_lost_is_no_whole_turn(tmp_path):
    @ml.strategy
    class Cut(ml.TurnMemory):
        def read(self, query, budget):
            return [Item("I moved to Oslo", ("t0",), "excerpt")]

    made = ml.evaluate({"cut": Cut()}, data(), ["Recall()"], budget=500, out=tmp_path)
    (made.path / "texts.jsonl").write_text("")
    with pytest.raises(Faults, match=r"its texts have \d+ tokens, the record says"):
        Results.load(made.path, dataset=data()).to_contexts()


def test_other_data_are_refused_by_their_hash(saved):
    with pytest.raises(RunError, match="not those of the run"):
        Results.load(saved, dataset=data(("other", *TEXTS[1:])))


def test_a_forgotten_turn_that_came_back_is_shown(tmp_path):
    @ml.strategy
    class Leaky:
        def reset(self):
            self.turns = []

        def write(self, turn):
            self.turns.append(turn)

        def read(self, query, budget):
            return [Item.of(self.turns[0])]

    whole = data()
    (talk,) = whole
    gone = Forget(turn_ids=("t0",), user="", time="2024-05-08")
    events = [*talk.turns(), gone, *talk.probes()]
    made = ml.evaluate(
        {"leaky": Leaky()}, Dataset("toy", (Conversation("c", events),)), ["Residue()"], budget=500
    )
    assert made.to_contexts().context[0] == "[2024-05-01 13:56] Ann: I moved to Oslo in May."


def test_on_real_dialogues_every_context_holds_what_its_verdicts_say():
    from memlab.text import normal

    made = ml.evaluate(
        {"bm25": "BM25()", "window": "Window(turns=10)", "hybrid": "Hybrid()"},
        "quickstart",
        ["AnswerInContext()"],
        budget=[60, 200],
    )
    table = made.to_contexts()
    pairs = zip(table.answers, table.context, strict=True)
    holds = [any(normal(a).strip() in normal(c) for a in answers) for answers, c in pairs]
    values = made.values("AnswerInContext()")
    assert sum(values == 1) > 200
    assert all(held for held, value in zip(holds, values, strict=True) if value == 1)
    assert all(
        len(s) == c.count("[2024-") for s, c in zip(table.sources, table.context, strict=True)
    )
