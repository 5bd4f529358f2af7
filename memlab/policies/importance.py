"""How important a message is: by its words, and by signals of its dialogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memlab.checking import check_number, check_whole
from memlab.errors import ConfigError
from memlab.lexicon import has, hits, says
from memlab.naming import component
from memlab.text import length, terms
from memlab.types import Turn

_DAY = 86_400.0


class Importance(NamedTuple):
    """The four parts of the importance of a text."""

    keyword: float
    emotion: float
    information: float
    interaction: float

    @property
    def total(self) -> float:
        """Their sum, between 0 and 1."""
        return min(1.0, max(0.0, sum(self)))


@component
class ImportanceScorer:
    """Score a text by its words, from 0 to 1: the sum of four parts.

    Keyword: `high` where it says that something matters, who somebody is, what is liked, disliked
    or decided; else `medium` where something is wanted or suggested; else `low` where it is waved
    away ("whatever", 无所谓, "not important", 不重要); else `neutral`. Emotion: `emotion` where an
    adverb is strong (very, 非常) and nothing is waved away. Information: 0.05 below 5 words, 0.1
    below 20, else 0.2, 1.3 Chinese characters counting as a word. Interaction: 0.1 for each
    question mark, up to 0.2.

    A denied importance counts as waved away, a denied decision or wish as none; a dislike is a
    preference as well. Words: `memlab/lexicon.toml`.

    >>> scorer = ImportanceScorer()
    >>> [round(scorer.importance(text), 2) for text in ("这不重要", "今天下雨", "我喜欢茶")]
    [0.05, 0.1, 0.45]
    """

    high: float = 0.4
    medium: float = 0.2
    neutral: float = 0.05
    low: float = 0.0
    emotion: float = 0.2

    def importance(self, text: str) -> float:
        """Return how important a text is, from 0 to 1."""
        return self.parts(text).total

    def parts(self, text: str) -> Importance:
        """Return the four parts.

        Raises:
            ConfigError: a part out of [0, 1], or parts out of order.
        """
        self._check()
        keyword = self._keyword(text)
        dismissed = keyword == "low"
        strong = not dismissed and says("strong", text)
        asked = text.count("?") + text.count("？")
        return Importance(
            getattr(self, keyword),
            self.emotion if strong else 0.0,
            _information(text),
            min(0.1 * asked, 0.2),
        )

    def _keyword(self, text: str) -> str:
        if any(says(purpose, text) for purpose in ("important", "identity", "decision")):
            return "high"
        if has("attitude", text):
            return "high"
        if says("wish", text):
            return "medium"
        dismissed = has("dismissive", text) or any(hit.negated for hit in hits("important", text))
        return "low" if dismissed else "neutral"

    def _check(self) -> None:
        for name in ("high", "medium", "neutral", "low", "emotion"):
            check_number(name, getattr(self, name), high=1.0)
        if not self.low <= self.neutral <= self.medium <= self.high:
            raise ConfigError(
                f"low={self.low}, neutral={self.neutral}, medium={self.medium}, high={self.high}",
                "no value below the one before it",
            )


def _information(text: str) -> float:
    size = length(text)
    return 0.05 if size < 5 else 0.1 if size < 20 else 0.2


@component
class ImportanceSignals:
    """Detect six signals that a message matters, in English and Chinese, each from 0 to 1.

    `explicit`: its user asks to remember it. `task`: the share of the task's terms that it holds.
    `source`: the authority of its role (system and tool 1, user 0.5, assistant 0), or of
    `meta["authority"]`. `emotion`: thanks or a complaint. `frequency`: how many earlier messages
    share half of its terms, over `often`. `recency`: halved every `half_life` days. The fields
    are the weights.

    >>> turn = Turn(id="1", text="记住这个：门禁号是 1391。谢谢", time="2024-05-01")
    >>> sorted(ImportanceSignals().signals(turn))
    ['emotion', 'explicit', 'recency', 'source']
    """

    explicit: float = 1.0
    task: float = 0.9
    source: float = 0.8
    emotion: float = 0.7
    frequency: float = 0.6
    recency: float = 0.5
    often: int = 3
    half_life: float = 7.0

    def signals(
        self,
        turn: Turn,
        earlier: Sequence[Turn] = (),
        task: str = "",
        now: datetime | None = None,
    ) -> dict[str, float]:
        """Return the strength of each signal that is there, at the dialogue's time `now`.

        `earlier` are messages of the same user before it; `task` is what is being worked on.
        Without `now`, the message is new.

        Raises:
            ConfigError: `often` below 1, or a `half_life` that is not above 0.
        """
        check_whole("often", self.often, least=1)
        check_number("half_life", self.half_life, low=1e-9)
        age = max(0.0, ((now or turn.time) - turn.time).total_seconds()) / _DAY
        found = {
            "explicit": float(turn.role == "user" and says("remember", turn.text)),
            "task": _share(terms(task), turn.text),
            "source": _authority(turn),
            "emotion": float(says("feeling", turn.text)),
            "frequency": min(1.0, _mentions(turn, earlier) / self.often),
            "recency": 0.5 ** (age / self.half_life),
        }
        return {name: strength for name, strength in found.items() if strength > 0}

    def weighted(self, signals: Mapping[str, float]) -> dict[str, float]:
        """Return the signals times their weights.

        Raises:
            ConfigError: a weight out of [0, 1], or a signal that is none of the six.
        """
        unknown = [name for name in signals if name not in _SIGNALS]
        if unknown:
            raise ConfigError(f"signal {unknown[0]!r}", "one of " + ", ".join(_SIGNALS))
        for name in _SIGNALS:
            check_number(name, getattr(self, name), high=1.0)
        return {name: getattr(self, name) * strength for name, strength in signals.items()}


_SIGNALS = ("explicit", "task", "source", "emotion", "frequency", "recency")
_AUTHORITY = {"system": 1.0, "tool": 1.0, "user": 0.5, "assistant": 0.0}


def _authority(turn: Turn) -> float:
    given = turn.meta.get("authority", _AUTHORITY[turn.role])
    check_number(f"meta['authority'] of turn {turn.id!r}", given, high=1.0)
    return float(given)


def _share(wanted: Sequence[str], text: str) -> float:
    asked = set(wanted)
    return len(asked & set(terms(text))) / len(asked) if asked else 0.0


def _mentions(turn: Turn, earlier: Sequence[Turn]) -> int:
    own = terms(turn.text)
    return sum(_share(own, other.text) >= 0.5 for other in earlier if other.user == turn.user)
