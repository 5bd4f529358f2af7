"""A synthetic conversation: its events, and the ledger behind them, generated as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from memlab.synthetic.abilities import ABILITY
from memlab.synthetic.asks import Ask
from memlab.synthetic.derive import Truth, truth
from memlab.synthetic.draw import Draw
from memlab.synthetic.export import row_json, row_text
from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.lexicon import Language
from memlab.synthetic.plan import ASSISTANT, Plan, make_plan
from memlab.synthetic.questions import Setting, overlap, worded
from memlab.synthetic.rivals import add_rivals
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.talk import Said, Writer
from memlab.synthetic.values import Value, accepted, count_answers, day_answers, write
from memlab.text import terms
from memlab.types import Event, Forget, Frozen, Probe, Role, SessionEnd, Turn

if TYPE_CHECKING:
    import pandas as pd

_PLAIN = Frozen()
_SECOND = "u1"
"""The second speaker of a chat."""


class Generated:
    """One conversation of a spec: an iterable of events that can be walked again and again.

    It holds a plan as large as the questions; the turns are written as they are read.
    """

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        self.spec, self.number = spec, number

    def __reduce__(self) -> tuple[type[Generated], tuple[DialogueSpec, int]]:
        return Generated, (self.spec, self.number)

    @cached_property
    def plan(self) -> Plan:
        """The facts that are asked for, and the questions."""
        return make_plan(self.spec, self.number, ABILITY, add_rivals)

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return self.plan.id

    @property
    def people(self) -> Mapping[str, Person]:
        """The people by id."""
        return self.plan.people

    def rows(self) -> Iterator[Row]:
        """Yield everything that is stated, asked for or not, in the order said."""
        for said in self._said():
            yield from said.rows

    def ledger(self) -> pd.DataFrame:
        """Return everything that is stated as a table, values in the first language."""
        import pandas as pd

        first = self.plan.words[0]
        table = pd.DataFrame([row_json(row, self.people, [first]) for row in self.rows()])
        for column in ("key", "value"):
            table[column] = [cell[first.code] if cell else None for cell in table[column]]
        return table

    def world(self) -> pd.DataFrame:
        """Return the people as a table: who speaks, and what the others are to them."""
        import pandas as pd

        return pd.DataFrame(self.people.values()).set_index("id")

    def transcript(self) -> pd.DataFrame:
        """Return every turn with what it states beside it, from the ledger."""
        import pandas as pd

        words = self.plan.words[0]
        lines = [
            {
                "session": line.session + 1,
                "time": line.time,
                "speaker": self.people[line.sayer].name
                if line.sayer in self.people
                else line.sayer,
                "text": line.text,
                "states": "; ".join(row_text(row, self.people, words) for row in line.rows),
            }
            for line in self._said()
        ]
        return pd.DataFrame(lines).rename_axis("turn")

    def _said(self) -> Iterator[Said]:
        writer = Writer(self.plan)
        for number in range(self.spec.sessions):
            yield from writer.session(number)

    def __iter__(self) -> Iterator[Event]:
        return _events(self.plan, self._said())


def generate(spec: DialogueSpec) -> list[Generated]:
    """Return the conversations of a spec."""
    return [Generated(spec, number) for number in range(spec.conversations)]


def _events(plan: Plan, said: Iterator[Said]) -> Iterator[Event]:
    layout, examiner = plan.layout, _Examiner(plan)
    yield from examiner.until(0)
    for line in said:
        turn = _turn(plan, line)
        examiner.hear(line, turn)
        yield turn
        position = line.position
        gone = plan.forgets.get(position)
        if gone is not None:
            yield Forget(turn_ids=gone, user=turn.user, time=turn.time)
        if position + 1 == layout.ends[line.session]:
            yield SessionEnd(session=turn.session, time=turn.time)
        yield from examiner.until(position + 1)


def _turn(plan: Plan, line: Said) -> Turn:
    position, chat = line.position, not plan.layout.paired
    role: Role = "user"
    if line.manner == "result":
        role = "tool"
    elif line.sayer == (_SECOND if chat else ASSISTANT):
        role = "assistant"
    owner = "u0" if chat else f"u{plan.layout.owners[line.session]}"
    call = {"call": f"c{position}", "result": f"c{position - 1}"}.get(line.manner)
    return Turn(
        id=f"t{position}",
        session=f"s{line.session + 1}",
        speaker=plan.people[line.sayer].name if chat else "",
        role=role,
        text=line.text,
        time=line.time,
        user=plan.store(owner),
        meta={"call": call} if call else _PLAIN,
    )


class _Examiner:
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
            meta["n"] = ask.n
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
