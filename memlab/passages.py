"""Turns as passages for a summarizer, and what a summary has to keep to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memlab.errors import ContractError
from memlab.protocols import Passage, TokenCounter
from memlab.text import form
from memlab.types import Turn

LEADS = ("dated", "speaker", "text")
"""The text forms (`memlab.text.form`) that put something, or nothing, before a turn's words."""

_CALL = 160


def passage_of(turns: Sequence[Turn], written: str = "dated") -> Passage:
    """Return a turn, or a tool call with its results, as one passage.

    It begins with date and speaker (`written="dated"`), with the speaker, or with the words. A
    call is part of how its results begin, cut at 160 characters, so that none stands without it.

    >>> from memlab.types import utc
    >>> moved = Turn(id="1", text="I moved. I like it.", time=utc("2024-05-08"), speaker="Ana")
    >>> passage_of([moved])
    Passage(text='8 May 2024 Ana: I moved. I like it.', sources=('1',), lead='8 May 2024 Ana: ')
    """
    call, *results = turns
    lead = form(written)(call).removesuffix(call.text)
    text = call.text
    answer = " ".join(result.text for result in results)
    if answer.strip():
        told = " ".join(call.text.split())
        lead += (told if len(told) <= _CALL else f"{told[: _CALL - 1]}…") + " → "
        text = answer
    return Passage(lead + text, tuple(turn.id for turn in turns), lead)


def joined(passages: Iterable[Passage]) -> str:
    """Return the texts of passages, one below the other."""
    return "\n".join(passage.text for passage in passages)


def tokens_of(passages: Sequence[Passage], counter: TokenCounter) -> int:
    """Return the tokens of passages, in one text or one by one, whichever is more."""
    apart = sum(counter.count(passage.text) for passage in passages)
    return max(apart, counter.count(joined(passages)))


def check_summary(
    made: Sequence[Passage], given: Sequence[Passage], tokens: int, counter: TokenCounter
) -> None:
    """Check what a summarizer returned.

    Raises:
        ContractError: more than `tokens` tokens, no source, or one that was not given.
    """
    used = tokens_of(made, counter)
    if used > tokens:
        raise ContractError(f"a summary of {used} tokens", f"at most {tokens}")
    known = {source for passage in given for source in passage.sources}
    for passage in made:
        unknown = [source for source in passage.sources if source not in known]
        if unknown or not passage.sources:
            raise ContractError(
                f"a passage of a summary names {unknown or 'no turn'} as its source: "
                f"{passage.text[:60]!r}",
                "turns that it was given",
            )
