"""Failures and their questions as JSON values, each stored once, turns by their position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memlab.errors import RunError
from memlab.naming import spell
from memlab.render import headings, shown_metrics
from memlab.reporting.dialogues import Sketch
from memlab.reporting.failed import KINDS, Failed
from memlab.reporting.shown import placeless
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.types import Conversation, Probe, Record, Turn

RANKS = 100
"""Ranks that are shown of a read; evidence beyond them is shown with its rank."""
_DERIVED, _LETTERS = 20, 1000
"""How many derived items of a read are shown, and how much of each."""

Read = tuple[str, str, str, int | None]


def index(
    results: RunData,
    metric: str,
    found: Failed,
    talks: Mapping[str, Conversation],
    sketches: Mapping[str, Sketch],
) -> dict[str, Any]:
    """Return what the list of failures needs; `sketches` gives the order of conversations."""
    numbers = {name: n for n, name in enumerate(sketches)}
    asked = {name: _asked(talks[name]) for name in sketches}
    records = [results.records[i] for i in found.shown]
    keys = list(dict.fromkeys((record.conversation, record.probe) for record in records))
    metrics = shown_metrics(results)
    return {
        "metric": spell(as_metric(metric)),
        "metrics": headings(metrics),
        "groups": [list(group) for group in results.groups],
        "kinds": list(KINDS),
        "conversations": [[name, str(talks[name].meta.get("dataset", ""))] for name in sketches],
        "probes": [
            _probe(*asked[talk][probe], numbers[talk], sketches[talk]) for talk, probe in keys
        ],
        "failures": _failures(results, found, sketches, {key: n for n, key in enumerate(keys)}),
    }


def _failures(
    results: RunData,
    found: Failed,
    sketches: Mapping[str, Sketch],
    probes: Mapping[tuple[str, str], int],
) -> list[dict[str, Any]]:
    groups = {group: n for n, group in enumerate(results.groups)}
    values = [results.values(metric) for metric in shown_metrics(results)]
    texts = derived(results, (results.records[i] for i in found.shown))
    rows = []
    for i in found.shown:
        record = results.records[i]
        row = {
            "group": groups[record.strategy, record.budget],
            "probe": probes[record.conversation, record.probe],
            "kinds": list(found.kinds[i]),
            "value": _rounded(found.values[i]),
            "values": [_rounded(of[i]) for of in values],
        }
        row |= _read(record, sketches[record.conversation])
        rows.append(row | {"derived": texts.get(_key(record), [])})
    return rows


def derived(results: RunData, records: Iterable[Record]) -> dict[Read, list[list[str]]]:
    """Return kind and text of the returned items that are no whole turns, of some reads.

    Nothing where the run's file of them cannot be read: see `lost_texts`.
    """
    if lost_texts(results):
        return {}
    wanted = {_key(record) for record in records}
    found = {}
    for line in results.texts:
        key = (line["strategy"], line["conversation"], line["probe"], line["budget"])
        if key in wanted:
            items = line["items"][:_DERIVED]
            found[key] = [[item["kind"], item["text"][:_LETTERS]] for item in items]
    return found


def lost_texts(results: RunData) -> str:
    """Say why items that are no whole turns cannot be shown, as where only a summary was kept."""
    try:
        results.texts  # noqa: B018 - read here, and kept
    except RunError as error:
        return placeless(error.found)
    return ""


def _key(record: Record) -> Read:
    return record.strategy, record.conversation, record.probe, record.budget


def _asked(conversation: Conversation) -> dict[str, tuple[Probe, int]]:
    """Return the probes of a conversation, each with the number of turns said before it."""
    found, turns = {}, 0
    for event in conversation.events:
        if isinstance(event, Turn):
            turns += 1
        elif isinstance(event, Probe):
            found[event.id] = (event, turns)
    return found


def _probe(probe: Probe, said: int, talk: int, made: Sketch) -> dict[str, Any]:
    return {
        "id": probe.id,
        "talk": talk,
        "text": probe.text,
        "time": probe.time.strftime("%Y-%m-%d %H:%M"),
        "said": said,
        "category": probe.category,
        "user": probe.user if made.shared else "",
        "answers": list(probe.answers),
        "answerable": probe.answerable,
        "evidence": _places(probe.evidence, made),
        "stale": _places(probe.stale, made),
        "forbidden": _places(probe.forbidden, made),
    }


def _read(record: Record, made: Sketch) -> dict[str, Any]:
    marked = {*record.evidence, *record.stale, *record.forbidden}
    late = [
        [rank, *_places([turn], made)]
        for rank, turn in enumerate(record.ranked)
        if rank >= RANKS and turn in marked
    ]
    return {
        "ranks": _places(record.ranked[:RANKS], made),
        "late": late,
        "total": len(record.ranked),
        "rejected": [rank for rank in record.rejected if rank < RANKS],
        "tokens": record.tokens,
        "cut": record.cut,
        "error": record.error,
    }


def _places(turns: Iterable[str], made: Sketch) -> list[int | str]:
    """Return the position of each turn; the id of one that the dialogue does not have."""
    return [made.places.get(turn, turn) for turn in turns]


def _rounded(value: float) -> float | None:
    return None if value != value else round(float(value), 4)
