"""When messages are compressed, and which of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memlab.checking import check_number, check_whole
from memlab.naming import component
from memlab.passages import check_summary, passage_of
from memlab.protocols import Passage, Summarizer, TokenCounter
from memlab.text import has_cjk
from memlab.types import Turn

LABELS = {"zh": "[历史摘要] ", "en": "[History summary] "}
"""What stands before the summary, by its language."""


class Split(NamedTuple):
    """Positions of messages: `old` ones to compress, and those that are `kept`, both in order."""

    old: tuple[int, ...]
    kept: tuple[int, ...]


@component
class CompressOnThreshold:
    """Put all but the last `keep` messages into one summary once `share` of the limit is exceeded.

    Messages of role `system` are pinned: they stay, and do not count among the last. A tool call
    and its results stay together, so that more than `keep` messages may stay. The summary that
    was made before goes into the new one as a summary, never as a message.

    >>> CompressOnThreshold().due(25_601, limit=32_000)
    True
    """

    keep: int = 4
    share: float = 0.8

    def check(self) -> None:
        """Check the parameters.

        Raises:
            ConfigError: a negative number of messages, a share outside [0, 1].
        """
        check_whole("keep", self.keep)
        check_number("share", self.share, high=1.0)

    def due(self, tokens: int, limit: int) -> bool:
        """Tell whether so many tokens are too many."""
        return tokens > self.share * limit

    def split(self, messages: Sequence[Turn]) -> Split:
        """Return which messages become a summary; none where no more than `keep` can."""
        free = [i for i, message in enumerate(messages) if message.role != "system"]
        old = free[: max(0, len(free) - self.keep)]
        calls = [message.meta.get("call") for message in messages]
        while old:
            later = {calls[i] for i in free[len(old) :] if calls[i] is not None}
            parted = next((n for n, i in enumerate(old) if calls[i] in later), None)
            if parted is None:
                break
            del old[parted:]
        gone = set(old)
        return Split(tuple(old), tuple(i for i in range(len(messages)) if i not in gone))

    def compress(
        self,
        messages: Sequence[Turn],
        earlier: Sequence[Passage],
        summarizer: Summarizer,
        tokens: int,
        counter: TokenCounter,
    ) -> tuple[list[Passage], list[Turn]]:
        """Return the summary of the old messages and of `earlier`, and the messages that stay.

        The summary has at most `tokens` tokens. Where no message is old, `earlier` comes back.

        Raises:
            ContractError: the summarizer does not keep to the tokens, or invents sources.
        """
        split = self.split(messages)
        kept = [messages[i] for i in split.kept]
        if not split.old:
            return list(earlier), kept
        given = [*earlier, *(passage_of(group) for group in _groups(messages, split.old))]
        made = summarizer.summarize(given, tokens, counter)
        check_summary(made, given, tokens, counter)
        return made, kept


def label(text: str) -> str:
    """Return what stands before a summary of that text.

    >>> label("我住在奥斯陆。")
    '[历史摘要] '
    """
    return LABELS["zh" if has_cjk(text) else "en"]


def _groups(messages: Sequence[Turn], chosen: Sequence[int]) -> list[list[Turn]]:
    """Return the messages one by one, a tool call with its results; no result without its call."""
    groups: dict[object, list[Turn]] = {}
    for i in chosen:
        call = messages[i].meta.get("call")
        groups.setdefault(i if call is None else ("call", str(call)), []).append(messages[i])
    return [group for group in groups.values() if group[0].role != "tool" and group[0].text.strip()]
