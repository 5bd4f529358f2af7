"""What verdicts need of a text, worked out when it is first needed and kept."""

from __future__ import annotations

import re
from functools import cached_property

from memlab.judging.archive import Line
from memlab.judging.rare import capitals, codes, names
from memlab.text import has_cjk, normal, sentences, terms, words
from memlab.types import Turn

RUN = 4
"""Words of a shingle: so many in a row are taken as the same saying."""

SPAN = 60
"""A sentence is cut into spans of at most so many words."""

_MOST = 10_000
_QUOTE = re.compile('[:："“”«»「」『』]')


class Reading:
    """One text: its normal form, words, runs of words, and spans of index terms."""

    def __init__(self, text: str, *, stemming: bool = True) -> None:
        self.text = text
        self.stemming = stemming

    @cached_property
    def normal(self) -> str:
        """The form for whole-word search (`memlab.text.normal`)."""
        return normal(self.text)

    @cached_property
    def wide(self) -> bool:
        """Whether it has a Chinese, Japanese or Korean character."""
        return has_cjk(self.text)

    @cached_property
    def bare(self) -> str:
        """The normal form without spaces, for search in Chinese, Japanese and Korean."""
        return self.normal.replace(" ", "")

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Words and character bigrams (`memlab.text.words`), repeats kept."""
        return tuple(words(self.text))

    @cached_property
    def joined(self) -> str:
        """The tokens between spaces, so that a run of them is a substring."""
        return f" {' '.join(self.tokens)} "

    @cached_property
    def shingles(self) -> frozenset[str]:
        """The distinct runs of four tokens."""
        return frozenset(_runs(self.tokens, RUN))

    @cached_property
    def places(self) -> int:
        """How many runs of four tokens there are, repeats counted."""
        return max(0, len(self.tokens) - RUN + 1)

    @cached_property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of every line: no run goes over the end of one."""
        if "\n" not in self.text.strip():
            return (self.tokens,)
        return tuple(tuple(words(line)) for line in self.text.splitlines())

    @cached_property
    def marks(self) -> frozenset[str]:
        """The runs by which the text is known again: those of its lines, or a short text whole.

        A text of a single token has none: too many say the same.
        """
        if 1 < len(self.tokens) < RUN:
            return frozenset([" ".join(self.tokens)])
        if len(self.lines) == 1:
            return self.shingles
        return frozenset(run for line in self.lines for run in _runs(line, RUN))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Its marks, words, codes (after "#") and names (after "^"): what it can be known by."""
        known = (f"^{name}" for name in names(self.text) if f" {name} " in self.joined)
        return self.marks.union(self.tokens, (f"#{code}" for code in self.codes), known)

    @cached_property
    def codes(self) -> frozenset[str]:
        """What looks like a code (`memlab.judging.rare.codes`)."""
        return codes(self.text)

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The capitalised words, if they are tokens."""
        return capitals(self.text).intersection(self.tokens)

    @cached_property
    def asides(self) -> tuple[str, ...]:
        """Its sentences of two or three tokens; a colon or a quotation mark ends one as well."""
        parts = (words(part) for line in sentences(self.text) for part in _QUOTE.split(line))
        return tuple(dict.fromkeys(" ".join(part) for part in parts if 1 < len(part) < RUN))

    @cached_property
    def spans(self) -> tuple[tuple[str, ...], ...]:
        """The distinct index terms of every sentence, cut at 60 words; none is empty."""
        cut = (
            terms(" ".join(tokens[i : i + SPAN]), stemming=self.stemming)
            for tokens in map(words, sentences(self.text))
            for i in range(0, len(tokens), SPAN)
        )
        return tuple(tuple(dict.fromkeys(span)) for span in cut if span)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The distinct index terms."""
        return frozenset(term for span in self.spans for term in span)

    def holds(self, other: Reading) -> bool:
        """Tell whether the text contains another: whole words, in CJK substrings of two or more.

        >>> Reading("我最喜欢喝咖啡").holds(Reading("咖啡"))
        True
        """
        return other.within(self.normal)

    def within(self, normal: str) -> bool:
        """Tell whether a text of that normal form contains this one."""
        if self.wide:
            return len(self.bare) > 1 and self.bare in normal.replace(" ", "")
        return bool(self.bare) and self.normal in normal


class Texts:
    """The readings of one conversation. Share it between strategies that replay the same one."""

    def __init__(self, *, stemming: bool = True) -> None:
        self.stemming = stemming
        self._readings: dict[str, Reading] = {}
        self._terms: dict[str, frozenset[str]] = {}

    def of(self, text: str) -> Reading:
        """Return the reading of a text, made once."""
        reading = self._readings.get(text)
        if reading is None:
            # A stream has no end; what is dropped here is only made again.
            if len(self._readings) >= _MOST:
                self._readings.clear()
            reading = self._readings[text] = Reading(text, stemming=self.stemming)
        return reading

    def terms(self, turn: Turn | Line) -> frozenset[str]:
        """Return the index terms of a turn: its text, its speaker's name, its image's caption."""
        found = self._terms.get(turn.id)
        if found is None:
            if len(self._terms) >= _MOST:
                self._terms.clear()
            caption = str(turn.meta.get("caption", ""))
            parts = (turn.speaker, turn.text, "" if caption in turn.text else caption)
            index = terms("\n".join(parts), stemming=self.stemming)
            found = self._terms[turn.id] = frozenset(index)
        return found


def _runs(tokens: tuple[str, ...], size: int) -> list[str]:
    return [" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
