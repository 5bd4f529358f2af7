"""Everything said so far in a conversation, and the judgement of what a strategy returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memlab.errors import ContractError
from memlab.judging.claims import Claims
from memlab.judging.dialogue import Dialogue
from memlab.judging.echoes import Echoes
from memlab.judging.items import CARRIED, item_fault
from memlab.judging.shingles import Texts as Texts
from memlab.judging.verdicts import Case, Sampled, redundancy
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
        self._said = Dialogue()
        self._claims = Claims(self._texts, self._said)
        self._echoes = Echoes(self._texts, self._said)
        self._sampled = Sampled(self._said)
        self._case: Case | None = None

    def add(self, turn: Turn, tokens: int | None = None) -> None:
        """Take in a turn that was said; its tokens are counted if they are not given.

        Raises:
            DataError: its id was used before; told at the latest 16,384 turns later.
            RunError: the temporary file for the texts of older turns cannot be written.
        """
        self._said.add(turn, self._count(turn.text) if tokens is None else tokens)

    def forget(self, turn_ids: Iterable[str], user: str) -> None:
        """Mark turns of a user as forgotten; ids of others, or not yet said, change nothing."""
        self._claims.forget(turn_ids, user)

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
        ranked: list[str] = []
        rejected: list[int] = []
        for item in items:
            sources = self._sources(item)
            if item.kind != "turn":
                hits = self._hits(item, sources)
                rejected += [len(ranked) + i for i, hit in enumerate(hits) if not hit]
            ranked += sources
        rows = [row for row in map(self._said.row, ranked) if row is not None]
        case = self._examined(probe)
        return Judgement(
            ranked=tuple(ranked),
            ranked_sessions=tuple(map(self._said.session, rows)),
            evidence_sessions=self._evidence_sessions(probe),
            rejected=tuple(rejected),
            measurable=all(item.sources for item in items),
            items=len(items),
            tokens=tokens,
            candidates=case.own.turns,
            candidate_sessions=case.own.sessions,
            verdicts=self._verdicts(case, items, rows, tokens),
        )

    def _sources(self, item: Item) -> Sequence[str]:
        """Return the sources of an item, each once, in dialogue order."""
        fault = item_fault(item, self._text)
        if fault is not None:
            raise ContractError(fault)
        if item.kind in CARRIED:
            return item.sources
        return sorted(set(item.sources), key=self._place)

    def _place(self, turn_id: str) -> int:
        row = self._said.row(turn_id)
        return -1 if row is None else row

    def _hits(self, item: Item, sources: Sequence[str]) -> list[bool]:
        """Tell which sources the item's text bears out."""
        if item.kind == "excerpt":
            return [self._claims.carried(item.text, sources[0])]
        return self._claims.accepted(item.text, sources)

    def _text(self, turn_id: str) -> str | None:
        row = self._said.row(turn_id)
        return None if row is None else self._said[row].text

    def _evidence_sessions(self, probe: Probe) -> tuple[int, ...]:
        rows = (row for row in map(self._said.row, probe.evidence) if row is not None)
        return tuple(sorted(set(map(self._said.session, rows))))

    def _examined(self, probe: Probe) -> Case:
        """Return the case of a probe; it is kept while nothing is said, for other budgets."""
        if self._case is None or not self._case.still(probe):
            self._case = Case(probe, self._said, self._texts, self._sampled)
        return self._case

    def _verdicts(
        self, case: Case, items: Sequence[Item], rows: Sequence[int], tokens: int
    ) -> dict[str, float | None]:
        user, said = case.probe.user, self._said
        # What is returned as it was said is covered by its id.
        made = [item.text for item in items if item.kind not in CARRIED]
        leak = residue = None
        if said.others(user):
            leak = any(said.user(row) != said.number(user) for row in rows) or any(
                self._echoes.foreign(text, user, case.free) for text in made
            )
        if case.gone:
            residue = any(row in case.gone for row in rows) or any(
                self._echoes.gone(text, user, case.free) for text in made
            )
        return {
            "answer": case.answer(items),
            "chance": case.chance(tokens),
            "redundancy": redundancy([self._texts.of(item.text) for item in items]),
            "leak": None if leak is None else float(leak),
            "residue": None if residue is None else float(residue),
        }
