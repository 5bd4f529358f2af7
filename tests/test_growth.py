"""What memories hold as conversations grow: what is recorded, at what price, and the table."""

import copy
import json

import numpy as np
import pytest

import memlab as ml
from memlab.history import TurnMemory
from memlab.holding import Growth, kept
from memlab.judging.shingles import Texts
from memlab.metrics import Recall
from memlab.models import Hashing
from memlab.parsing import parse
from memlab.registry import STRATEGIES
from memlab.replay import Replay, replay
from memlab.results import Results
from memlab.run import Booking, Run
from memlab.strategies import FullHistory, NoMemory, Window
from memlab.tokens import CachedCounter, Estimate
from memlab.types import Conversation, Dataset, Forget, Probe, Record, SessionEnd, Turn, utc

NOW = utc("2024-01-01")


def talk(turns, *, name="c", forget=()):
    """A conversation with a question after every tenth turn and a session end after it."""
    events = []
    for i in range(turns):
        text = f"number {i} of the words that make a turn"
        events.append(Turn(id=f"t{i}", text=text, time=NOW, user="u"))
        if i in forget:
            events.append(Forget(turn_ids=(f"t{i - 1}",), user="u", time=NOW))
        if i % 10 == 9:
            asked = {"text": f"number {i - 5}", "evidence": (f"t{i - 5}",)}
            events.append(Probe(id=f"p{i}", time=NOW, user="u", **asked))
            events.append(SessionEnd(session="", time=NOW))
    return Conversation(name, tuple(events))


def run():
    return Run(CachedCounter(Estimate()))


def played(memory, conversation, budgets=(50, None)):
    return replay("m", memory, conversation, budgets, run, copy.deepcopy)


def test_samples_are_what_is_held_after_so_many_turns():
    conversation = talk(70)
    growth = played(FullHistory(), conversation).facts["growth"]
    assert [sample["turns"] for sample in growth] == [16, 32, 64]
    for sample in growth:
        memory, surroundings = FullHistory(), run()
        memory.reset()
        memory.attach(surroundings)
        for turn in list(conversation.turns())[: sample["turns"]]:
            memory.write(turn)
        held = kept(memory, NOW, surroundings.count)
        items, tokens = held["held"]["kind"]["turn"]
        wanted = {"turns": sample["turns"], "items": items, "tokens": tokens}
        assert sample == wanted | {"bytes": held["bytes"]}


def test_forgotten_turns_are_no_longer_held():
    growth = played(FullHistory(), talk(70, forget=(5, 20, 21))).facts["growth"]
    assert [sample["items"] for sample in growth] == [15, 29, 61]


def test_turns_double_and_from_64_on_go_times_four():
    growth, due = Growth(NoMemory(), run()), []
    while growth.due <= 10**6:
        due.append(growth.due)
        growth.take()
    assert due == [16, 32, 64, 256, 1024, 4096, 16384, 65536, 262144]
    # All saves of a million turns together cost 0.35 of the one at the end.
    assert sum(due) < 0.36 * 10**6
    assert growth.samples == []  # it neither saves nor tells what it holds


@pytest.mark.parametrize(
    "spelt",
    [
        *(f"{name}()" for name in sorted(set(STRATEGIES) - {"Vector", "Hybrid"})),
        "Vector(embedder=Hashing())",
        "Hybrid(legs=(BM25(), Vector(embedder=Hashing())))",
    ],
)
def test_sampling_changes_neither_records_nor_other_facts(spelt, monkeypatch):
    conversation = talk(70, forget=(30, 31))

    def unit():
        def make_run():
            return Run(CachedCounter(Estimate()), conversation=conversation)

        return replay("m", parse(spelt), conversation, [50, None], make_run, copy.deepcopy)

    sampled = unit()
    monkeypatch.setattr(Growth, "take", lambda self: None)
    plain = unit()
    assert sampled.records == plain.records
    assert {n: v for n, v in sampled.facts.items() if n != "growth"} == plain.facts
    assert ("growth" in sampled.facts) is (spelt != "NoMemory()")
    for phase in ("read", "encode"):
        assert list(sampled.latency[phase]) == list(plain.latency[phase])


class Fragile(FullHistory):
    """Cannot be saved while it holds 20 turns or more, at first."""

    def save(self, path):
        if len(self.history) >= 20:
            raise OSError("disk full")
        super().save(path)


class Mended(Fragile):
    """Can be saved again at the end."""

    def save(self, path):
        if len(self.history) == 40:
            return FullHistory.save(self, path)
        return super().save(path)


@pytest.mark.parametrize("fragile", [Fragile(), Mended()])
def test_a_save_that_fails_ends_the_sampling_not_the_replay(fragile):
    unit = played(fragile, talk(40))
    assert unit.records == played(FullHistory(), talk(40)).records
    assert all(record.error is None for record in unit.records)
    assert [sample["turns"] for sample in unit.facts["growth"]] == [16]
    assert "disk full" in unit.facts["error"]
    assert ("bytes" in unit.facts) is isinstance(fragile, Mended)


def test_the_fault_is_told_in_the_notes():
    results = ml.evaluate({"m": Mended()}, Dataset("toy", (talk(40),)), [Recall()])
    assert "'m' broke on 'c': OSError: disk full" in repr(results)


def test_a_memory_that_broke_is_not_looked_into_again():
    class Breaks(FullHistory):
        def write(self, turn):
            if turn.id == "t20":
                raise RuntimeError("full")
            super().write(turn)

    facts = played(Breaks(), talk(40)).facts
    assert [sample["turns"] for sample in facts["growth"]] == [16]
    assert "full" in facts["error"]


def test_what_saving_encodes_is_booked_to_nobody():
    class Encodes(FullHistory):
        def save(self, path):
            self.run.embed(Hashing(), ["saved"], "document")
            super().save(path)

    surroundings = run()
    replayed = Replay("m", Encodes(), talk(40), [None], surroundings, Texts())
    unit = replayed.play()
    assert len(unit.facts["growth"]) == 2
    assert "encoded" not in unit.facts
    assert unit.latency["encode"] == {}


def test_a_memory_that_learns_on_read_tells_of_its_first_pass():
    class Learns(FullHistory):
        touch = True

        def read(self, query, budget):
            self.history.add(Turn(id=f"q{len(self.history)}", text="asked", time=NOW, user="x"))
            return super().read(query, budget)

    growth = played(Learns(), talk(40)).facts["growth"]
    assert [sample["items"] for sample in growth] == [17, 35]  # one read by 16 turns, three by 32


def test_records_keep_it_and_older_ones_load_without(tmp_path):
    data = Dataset("toy", (talk(40), talk(20, name="d")))
    results = ml.evaluate({"m": FullHistory()}, data, [Recall()], out=tmp_path)
    again = Results.load(results.path)
    assert again == results
    assert again.growth().equals(results.growth())
    file = results.path / "records.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(withheld(line)) + "\n" for line in lines))
    assert Results.load(results.path).growth()["at"].tolist() == ["end", "end"]


def withheld(line):
    return {name: value for name, value in line.items() if name != "growth"}


def facts(talk, turns, *, strategy="a", **held):
    return {"strategy": strategy, "conversation": talk, "turns": turns, **held}


def table(*given, records=()):
    return Results(records, given, (), {}, []).growth()


def test_the_table_has_a_line_per_strategy_and_moment():
    way = [{"turns": 16, "bytes": 100}, {"turns": 32, "bytes": 300}]
    rows = table(
        facts("c", 20, bytes=130, growth=way[:1]),
        facts("d", 40, bytes=350, growth=[{"turns": 16, "bytes": 200}, way[1]]),
        facts("d", 40, strategy="b", held={"kind": {"turn": [30, 90], "fact": [2, 10]}}),
    )
    assert rows["strategy"].tolist() == ["a", "a", "a", "a", "b"]
    assert rows["at"].tolist() == ["on the way", "on the way", "end", "end", "end"]
    # 16 turns: (100 + 200) / 2; 32: d alone; ends of 20 and 40 turns lie in different octaves.
    assert rows["turns"].tolist() == [16, 32, 20, 40, 40]
    assert rows["bytes"][:4].tolist() == [150, 300, 130, 350]
    assert rows["conversations"].tolist() == [2, 1, 1, 1, 1]
    assert rows.loc[4, ["items", "tokens"]].tolist() == [32, 100]
    assert np.isnan(rows["bytes"][4])
    assert rows["bytes low"].isna().all()  # fewer than six conversations


def test_ends_of_like_length_are_one_line_with_an_interval():
    rows = table(*(facts(f"c{n}", 33 + n, bytes=100 + n) for n in range(6)))
    (row,) = rows.to_dict("records")
    # 33 … 38 turns, 100 … 105 bytes: mean 102.5, sd 1.871, t(5) 2.571 · 1.871 / √6 = 1.963.
    assert (row["turns"], row["bytes"], row["conversations"]) == (35.5, 102.5, 6)
    assert row["bytes high"] - row["bytes"] == pytest.approx(1.963, abs=1e-3)


def test_data_sets_are_apart():
    records = [
        Record(strategy="a", conversation=c, probe="p", budget=1, dataset=d)
        for c, d in (("x/c", "x"), ("y/c", "y"))
    ]
    rows = table(facts("x/c", 20, bytes=1), facts("y/c", 20, bytes=3), records=records)
    assert rows[["dataset", "bytes"]].to_numpy().tolist() == [["x", 1], ["y", 3]]


def test_nothing_told_is_an_empty_table_with_its_columns():
    rows = table(facts("c", 20))
    assert len(rows) == 0
    assert {"strategy", "at", "turns", "bytes", "conversations"} <= set(rows.columns)


def test_a_window_grows_no_more_once_it_is_full():
    class Forgetful(TurnMemory):
        """Keeps the last ten turns and no others."""

        def write(self, turn):
            super().write(turn)
            rows = self.history.rows(turn.user)
            self.history.forget([self.history[row].id for row in rows[:-10]], turn.user)

        def read(self, query, budget):
            return self.history.pack([], budget)

    results = ml.evaluate(
        {"all": Window(turns=10), "ten": Forgetful()}, Dataset("toy", (talk(40),)), [Recall()]
    )
    rows = results.growth()
    assert rows[rows["strategy"] == "ten"]["items"].tolist() == [10, 10, 10]
    assert rows[rows["strategy"] == "all"]["items"].tolist() == [16, 32, 40]


def test_bookings_before_a_sample_are_kept():
    surroundings = run()
    surroundings.booked = Booking(texts=3)
    memory = FullHistory()
    memory.reset()
    Growth(memory, surroundings).take()
    assert surroundings.booked == Booking(texts=3)
