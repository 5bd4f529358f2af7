"""A memory that is written to in batches."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.checking import check_whole
from memlab.errors import ContractError
from memlab.history import turn_from_json, turn_to_json
from memlab.naming import part, parts, providers, strategy
from memlab.protocols import Held
from memlab.run import Run
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@strategy
class BatchWriter(Wrapper):
    """Hand turns to the memory inside `size` at a time, by `write_many` if it has that.

    The texts that a batch embeds are encoded in one call. A batch is written whole or not at all:
    after a fault the memory is as it was, the batch stays pending, and the fault is raised; the
    next write or flush tries again. A turn that is written again is passed over, even when it was
    handed over long ago; another turn under its id is refused. `flush` hands over what is pending,
    and so do reads, deletions and `maintain`, so that the memory inside is always the one that
    single writes would have made. `save` keeps what is pending as pending.

    Counted (`stats`): writes (turns handed over), batches, and turns that were written again.

    >>> BatchWriter(size=100)
    BatchWriter(size=100)
    """

    inner: Any = part("BM25()")
    size: int = 32

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: size below 1.
        """
        check_whole("size", self.size, least=1)
        super().reset()
        self._pending: dict[str, Turn] = {}
        self._known: dict[str, tuple[str, str]] = {}
        self._counts = {"writes": 0, "batches": 0, "writes repeated": 0}

    def write(self, turn: Turn) -> None:
        """Take in a turn, and hand over the batch that it fills.

        Raises:
            ContractError: another turn of that id was written before.
        """
        mark = turn.user, sha256(repr(turn).encode()).hexdigest()[:16]
        known = self._known.get(turn.id)
        if known is None:
            self._known[turn.id] = mark
            self._pending[turn.id] = turn
        elif known == mark:
            self._counts["writes repeated"] += 1
        else:
            raise ContractError(
                f"turn id {turn.id!r} was written twice, the second time with another content",
                "ids unique in a conversation",
            )
        if len(self._pending) >= self.size:
            self._hand_over()

    def _hand_over(self) -> None:
        if not self._pending:
            return
        batch = list(self._pending.values())
        embedding: list[Any] = [member for member in parts(self.inner) if _embeds(member)]
        try:
            for able in embedding:
                texts = [text for turn in batch for text in able.texts(turn)]
                able.run.prefetch(able.embedder, texts, "document")
            self._write(batch)
        finally:
            for able in embedding:
                able.run.release()
        self._pending = {}
        self._counts["writes"] += len(batch)
        self._counts["batches"] += 1

    def _write(self, batch: Sequence[Turn]) -> None:
        many = getattr(self.inner, "write_many", None)
        forgetting = providers(self.inner, "forget")
        before = None
        if not (callable(many) or forgetting):
            before = copy.deepcopy(self.inner, {id(self._run): self._run})
        written = list(batch) if callable(many) else []
        try:
            if callable(many):
                many(batch)
            else:
                for turn in batch:
                    written.append(turn)
                    self.inner.write(turn)
        except BaseException:
            if before is not None:
                self.inner = before
            for able in forgetting:
                for turn in written:
                    able.forget([turn.id], turn.user)
            raise

    def flush(self) -> None:
        """Hand over what is pending, and let the memory inside finish its writes."""
        self._hand_over()
        super().flush()

    def maintain(self, now: datetime) -> None:
        """Hand over what is pending, and let the memory inside do what is due."""
        self._hand_over()
        super().maintain(now)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside returns, with every turn in it."""
        self._hand_over()
        return super().read(query, budget)

    @ability
    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the scores of the memory inside, with every turn in it."""
        self._hand_over()
        found: tuple[NDArray[np.int64], NDArray[np.floating]] = self.inner.scores(query)
        return found

    @ability
    def explain(self, query: Query) -> pd.DataFrame:
        """Return the explanation of the memory inside, with every turn in it."""
        self._hand_over()
        table: pd.DataFrame = self.inner.explain(query)
        return table

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, written or pending.

        If the pending batch cannot be written, it loses these turns, and the fault is raised.
        """
        gone = [i for i in turn_ids if i in self._known and self._known[i][0] == user]
        try:
            # Not dropped unwritten: rows are counted by the writes (`memlab.protocols.Scores`).
            if any(turn_id in self._pending for turn_id in gone):
                self._hand_over()
        finally:
            for turn_id in gone:
                self._known.pop(turn_id, None)
                self._pending.pop(turn_id, None)
            super().forget(turn_ids, user)

    def stats(self) -> dict[str, int | float]:
        """Return the counters of the batches, and of the memory inside."""
        return {**super().stats(), **self._counts}

    @ability
    def held(self) -> Iterable[Held]:
        """Yield what the memory inside keeps, and the turns pending."""
        yield from self.inner.held()
        yield from (Held("turn", turn.text, turn.time) for turn in self._pending.values())

    @ability
    def save(self, path: Path) -> None:
        """Write the memory inside, and what is pending, into the folder `path`."""
        super().save(path)
        pending = [turn_to_json(turn) for turn in self._pending.values()]
        state = {"known": self._known, "pending": pending}
        (path / "batch.json").write_text(json.dumps(state), "utf-8")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        state = json.loads((path / "batch.json").read_text("utf-8"))
        self._known = {turn_id: (user, mark) for turn_id, (user, mark) in state["known"].items()}
        self._pending = {t.id: t for t in map(turn_from_json, state["pending"])}


def _embeds(member: Any) -> bool:  # noqa: ANN401
    announces = callable(getattr(member, "texts", None)) and hasattr(member, "embedder")
    return announces and isinstance(getattr(member, "run", None), Run)
