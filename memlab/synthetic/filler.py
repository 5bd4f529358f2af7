"""Facts that nobody asks for: they make the dialogue, and hide the ones that are asked for."""

from __future__ import annotations

from datetime import datetime, timedelta

from memlab.synthetic.asks import Slot
from memlab.synthetic.draw import Draw
from memlab.synthetic.ledger import FIRST_HAND, HEARSAY, Row
from memlab.synthetic.lexicon import FactType
from memlab.synthetic.plan import ASSISTANT, Plan
from memlab.synthetic.values import Value, draw_value

_WEIGHTS = {"event": 5, "set": 3, "state": 2, "preference": 2}


class Filler:
    """Draws unasked facts of the people a speaker may talk about.

    A state or a preference keeps its value; of what the plan has reserved nothing is said.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seed = (plan.spec.seed, plan.number)
        self._advice = [fact for fact in plan.facts.values() if fact.group == "advice"]
        self._fixed: dict[tuple[str, str], Value] = {}
        self._open: dict[tuple[str, str], list[tuple[str, FactType]]] = {}
        for person in plan.people.values():
            for fact in plan.facts.values():
                weight = _WEIGHTS.get(fact.group, 0)
                bait = (plan.store(person.id), fact.id, None)
                if weight and (person.id, fact.id) not in plan.taken and bait not in plan.baits:
                    times = weight * (1 if person.id != person.owner else 4)
                    for key in ((person.owner, fact.topic), (person.owner, "")):
                        self._open.setdefault(key, []).extend([(person.id, fact)] * times)

    def draw(
        self, sayer: str, topic: str, position: int, now: datetime, draw: Draw
    ) -> tuple[Row, Slot] | None:
        """Return a statement by `sayer`, on the topic where there is one; None if all is asked."""
        options = self._open.get((sayer, topic)) or self._open.get((sayer, ""))
        if not options:
            return None
        subject, fact = draw.pick(options)
        hearsay = subject != sayer and draw.chance(self._plan.spec.hearsay)
        day = None
        if fact.group == "event":
            ago = draw.between(0, 6) if draw.chance(0.7) else draw.between(7, 40)
            day = now.date() - timedelta(days=ago)
        manner = "hearsay" if hearsay else "say"
        if fact.group == "preference" and not hearsay and draw.chance(0.5):
            manner = "hint"
        row = Row(
            id=f"f{position}",
            owner=self._plan.store(subject),
            subject=subject,
            fact=fact.id,
            value=self._value(subject, fact, now, draw),
            position=position,
            turn=f"t{position}",
            said_at=now,
            said_by=sayer,
            group=fact.group,
            day=day,
            authority=HEARSAY if hearsay else FIRST_HAND,
            hinted=manner == "hint",
        )
        return row, Slot(row.id, manner)

    def advise(self, owner: str, position: int, now: datetime, draw: Draw) -> tuple[Row, Slot]:
        """Return a tip of the assistant on a matter of which nothing else is said."""
        fact = draw.pick(self._advice)
        words = self._plan.words[0]
        asked = self._plan.keys.get(fact.id, ())
        key = draw_value(fact.key, draw, words, now.date())
        while key in asked and len(asked) < len(words.pools[fact.key]):
            key = draw_value(fact.key, draw, words, now.date())
        row = Row(
            id=f"f{position}",
            owner=self._plan.store(owner),
            subject=owner,
            fact=fact.id,
            value=draw_value(fact.value, draw, words, now.date()),
            position=position,
            turn=f"t{position}",
            said_at=now,
            said_by=ASSISTANT,
            group=fact.group,
            key=key,
        )
        return row, Slot(row.id)

    def _value(self, subject: str, fact: FactType, now: datetime, draw: Draw) -> Value:
        words = self._plan.words[0]
        if fact.group in ("event", "set"):
            value = draw_value(fact.value, draw, words, now.date())
            while (self._plan.store(subject), fact.id, value) in self._plan.baits:
                value = draw_value(fact.value, draw, words, now.date())
            return value
        key = (subject, fact.id)
        if key not in self._fixed:
            own = Draw(*self._seed, "fixed", subject, fact.id)
            self._fixed[key] = draw_value(fact.value, own, words, now.date())
        return self._fixed[key]
