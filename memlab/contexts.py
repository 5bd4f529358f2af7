"""The context that each strategy gave for each probe, as a reader would be shown it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.drafts import drafted
from memlab.errors import ConfigError, Faults, suggest
from memlab.judging.items import CARRIED
from memlab.rundata import RunData
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Probe, Record, Turn

if TYPE_CHECKING:
    import pandas as pd

ID = ("strategy", "conversation", "probe", "budget")
"""What names a row: answers and judgements come back with these four columns."""
COLUMNS = (
    *("run", *ID, "category", "question", "question_time", "answers", "answerable"),
    *("context", "tokens", "sources", "error"),
)
_SHOWN = 20


@dataclass
class _Talk:
    """What the contexts of one conversation need of it: the turns returned, and its probes."""

    wanted: set[str] = field(default_factory=set)
    turns: dict[str, tuple[int, Turn]] = field(default_factory=dict)
    probes: dict[str, Probe] = field(default_factory=dict)


def context_table(
    results: RunData, strategies: Sequence[str] | None, budget: int | str | None
) -> pd.DataFrame:
    """Return one line per record, in the order of the records."""
    import pandas as pd

    return pd.DataFrame(list(_rows(results, strategies, budget)), columns=list(COLUMNS))


def write_contexts(
    results: RunData,
    path: Path,
    strategies: Sequence[str] | None,
    budget: int | str | None,
) -> Path:
    """Write one JSON line per record; the file is whole or not there."""
    with drafted(path) as draft, draft.open("wb") as file:
        for row in _rows(results, strategies, budget):
            text = json.dumps(row, ensure_ascii=False)
            file.write(text.encode("utf-8", "backslashreplace") + b"\n")
    return path


def _rows(
    results: RunData, strategies: Sequence[str] | None, budget: int | str | None
) -> Iterator[dict[str, Any]]:
    """Yield the rows; what is missing is told at the end, all at once."""
    records = _chosen(results, strategies, budget)
    derived = _derived(results)
    talks = _talks(results, records, derived)
    counter = CachedCounter(tokenizer(results.manifest["resolved"]["tokenizer"]))
    run = f"{results.manifest['name']}-{results.manifest['hash8']}"
    faults: list[str] = []
    for record in records:
        talk = talks.get(record.conversation, _Talk())
        probe = talk.probes.get(record.probe)
        if probe is None:
            faults.append(f"{where(record)}: the data have no such probe")
            continue
        context = None
        if record.error is None:
            context, fault = _context(record, derived.get(_key(record), ()), talk, counter)
            if fault:
                faults.append(f"{where(record)}: {fault}")
        yield _row(run, record, probe, context)
    refuse(faults, f"{len(faults)} contexts cannot be put together")


def refuse(faults: Sequence[str], head: str) -> None:
    """Raise `Faults` if there are any; a long list is cut, and said to be."""
    if faults:
        more = [f"… and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        raise Faults([*faults[:_SHOWN], *more], head)


def _row(run: str, record: Record, probe: Probe, context: str | None) -> dict[str, Any]:
    given = {"run": run} | {name: getattr(record, name) for name in ID}
    return given | {
        "category": record.category,
        "question": probe.text,
        "question_time": probe.time.isoformat(),
        "answers": list(probe.answers),
        "answerable": probe.answerable,
        "context": context,
        "tokens": record.tokens,
        "sources": list(record.ranked),
        "error": record.error,
    }


def _chosen(
    results: RunData, strategies: Sequence[str] | None, budget: int | str | None
) -> list[Record]:
    labels = dict.fromkeys(label for label, _ in results.groups)
    budgets = dict.fromkeys(limit for _, limit in results.groups)
    wanted = [strategies] if isinstance(strategies, str) else strategies
    faults = [
        f"no strategy {name!r} in this run; {suggest(str(name), labels)}"
        for name in wanted or ()
        if name not in labels
    ]
    if budget != "all" and budget not in budgets:
        known = ", ".join(map(str, budgets))
        faults.append(str(ConfigError(f"no budget {budget!r} in this run", known)))
    if faults:
        raise Faults(faults, f"{len(faults)} fault(s) in the choice of contexts")
    return [
        record
        for record in results.records
        if (wanted is None or record.strategy in wanted)
        and (budget == "all" or record.budget == budget)
    ]


def _derived(results: RunData) -> dict[tuple[Any, ...], Sequence[Mapping[str, Any]]]:
    return {tuple(line[name] for name in ID): line["items"] for line in results.texts}


def _key(record: Record) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in ID)


def where(record: Record) -> str:
    """Name a record in a message."""
    limit = "no budget" if record.budget is None else f"budget {record.budget}"
    return f"{record.strategy!r}, probe {record.probe!r} of {record.conversation!r}, {limit}"


def _talks(
    results: RunData, records: Sequence[Record], derived: Mapping[Any, Any]
) -> dict[str, _Talk]:
    """Return, for each conversation, the turns that were returned and its probes."""
    talks: dict[str, _Talk] = {}
    for record in records:
        wanted = talks.setdefault(record.conversation, _Talk()).wanted
        wanted.update(record.ranked)
        wanted.update(s for item in derived.get(_key(record), ()) for s in item["sources"])
    for conversation in results.dataset:
        talk = talks.get(conversation.id)
        if talk is None:
            continue
        for place, event in enumerate(conversation.events):
            if isinstance(event, Turn) and event.id in talk.wanted:
                talk.turns[event.id] = (place, event)
            elif isinstance(event, Probe):
                talk.probes[event.id] = event
    return talks


def _context(
    record: Record, items: Sequence[Mapping[str, Any]], talk: _Talk, counter: CachedCounter
) -> tuple[str, str]:
    """Return the context, or what is missing of it.

    The turns are the ranks that no other item claims. Their number and the tokens of all are
    checked against the record, so that a lost text is told.
    """
    claims = [_claims(item) for item in items]
    whole = Counter(record.ranked)
    whole.subtract(source for claimed in claims for source in claimed)
    if min(whole.values(), default=0) < 0 or whole.total() + len(items) != record.items:
        return "", "the derived texts are not those of this read"
    named = {*whole.elements(), *(s for claimed in claims for s in claimed)}
    absent = sorted(named - set(talk.turns))
    if absent:
        return "", f"the data have no turns {', '.join(absent)}"
    turns = [talk.turns[name] for name in whole.elements()]
    spent = sum(counter.count(turn.text) for _, turn in turns)
    spent += sum(counter.count(item["text"]) for item in items)
    if spent != record.tokens:
        return "", f"its texts have {spent} tokens, the record says {record.tokens}"
    lines = [(place, _said(turn, turn.text)) for place, turn in turns]
    for item, claimed in zip(items, claims, strict=True):
        place = min((talk.turns[source][0] for source in claimed), default=-1)
        lines.append((place, _made(item, talk)))
    return "\n".join(text for _, text in sorted(lines, key=lambda line: line[0])), ""


def _claims(item: Mapping[str, Any]) -> list[str]:
    """Return the ranks that an item took, as the replay counted them."""
    sources = item["sources"]
    return list(sources) if item["kind"] in CARRIED else list(dict.fromkeys(sources))


def _said(turn: Turn, text: str, note: str = "") -> str:
    return f"[{turn.time:%Y-%m-%d %H:%M}] {turn.speaker}{note}: {text}"


def _made(item: Mapping[str, Any], talk: _Talk) -> str:
    if item["kind"] in CARRIED:
        return _said(talk.turns[item["sources"][0]][1], item["text"], " (excerpt)")
    return f"[{item['kind']}] {item['text']}"
