"""What was said before is not kept a second time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memlab.checking import check_methods
from memlab.errors import ContractError
from memlab.history import turn_from_json, turn_to_json
from memlab.judging.items import CARRIED
from memlab.naming import part, providers, strategy
from memlab.protocols import Held, MarksDuplicates, Memory
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability


@strategy
class Dedup(Wrapper):
    """Write into the memory inside only what its user has not said before.

    A turn that shares a key with an earlier one of the same user (`policy`) is not written; its
    id becomes a further source of that one, whose items are then of kind `merged`: one text, at
    the price of one, and a rank for each source. Turns of a tool call are always written.

    Where a turn that has duplicates is forgotten, the first of them takes its place: the memory
    inside is made again from what remains, and maintained once if it was before.

    Counted (`stats`): turns merged, and times the memory inside was made again.

    >>> from memlab.policies import ExactDuplicates
    >>> Dedup(policy=ExactDuplicates(speakers=False))
    Dedup(policy=ExactDuplicates(speakers=False))
    """

    inner: Memory = part("BM25()")
    policy: MarksDuplicates = part("ExactDuplicates()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a policy or an inner memory that is none.
        """
        check_methods("policy", self.policy, "keys")
        super().reset()
        self._clear()
        self._remade = self._merges = 0
        self._maintained: datetime | None = None

    def _clear(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._number: dict[str, int] = {}
        self._count = 0
        self._first: dict[tuple[str, str], str] = {}
        self._again: dict[str, list[str]] = {}
        self._merged: dict[str, str] = {}

    def write(self, turn: Turn) -> None:
        """Write a turn, unless it repeats an earlier one of its user.

        Raises:
            ContractError: a turn of that id is already there.
        """
        if turn.id in self._turns:
            raise ContractError(
                f"turn id {turn.id!r} was written twice", "ids unique in a conversation"
            )
        if not self._note(turn):
            super().write(turn)

    def _note(self, turn: Turn) -> bool:
        """Take a turn into the books; tell whether it repeats another."""
        self._turns[turn.id] = turn
        self._number[turn.id] = self._count
        self._count += 1
        if "call" in turn.meta:
            return False
        keys = [(turn.user, key) for key in self.policy.keys(turn)]
        before = next((self._first[key] for key in keys if key in self._first), None)
        if before is None:
            self._first.update(dict.fromkeys(keys, turn.id))
            return False
        self._again.setdefault(before, []).append(turn.id)
        self._merged[turn.id] = before
        self._merges += 1
        return True

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside returns; a source comes with those merged into it."""
        return [self._with_all(item) for item in super().read(query, budget)]

    def _with_all(self, item: Item) -> Item:
        more = [source for kept in item.sources for source in self._again.get(kept, ())]
        if not more:
            return item
        found = sorted({*item.sources, *more}, key=self._number.__getitem__)
        kind = "merged" if item.kind in CARRIED else item.kind
        return replace(item, sources=tuple(found), kind=kind)

    def maintain(self, now: datetime) -> None:
        """Let the memory inside do what is due."""
        self._maintained = now
        super().maintain(now)

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user; a duplicate of what is deleted takes its place."""
        gone = {t for t in turn_ids if t in self._turns and self._turns[t].user == user}
        bereft = any(set(self._again.get(turn_id, ())) - gone for turn_id in gone)
        super().forget([turn_id for turn_id in turn_ids if turn_id not in self._merged], user)
        for turn_id in gone:
            self._drop(self._turns.pop(turn_id))
        if bereft:
            self._remake()

    def _drop(self, turn: Turn) -> None:
        before = self._merged.pop(turn.id, None)
        if before is not None and before in self._again:
            self._again[before].remove(turn.id)
        self._again.pop(turn.id, None)
        for key in self.policy.keys(turn):
            if self._first.get((turn.user, key)) == turn.id:
                del self._first[turn.user, key]

    def _remake(self) -> None:
        kept = self._book(list(self._turns.values()))
        self._remade += 1
        super().reset()
        for able in providers(self.inner, "attach"):
            able.attach(self.run)
        for turn in kept:
            super().write(turn)
        if self._maintained is not None:
            super().maintain(self._maintained)
        super().flush()

    def _book(self, turns: Iterable[Turn]) -> list[Turn]:
        """Make the books again; return the turns that repeat none."""
        merges = self._merges
        self._clear()
        kept = [turn for turn in turns if not self._note(turn)]
        self._merges = merges
        return kept

    def stats(self) -> Mapping[str, int | float]:
        """Return how many turns were merged and the memory made again, and the counters inside."""
        own = {"turns merged": self._merges, "times made again": self._remade}
        return {**super().stats(), **own}

    @ability
    def held(self) -> Iterable[Held]:
        """Yield what the memory inside keeps, and the ids of what was merged."""
        yield from self.inner.held()  # type: ignore[attr-defined]
        yield from (Held("merged", turn_id, self._turns[turn_id].time) for turn_id in self._merged)

    @ability
    def save(self, path: Path) -> None:
        """Write every turn, and the memory inside, into the folder `path`."""
        super().save(path)
        with (path / "turns.jsonl").open("w", encoding="utf-8") as file:
            for turn in self._turns.values():
                file.write(json.dumps(turn_to_json(turn), ensure_ascii=False) + "\n")
        now = self._maintained
        (path / "maintained.json").write_text(json.dumps(now and now.isoformat()), "utf-8")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        with (path / "turns.jsonl").open(encoding="utf-8") as file:
            self._book(turn_from_json(json.loads(line)) for line in file)
        now = json.loads((path / "maintained.json").read_text("utf-8"))
        self._maintained = datetime.fromisoformat(now) if now else None
