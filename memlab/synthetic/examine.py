"""Ask the planned questions when their time has come, with what the ledger says of each."""

from __future__ import annotations

from collections.abc import Iterator

from memlab.synthetic.asks import Ask
from memlab.synthetic.derive import Truth, truth
from memlab.synthetic.draw import Draw
from memlab.synthetic.ledger import Row
from memlab.synthetic.lexicon import Language
from memlab.synthetic.plan import Plan
from memlab.synthetic.questions import Setting, overlap, worded
from memlab.synthetic.talk import Said
from memlab.synthetic.values import Value, accepted, count_answers, day_answers, write
from memlab.text import terms
from memlab.types import Probe, Turn


class Examiner:
    """Asks the questions of a plan when their time has come."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._draw = Draw(plan.spec.seed, plan.number, "questions")
        self._open = iter(plan.asks)
        self._next = next(self._open, None)
        self._heard: dict[str, frozenset[str]] = {}
        self._matters: dict[str, dict[str, str]] = {}
        self._count = 0
        self._mentions: dict[tuple[str, Value | None], list[int]] = {}
        for position, slot in plan.slots.items():
            if slot.manner == "mention":
                row = plan.ledger.get(slot.row)
                self._mentions.setdefault((row.fact, row.key), []).append(position)

    def hear(self, line: Said, turn: Turn) -> None:
        """Keep the terms of a turn that a question may be about."""
        if line.position in self._plan.slots:
            code = self._plan.layout.languages[line.session]
            self._matters[turn.id] = {code: line.matter}
            self._heard[turn.id] = frozenset(terms(f"{turn.speaker}: {turn.text}"))

    def until(self, position: int) -> Iterator[Probe]:
        """Yield the questions that are asked after so many turns."""
        while self._next is not None and self._next.position <= position:
            yield self._probe(self._next)
            self._next = next(self._open, None)

    def _probe(self, ask: Ask) -> Probe:
        plan, draw = self._plan, self._draw
        self._count += 1
        words = draw.pick(plan.words)
        now = plan.layout.asked(ask.position)
        owner = plan.people[plan.people[ask.subject].owner]
        found = truth(ask, plan.ledger, now.date(), owner.id)
        evidence = _turns(found.evidence)
        heard = [self._heard[turn] for turn in evidence]
        spread = plan.spec.overlap_spread * (2 * draw.unit() - 1)
        matter = self._matters[evidence[-1]].get(words.code, "") if evidence else ""
        setting = Setting(words, plan.people, owner, plan.layout.paired, now.date(), matter)
        text = worded(ask, setting, heard, plan.spec.overlap + spread, draw)
        return Probe(
            id=f"q{self._count}",
            text=text,
            time=now,
            user=ask.owner,
            category=ask.category,
            evidence=evidence,
            answers=_answers(ask, found, plan.words),
            stale=_turns(found.stale),
            forbidden=_turns(found.forbidden),
            answerable=found.answerable,
            meta=self._meta(ask, found, words, overlap(text, heard)),
        )

    def _others(self, ask: Ask) -> int:
        """Count what was planned to be taken for the answer.

        That is the same attribute of other people of the store, or talk of the same key.
        """
        plan = self._plan
        if ask.key is not None:
            places = self._mentions.get((ask.fact, ask.key), ())
            return sum(place < ask.position for place in places)
        owner = plan.people[ask.subject].owner
        return sum(
            len(plan.ledger.about(person.id, ask.fact, before=ask.position))
            for person in plan.people.values()
            if person.owner == owner and person.id != ask.subject
        )

    def _meta(
        self, ask: Ask, found: Truth, words: Language, shared: float
    ) -> dict[str, str | float | list[str]]:
        plan = self._plan
        last = max((row.position for row in found.evidence), default=None)
        meta: dict[str, str | float | list[str]] = {
            "kind": ask.kind,
            "subject": ask.subject,
            "fact": ask.fact,
            "key": write(ask.key, words) if ask.key is not None else "",
            "args": [write(value, words) for value in ask.args],
            "via": ask.via,
            "as_of": str(ask.as_of) if ask.as_of else "",
            "language": words.code,
            "history": ask.position,
            "updates": len(found.stale),
            "same_attribute": self._others(ask),
            "same_person": _own_rows(ask, plan),
        }
        if ask.n:
            meta["nth"] = ask.n
        if last is not None:
            meta |= {"distance": ask.position - 1 - last, "overlap": round(shared, 4)}
        return meta


def _own_rows(ask: Ask, plan: Plan) -> int:
    """Count the planned rows on other facts of the person asked about."""
    facts = (fact for fact in plan.facts if fact != ask.fact)
    return sum(len(plan.ledger.about(ask.subject, f, before=ask.position)) for f in facts)


def _turns(rows: tuple[Row, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(turn for row in rows for turn in row.turns))


def _answers(ask: Ask, found: Truth, languages: tuple[Language, ...]) -> tuple[str, ...]:
    if not found.answerable:
        return ()
    given: list[str] = []
    for words in languages:
        if found.day is not None:
            given += day_answers(found.day, words)
        elif found.number is not None:
            given += count_answers(found.number, words)
        elif ask.kind in ("list", "history") or len(found.answer) > 1:
            comma = "、" if words.code == "zh" else ", "
            given.append(comma.join(accepted(value, words)[0] for value in found.answer))
        else:
            given += [text for value in found.answer for text in accepted(value, words)]
    return tuple(dict.fromkeys(given))
