"""The failure browser's data: failures, questions and dialogues, of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.reporting.dialogues import LONGEST, Sketch, chosen_turns, dialogue, sketch
from memlab.reporting.failed import Failed, failed
from memlab.reporting.index import RANKS, index, lost_texts
from memlab.reporting.shown import many
from memlab.rundata import RunData
from memlab.types import Record


@dataclass(frozen=True, slots=True)
class Browser:
    """What the page shows: `index` of failures and questions, and their dialogues.

    `shown` of `total` failures; `notes` tell what was left out.
    """

    index: dict[str, Any]
    dialogues: tuple[dict[str, Any], ...]
    shown: int
    total: int
    notes: tuple[str, ...]


def browser(results: RunData, metric: str, most: int, room: int) -> Browser:
    """Return at most `most` failures, and the dialogues behind them in about `room` bytes.

    Where there is no room, fewer failures are shown, and of long dialogues only the turns
    around evidence and returned turns.

    Raises:
        MemlabError: the data set is not at hand.
    """
    talks = {conversation.id: conversation for conversation in results.dataset}
    found = failed(results, metric, most)
    sketches = {name: sketch(talks[name]) for name in _talks(results, found)}
    while (chosen := chosen_turns(sketches, _needed(results, found, sketches), room)) is None:
        found = failed(results, metric, len(found.shown) * 3 // 4)
    sketches = {name: sketches[name] for name in _talks(results, found)}
    dialogues = tuple(
        dialogue(talks[name], chosen[name], made.shared) for name, made in sketches.items()
    )
    rows = index(results, metric, found, talks, sketches)
    notes = [*_notes(found, dialogues, rows["failures"])]
    if lost := lost_texts(results):
        notes.append(f"excerpts, summaries and other texts are not shown: {lost}")
    return Browser(rows, dialogues, len(found.shown), found.total, tuple(notes))


def _shown(results: RunData, found: Failed) -> Iterable[Record]:
    return (results.records[i] for i in found.shown)


def _talks(results: RunData, found: Failed) -> list[str]:
    """Return the conversations of failures, in the order of the records."""
    names = {record.conversation for record in _shown(results, found)}
    return [
        name for name in dict.fromkeys(r.conversation for r in results.records) if name in names
    ]


def _needed(results: RunData, found: Failed, sketches: Mapping[str, Sketch]) -> dict[str, set[int]]:
    """Return the positions of the turns that failures refer to, by conversation."""
    needed: dict[str, set[int]] = {}
    for record in _shown(results, found):
        places = sketches[record.conversation].places
        turns = (*record.evidence, *record.stale, *record.forbidden, *record.ranked[:RANKS])
        needed.setdefault(record.conversation, set()).update(
            places[turn] for turn in turns if turn in places
        )
    return needed


def _notes(
    found: Failed, dialogues: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    if len(found.shown) < found.total:
        yield (
            f"shown: {len(found.shown):,} of {found.total:,} failures, "
            "the worst of each strategy and budget"
        )
    part = sum(len(one["turns"]) < one["total"] for one in dialogues)
    if part:
        yield (
            f"shown in part: {part:,} of {len(dialogues):,} dialogues, "
            "their turns near evidence and returned turns"
        )
    cut = sum(one["cut"] for one in dialogues)
    if cut:
        yield f"{many(cut, 'turn')} cut after {LONGEST:,} characters"
    longer = sum(row["total"] > RANKS for row in rows)
    if longer:
        yield (
            f"{many(longer, 'read')} returned more than {RANKS} ranks: of the rest only evidence, "
            "superseded and forbidden turns are shown"
        )
