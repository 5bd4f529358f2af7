"""Long messages: a user who tells much and asks for help, an assistant that answers at length."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from memlab.synthetic.draw import Draw
from memlab.synthetic.forms import filled
from memlab.synthetic.lexicon import Language

_BULLET = "- "
_MAIN = 0.75
"""How often a session is about the matter that its conversation has in a domain."""

DOMAINS = {
    "work": "writing",
    "hobby": "writing",
    "project": "software",
    "things": "software",
    "home": "finance",
    "money": "finance",
    "food": "cooking",
    "health": "fitness",
    "travel": "travel",
    "family": "travel",
}
"""The domain in which an assistant is asked for help by somebody who talks of a topic."""

Domain = Mapping[str, tuple[str, ...]]


class LongTalk:
    """Writes the long messages of one session: each exchange stays with one topic.

    `main` decides the matters of the conversation, one for each domain; `echo` is how often an
    answer begins and ends with the topic of the message before.
    """

    def __init__(self, words: Language, draw: Draw, main: int, echo: float) -> None:
        self._words, self._draw, self._echo = words, draw, echo
        self._matters = {
            name: domain["matter"][main % len(domain["matter"])]
            if draw.chance(_MAIN)
            else draw.pick(domain["matter"])
            for name, domain in words.domains.items()
        }
        self.turn_to("work")

    def turn_to(self, topic: str) -> None:
        """Talk of a topic from here on."""
        name = DOMAINS[topic]
        self._topic = topic
        self.domain: Domain = self._words.domains[name]
        self.matter = self._matters[name]

    def asked(self, said: Sequence[str]) -> str:
        """Return a user's message: what it has to say, more on that, and a request."""
        draw = self._draw
        length = draw.unit()
        if length < (0.15 if said else 0.35):
            return self._joined([*said, self._one("followup")])
        contexts = draw.between(1, 5) if length < 0.7 else draw.between(9, 22)
        near = (contexts + 1) // 2
        told = [*self._aside(near), *self._several("context", contexts - near)]
        text = self._joined([*said, *told, self._one("request")])
        blocks = draw.between(0, 1) if length < 0.7 else draw.between(0, 3)
        return "\n\n".join([text, *self._several("block", blocks)])

    def _aside(self, count: int) -> list[str]:
        """Return sentences that stay with the topic and state nothing."""
        topic = self._words.topics[self._topic]
        texts = self._draw.several([*topic["elaboration"], *topic["smalltalk"]], count)
        return [filled(text, self._small) for text in texts]

    def _small(self, slot: str) -> str:
        return self._draw.pick(self._words.slots[slot])

    def answered(self, said: Sequence[str]) -> str:
        """Return an assistant's message: what it has to say, then sections of advice."""
        draw = self._draw
        sections = draw.between(4, 13)
        headings = self._several("heading", sections)
        counts = [draw.between(2, 6) for _ in headings]
        points = iter(self._several("point", sum(counts)))
        blocks = iter(self._several("block", len(self.domain["block"])))
        opening, ending = self._echoes()
        lines = [self._joined([*opening, self._one("intro"), *said])]
        for heading, count in zip(headings, counts, strict=True):
            lines += ["", f"### {heading}", ""]
            lines += [f"{_BULLET}{point}" for point in itertools.islice(points, count)]
            if draw.chance(0.35):
                lines += ["", self._one("note")]
            if draw.chance(0.25) and (block := next(blocks, "")):
                lines += ["", block]
        return "\n".join([*lines, "", self._joined([self._one("closing"), *ending])])

    def _echoes(self) -> tuple[list[str], list[str]]:
        """Return a reaction and counter-questions on the topic, as often as is wished."""
        draw, topic = self._draw, self._words.topics[self._topic]
        reactions = draw.several(topic["reaction"], int(draw.chance(self._echo)))
        questions = draw.several(topic["question"], 2 * int(draw.chance(self._echo)))
        said, asked = ([filled(t, self._small) for t in texts] for texts in (reactions, questions))
        return said, asked

    def _joined(self, lines: Sequence[str]) -> str:
        return self._words.space.join(lines)

    def _one(self, kind: str) -> str:
        return self._several(kind, 1)[0]

    def _several(self, kind: str, count: int) -> list[str]:
        texts = self._draw.several(self.domain[kind], count)
        if kind == "block":
            return [text.strip("\n") for text in texts]
        return [filled(text, self._detail) for text in texts]

    def _detail(self, slot: str) -> str:
        return self.matter if slot == "matter" else self._draw.pick(self.domain[slot])
