"""Facts that nobody asks for: they make the dialogue, and hide the ones that are asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from memlab.synthetic.asks import Slot
from memlab.synthetic.draw import Draw
from memlab.synthetic.ledger import HEARSAY, Row
from memlab.synthetic.lexicon import TOPICS, FactType
from memlab.synthetic.plan import Plan, day_before
from memlab.synthetic.stage import ASSISTANT
from memlab.synthetic.values import Value, draw_feeling, draw_value

_WEIGHTS = {"event": 5, "set": 8, "state": 2, "preference": 2}
_KEYED = {"procedure": "procedure", "lesson": "procedure", "twin": "near_duplicate"}
"""Groups that are told only to hide what an ability asks for."""

_FEELING, _RELATION = "feeling", "relation"
_SELF = 4
"""How much likelier people speak of themselves than of one of those they know."""

_SEGMENT = 8
"""Turns for which a session stays on one topic, about."""

_TOOLS = 0.03
"""How often an open turn asks for a tool, which nobody asks about later."""


class Outline(NamedTuple):
    """What a session is about, turn by turn, and what its open turns state."""

    topics: list[str]
    said: dict[int, tuple[Row, Slot]]


class Filler:
    """Outlines sessions with unasked facts of the people a speaker may talk about.

    Of what the plan has reserved nothing is said. A state or a preference keeps its value.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seed = (plan.spec.seed, plan.number)
        self._fixed: dict[tuple[str, str, Value | None], Value] = {}
        self._free = {fact.id: self._free_keys(fact) for fact in plan.facts.values() if fact.key}
        self._advice = self._of_group("advice")
        self._tools = self._of_group("tool") if "tool" in plan.spec.abilities else []
        self._open: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for person in plan.people.values():
            for fact in plan.facts.values():
                self._admit(person.id, person.owner, fact)
            if person.relation and not person.discreet and "multi_hop" in plan.spec.abilities:
                self._offer(person.owner, "family", [(person.id, _RELATION)])

    def _free_keys(self, fact: FactType) -> list[Value]:
        """Return the keys of a pool that no question is about; codes are drawn when needed."""
        asked = set(self._plan.keys.get(fact.id, ()))
        pool = self._plan.words[0].pools.get(fact.key, ())
        return [v for n in range(len(pool)) if (v := Value(fact.key, n)) not in asked]

    def _of_group(self, group: str) -> list[FactType]:
        facts = (fact for fact in self._plan.facts.values() if fact.group == group)
        return [fact for fact in facts if self._free[fact.id] or fact.key.startswith("@")]

    def _admit(self, person: str, owner: str, fact: FactType) -> None:
        plan = self._plan
        if (person, fact.id) in plan.taken or (plan.store(person), fact.id, None) in plan.baits:
            return
        times = _SELF if person == owner else 1
        if fact.group in _WEIGHTS:
            self._offer(owner, fact.topic, [(person, fact.id)] * (times * _WEIGHTS[fact.group]))
        asked = plan.spec.abilities
        if fact.group == "event" and "emotion" in asked:
            self._offer(owner, fact.topic, [(person, f"{_FEELING} {fact.id}")] * times)
        hides = _KEYED.get(fact.group) in asked and person == owner
        if hides and (not fact.key or self._free[fact.id]):
            self._offer(owner, fact.topic, [(person, fact.id)] * times)

    def _offer(self, owner: str, topic: str, options: list[tuple[str, str]]) -> None:
        for key in ((owner, topic), (owner, "")):
            self._open.setdefault(key, []).extend(options)

    def outline(self, session: int, draw: Draw) -> Outline:
        """Decide what a session is about, before it is written."""
        plan, layout = self._plan, self._plan.layout
        outline = Outline([], {})
        topic = draw.pick(TOPICS)
        for position in range(layout.starts[session], layout.ends[session]):
            if draw.unit() * _SEGMENT < 1:
                topic = draw.pick(TOPICS)
            planned = plan.slots.get(position)
            if planned is not None:
                topic = plan.topic(plan.ledger.get(planned.row).fact)
            elif position not in outline.said:
                made = self._open_turn(position, topic, draw, outline)
                topic = plan.topic(made.fact) if made is not None else topic
            outline.topics.append(topic)
        return outline

    def _open_turn(self, position: int, topic: str, draw: Draw, outline: Outline) -> Row | None:
        plan = self._plan
        sayer, now = plan.sayer(position), plan.layout.time(position)
        if sayer == ASSISTANT:
            if not self._advice or not draw.chance(plan.spec.advice):
                return None
            row = self._advise(position, now, draw)
            outline.said[position] = (row, Slot(row.id))
            return row
        if self._tools and draw.chance(_TOOLS) and self._all_open(position, 4, outline):
            return self._lookup(position, sayer, draw, outline)
        if not draw.chance(plan.open_share):
            return None
        options = self._open.get((sayer, topic)) or self._open.get((sayer, ""))
        if not options:
            return None
        subject, name = draw.pick(options)
        row, slot = self._statement(sayer, subject, name, position, now, draw)
        if slot.manner == "say" and row.group == "state" and self._bare(position, draw, outline):
            row = replace(row, needs=f"t{position - 1}")
            outline.said[position - 1] = (row, Slot(row.id, "question"))
            slot = Slot(row.id, "bare")
        outline.said[position] = (row, slot)
        return row

    def _bare(self, position: int, draw: Draw, outline: Outline) -> bool:
        spec = self._plan.spec
        possible = spec.messages == "short" and draw.chance(spec.ellipsis / 2)
        return possible and self._all_open(position - 1, 2, outline)

    def _all_open(self, first: int, count: int, outline: Outline) -> bool:
        plan = self._plan
        last = first + count - 1
        if first < 0 or last >= plan.spec.turns:
            return False
        if plan.layout.session(first) != plan.layout.session(last):
            return False
        return not any(p in plan.slots or p in outline.said for p in range(first, last + 1))

    def _lookup(self, position: int, sayer: str, draw: Draw, outline: Outline) -> Row:
        """Let a tool be asked and answer: four turns."""
        fact = draw.pick(self._tools)
        at = position + 2
        now = self._plan.layout.time(at)
        key = self._key(fact, now, draw)
        value = self._own_value(sayer, fact, key, now)
        row = self._row(fact.id, sayer, value, at, now, "tool", key=key)
        manners = ("tool_ask", "call", "result", "tool_ack")
        outline.said.update({position + i: (row, Slot(row.id, m)) for i, m in enumerate(manners)})
        return row

    def _advise(self, position: int, now: datetime, draw: Draw) -> Row:
        """Give a tip on a matter of which nothing is asked."""
        fact = draw.pick(self._advice)
        owner = self._plan.sayer(position - 1)
        value = draw_value(fact.value, draw, self._plan.words[0], now.date())
        key = self._key(fact, now, draw)
        return self._row(fact.id, owner, value, position, now, ASSISTANT, key=key)

    def _statement(
        self, sayer: str, subject: str, name: str, position: int, now: datetime, draw: Draw
    ) -> tuple[Row, Slot]:
        plan, words = self._plan, self._plan.words[0]
        person = plan.people[subject]
        if name == _RELATION:
            key, value = Value("relation", 0, person.relation), Value("name", 0, person.name)
            row = self._row(name, sayer, value, position, now, sayer, key=key)
            return row, Slot(row.id, "relation")
        fact = plan.facts[name.removeprefix(f"{_FEELING} ")]
        if name != fact.id:
            event = self._value(subject, fact, None, now, draw)
            value = draw_feeling(fact.id, Draw(*self._seed, subject, fact.id, event.n), words)
            row = self._row(fact.id, subject, value, position, now, sayer, key=event, feeling=True)
            return row, Slot(row.id, "feel")
        hearsay = subject != sayer and draw.chance(plan.spec.hearsay)
        manner = "hearsay" if hearsay else "say"
        if fact.group == "preference" and not hearsay and draw.chance(0.5):
            manner = "hint"
        details: dict[str, Any] = {"hinted": manner == "hint"}
        if hearsay:
            details["authority"] = HEARSAY
        if fact.group == "event":
            details["day"] = day_before(now.date(), draw)
        if fact.key:
            details["key"] = self._key(fact, now, draw)
        value = self._value(subject, fact, details.get("key"), now, draw)
        row = self._row(fact.id, subject, value, position, now, sayer, **details)
        return row, Slot(row.id, manner)

    def _row(
        self,
        fact: str,
        subject: str,
        value: Value,
        position: int,
        now: datetime,
        sayer: str,
        **details: Any,  # noqa: ANN401 - fields of Row
    ) -> Row:
        known = self._plan.facts.get(fact)
        return Row(
            id=f"f{position}",
            owner=self._plan.store(subject),
            subject=subject,
            fact=fact,
            value=value,
            position=position,
            turn=f"t{position}",
            said_at=now,
            said_by=sayer,
            group=known.group if known is not None else fact,
            **details,
        )

    def _key(self, fact: FactType, now: datetime, draw: Draw) -> Value:
        """Draw a key of which nothing is asked."""
        free = self._free[fact.id]
        if free:
            return draw.pick(free)
        asked = self._plan.keys.get(fact.id, ())
        while (key := draw_value(fact.key, draw, self._plan.words[0], now.date())) in asked:
            pass
        return key

    def _value(
        self, subject: str, fact: FactType, key: Value | None, now: datetime, draw: Draw
    ) -> Value:
        plan = self._plan
        if fact.group in ("event", "set"):
            value = draw_value(fact.value, draw, plan.words[0], now.date())
            while (plan.store(subject), fact.id, value) in plan.baits:
                value = draw_value(fact.value, draw, plan.words[0], now.date())
            return value
        return self._own_value(subject, fact, key, now)

    def _own_value(self, subject: str, fact: FactType, key: Value | None, now: datetime) -> Value:
        """Return the one value that a fact of a subject has throughout."""
        place = (subject, fact.id, key)
        if place not in self._fixed:
            own = Draw(*self._seed, "fixed", subject, fact.id, *(key or ()))
            self._fixed[place] = draw_value(fact.value, own, self._plan.words[0], now.date())
        return self._fixed[place]
