"""Questions of LoCoMo with a pronoun in the place of the speaker's name, and what resolves it.

    python experiments/pronouns.py ../shared/data/locomo/locomo10.json

A question that names one of the two speakers is asked with "he" or "she" instead. Recall(k=10)
of BM25 with the name, with the pronoun, and with the pronoun resolved from the last 20 turns;
and how often the right person was put in.
"""

import re
import sys
from dataclasses import replace

import memlab as ml
from memlab.metrics import Recall
from memlab.policies import QueryRewriter
from memlab.strategies import BM25, Rewriting
from memlab.types import Conversation, Probe, Query

SHE = set("Caroline Melanie Gina Maria Joanna Audrey Deborah Jolene".split())
PLAIN = QueryRewriter(ellipsis=False, dates=False, spelling=False, translation=False)


def asked(text: str, name: str) -> str:
    """Put the pronoun in the place of the first mention of a name."""
    subject, owner = ("she", "her") if name in SHE else ("he", "his")
    text = re.sub(rf"\b{name}(['’]s)\b", owner, text, count=1)
    return re.sub(rf"\b{name}\b", subject, text)


def disguised(talk: Conversation) -> tuple[Conversation, dict[str, str]]:
    """Return the conversation with pronouns, and the questions that have one."""
    speakers = sorted({turn.speaker for turn in talk.turns()})
    events, names = [], {}
    for event in talk.events:
        if isinstance(event, Probe):
            named = [s for s in speakers if re.search(rf"\b{s}\b", event.text)]
            if len(named) != 1 or not event.answerable:
                continue
            event = replace(event, text=asked(event.text, named[0]))
            names[event.id] = named[0]
        events.append(event)
    return Conversation(talk.id, tuple(events)), names


def kept(talk: Conversation, names: dict[str, str]) -> Conversation:
    """Return the conversation with the same questions as they were."""
    events = (e for e in talk.events if not isinstance(e, Probe) or e.id in names)
    return Conversation(talk.id, tuple(events))


def main(path: str) -> None:
    """Print the table."""
    data = ml.load("locomo", path=path, labels="repaired")
    pairs = [disguised(talk) for talk in data]
    right = total = touched = 0
    for talk, names in pairs:
        tail = list(talk.turns())[-20:]
        for probe in talk.probes():
            text = PLAIN.rewrite(Query(probe.text, probe.time, probe.user), tail).text
            total += 1
            touched += text != probe.text
            right += names[probe.id] in text
    print(f"{total} questions: {touched} resolved, {right} to the right person")
    named = replace(
        data,
        options={},
        conversations=tuple(kept(t, n) for t, (_, n) in zip(data, pairs, strict=True)),
    )
    bare = replace(data, options={}, conversations=tuple(talk for talk, _ in pairs))
    for label, memory, asked_of in (
        ("named", BM25(), named),
        ("pronoun", BM25(), bare),
        ("resolved", Rewriting(rewriter=PLAIN), bare),
    ):
        results = ml.evaluate({label: memory}, asked_of, [Recall(k=5), Recall(k=10)])
        print(results.summary().to_string())


if __name__ == "__main__":
    main(sys.argv[1])
