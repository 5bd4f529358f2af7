"""What stands in the context after every turn of a dialogue, strategy by strategy."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memlab.checking import check_whole
from memlab.errors import ConfigError
from memlab.naming import providers
from memlab.plan import read_strategies
from memlab.protocols import Memory, privileged
from memlab.run import Run
from memlab.tokens import DEFAULT, CachedCounter
from memlab.tokens import tokenizer as find_tokenizer
from memlab.types import Conversation, Forget, Probe, Query, Turn

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Placed(NamedTuple):
    """A source of an item in a context; the tokens are those of the item, at its first source."""

    strategy: str
    step: int
    rank: int
    kind: str
    turn: int | None
    source: str | None
    tokens: int
    text: str


class Trace(NamedTuple):
    """Contexts along a dialogue: `rows` is a table with one row for each source of each item.

    `step` counts the turns written so far, `turn` is the place of the source among them, from 1;
    it is missing where an item names no source.
    """

    rows: pd.DataFrame
    turns: int

    def context(self, strategy: str, step: int) -> str:
        """Return the context of a strategy after `step` turns, best first, a line an item.

        Raises:
            ConfigError: no such strategy, or a step that was not looked at.
        """
        here = self.rows[(self.rows["strategy"] == strategy) & (self.rows["step"] == step)]
        steps = sorted(set(self.rows["step"]))
        if strategy not in set(self.rows["strategy"]) or step not in steps:
            known = list(dict.fromkeys(self.rows["strategy"]))
            raise ConfigError(
                f"strategy {strategy!r}, step {step}", f"one of {known}, and one of {steps[:9]} …"
            )
        return "\n".join(here.drop_duplicates("rank")["text"])

    def plot(self, *, title: str = "") -> Figure:
        """Draw a panel for each strategy: which turns are in its context, after each turn."""
        from memlab.figures.steps import steps

        return steps(self.rows, self.turns, title=title)


def trace(
    strategies: Mapping[str, Memory | str] | Sequence[Memory | str],
    conversation: Conversation,
    *,
    budget: int | None = 1000,
    every: int = 1,
    tokenizer: str = DEFAULT,
    seed: int = 0,
) -> Trace:
    """Write a conversation turn by turn, and look at the context that would answer each turn.

    After every `every` turns the memory is read for the text of the newest turn, with `budget`
    tokens. Sessions end, turns are forgotten, and a memory that learns when it is read does so.

    Raises:
        ConfigError: no strategy, an unknown tokenizer, a negative budget, `every` below 1.

    >>> import memlab as ml
    >>> talk = next(iter(ml.load("quickstart")))
    >>> found = ml.trace(["Window(turns=2)"], talk)
    >>> found.rows[found.rows["step"] == 5]["turn"].tolist()
    [5, 4]
    """
    import pandas as pd

    check_whole("every", every, least=1)
    if budget is not None:
        check_whole("budget", budget)
    counter = CachedCounter(find_tokenizer(tokenizer))
    rows: list[Placed] = []
    for label, choice in read_strategies(strategies).items():
        memory = copy.deepcopy(choice)
        run = Run(counter, seed, {}, conversation if privileged(memory) else None)
        rows += _walked(label, memory, conversation, run, budget, every)
    turns = sum(1 for _ in conversation.turns())
    return Trace(pd.DataFrame(rows, columns=list(Placed._fields)).astype({"turn": "Int64"}), turns)


def _walked(
    label: str,
    memory: Any,  # noqa: ANN401
    conversation: Conversation,
    run: Run,
    budget: int | None,
    every: int,
) -> Iterator[Placed]:
    memory.reset()
    for part in providers(memory, "attach"):
        part.attach(run)
    places: dict[str, int] = {}
    for event in conversation.events:
        if isinstance(event, Turn):
            memory.write(event)
            places[event.id] = len(places) + 1
            if len(places) % every == 0:
                for part in providers(memory, "flush"):
                    part.flush()
                items = memory.read(Query(event.text, event.time, event.user), budget)
                yield from _placed(label, len(places), items, places, run)
        elif isinstance(event, Forget):
            for part in providers(memory, "forget"):
                part.forget(event.turn_ids, event.user)
        elif not isinstance(event, Probe):
            for part in providers(memory, "maintain"):
                part.maintain(event.time)


def _placed(
    label: str,
    step: int,
    items: Sequence[Any],
    places: Mapping[str, int],
    run: Run,
) -> Iterator[Placed]:
    for rank, item in enumerate(items, 1):
        for number, source in enumerate(item.sources or (None,)):
            tokens = 0 if number else run.count(item.text)
            turn = None if source is None else places.get(source)
            yield Placed(label, step, rank, item.kind, turn, source, tokens, item.text)
