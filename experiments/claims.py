"""Validate the check of claimed sources (memlab/claims.py).

    python experiments/claims.py LOCOMO10_JSON [--memdaily FOLDER] [--beam FOLDER]

True pairs are LoCoMo's own observations, each citing the turns it was made from. Wrong pairs are
the same facts with every other turn of the session, and with ten random turns of the dialogue.
Attacks: a bag of frequent words that claims every turn, and turns cut short.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Self
from unittest.mock import patch

from memlab.datasets.locomo import load, mend
from memlab.judging import claims
from memlab.judging.claims import Claims
from memlab.judging.shingles import Reading, Texts
from memlab.run import Run
from memlab.strategies import BM25
from memlab.text import STOP_WORDS, sentences, words
from memlab.tokens import CachedCounter, tokenizer
from memlab.topk import best
from memlab.types import Query, Turn, utc

GROUPS = (300, 1, 2, 3, 5, 8, 12)
NEVER = 1e300
TOKENS = (200, 500, 1000)
LEAST = (0.0, 0.1, 0.2, 0.3)
WAYS = (
    "whole",
    "first 12",
    "first 12 ruled",
    "excerpt 0.5",
    "excerpt 0.7",
    "excerpt 0.8",
    "excerpt 0.9",
    "fact",
    "fact 0.1",
    "fact 0.2",
    "fact 0.3",
)
COUNTER = CachedCounter(tokenizer())


@dataclass
class Talk:
    """Turns in order, facts with the turns they cite, evidence of its questions."""

    turns: list[Turn]
    facts: list[tuple[str, list[str]]] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_id = {turn.id: turn for turn in self.turns}
        self.sessions: dict[str, list[Turn]] = defaultdict(list)
        for turn in self.turns:
            self.sessions[turn.session].append(turn)

    def home(self, cited: Iterable[str]) -> str:
        """Return the last session cited, where the fact was made."""
        order = list(self.sessions)
        return max((self.by_id[turn].session for turn in cited), key=order.index)


@dataclass(frozen=True)
class Variant:
    """A way to check: constants of the rule, word forms, and what is seen of a turn."""

    share: float = claims.SHARE
    chance: float = claims.CHANCE
    background: int = claims.BACKGROUND
    stemming: bool = True
    verbatim: bool = True
    show: Callable[[Turn], Turn] = lambda turn: turn

    def __enter__(self) -> Self:
        stack = ExitStack()
        settings = {"SHARE": self.share, "CHANCE": self.chance, "BACKGROUND": self.background}
        stack.enter_context(patch.multiple(claims, **settings))
        if not self.verbatim:
            stack.enter_context(patch.object(Reading, "holds", lambda *_: False))
        object.__setattr__(self, "stack", stack)
        return self

    def __exit__(self, *fault: object) -> None:
        self.stack.close()  # type: ignore[attr-defined]

    def index(self, turns: Iterable[Turn]) -> Claims:
        """Return the checker after these turns."""
        checker = Claims(Texts(stemming=self.stemming))
        for turn in turns:
            checker.add(self.show(turn))
        return checker


def locomo(path: Path) -> list[Talk]:
    """Read dialogues, observations and evidence."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    talks = []
    for talk, sample in zip(load(path), samples, strict=True):
        found = Talk(list(talk.turns()))
        found.evidence = [e for p in talk.probes() for e in p.evidence if e in found.by_id]
        for people in sample["observation"].values():
            for fact, cited in (row for rows in people.values() for row in rows):
                cites = cited if isinstance(cited, list) else [cited]
                known = mend(cites, found.by_id).evidence
                if known:
                    found.facts.append((fact, list(known)))
        talks.append(found)
    return talks


def beam(folder: Path) -> list[Talk]:
    """Read BEAM chats: long turns, evidence of their questions."""
    talks = []
    for file in sorted(folder.glob("*/chat.json")):
        batches = json.loads(file.read_text(encoding="utf-8"))
        messages = [m for b in batches for group in b["turns"] for m in group]
        asked = json.loads((file.parent / "probing_questions.json").read_text(encoding="utf-8"))
        talk = Talk([_turn(str(m["id"]), m["content"], m["role"]) for m in messages])
        cited = [q.get("source_chat_ids", []) for questions in asked.values() for q in questions]
        talk.evidence = [e for source in cited for e in _ids(source) if e in talk.by_id]
        talks.append(talk)
    return talks


def memdaily(folder: Path) -> list[Talk]:
    """Read MemDaily: a dialogue per file, a session per record.

    A fact is a message put into the third person, as extraction does.
    """
    talks = []
    for file in sorted(folder.glob("01_simple_*.json")):
        talk = Talk([])
        for record in json.loads(file.read_text(encoding="utf-8")):
            session = str(record["tid"])
            for message in record["message_list"]:
                turn_id = f"{session}/{message['mid']}"
                talk.turns.append(_turn(turn_id, message["message"], "user", session))
                talk.facts.append((message["message"].replace("我", "用户"), [turn_id]))
            cited = record["question_list"][0]["target_step_id"]
            talk.evidence += [f"{session}/{mid}" for mid in cited]
        talk.__post_init__()
        talks.append(talk)
    return talks


def _turn(turn_id: str, text: str, speaker: str, session: str = "1") -> Turn:
    return Turn(id=turn_id, text=text, speaker=speaker, session=session, time=utc("2024-01-01"))


def _ids(source: object) -> Iterator[str]:
    if isinstance(source, dict | list):
        for part in source.values() if isinstance(source, dict) else source:
            yield from _ids(part)
    else:
        yield str(source)


class Rate(Counter[bool]):
    """Accepted and refused claims."""

    def __str__(self) -> str:
        total = self.total()
        return f"{100 * self[True] / total:6.2f} (n={total})" if total else "     - (n=0)"


def pairs(talks: Sequence[Talk], variant: Variant, *, early: bool = False) -> dict[str, Rate]:
    """Judge every pair alone; `early` after the fact's session, else after the last turn."""
    rates = {name: Rate() for name in ("true", "same session", "+ same speaker", "elsewhere")}
    draw = random.Random(0)
    with variant:
        for talk in talks:
            checkers = _checkers(talk, variant, early=early)
            for fact, cited in talk.facts:
                home = talk.home(cited)
                checker = checkers[home]
                rates["true"].update(checker.accepted(fact, [c])[0] for c in cited)
                speaker = talk.by_id[cited[0]].speaker
                for turn in talk.sessions[home]:
                    if turn.id not in cited:
                        (hit,) = checker.accepted(fact, [turn.id])
                        rates["same session"][hit] += 1
                        rates["+ same speaker"][hit] += turn.speaker == speaker
                for turn in draw.sample(talk.turns, min(10, len(talk.turns))):
                    if turn.session != home:
                        rates["elsewhere"][checker.accepted(fact, [turn.id])[0]] += 1
    return rates


def _checkers(talk: Talk, variant: Variant, *, early: bool) -> dict[str, Claims]:
    if not early:
        return dict.fromkeys(talk.sessions, variant.index(talk.turns))
    found, said = {}, []
    for session, turns in talk.sessions.items():
        said += turns
        found[session] = variant.index(said)
    return found


def summaries(talks: Sequence[Talk], variant: Variant) -> dict[str, Rate]:
    """Join the facts of a session to one text that claims what they cite, or the session."""
    rates = {name: Rate() for name in ("claims its citations", "claims all: cited", "other")}
    with variant:
        for talk in talks:
            checker = variant.index(talk.turns)
            joined: dict[str, tuple[list[str], dict[str, None]]] = {}
            for fact, cited in talk.facts:
                texts, sources = joined.setdefault(talk.home(cited), ([], {}))
                texts.append(fact)
                sources.update(dict.fromkeys(cited))
            for session, (texts, sources) in joined.items():
                text = " ".join(texts)
                rates["claims its citations"].update(checker.accepted(text, list(sources)))
                every = [turn.id for turn in talk.sessions[session]]
                for turn_id, hit in zip(every, checker.accepted(text, every), strict=True):
                    name = "claims all: cited" if turn_id in sources else "other"
                    rates[name][hit] += 1
    return rates


def bag(turns: Iterable[Turn], group: int) -> str:
    """Return the 300 words that most turns hold, stop words apart, `group` to a sentence."""
    df = Counter(w for turn in turns for w in set(words(turn.text)) - STOP_WORDS)
    top = sorted(df, key=lambda word: (-df[word], word))[:300]
    return " ".join(" ".join(top[i : i + group]) + "." for i in range(0, len(top), group))


def attack(talks: Sequence[Talk], variant: Variant, group: int, *, split: bool) -> Rate:
    """Let a bag claim every turn, as one item or one item a sentence: share of evidence won."""
    rate = Rate()
    with variant:
        for talk in talks:
            checker, every = variant.index(talk.turns), list(talk.by_id)
            text = bag(talk.turns, group)
            won: set[str] = set()
            for item in sentences(text) if split else [text]:
                hits = zip(every, checker.accepted(item, every), strict=True)
                won.update(turn for turn, hit in hits if hit)
            rate.update(turn in won for turn in talk.evidence)
    return rate


def copies(talks: Sequence[Talk], variant: Variant) -> tuple[Rate, Rate]:
    """Let every turn's text claim all turns of its session: itself, the others."""
    own, others = Rate(), Rate()
    with variant:
        for talk in talks:
            checker = variant.index(talk.turns)
            for turns in talk.sessions.values():
                every = [turn.id for turn in turns]
                for turn in turns:
                    for turn_id, hit in zip(every, checker.accepted(turn.text, every), strict=True):
                        (own if turn_id == turn.id else others)[hit] += 1
    return own, others


class Won:
    """What a context of snippets wins, by budget: recall, answers held."""

    def __init__(self) -> None:
        self.found: dict[int, list[float]] = defaultdict(list)
        self.held: dict[int, list[bool]] = defaultdict(list)

    def recall(self, budget: int) -> float:
        """Return the mean share of evidence accepted."""
        return sum(self.found[budget]) / len(self.found[budget])

    def answers(self, budget: int) -> float:
        """Return the share of questions whose answer is in the context."""
        return sum(self.held[budget]) / len(self.held[budget])


class Cutter:
    """Cuts turns short for the fewest tokens that still earn them."""

    def __init__(self, talk: Talk) -> None:
        self.texts, self.by_id = Texts(), talk.by_id
        self.claims = Claims(self.texts)
        for turn in talk.turns:
            self.claims.add(turn)
        self.claims.carried("", talk.turns[0].id)  # indexes the turns
        self._kept: dict[tuple[str, str], tuple[str, int, bool]] = {}

    def cut(self, how: str, turn: Turn) -> tuple[str, int, bool]:
        """Return the snippet, its tokens, and whether it earns its turn."""
        key = how, turn.id
        if key not in self._kept:
            text, earns = self._cut(how, turn)
            self._kept[key] = text, COUNTER.count(text), earns
        return self._kept[key]

    def _cut(self, how: str, turn: Turn) -> tuple[str, bool]:
        kind, _, least = how.partition(" ")
        if kind == "whole":
            return turn.text, True
        if kind == "first":
            number, _, rule = least.partition(" ")
            text = COUNTER.truncate(turn.text, int(number))
            return text, not rule or self.claims.carried(text, turn.id)
        return self._shortest(turn, float(least or 0), derived=kind == "fact"), True

    def share(self, text: str, turn: Turn) -> float:
        """Return the share of a turn's weight that a text holds."""
        whole = self.texts.of(turn.text).terms
        mass = self.claims._mass(whole)
        return self.claims._mass(whole & self.texts.of(text).terms) / mass if mass else 1.0

    def _shortest(self, turn: Turn, least: float, *, derived: bool) -> str:
        ends = [match.span() for match in re.finditer(r"\S+", turn.text)]

        def parts(size: int) -> list[str]:
            found = (turn.text[i:j] for (i, _), (_, j) in zip(ends, ends[size - 1 :], strict=False))
            return [part for part in found if self.share(part, turn) >= least - 1e-9]

        sizes = range(1, len(ends))
        # A longer part holds no less, so the search for the first size may halve the range.
        for size in sizes[bisect_left(sizes, True, key=lambda n: bool(parts(n))) :]:
            good = parts(size)
            if derived:
                good = [p for p in good if self.claims.accepted(p, [turn.id])[0]]
            if good:
                return min(good, key=COUNTER.count)
        return turn.text


def snippets(path: Path, ways: Sequence[str], limit: int | None = None) -> dict[str, Won]:
    """Return what BM25's hits win if every turn is cut in a way, at 200, 500 and 1,000 tokens."""
    won = {how: Won() for how in ways}
    for talk, told in zip(locomo(path)[:limit], load(path), strict=False):
        cutter, memory = Cutter(talk), BM25()
        memory.reset()
        memory.attach(Run(COUNTER))
        for turn in talk.turns:
            memory.write(turn)
        for probe in told.probes():
            evidence = [e for e in probe.evidence if e in talk.by_id]
            if not probe.answerable or not evidence:
                continue
            query = Query(probe.text, probe.time, probe.user)
            hits = [memory.history[row] for row, _ in best(*memory.scores(query))]
            answers = [cutter.texts.of(answer) for answer in probe.answers]
            said = (cutter.texts.of(talk.by_id[e].text) for e in evidence)
            if not any(text.holds(answer) for text in said for answer in answers):
                answers = []
            for how, budget in product(ways, TOKENS):
                _context(won[how], cutter, how, hits, evidence, answers, budget)
    return won


def _context(
    won: Won,
    cutter: Cutter,
    how: str,
    hits: Sequence[Turn],
    evidence: Sequence[str],
    answers: Sequence[Reading],
    budget: int,
) -> None:
    left, earned, held = budget, set(), False
    for turn in hits:
        text, tokens, earns = cutter.cut(how, turn)
        left -= tokens
        if left < 0:
            break
        if earns:
            earned.add(turn.id)
        held = held or any(cutter.texts.of(text).holds(answer) for answer in answers)
    won.found[budget].append(sum(e in earned for e in evidence) / len(evidence))
    if answers:
        won.held[budget].append(held)


def least_coverage(talks: Sequence[Talk], *, sentence: bool = False) -> dict[float, Rate]:
    """Return the share of true pairs that pass and hold so much of their turn's weight.

    With `sentence` the facts are the turns' own sentences.
    """
    rates = {least: Rate() for least in LEAST}
    for talk in talks:
        cutter = Cutter(talk)
        facts = talk.facts
        if sentence:
            facts = [(s, [turn.id]) for turn in talk.turns[:400] for s in sentences(turn.text)]
        for fact, cited in facts:
            for turn_id in cited:
                passes = cutter.claims.accepted(fact, [turn_id])[0]
                share = cutter.share(fact, talk.by_id[turn_id])
                for least, rate in rates.items():
                    rate[passes and share >= least] += 1
    return rates


def _nameless(turn: Turn) -> Turn:
    return replace(turn, speaker="")


def _blind(turn: Turn) -> Turn:
    return replace(turn, text=turn.meta.get("words", turn.text), meta={})


VARIANTS = {
    "memlab": Variant(),
    "share of weight alone": Variant(chance=NEVER, background=0, verbatim=False),
    "without stemming": Variant(stemming=False),
    "without the speaker": Variant(show=_nameless),
    "without captions": Variant(show=_blind),
    "without verbatim turns": Variant(verbatim=False),
    "background 0": Variant(background=0),
    "background 100": Variant(background=100),
    "chance 0.02": Variant(chance=0.02),
    "chance 0.20": Variant(chance=0.2),
    "share 0.25": Variant(share=0.25),
    "share 0.35": Variant(share=0.35),
}


def _row(label: str, rates: Iterable[Rate]) -> None:
    print(f"{label:28}", *(f"{rate!s:>18}" for rate in rates))


def _attacks(talks: Sequence[Talk]) -> None:
    for label in ("memlab", "share of weight alone"):
        for split in (False, True):
            found = [attack(talks, VARIANTS[label], group, split=split) for group in GROUPS]
            values = " ".join(f"{100 * r[True] / max(1, r.total()):6.2f}" for r in found)
            shape = "one item a sentence" if split else "one item"
            print(f"{label + ', ' + shape:44} {values}  (n={found[0].total()})")


def _pairs(data: dict[str, list[Talk]]) -> None:
    print("\nClaims accepted, %: LoCoMo observations")
    print(" " * 28, *(f"{n:>18}" for n in ("true", "same session", "+ speaker", "elsewhere")))
    for label, variant in VARIANTS.items():
        _row(label, pairs(data["LoCoMo"], variant).values())
    _row("memlab, at session's end", pairs(data["LoCoMo"], VARIANTS["memlab"], early=True).values())
    if "MemDaily" in data:
        for label in ("memlab", "share of weight alone"):
            _row(f"MemDaily, {label[:18]}", pairs(data["MemDaily"], VARIANTS[label]).values())


def _cuts(path: Path, data: dict[str, list[Talk]]) -> None:
    print("\nTurns cut short, LoCoMo: recall and answers held at", *TOKENS, "tokens")
    for how, won in snippets(path, WAYS).items():
        print(f"{how:28}", *(f"{won.recall(b):8.3f} {won.answers(b):.3f}" for b in TOKENS))
    print("\nTrue pairs that hold a least share of their turn's weight, %:", *LEAST)
    _row("observations", least_coverage(data["LoCoMo"]).values())
    for name, talks in data.items():
        _row(f"sentences, {name}", least_coverage(talks[:3], sentence=True).values())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Validate the check of claimed sources.")
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--memdaily", type=Path)
    parser.add_argument("--beam", type=Path)
    given = parser.parse_args()
    data = {"LoCoMo": locomo(given.locomo)}
    if given.memdaily:
        data["MemDaily"] = memdaily(given.memdaily)
    if given.beam:
        data["BEAM"] = beam(given.beam)
    _pairs(data)
    print("\nFacts of a session joined, %: claims its citations | claims the session: cited, other")
    for label in ("memlab", "share of weight alone"):
        _row(label, summaries(data["LoCoMo"], VARIANTS[label]).values())
    print("\nOne turn's text claims its session, %: itself | the others")
    for name, talks in data.items():
        if name != "BEAM":
            _row(name, copies(talks, VARIANTS["memlab"]))
    print("\nEvidence won by 300 frequent words that claim every turn, %; words to a sentence:")
    print(" " * 44, " ".join(f"{group:6}" for group in GROUPS))
    for name, talks in data.items():
        print(name)
        _attacks(talks)
    _cuts(given.locomo, data)


if __name__ == "__main__":
    main()
