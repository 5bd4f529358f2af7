"""Turns and their words as a graph; a question walks on it."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from memlab.checking import check_number, check_whole
from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.text import form, terms
from memlab.topk import best
from memlab.types import Item, Query, Turn
from memlab.walks import Walk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@strategy
class TermGraph(TurnMemory):
    """Rank turns by a random walk with restart from the question's words.

    Every turn is joined to its terms (stems of words, names, Chinese bigrams) by edges of weight
    idf; with `neighbours` above 0, also to the turn before and after it in its session, by so
    much of its steps. A walker starts at the terms of the question, drawn by idf, goes back
    there with probability `restart` at every step, and the share of time it spends at a turn is
    the score. So a turn that shares no word with the question is found through words that it
    shares with turns that do; −inf where the walk does not come within `rounds` rounds.

    Every user has a graph of their own. Writing costs as much as the turn; deleting makes the
    user's graph anew from what remains.

    Formula: x = restart · q + (1 − restart) · xP, solved in `rounds` rounds; P are the transitions,
        q the question. The score is x / (1 − b + b · size), size the turn's idf over the mean.

    Source: Haveliwala (2002), "Topic-Sensitive PageRank", WWW; for retrieval over a graph of
        passages and their phrases: Gutiérrez et al. (2024), "HippoRAG", arXiv 2405.14831,
        whose damping of 0.5 is `restart`.

    >>> TermGraph(restart=0.3)
    TermGraph(restart=0.3)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "graph", "dialogue", "hybrid")

    restart: float = 0.5
    rounds: int = 5
    neighbours: float = 0.5
    b: float = 0.25
    form: str = "dated"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown form, a restart outside ]0, 1], neighbours outside [0, 1[, b
                outside [0, 1], no round.
        """
        check_number("restart", self.restart, high=1.0)
        check_number("neighbours", self.neighbours, high=1.0)
        check_number("b", self.b, high=1.0)
        check_whole("rounds", self.rounds, least=1)
        if not self.restart or self.neighbours == 1:
            found = f"restart={self.restart}, neighbours={self.neighbours}"
            raise ConfigError(found, "restart above 0 and neighbours below 1")
        super().reset()
        self._form = form(self.form)
        self._graphs: dict[str, _Edges] = {}

    def write(self, turn: Turn) -> None:
        """Keep a turn and join it to its terms."""
        row = self.history.add(turn)
        edges = self._graphs.setdefault(turn.user, _Edges())
        edges.add(row, turn.session, terms(self._form(turn)))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, and every edge and term that only they had."""
        gone = self.history.forget(turn_ids, user)
        if gone:
            self._graphs[user] = self._graphs[user].without(gone)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the turns where the walker is most; equal ones in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and the share of time spent at each, −inf where none."""
        import numpy as np

        edges = self._graphs.get(query.user)
        if edges is None or not edges.rows:
            return np.empty(0, dtype=np.int64), np.empty(0)
        start = [
            at
            for term in dict.fromkeys(terms(query.text))
            if (at := edges.terms.get(term, -1)) >= 0
        ]
        walk = edges.walk(self.neighbours)
        found = walk.visits(start, self.restart, self.rounds) / (1 - self.b + self.b * walk.sizes)
        return np.array(edges.rows, dtype=np.int64), np.where(found > 0, found, -np.inf)

    def stats(self) -> dict[str, int | float]:
        """Return the size of all graphs: terms and edges between terms and turns."""
        graphs = self._graphs.values()
        return {
            "graph terms": sum(len(edges.terms) for edges in graphs),
            "graph edges": sum(len(edges.ends) for edges in graphs),
        }


class _Edges:
    """The graph of one user: turn by turn, the numbers of its distinct terms."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.terms: dict[str, int] = {}
        self.ends = array("i")
        self.starts = array("i", [0])
        self.sessions: list[str] = []
        self._walk: Walk | None = None

    def add(self, row: int, session: str, words: Iterable[str]) -> None:
        """Append a turn."""
        self.rows.append(row)
        self.sessions.append(session)
        for word in dict.fromkeys(words):
            self.ends.append(self.terms.setdefault(word, len(self.terms)))
        self.starts.append(len(self.ends))
        self._walk = None

    def without(self, rows: Collection[int]) -> _Edges:
        """Return the graph as if the turns of these rows had never been added."""
        made, names, gone = _Edges(), list(self.terms), set(rows)
        for at, row in enumerate(self.rows):
            if row not in gone:
                ends = self.ends[self.starts[at] : self.starts[at + 1]]
                made.add(row, self.sessions[at], (names[end] for end in ends))
        return made

    def walk(self, neighbours: float) -> Walk:
        """Return the transitions, made once for all reads after a write."""
        if self._walk is None:
            numbers: dict[str, int] = {}
            episodes = [numbers.setdefault(name, len(numbers)) for name in self.sessions]
            self._walk = Walk.of(self.starts, self.ends, len(self.terms), episodes, neighbours)
        return self._walk
