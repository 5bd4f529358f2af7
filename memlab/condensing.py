"""The base of memories that condense: a running summary, remade from the turns that remain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlab.errors import ContractError
from memlab.history import TurnMemory
from memlab.naming import inside, providers
from memlab.protocols import Held, Passage, Summarizer, TokenCounter
from memlab.run import Run
from memlab.text import form
from memlab.types import Item, Turn

_said = form("speaker")


class RunningSummary:
    """One summary that carries its earlier self on: what is folded in is summarised with it."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.tokens = 0

    def fold(
        self,
        passages: Sequence[Passage],
        tokens: int,
        summarizer: Summarizer,
        counter: TokenCounter,
    ) -> None:
        """Make a new summary, of at most `tokens` tokens, of the old one and newer passages.

        Raises:
            ContractError: a summarizer that keeps to no limit.
        """
        made = summarizer.summarize([*self.passages, *passages], tokens, counter)
        self.tokens = counter.count("\n".join(passage.text for passage in made))
        if self.tokens > tokens:
            raise ContractError(
                f"{summarizer!r} made a summary of {self.tokens} tokens", f"at most {tokens}"
            )
        self.passages = made

    def items(self) -> list[Item]:
        """Return an item for each passage, in the order of the dialogue."""
        return [Item(passage.text, passage.sources, "summary") for passage in self.passages]


class Condensing(TurnMemory):
    """Base of memories whose state is made from a user's turns in order.

    They say in `place` what a turn changes, and in `clear` how a user is forgotten. After a
    deletion the state of that user is made again from what remains.
    """

    def attach(self, run: Run) -> None:
        """Work in `run`, with every part that does."""
        super().attach(run)
        for able in (found for member in inside(self) for found in providers(member, "attach")):
            able.attach(run)

    def write(self, turn: Turn) -> None:
        """Keep a turn and let it change the state of its user."""
        self.place(self.history.add(turn))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user; what was made with them is made again without."""
        if self.history.forget(turn_ids, user):
            self.clear(user)
            for row in self.history.rows(user):
                self.place(row)

    def place(self, row: int) -> None:
        """Let a turn change the state of its user."""
        raise NotImplementedError

    def clear(self, user: str) -> None:
        """Forget the state of a user."""
        raise NotImplementedError

    def summaries(self) -> Iterator[RunningSummary]:
        """Yield the summaries kept."""
        raise NotImplementedError

    def held(self) -> Iterator[Held]:
        """Yield the turns and the summaries kept."""
        yield from super().held()
        times = {turn.id: turn.time for turn in self.history.live()}
        for summary in self.summaries():
            for passage in summary.passages:
                yield Held("summary", passage.text, times[passage.sources[-1]])

    def spoken(self, rows: Sequence[int]) -> list[Passage]:
        """Return a passage for each turn that says anything."""
        turns = [self.history[row] for row in rows]
        return [Passage(_said(turn), (turn.id,)) for turn in turns if turn.text.strip()]

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """Return passages of turns, a tool call with its results in one; empty texts are left out.

        Results whose call is gone are left out as well.
        """
        made: list[Passage] = []
        seen: set[int] = set()
        for row in rows:
            turns = [self.history[r] for r in self.history.group(row) if row not in seen]
            seen.update(self.history.group(row))
            if any(turn.text.strip() for turn in turns):
                text = "\n".join(map(_said, turns))
                made.append(Passage(text, tuple(turn.id for turn in turns)))
        return made
