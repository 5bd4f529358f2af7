"""Whether the order of questions changes what they get: replays forwards and backwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memlab.board.rankwise import key, scores
from memlab.probewise import Scores
from memlab.rundata import RunData
from memlab.runner import evaluate
from memlab.types import Conversation, Dataset, Event, Probe


def same_reordered(results: RunData, strategy: str, budget: int | None) -> Scores:
    """Return 1 where a probe gets the same ranking when its neighbours are asked in reverse.

    Probes between two turns are asked at one time, forwards in one replay and backwards in a
    second one. Probes that stand alone are left out.
    """
    resolved = results.manifest["resolved"]
    rankings = []
    for backwards in (False, True):
        again = evaluate(
            {strategy: results.manifest["strategies"][strategy]},
            _asked(results.dataset, backwards=backwards),
            ["Recall()"],
            budget=budget,
            seed=resolved["seed"],
            tokenizer=resolved["tokenizer"],
        )
        rankings.append({key(record): record.ranked for record in again.records})
    forwards, reverse = rankings
    several = {pair for talk in results.dataset for pair in _in_company(talk)}
    keys = [one for one in forwards if (one.conversation, one.probe) in several]
    return scores(keys, [float(forwards[one] == reverse[one]) for one in keys])


def _blocks(talk: Conversation) -> list[list[Event]]:
    """Return the events; probes that follow each other share a list."""
    blocks: list[list[Event]] = []
    for event in talk.events:
        if isinstance(event, Probe) and blocks and isinstance(blocks[-1][-1], Probe):
            blocks[-1].append(event)
        else:
            blocks.append([event])
    return blocks


def _asked(dataset: Dataset, *, backwards: bool) -> Dataset:
    talks = []
    for talk in dataset:
        events: list[Event] = []
        for block in _blocks(talk):
            last = block[-1].time
            same = [replace(e, time=last) if isinstance(e, Probe) else e for e in block]
            events += same[::-1] if backwards else same
        talks.append(replace(talk, events=tuple(events)))
    return replace(dataset, conversations=tuple(talks), options={})


def _in_company(talk: Conversation) -> Iterator[tuple[str, str]]:
    for block in _blocks(talk):
        if len(block) > 1:
            yield from ((talk.id, event.id) for event in block if isinstance(event, Probe))
