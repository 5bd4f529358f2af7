"""A memory that is never told personal data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memlab.checking import check_methods
from memlab.judging.items import CARRIED
from memlab.naming import part, strategy
from memlab.protocols import Memory, RedactsText, Said
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability


@strategy
class Redacted(Wrapper):
    """Write into the memory inside what a policy leaves of a turn, and ask it what it leaves.

    Texts, speakers and all words of `meta` are redacted, so that nothing personal is stored,
    indexed, cached or sent to an embedder. What comes back from such a turn has other words than
    the turn, so its kind is `redacted`; it is evidence only as far as its words bear that out.

    Counted (`stats`): turns that were redacted, and what was taken out of turns, by kind.

    >>> from memlab.policies import SensitiveDetector
    >>> Redacted(policy=SensitiveDetector(kinds=("email",)))
    Redacted(policy=SensitiveDetector(kinds=('email',)))
    """

    inner: Memory = part("BM25()")
    policy: RedactsText = part("SensitiveDetector()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a policy or an inner memory that is none, or fields of the policy.
        """
        check_methods("policy", self.policy, "redact")
        check = getattr(self.policy, "check", None)
        if callable(check):
            check()
        super().reset()
        self._changed: dict[str, str] = {}
        self._found: Counter[str] = Counter()
        self._redacted = 0

    def disclosed(self, said: Said) -> Said:
        """Return a turn or a question as the memory inside is shown it."""
        return self._cleaned(said, Counter())

    def _cleaned(self, said: Said, found: Counter[str]) -> Said:
        if isinstance(said, Query):
            text = self._clean(said.text, found)
            return said if text == said.text else replace(said, text=text)
        more: dict[str, Any] = {
            "text": self._clean(said.text, found),
            "speaker": self._clean(said.speaker, found),
            "meta": {k: v if k == "call" else self._clean(v, found) for k, v in said.meta.items()},
        }
        return replace(said, **more) if found else said

    def _clean(self, value: Any, found: Counter[str]) -> Any:  # noqa: ANN401 - any value of meta
        if isinstance(value, str):
            text, kinds = self.policy.redact(value)
            found.update(kinds)
            return text
        if isinstance(value, Mapping):
            return {key: self._clean(member, found) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return tuple(self._clean(member, found) for member in value)
        return value

    def write(self, turn: Turn) -> None:
        """Write a turn without its personal data."""
        found: Counter[str] = Counter()
        cleaned = self._cleaned(turn, found)
        super().write(cleaned)
        self._found += found
        self._redacted += bool(found)
        if cleaned.text != turn.text:
            self._changed[turn.id] = turn.user

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside returns; turns that were redacted are called so."""
        items = super().read(self.disclosed(query), budget)
        if not self._changed:
            return items
        return [
            replace(item, kind="redacted")
            if item.kind in CARRIED and item.sources[0] in self._changed
            else item
            for item in items
        ]

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user in the memory inside."""
        super().forget(turn_ids, user)
        for turn_id in turn_ids:
            if self._changed.get(turn_id) == user:
                del self._changed[turn_id]

    def stats(self) -> Mapping[str, int | float]:
        """Return what was redacted, and the counters inside."""
        own = {f"redacted: {kind}": count for kind, count in sorted(self._found.items())}
        return {**super().stats(), "turns redacted": self._redacted, **own}

    @ability
    def save(self, path: Path) -> None:
        """Write the memory inside, and which turns were redacted, into the folder `path`."""
        super().save(path)
        (path / "redacted.json").write_text(json.dumps(self._changed), "utf-8")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        self._changed = json.loads((path / "redacted.json").read_text("utf-8"))
