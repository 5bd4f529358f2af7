"""Key facts of a turn, by patterns."""

from __future__ import annotations

import re
from collections import Counter

from memlab.checking import check_flag
from memlab.errors import ConfigError
from memlab.keyfacts import Found, found, original
from memlab.naming import component
from memlab.protocols import Fact
from memlab.text import has_cjk, normal
from memlab.types import Turn

_ROLES = ("user", "assistant", "system", "tool")
_NAMED = {"名字": "name", "姓名": "name", "全名": "name"}
# "my boss Ann is from Oslo" and "is learning Dutch" are no two values of one attribute.
_PERSON = re.compile(r"^\w+ [A-Z]\w+$")
_ATTITUDES = ("like", "dislike", "prefer")


@component
class PatternFacts:
    """Take facts by bilingual patterns out of what people say of themselves.

    A fact ends with its clause and keeps its predicate: who somebody is, likes, dislikes,
    prefers, wants, has, does, "my … is …", and what was decided. Nothing is taken from questions,
    from what is reported or imagined, nor what is denied; a denied liking is a dislike. The
    newest value of an attribute replaces the older ones, and so does what is liked no more; other
    facts stand beside each other. Only turns of `roles` are looked at. The patterns are in
    `memlab/keyfacts.toml`.

    `original=True` is the baseline: greedy patterns of the same kind that drop the predicate and
    know neither questions nor negation.

    Counted (`stats`): what looked like a fact and was rejected, by reason.

    >>> turn = Turn(id="1", text="我的名字是张三，我不喜欢咖啡。", time="2024-05-01")
    >>> [(f.predicate, f.object) for f in PatternFacts().facts(turn)]
    [('名字', '张三'), ('dislike', '咖啡')]
    """

    original: bool = False
    roles: tuple[str, ...] = ("user",)

    def reset(self) -> None:
        """Set the counters to zero.

        Raises:
            ConfigError: an unknown role.
        """
        check_flag("original", self.original)
        unknown = [role for role in self.roles if role not in _ROLES]
        if unknown:
            raise ConfigError(f"role {unknown[0]!r} in roles", "of " + ", ".join(_ROLES))
        self._rejected: Counter[str] = Counter()

    def facts(self, turn: Turn) -> list[Fact]:
        """Return what a turn states of its speaker."""
        if turn.role not in self.roles:
            return []
        told = _blind(turn) if self.original else _stated(turn)
        facts = [one for one in told if isinstance(one, Fact)]
        if facts != told and "_rejected" in vars(self):
            self._rejected.update(one for one in told if isinstance(one, str))
        return facts

    def stats(self) -> dict[str, int | float]:
        """Return how often something that looked like a fact was rejected, by reason."""
        counts = {f"facts rejected: {why}": n for why, n in sorted(self._rejected.items())}
        return {"facts rejected": self._rejected.total(), **counts}


def _stated(turn: Turn) -> list[Fact | str]:
    told: list[Fact | str] = []
    for one in found(turn.text):
        if isinstance(one, str):
            told.append(one)
            continue
        text = _label(one.text) if one.predicate == "decision" else one.text
        single = one.one and not _PERSON.search(one.predicate)
        key = _NAMED.get(one.predicate, one.predicate.lower()) if single else _several(one)
        told.append(Fact(one.predicate, one.object, _named(turn, text), turn.id, _slot(turn, key)))
    return told


def _several(one: Found) -> str:
    kind = "attitude" if one.predicate in _ATTITUDES else one.predicate
    return f"{kind}:{normal(one.object).strip()}"


def _blind(turn: Turn) -> list[Fact | str]:
    return [
        Fact("", value, _label(value) if kind == "decision" else value, turn.id, _slot(turn, value))
        for kind, value in original(turn.text)
    ]


def _label(text: str) -> str:
    return f"{'决策: ' if has_cjk(text) else 'Decision: '}{text}"


def _named(turn: Turn, text: str) -> str:
    return text if turn.speaker in _ROLES else f"{turn.speaker}: {text}"


def _slot(turn: Turn, key: str) -> str:
    return f"{turn.speaker}/{key}"
