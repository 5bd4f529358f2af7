"""Search that reads a turn in its conversation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from memlab.asking import asked
from memlab.checking import check_methods, check_number, check_whole
from memlab.errors import ContractError
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.registry import resolve
from memlab.run import Run
from memlab.taxonomy import Tags
from memlab.text import form, terms
from memlab.topk import best
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from memlab.episodes import Episodes
    from memlab.indexes.postings import Postings

_CLUES = ("speaker", "episode", "substance", "date")
"""Parts of a score that are weighed by the field of their name."""


@strategy
class Contextual(TurnMemory):
    """Rank the user's turns by their own words, by those around them, and by who says them.

    score = lexical + `weight` · dense + `speaker` · speaker + `episode` · episode
    + `substance` · substance + `date` · date

    - lexical: BM25 of the turn, and of the text within `window` tokens around it, the latter
      `surroundings` times as heavy; dense: the same of the cosine and its mean around.
    - speaker: 1 for turns of the speaker whom the question names, or of its asker for a question
      in the first person (`memlab.asking`).
    - episode: BM25 of the whole episode: a session, cut where `pause` minutes pass in silence.
    - date: exp(−days / `fade`) to the nearest date or span of time that the question names, as
      seen from its own time (`memlab.dates`); 1 inside it, and 0 where it names none.
    - substance: near 0 for greetings and questions, near 1 for turns that state something.

    Lexical, dense and episode scores are brought to [0, 1] per question over the user's turns,
    own words and surroundings before they are added. Distances are in tokens, so what surrounds
    a short message are its neighbours, and a long one itself. `dense=None` needs no model.

    Source: weights chosen on LoCoMo, BEAM and MemDaily, each tested with the other two
        (experiments/LOG.md). Score fusion: Fox and Shaw (1994), "Combination of Multiple
        Searches". Passages scored with what surrounds them: Callan (1994), "Passage-Level
        Evidence in Document Retrieval", SIGIR.

    >>> Contextual(dense=None, window=200)
    Contextual(dense=None, window=200)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "several", "dialogue", "hybrid")

    dense: Any = part("Vector(embedder=ByScript())")
    weight: float = 1.5
    window: int = 100
    surroundings: float = 2.0
    speaker: float = 0.6
    episode: float = 0.1
    substance: float = 0.1
    date: float = 0.5
    fade: float = 14.0
    pause: float = 30.0
    k1: float = 1.5
    b: float = 0.75
    form: str = "dated"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a weight, the window or the pause below 0, an unknown form, a dense leg
                that cannot score.
        """
        check_whole("window", self.window)
        for name in ("weight", "surroundings", *_CLUES, "pause"):
            check_number(name, getattr(self, name))
        check_number("fade", self.fade, low=1e-6)
        if self.dense is not None:
            check_methods("dense", self.dense, "reset write forget scores")
            self.dense.reset()
        super().reset()
        self._form = form(self.form)
        self._words: dict[str, Postings] = {}
        self._talks: dict[str, Episodes] = {}
        self._new_words()

    def _new_words(self) -> Postings:
        words: Postings = resolve("Postings")(k1=self.k1, b=self.b)
        words.reset()
        return words

    def attach(self, run: Run) -> None:
        """Work in `run`, with the dense leg."""
        super().attach(run)
        if self.dense is not None:
            self.dense.attach(run)

    def write(self, turn: Turn) -> None:
        """Keep and index a turn."""
        self._add(turn)
        if self.dense is not None:
            self.dense.write(turn)

    def _add(self, turn: Turn) -> None:
        from memlab.episodes import Episodes

        row = self.history.add(turn)
        if turn.user not in self._words:
            self._words[turn.user] = self._new_words()
            self._talks[turn.user] = Episodes()
        self._words[turn.user].add(row, terms(self._form(turn)))
        self._talks[turn.user].add(row, turn, self.history.tokens[row])

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user everywhere."""
        for row in self.history.forget(turn_ids, user):
            self._words[user].remove(row)
            self._talks[user].remove(row)
        if self.dense is not None:
            self.dense.forget(turn_ids, user)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the best-scoring turns; equal scores in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and their scores, rounded to six decimals."""
        import numpy as np

        rows, found = self.parts(query)
        weights = self._weights()
        total = sum((weights[name] * part for name, part in found.items()), np.zeros(len(rows)))
        return rows, total.round(6)

    def _weights(self) -> dict[str, float]:
        return {"lexical": 1.0, "dense": self.weight} | {n: getattr(self, n) for n in _CLUES}

    def parts(self, query: Query) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        """Return the user's rows and each part of their scores, not yet weighted."""
        import numpy as np

        from memlab.windows import around, bm25, scaled, whole

        if query.user not in self._words:
            return np.empty(0, dtype=np.int64), {}
        talk = self._talks[query.user]
        rows, lengths, counts = self._words[query.user].counts(terms(query.text))
        episodes = talk.numbers(60 * self.pause)
        near = around(talk.tokens(), episodes, self.window)
        whole_, number = whole(episodes)

        def lexical(texts: Any) -> NDArray[np.float64]:  # noqa: ANN401
            return bm25(texts.sums(counts), texts.sums(lengths), self.k1, self.b)

        def mixed(own: NDArray[Any], around_: NDArray[Any]) -> NDArray[np.float64]:
            return scaled(scaled(own) + self.surroundings * scaled(around_))

        roles = {name: role for name, (_, role) in talk.speakers.items()}
        found = {"lexical": mixed(bm25(counts, lengths, self.k1, self.b), lexical(near))}
        if self.dense is not None:
            cosine = self._cosine(query, rows)
            found["dense"] = mixed(cosine, near.sums(cosine) / (near.last - near.first))
        found["speaker"] = talk.said_by(asked(query.text, roles))
        found["episode"] = scaled(lexical(whole_)[number])
        found["substance"] = talk.substances()
        found["date"] = talk.near(_spans(query), 86400 * self.fade)
        return rows, found

    def _cosine(self, query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        import numpy as np

        at, found = self.dense.scores(query)
        if np.isnan(found).any():
            raise ContractError(f"{self.dense!r} scored NaN", "numbers, or −inf for no match")
        matched = np.isfinite(found)
        lowest = found[matched].min() if matched.any() else 0.0
        all_rows = np.full(len(self.history.turns), lowest, dtype=np.float64)
        all_rows[at[matched]] = found[matched]
        return all_rows[rows]

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per turn of the user, best first: its score and the parts of it."""
        import pandas as pd

        rows, found = self.parts(query)
        table = pd.DataFrame({"turn": [self.history[r].id for r in rows]})
        table["score"] = self.scores(query)[1]
        for name, values in found.items():
            table[name] = self._weights()[name] * values
        return table.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    def save(self, path: Path) -> None:
        """Write the turns and the dense leg into the folder `path`."""
        super().save(path)
        if self.dense is not None:
            self.dense.save(path / "dense")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote, without embedding anything."""
        self.reset()
        for turn in self.read_turns(path):
            self._add(turn)
        if self.dense is not None:
            self.dense.load(path / "dense")


def _spans(query: Query) -> list[tuple[float, float]]:
    """Return the times that a question names, in seconds."""
    from memlab.dates import intervals

    named = intervals(query.text, query.time)
    return [(span.start.timestamp(), span.end.timestamp()) for span in named]
