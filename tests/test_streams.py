"""Events that are made anew by every walk: replayed like a tuple, and never held."""

import gc
import tracemalloc
from contextlib import ExitStack
from datetime import timedelta
from math import exp, log
from random import Random
from unittest.mock import patch

import pytest

import memlab as ml
from memlab import tokens
from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.errors import DataError, Faults
from memlab.evidence import audit
from memlab.judging import archive, dialogue, echoes, shingles, verdicts
from memlab.judging.shingles import Texts
from memlab.metrics import Leak, Recall
from memlab.replay import Replay
from memlab.run import Run
from memlab.strategies import BM25, NoMemory, Window
from memlab.strategies import Random as Drawn
from memlab.tokens import CachedCounter, Estimate
from memlab.types import Conversation, Dataset, Forget, Item, Probe, SessionEnd, Turn, utc

START = utc("2024-01-01")
USERS = ("ann", "bob", "ann")


class Living(Turn):
    """A turn that is counted while it lives."""

    __slots__ = ()
    now = most = 0

    def __post_init__(self):
        super().__post_init__()
        Living.now += 1
        Living.most = max(Living.most, Living.now)

    def __del__(self):
        Living.now -= 1


class Stream:
    """Short turns of two users; 50 probes, their evidence log-uniform in distance; deletions."""

    def __init__(self, size, make=Turn):
        self.size, self.make, self.walks = size, make, 0

    def turn(self, n):
        words = " ".join(f"w{(n * k) % 97}" for k in (1, 7, 31, 53))
        text = f"{words} code n{n % 500}."
        time, user = START + timedelta(minutes=n), USERS[n % 3]
        return self.make(id=f"t{n}", text=text, time=time, session=f"s{n // 40}", user=user)

    def __iter__(self):
        self.walks += 1
        for n in range(self.size):
            yield self.turn(n)
            time = START + timedelta(minutes=n)
            if n % 40 == 39:
                yield SessionEnd(session=f"s{n // 40}", time=time)
            if n % (self.size // 3) == 100:
                yield Forget(
                    turn_ids=(f"t{n - 7}", f"t{n - 60}"), user=USERS[(n - 7) % 3], time=time
                )
            if (n + 1) % (self.size // 50) == 0:
                yield self.probe(n, time)

    def probe(self, n, time):
        distance = int(exp(Random(n).random() * log(n)))
        said = n - distance
        return Probe(
            id=f"p{n}",
            text=f"code n{said % 500}?",
            time=time,
            user=USERS[said % 3],
            evidence=(f"t{said}",),
            answers=(f"n{said % 500}",),
            meta={"distance": distance},
        )


def streamed(size, make=Turn):
    return Dataset("stream", (Conversation("c", Stream(size, make)),))


class Gist(NoMemory):
    """Returns a page of its user's last turns, and an excerpt of the first."""

    def reset(self):
        self.turns = {}

    def write(self, turn):
        kept = self.turns.setdefault(turn.user, [])
        kept.append(turn)
        del kept[1:-5]

    def forget(self, turn_ids, user):
        self.turns[user] = [t for t in self.turns.get(user, []) if t.id not in turn_ids]

    def read(self, query, budget):
        first, *last = self.turns[query.user]
        page = "\n".join(turn.text for turn in last)
        return [
            Item(page, tuple(turn.id for turn in last), "page"),
            Item(first.text[:-2], (first.id,), "excerpt"),
        ]


class Small(ExitStack):
    """What may be held whatever the size, cut down, so that small streams show what grows."""

    def __enter__(self):
        for module, name, value in (
            (archive, "BLOCK", 16),
            (archive, "_OPEN", 4),
            (dialogue, "NEWEST", 256),
            (echoes, "MOST", 1000),
            (shingles, "_MOST", 100),
            (verdicts, "_SAMPLE", 400),
            (tokens, "_MOST", 300),
        ):
            self.enter_context(patch.object(module, name, value))
        return super().__enter__()


def play(memory, dataset, budgets=(200,)):
    (conversation,) = dataset
    run = Run(CachedCounter(Estimate()))
    return Replay("s", memory, conversation, budgets, run, Texts()).play()


def test_a_stream_gives_the_records_of_its_tuple():
    stream = streamed(1500)
    held = Dataset("stream", (Conversation("c", tuple(stream.conversations[0].events)),))
    strategies = {"w": Window(turns=10), "r": Drawn(), "bm25": BM25(), "gist": Gist()}
    asked = {"metrics": [Recall(), Leak()], "budget": [50, None], "tokenizer": "estimate"}
    expected = ml.evaluate(strategies, held, **asked)
    assert dataset_digest(stream) == dataset_digest(held)
    assert ml.evaluate(strategies, stream, **asked) == expected
    with patch.object(dialogue, "NEWEST", 256), patch.object(echoes, "MOST", 1000):
        assert ml.evaluate(strategies, stream, **asked) == expected
    assert not any(record.error for record in expected.records)


@pytest.mark.parametrize("memory", [NoMemory(), Gist()])
def test_turns_are_let_go_as_the_stream_goes_by(memory):
    Living.now = Living.most = 0
    with Small():
        unit = play(memory, streamed(4000, Living))
    assert (unit.facts["turns"], len(unit.records)) == (4000, 50)
    # 256 not yet put away, the one that comes, and what Gist keeps: 6 of each user.
    assert 256 <= Living.most <= 256 + 1 + 2 * 6
    gc.collect()


def grown(call, size=8000):
    """Return the bytes at the peak that a turn more costs, from `size` turns to twice as many."""
    peaks = []
    for turns in (size, 2 * size):
        dataset = streamed(turns)
        gc.collect()
        tracemalloc.start()
        call(dataset)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[1] - peaks[0]) / size


@pytest.mark.parametrize(
    ("call", "most"),
    [
        # 25 bytes of columns and hashes, twice that while they are sorted, sessions' names.
        (lambda dataset: play(NoMemory(), dataset), 100),
        (dataset_faults, 60),
        (audit, 60),
        (dataset_digest, 1),
    ],
    ids=["replay", "faults", "audit", "digest"],
)
def test_a_turn_costs_bytes_not_objects(call, most):
    # A Turn alone, without its text, takes 136 bytes.
    with Small():
        call(streamed(1000))  # imports
        assert grown(call) < most


def test_texts_under_hashes_cost_less_than_texts():
    with Small():
        play(Gist(), streamed(1000))
        few = grown(lambda dataset: play(Gist(), dataset), 3000)
    # 3 keys a turn that no turn had before, in two tallies of 12 bytes; as texts they cost 110
    # more, and a reading of every turn costs 3 kB.
    assert few < 100


# Events that cannot be walked twice


class Spent:
    """Looks like a stream, and is at its end after one walk."""

    def __init__(self, events):
        self.events = iter(events)

    def __iter__(self):
        return (event for event in self.events)


EVENTS = tuple(Stream(200))


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ((event for event in EVENTS), "a generator, which can be walked once only"),
        (iter(EVENTS), "a tuple_iterator, which can be walked once only"),
        (zip(EVENTS, strict=True), "a zip, which can be walked once only"),
        (Spent(EVENTS), "two walks begin with"),
        (None, "a NoneType, which holds no events"),
    ],
    ids=["generator", "iterator", "zip", "spent", "none"],
)
def test_events_that_cannot_be_walked_again_are_refused_before_the_run(events, found):
    class Untouched(NoMemory):
        def write(self, turn):
            raise AssertionError

    data = Dataset("once", (Conversation("c", EVENTS), Conversation("d", events)))
    (fault,) = dataset_faults(data)
    assert isinstance(fault, DataError)
    assert str(fault).startswith(f"the events of conversation 'd': {found}")
    assert "an object whose __iter__ makes the events anew each time" in str(fault)
    with pytest.raises(Faults, match="the events of conversation 'd'"):
        ml.evaluate({"u": Untouched()}, data, [Recall()])


def test_repeated_ids_of_a_stream_are_named_as_those_of_a_tuple():
    turns = [Turn(id=i, text="x", time=START) for i in ("a", "b", "c", "b", "a", "b")]
    probe = Probe(id="q", text="?", time=START)
    data = Dataset("d", (Conversation("c", (*turns, probe, probe)),))
    assert [str(fault).partition(";")[0] for fault in dataset_faults(data)] == [
        "conversation 'c': turn id 'a' occurs 2 times",
        "conversation 'c': turn id 'b' occurs 3 times",
        "conversation 'c': probe id 'q' occurs 2 times",
    ]
