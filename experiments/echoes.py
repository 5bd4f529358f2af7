"""Validate the search for other users' words (memlab/echoes.py).

    python experiments/echoes.py LOCOMO10_JSON [--memdaily FOLDER]

Two dialogues of two users are joined. What was made of the one must give nothing of the other
away: facts (LoCoMo's observations; MemDaily's messages in the third person), facts of a session
in the frame of a summary, and whole sessions. What was said in the other must be found: whole
sentences, halves of them, and facts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from claims import Rate, Talk, locomo, memdaily

from memlab.judging.transcript import Transcript
from memlab.text import sentences, words
from memlab.types import Item, Probe, Turn, utc

FRAME = {
    "LoCoMo": "This is a summary of the conversation so far. The user said: {} Thanks!",
    "MemDaily": "以下是到目前为止的对话总结。用户说：{}谢谢你！",
}
LONG = 5


def joined(talks: Sequence[Talk]) -> Iterator[tuple[Talk, Talk, Transcript]]:
    """Yield a dialogue of user "a" with the next one, of user "b", both said in full."""
    for mine, other in pairwise([*talks, talks[0]]):
        said = Transcript(lambda text: len(text))
        for user, talk in (("a", mine), ("b", other)):
            for turn in talk.turns:
                said.add(replace(turn, id=f"{user}{turn.id}", user=user))
        yield mine, other, said


def leaks(said: Transcript, text: str) -> bool:
    """Tell whether a text shown to "a" leaks."""
    probe = Probe(id="q", text="?", time=utc("2030-01-01"), user="a")
    return said.judge(probe, [Item(text, (), "summary")], budget=None).verdicts["leak"] == 1.0


def own(name: str, talk: Talk) -> Iterator[tuple[str, str]]:
    """Yield what may be shown, with its label."""
    for fact, _ in talk.facts:
        yield "facts", fact
    for session, turns in talk.sessions.items():
        yield "sessions", "\n".join(turn.text for turn in turns)
        facts = [fact for fact, cited in talk.facts if talk.home(cited) == session]
        if facts:
            yield "summaries", FRAME[name].format(" ".join(facts))


def foreign(talk: Talk) -> Iterator[tuple[str, str]]:
    """Yield what must be found, with its label."""
    yield from (("facts ", fact) for fact, _ in talk.facts)
    for turn in talk.turns:
        for sentence in sentences(turn.text):
            if len(words(sentence)) >= LONG:
                yield "sentences", sentence
                yield "halves", _half(sentence)


def _half(sentence: str) -> str:
    parts = sentence.split() if " " in sentence else list(sentence)
    return (" " if " " in sentence else "").join(parts[len(parts) // 2 :])


def rates(name: str, talks: Sequence[Talk]) -> dict[str, Rate]:
    """Return the share of leaks by kind of text: false alarms first, then hits."""
    found: dict[str, Rate] = {}
    for mine, other, said in joined(talks):
        for texts in (own(name, mine), foreign(other)):
            for label, text in texts:
                found.setdefault(label, Rate())[leaks(said, text)] += 1
    return found


def apart(talks: Sequence[Talk], records: int = 10) -> list[Talk]:
    """Cut dialogues into some of `records` sessions each."""
    found = []
    for talk in talks:
        names = list(talk.sessions)
        for start in range(0, min(len(names), 4 * records), records):
            part = Talk([t for name in names[start : start + records] for t in _of(talk, name)])
            part.facts = [(f, c) for f, c in talk.facts if set(c) <= part.by_id.keys()]
            found.append(part)
    return found


def _of(talk: Talk, session: str) -> list[Turn]:
    return talk.sessions[session]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Validate the search for others' words.")
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--memdaily", type=Path)
    given = parser.parse_args()
    data = {"LoCoMo": locomo(given.locomo)}
    if given.memdaily:
        data["MemDaily"] = apart(memdaily(given.memdaily))
    for name, talks in data.items():
        print(f"\n{name}: false alarms, %: facts | sessions | summaries; hits: the others")
        for label, rate in rates(name, talks).items():
            print(f"{label:12} {rate}")


if __name__ == "__main__":
    main()
