"""A context in two sections: what is important, and what is related."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.checking import check_choice, check_number, check_whole
from memlab.errors import ConfigError
from memlab.naming import component, part
from memlab.protocols import ScoresImportance, TokenCounter
from memlab.sections import LANGUAGES, Line, Rendered, rendered
from memlab.types import Item


@component
class SectionedContext:
    """Render items as labelled sections: the important ones, then the relevant history.

    An item is important if its importance is above `important`; those come as a list, the others
    as they are, each in the order given. All is within `tokens` tokens, labels and line breaks
    included; what finds no room is left out and counted, and shorter items after it may still
    come. Line breaks stay, nothing comes twice, and no section is empty.

    >>> from memlab.tokens import tokenizer
    >>> items = [Item("门禁号是 1391"), Item("今天下雨"), Item("门禁号是 1391")]
    >>> print(SectionedContext().render(items, tokenizer(), importance=[0.9, 0.1, 0.9]).text)
    【重要信息】
    - 门禁号是 1391
    <BLANKLINE>
    【相关历史】
    今天下雨
    """

    important: float = 0.7
    tokens: int = 4000
    scorer: ScoresImportance = part("ImportanceScorer()")
    language: str = "auto"

    def render(
        self,
        items: Sequence[Item],
        counter: TokenCounter,
        budget: int | None = None,
        importance: Sequence[float] | None = None,
    ) -> Rendered:
        """Return the sections; without `importance`, the scorer tells it of each text.

        Raises:
            ConfigError: fields out of range, or not one importance for each item.
        """
        check_number("important", self.important, high=1.0)
        check_whole("tokens", self.tokens)
        check_choice("language", self.language, LANGUAGES)
        if importance is not None and len(importance) != len(items):
            raise ConfigError(
                f"{len(importance)} importances", f"one for each of {len(items)} items"
            )
        known = importance
        if known is None:
            known = [self.scorer.importance(item.text) for item in items]
        first: list[Line] = []
        then: list[Line] = []
        for place, (item, worth) in enumerate(zip(items, known, strict=True)):
            if worth > self.important:
                first.append(Line("important", f"- {item.text}", place))
            else:
                then.append(Line("related", item.text, place))
        limit = self.tokens if budget is None else min(self.tokens, budget)
        return rendered([*first, *then], ("important", "related"), limit, counter, self.language)
