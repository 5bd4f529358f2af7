"""What a window costs in tokens, and how a history reads as text."""

from __future__ import annotations

from collections.abc import Iterable

from memlab.checking import check_choice, check_number, check_whole
from memlab.types import Turn

_NAMES = {
    "en": {"user": "Human", "assistant": "AI", "system": "System", "tool": "Tool"},
    "zh": {"user": "用户", "assistant": "助手", "system": "系统", "tool": "工具"},
}


def window_token_estimate(k: int, turns: int, average: float = 50.0) -> float:
    r"""Estimate the tokens of a window of `k` turns of which `turns` were written so far.

    `average` is the mean length of a turn, in tokens. With exchanges in the place of turns, it is
    that of an exchange.

    Formula: \min(k, t) \cdot a

    Raises:
        ConfigError: a negative number.

    >>> window_token_estimate(5, 10), window_token_estimate(5, 3)
    (250.0, 150.0)
    """
    check_whole("k", k)
    check_whole("turns", turns)
    check_number("average", average)
    return float(min(k, turns) * average)


def history_text(turns: Iterable[Turn], language: str = "en") -> str:
    """Write turns as lines that begin with their role: `Human: …`, `AI: …`, or `用户: …`.

    Raises:
        ConfigError: a language other than "en" and "zh".

    >>> from memlab.types import utc
    >>> print(history_text([Turn(id="1", text="我叫张三", time=utc("2024-05-08"))], "zh"))
    用户: 我叫张三
    """
    check_choice("language", language, _NAMES)
    return "\n".join(f"{_NAMES[language][turn.role]}: {turn.text}" for turn in turns)
