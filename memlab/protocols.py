"""The contracts: three methods make a memory, everything else is an optional ability."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from memlab.naming import parts
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from memlab.pages import MemoryPage
    from memlab.rankings import Rankings
    from memlab.run import Run

EmbedRole = Literal["query", "document"]
Said = TypeVar("Said", Turn, Query)


@runtime_checkable
class Memory(Protocol):
    """A memory strategy: sees turns in time order, answers a query with what it kept."""

    def reset(self) -> None:
        """Forget everything."""

    def write(self, turn: Turn) -> None:
        """Take in one turn."""

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return items, best first, of at most `budget` tokens in all.

        The list is cut at the first item that does not fit; without a budget, at 100 items.
        """
        ...


class Attaches(Protocol):
    """Ability: is handed the run (token counter, seeded generator, embeddings)."""

    def attach(self, run: Run) -> None:
        """Keep the run for later use; called after `reset` and before the first write."""


class Embeds(Protocol):
    """Ability: announces what it will embed, so that the runner can encode in batches."""

    embedder: Embedder

    def texts(self, turn: Turn) -> Sequence[str]:
        """Return the texts that writing `turn` will embed."""
        ...


class WritesMany(Protocol):
    """Ability: takes in several turns at once."""

    def write_many(self, turns: Sequence[Turn]) -> None:
        """Take in turns, in time order, as if written one by one; or none of them, and raise."""


class Forgets(Protocol):
    """Ability: deletes turns of a user, by request."""

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Remove the turns and everything made from them."""


class Maintains(Protocol):
    """Ability: works between sessions (decay, expiry, consolidation)."""

    def maintain(self, now: datetime) -> None:
        """Do what is due at the dialogue's time `now`."""


class Flushes(Protocol):
    """Ability: makes pending writes searchable."""

    def flush(self) -> None:
        """Finish pending work before the next read."""


class Saves(Protocol):
    """Ability: writes its state to a folder and reads it back."""

    def save(self, path: Path) -> None:
        """Write the state into the folder `path`."""

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""


class Counts(Protocol):
    """Ability: reports its own counters."""

    def stats(self) -> Mapping[str, int | float]:
        """Return counters such as page faults, rejected facts, duplicates."""
        ...


class Held(NamedTuple):
    """One thing a memory keeps: its kind, its text, and when it was said."""

    kind: str
    text: str
    time: datetime


class Holds(Protocol):
    """Ability: lists what it keeps, for reports on memory use by kind and age."""

    def held(self) -> Iterable[Held]:
        """Yield everything kept."""
        ...


class Explains(Protocol):
    """Ability: tells why each item scored what it did."""

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per candidate, best first, with the parts of its score."""
        ...


class Scores(Protocol):
    """Ability: scores every turn kept of the user, for fusion with other scorers."""

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the user's rows (the n-th write is row n, counted from 0) and a score each.

        Minus infinity marks a turn that the scorer would not return at all.
        """
        ...


class PairScorer(Protocol):
    """Scores texts for a question, the higher the better; for ranking hits again.

    Optional, for models: `tokens(query, texts)` returns what the model reads of each pair and
    whether that was cut, so that it is booked; `identity()` returns all that can change a score;
    `prepare()` loads the model, so that loading is not timed as scoring.
    """

    def score(self, query: Query, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return a finite score for each text."""
        ...


class RewritesQueries(Protocol):
    """Puts a question into words that stand alone, for another component to search with."""

    def rewrite(self, query: Query, tail: Sequence[Turn]) -> Query:
        """Return the question, seen with the last turns of its user, the latest last."""
        ...


class ScoresComplexity(Protocol):
    """Says how complex a request is."""

    def check(self) -> None:
        """Make sure of the fields; called when the memory around it is reset."""

    def complexity(self, text: str, count: Callable[[str], int]) -> float:
        """Return a number from 0 to 1; `count` returns the tokens of a text."""
        ...


class ScoresImportance(Protocol):
    """Tells how much a text matters, whatever will be asked."""

    def importance(self, text: str) -> float:
        """Return a number from 0 to 1."""
        ...


class Fact(NamedTuple):
    """What a turn states of its speaker: a predicate with its object, and the text to show.

    Of the facts of one `slot` the newest holds.
    """

    predicate: str
    object: str
    text: str
    turn: str
    slot: str


class ExtractsFacts(Protocol):
    """Takes the key facts out of turns.

    Optional: `reset()`, `stats()` with what was rejected.
    """

    def facts(self, turn: Turn) -> list[Fact]:
        """Return what a turn states, in its order."""
        ...


class ToolResult(NamedTuple):
    """What a tool gave: its name, the result, when, and the turns of call and result."""

    tool: str
    result: str
    time: datetime
    sources: tuple[str, ...]


class TaskLine(NamedTuple):
    """A line on the task at hand: the part (task, state, tools), the text, the turns it shows."""

    part: str
    text: str
    sources: tuple[str, ...] = ()


class KeepsResults(Protocol):
    """Decides which tool results of a user are kept."""

    def latest(self, newest: Iterable[tuple[Turn | None, Turn]]) -> list[ToolResult]:
        """Return results, newest first, of (call, result) pairs, newest first."""
        ...


class RendersTask(Protocol):
    """Writes what an agent is working on as labelled lines."""

    def lines(
        self, task: str, state: Mapping[str, object], results: Sequence[ToolResult]
    ) -> list[TaskLine]:
        """Return a line for each part that is not empty; `results` are newest first."""
        ...


class Passage(NamedTuple):
    """A piece of text and the turns it carries, in dialogue order.

    `lead` is how the text begins where that tells who spoke and when: a summarizer that keeps a
    part of the text puts it before that part, so that it stands alone.
    """

    text: str
    sources: tuple[str, ...]
    lead: str = ""


class Summarizer(Protocol):
    """Shortens passages of a dialogue; a summary can be put in again, beside newer passages.

    Optional, for models: `identity()`, `prepare()`.
    """

    def summarize(
        self, passages: Sequence[Passage], tokens: int, counter: TokenCounter
    ) -> list[Passage]:
        """Return passages of at most `tokens` tokens, line breaks between them included.

        They keep the order of the dialogue, and each names the turns that it carries.
        """
        ...


class GraphScores(Scores, Forgets, Saves, Protocol):
    """A graph over turns that scores them for a question: the third leg beside words and vectors.

    Rows are counted as those of `Scores`.
    """

    def reset(self) -> None:
        """Forget everything."""

    def write(self, turn: Turn) -> None:
        """Take in one turn."""


class Supersedes(Forgets, Saves, Protocol):
    """A graph that knows which turns no longer hold, since a newer one says otherwise.

    What a forgotten turn had superseded holds again.
    """

    def reset(self) -> None:
        """Forget everything."""

    def write(self, turn: Turn) -> None:
        """Take in one turn."""

    def superseded(self, turn_ids: Collection[str], time: datetime) -> set[str]:
        """Return those of the turns that no longer hold at the dialogue's `time`."""
        ...


class Discloses(Protocol):
    """Ability of a wrapper: hands on other words than it was given; only those are encoded."""

    def disclosed(self, said: Said) -> Said:
        """Return a turn or a question as the memory inside is shown it."""
        ...


class MarksDuplicates(Protocol):
    """Says which turns of a user say the same: those that share a key."""

    def keys(self, turn: Turn) -> Sequence[str]:
        """Return keys; an exact rule has one, a rule for near duplicates several (LSH bands).

        Without a key, a turn has no duplicate.
        """
        ...


class RedactsText(Protocol):
    """Takes personal data out of texts."""

    def redact(self, text: str) -> tuple[str, Mapping[str, int]]:
        """Return the text without them, and how many of each kind were taken out."""
        ...


class TokenCounter(Protocol):
    """Counts tokens; `name` goes into the manifest."""

    name: str

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        ...

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix of `text`, cut between characters, that fits `tokens`."""
        ...


class Encoded(NamedTuple):
    """Embeddings: float32 rows, and for every text its tokens and whether it was cut.

    `nanoseconds` is the time of each text by itself, from embedders that encode them so.
    """

    vectors: NDArray[np.float32]
    tokens: tuple[int, ...]
    truncated: tuple[bool, ...]
    nanoseconds: tuple[int, ...] = ()


class Embedder(Protocol):
    """Turns texts into vectors, which are brought to unit length where they are used.

    Optional: `prepare()` loads the model, so that loading is not timed as encoding; a class
    variable `precompute = False` says that encoding is too cheap to be done before the run.
    """

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return everything that can change a vector: model, revision, prompts, length."""
        ...

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts in their role; shape (len(texts), dimension)."""
        ...


class Routes(Protocol):
    """Ability of an embedder: leaves each text to another, so that vectors are shared with it."""

    def route(self, text: str) -> Embedder:
        """Return the embedder of a text."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine over rows that are added and removed."""

    def reset(self) -> None:
        """Forget every row."""

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Store a vector under a row number."""

    def remove(self, row: int) -> None:
        """Delete a row."""

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their vectors."""
        ...

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their cosine with `vector`."""
        ...

    def nearest(
        self, vector: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the `count` best rows (or all there are) and their cosines, best first.

        Ties come in the order added. An approximate index may miss some of the best.
        """
        ...

    def save(self, path: Path) -> None:
        """Write the index into the folder `path`, nothing of what was removed."""

    def load(self, path: Path, rows: Sequence[int]) -> None:
        """Replace the state by what `save` wrote, under row numbers given in the order added."""


class EvictionPolicy(Protocol):
    """Chooses which page leaves main memory; each user's memory has a copy of its own.

    Optional, for a ceiling: `privileged = True` and `foresee(page_ids)`, which is told all accesses
    to come, writes included.
    """

    def reset(self, limit: int, draw: Callable[[int, int], int]) -> None:
        """Forget everything.

        Main memory will hold `limit` tokens; `draw(n, below)` is the n-th random number, a whole
        one below `below`.
        """

    def miss(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page is about to come in, before room is made for it."""

    def admit(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page came in, or that one in main memory has another size now."""

    def touch(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page in main memory was accessed."""

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return which of the pages leaves for the incoming one; it has then left."""
        ...

    def drop(self, page_id: str) -> None:
        """Forget a page that was deleted."""

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Replace the state by what `state` returned."""


class Metric(Protocol):
    """A number per record, computed from rankings and verdicts; NaN is "not measurable"."""

    def __call__(self, rankings: Rankings) -> NDArray[np.float64]:
        """Return one value per record."""
        ...


def learns_on_read(memory: Memory) -> bool:
    """Tell whether any part of the memory changes when it is read."""
    return any(getattr(part, "touch", False) is True for part in parts(memory))


def privileged(memory: Memory) -> bool:
    """Tell whether any part of the memory is a ceiling, which may see the conversation."""
    return any(getattr(part, "privileged", False) is True for part in parts(memory))


def chooses(memory: Memory) -> bool:
    """Tell whether any part of the memory chooses among what it found to fill a budget.

    Its ranking at a smaller budget need not be the beginning of the one at a larger budget.
    """
    return any(getattr(part, "chooses", False) is True for part in parts(memory))
