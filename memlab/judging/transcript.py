"""Everything said so far in a conversation, and the judgement of what a strategy returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memlab.errors import ContractError, DataError
from memlab.judging.claims import Claims
from memlab.judging.echoes import Echoes
from memlab.judging.items import CARRIED, item_fault
from memlab.judging.shingles import Texts as Texts
from memlab.judging.verdicts import Case, Seen, redundancy
from memlab.types import Item, Probe, Turn


class Judgement(NamedTuple):
    """What became of the items of one read; the fields are those of `Record`.

    Verdicts: `answer`, `chance`, `redundancy`, `leak`, `residue`; None is "not measurable".
    """

    ranked: tuple[str, ...]
    ranked_sessions: tuple[int, ...]
    evidence_sessions: tuple[int, ...]
    rejected: tuple[int, ...]
    measurable: bool
    items: int
    tokens: int
    candidates: int
    candidate_sessions: int
    verdicts: dict[str, float | None]


class Transcript:
    """The turns said and forgotten so far in one conversation.

    `count` counts tokens. `texts` may be shared between transcripts of the same conversation.

    >>> from memlab.types import Turn
    >>> said = Transcript(len)
    >>> said.add(Turn(id="1", text="I moved to Oslo.", time="2024-05-09"))
    >>> probe = Probe(id="q", text="Where?", time="2024-05-10", evidence=["1"], answers=["Oslo"])
    >>> judged = said.judge(probe, [Item("I moved to Oslo.", ("1",))], budget=None)
    >>> judged.ranked, judged.verdicts["answer"]
    (('1',), 1.0)
    """

    def __init__(self, count: Callable[[str], int], texts: Texts | None = None) -> None:
        self._count = count
        self._texts = texts if texts is not None else Texts()
        self._turns: dict[str, Turn] = {}
        self._fresh: list[Turn] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._sessions: dict[str, int] = {}
        self._users: dict[str, Seen] = {}
        self._claims = Claims(self._texts)
        self._echoes = Echoes(self._texts)
        self._case: Case | None = None

    def add(self, turn: Turn) -> None:
        """Take in a turn that was said.

        Raises:
            DataError: its id was used before.
        """
        if turn.id in self._turns:
            raise DataError(f"turn id {turn.id!r} is used twice", "ids unique in a conversation")
        self._turns[turn.id] = turn
        self._fresh.append(turn)

    def forget(self, turn_ids: Iterable[str], user: str) -> None:
        """Mark turns of a user as forgotten; ids of others, or not yet said, change nothing."""
        self._settle()
        seen = self._users.get(user)
        if seen is not None:
            self._claims.forget(seen.forget(turn_ids))
            self._case = None

    def judge(self, probe: Probe, items: Sequence[Item], *, budget: int | None) -> Judgement:
        """Judge what was returned for a probe at this moment of the conversation.

        Raises:
            ContractError: more tokens than the budget; a turn or excerpt without exactly one
                source, or with another text (`item_fault`); a source that was not said so far.
        """
        tokens = sum(self._count(item.text) for item in items)
        if budget is not None and tokens > budget:
            raise ContractError(
                f"{tokens} tokens returned at a budget of {budget}", "at most the budget"
            )
        self._settle()
        ranked: list[str] = []
        rejected: list[int] = []
        for item in items:
            sources = self._sources(item)
            if item.kind != "turn":
                hits = self._hits(item, sources)
                rejected += [len(ranked) + i for i, hit in enumerate(hits) if not hit]
            ranked += sources
        case = self._examined(probe)
        return Judgement(
            ranked=tuple(ranked),
            ranked_sessions=tuple(self._places[turn][1] for turn in ranked),
            evidence_sessions=self._evidence_sessions(probe),
            rejected=tuple(rejected),
            measurable=all(item.sources for item in items),
            items=len(items),
            tokens=tokens,
            candidates=len(case.seen.visible),
            candidate_sessions=len(case.seen.sessions),
            verdicts=self._verdicts(case, items, ranked, tokens),
        )

    def _settle(self) -> None:
        """Take in what was said since the last judgement."""
        if not self._fresh:
            return
        for turn in self._fresh:
            number = self._sessions.setdefault(turn.session, len(self._sessions))
            self._places[turn.id] = (len(self._places), number)
            seen = self._users.get(turn.user)
            if seen is None:
                seen = self._users[turn.user] = Seen()
            seen.add(turn)
            self._claims.add(turn)
            self._echoes.add(turn)
        self._fresh.clear()
        self._case = None

    def _sources(self, item: Item) -> Sequence[str]:
        """Return the sources of an item, each once, in dialogue order."""
        fault = item_fault(item, self._text)
        if fault is not None:
            raise ContractError(fault)
        if item.kind in CARRIED:
            return item.sources
        return sorted(set(item.sources), key=self._places.__getitem__)

    def _hits(self, item: Item, sources: Sequence[str]) -> list[bool]:
        """Tell which sources the item's text bears out."""
        if item.kind == "excerpt":
            return [self._claims.carried(item.text, sources[0])]
        return self._claims.accepted(item.text, sources)

    def _text(self, turn_id: str) -> str | None:
        turn = self._turns.get(turn_id)
        return None if turn is None else turn.text

    def _evidence_sessions(self, probe: Probe) -> tuple[int, ...]:
        places = (self._places.get(turn_id) for turn_id in probe.evidence)
        return tuple(sorted({place[1] for place in places if place is not None}))

    def _examined(self, probe: Probe) -> Case:
        """Return the case of a probe; it is kept while nothing is said, for other budgets."""
        if self._case is None or self._case.probe is not probe:
            seen = self._users.get(probe.user) or Seen()
            self._case = Case(probe, seen, self._turns, self._texts, self._count)
        return self._case

    def _verdicts(
        self, case: Case, items: Sequence[Item], ranked: Sequence[str], tokens: int
    ) -> dict[str, float | None]:
        user = case.probe.user
        # What is returned as it was said is covered by its id.
        made = [item.text for item in items if item.kind not in CARRIED]
        others = len(self._users) - (user in self._users)
        leak = residue = None
        if others:
            leak = any(self._turns[turn].user != user for turn in ranked) or any(
                self._echoes.foreign(text, user, case.free) for text in made
            )
        if case.gone:
            residue = any(turn in case.gone for turn in ranked) or any(
                self._echoes.gone(text, user, case.free) for text in made
            )
        return {
            "answer": case.answer(items),
            "chance": case.chance(tokens),
            "redundancy": redundancy([self._texts.of(item.text) for item in items]),
            "leak": None if leak is None else float(leak),
            "residue": None if residue is None else float(residue),
        }
