"""Write the turns of a conversation, one after the other, short as in a chat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from memlab.synthetic.asks import Slot
from memlab.synthetic.draw import Draw
from memlab.synthetic.filler import Filler
from memlab.synthetic.forms import filled, sentence
from memlab.synthetic.ledger import Row
from memlab.synthetic.lexicon import Language
from memlab.synthetic.long import LongTalk
from memlab.synthetic.noise import with_typo
from memlab.synthetic.plan import Plan
from memlab.synthetic.speech import Voice, named, question_forms, statement
from memlab.synthetic.stage import ASSISTANT
from memlab.synthetic.values import write

_DETAILS = 3
"""The most sentences that follow a fact."""


class Said(NamedTuple):
    """A turn as written: its text, and the statements it makes."""

    position: int
    session: int
    time: datetime
    sayer: str
    manner: str
    text: str
    rows: tuple[Row, ...]
    matter: str


class Writer:
    """Writes the sessions of a plan; each has a generator of its own."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.spec = plan.spec
        self.filler = Filler(plan)
        self.chat = not plan.layout.paired
        self.languages = {words.code: words for words in plan.words}
        self.anonymous = {
            words.code: [g for g in words.talk["greeting"] if "{" not in g] for words in plan.words
        }

    def session(self, number: int) -> Iterator[Said]:
        """Yield the turns of a session."""
        layout = self.plan.layout
        draw = Draw(self.spec.seed, self.plan.number, "session", number)
        words = self.languages[layout.languages[number]]
        scene = _Scene(self, words, draw, number)
        for position in range(layout.starts[number], layout.ends[number]):
            yield scene.turn(position)


class _Scene:
    """One session while it is written: its topic, and what was said last."""

    def __init__(self, writer: Writer, words: Language, draw: Draw, number: int) -> None:
        self.writer, self.words, self.draw, self.number = writer, words, draw, number
        self.spec, self.plan = writer.spec, writer.plan
        layout = self.plan.layout
        self.first, self.last = layout.starts[number], layout.ends[number] - 1
        self.time, self.pace = layout.times[number], layout.pace()
        self.sayers = (self.plan.sayer(self.first), self.plan.sayer(self.first + 1))
        self.outline = writer.filler.outline(number, draw)
        self.topic = ""
        self.spoken_topic = ""
        self.manner = ""
        self.used: set[str] = set()
        self.latest = ""
        self.long = None
        if self.spec.messages == "long":
            main = Draw(self.spec.seed, self.plan.number, "domain").below(1000)
            self.long = LongTalk(words, draw, main, self.spec.echo)
        self.voice = Voice(words, self.plan.people, self.spec.pronouns, draw)

    def turn(self, position: int) -> Said:
        """Write the turn at a position."""
        sayer = self.sayers[(position - self.first) % 2]
        now = self.time + self.pace * (position - self.first)
        row, slot = self._given(position)
        self.topic = self.outline.topics[position - self.first]
        parts, states = self._parts(position, sayer, row, slot)
        self.manner = slot.manner if slot is not None else ""
        rows = (row,) if states and row is not None else ()
        text = self.words.space.join(parts)
        matter = self.long.matter if self.long is not None else ""
        return Said(position, self.number, now, sayer, self.manner, text, rows, matter)

    def _given(self, position: int) -> tuple[Row, Slot] | tuple[None, None]:
        """Return what a turn has to say, planned or unasked; nothing outside the session."""
        slot = self.plan.slots.get(position) if position <= self.last else None
        if slot is not None:
            return self.plan.ledger.get(slot.row), slot
        return self.outline.said.get(position, (None, None))

    def _parts(
        self, position: int, sayer: str, row: Row | None, slot: Slot | None
    ) -> tuple[list[str], bool]:
        if slot is not None and row is not None and slot.manner in ("result", "call"):
            return [self._machine(row, slot)], slot.manner == "result"
        if self.long is not None:
            self.long.turn_to(self.topic)
            said, states = ([], False) if slot is None or row is None else self._payload(row, slot)
            make = self.long.answered if sayer == ASSISTANT else self.long.asked
            return [make(said)], states
        served = sayer == ASSISTANT and slot is not None
        talk, states = [] if served else self._opening(position, sayer), False
        if slot is None or row is None:
            talk += self._small(sayer)
        if sayer != ASSISTANT:
            talk = [self._noisy(text) for text in talk]
        if slot is not None and row is not None:
            said, states = self._payload(row, slot)
            talk += said
            if states and slot.manner != "bare" and sayer != ASSISTANT:
                talk += self._details()
        return talk + self._ending(position, slot), states

    def _payload(self, row: Row, slot: Slot) -> tuple[list[str], bool]:
        words, draw = self.words, self.draw
        frame = {"advice_ask": "advice_ask", "tool_ask": "tool_ask"}.get(slot.manner)
        if frame is not None and row.key is not None:
            asked = draw.pick(words.frames[frame]).format(k=self._key(row))
            return [sentence(asked, words.code)], False
        match slot.manner:
            case "question":
                return [self._question(row)], False
            case "forget":
                fact = words.facts[row.fact]
                what = words.topics[fact.topic]["what"]
                return [draw.pick(words.talk["forget"]).format(what=what)], False
            case "mention":
                return [self._mention(row)], False
            case "tool_ack":
                return [draw.pick(words.talk["tool_ack"])], False
        today = (self.time + self.pace * (row.position - self.first)).date()
        return [statement(row, slot, today, self.voice)], True

    def _mention(self, row: Row) -> str:
        words = self.words
        what = self._key(row)
        if row.feeling:
            what = words.facts[row.fact].thing.format(v=what, s="", ss="")
        frame = self.draw.pick(words.frames["mention"])
        return sentence(frame.format(k=what), words.code)

    def _key(self, row: Row) -> str:
        """Return the key of a row as a person names it: "order 4817" rather than a number."""
        key = write(row.key, self.words) if row.key is not None else ""
        nouns = self.words.frames.get(f"noun_{row.fact}", ("{k}",))
        return nouns[0].format(k=key)

    def _machine(self, row: Row, slot: Slot) -> str:
        fact = self.words.facts[row.fact]
        key = write(row.key, self.words) if row.key is not None else ""
        if slot.manner == "call":
            return self.draw.pick(fact.forms["call"]).first.format(k=key)
        form = self.draw.pick(self.draw.pick(fact.wordings).say)
        return form.first.format(k=key, v=write(row.value, self.words))

    def _question(self, row: Row) -> str:
        """Ask the listener for the fact that the next turn states barely."""
        form = self.draw.pick(question_forms(row, self.words))
        if row.subject == row.said_by:
            return sentence(form.second, self.words.code)
        subject = named(self.plan.people[row.subject], self.words)
        return sentence(form.third.format(**subject), self.words.code)

    def _opening(self, position: int, sayer: str) -> list[str]:
        words, draw = self.words, self.draw
        if position == self.first:
            if self.writer.chat:
                other = self.plan.people["u1" if sayer == "u0" else "u0"]
                return [draw.pick(words.talk["greeting"]).format(name=other.name)]
            return [draw.pick(self.writer.anonymous[words.code])]
        if sayer == ASSISTANT and (self.manner == "forget" or draw.chance(0.4)):
            return [draw.pick(words.talk["ack"])]
        answers = self.writer.chat or sayer == ASSISTANT  # an assistant has told nothing
        if answers and self.spoken_topic and draw.chance(self.spec.echo):
            return [self._filled(self._new(words.topics[self.spoken_topic]["reaction"]))]
        if draw.chance(0.35):
            return [self._filled(self._new(words.talk["reaction"]))]
        return []

    def _small(self, sayer: str) -> list[str]:
        """Talk of nothing in particular; assistants do not tell of their own lives."""
        words, draw = self.words, self.draw
        self.spoken_topic = self.topic
        if sayer != ASSISTANT and draw.chance(self.spec.brief):
            return [self._filled(self._new(words.talk["reaction"]))]
        if sayer == ASSISTANT:
            options: Sequence[str] = words.impersonal[self.topic]
        elif draw.chance(0.8):
            options = words.topics[self.topic]["smalltalk"]
        else:
            options = words.talk["smalltalk"]
        return [self._filled(self._new(options))]

    def _details(self) -> list[str]:
        self.spoken_topic = self.topic
        share = self.spec.details / _DETAILS
        count = sum(self.draw.chance(share) for _ in range(_DETAILS))
        options = self.words.topics[self.topic]["elaboration"]
        return [self._filled(self._new(options)) for _ in range(count)]

    def _ending(self, position: int, slot: Slot | None) -> list[str]:
        words, draw = self.words, self.draw
        if position >= self.last - 1 and position > self.first:
            return [draw.pick(words.talk["closing"])]
        if slot is not None and slot.manner in ("question", "advice_ask", "tool_ask", "forget"):
            return []
        following, _ = self._given(position + 1)
        if following is not None and draw.chance(self.spec.echo):
            topic = self.plan.topic(following.fact)
            return [self._filled(self._new(words.topics[topic]["question"]))]
        if draw.chance(0.3):
            options = words.topics[self.topic]["question"]
            return [
                self._filled(self._new(options if draw.chance(0.7) else words.talk["question"]))
            ]
        return []

    def _new(self, options: Sequence[str]) -> str:
        """Draw a sentence, one that was not said in this session if that is easily found."""
        text = self.draw.pick(options)
        for _ in range(5):
            if text not in self.used:
                break
            text = self.draw.pick(options)
        else:
            self.used.clear()
            while text == self.latest:
                text = self.draw.pick(options)
        self.used.add(text)
        self.latest = text
        return text

    def _filled(self, text: str) -> str:
        return filled(text, lambda slot: self.draw.pick(self.words.slots[slot]))

    def _noisy(self, text: str) -> str:
        if self.draw.chance(self.spec.typos):
            text = with_typo(text, self.draw, self.words)
        if self.draw.chance(self.spec.code_switching):
            text = text + self.words.space + self.draw.pick(self.words.frames["switch"])
        return text
