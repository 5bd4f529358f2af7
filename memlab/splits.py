"""Several data sets as one, and splits that keep choosing apart from judging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memlab.digests import digest
from memlab.errors import ConfigError
from memlab.naming import component
from memlab.types import Conversation, Dataset, Frozen


def join(datasets: Sequence[Dataset]) -> Dataset:
    """Return data sets as one; conversations are named `<data set>/<conversation>`.

    Every conversation keeps the name of its data set in `meta["dataset"]`, which results show
    apart and average over.

    Raises:
        ConfigError: no data set, or two of one name.
    """
    names = [dataset.name for dataset in datasets]
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"data sets named {names}", "at least one, with names of their own")
    return Dataset(
        "+".join(names),
        tuple(_of(dataset, talk) for dataset in datasets for talk in dataset),
        options={"datasets": [dict(d.options) for d in datasets]}
        if all(d.options for d in datasets)
        else {},
        card={dataset.name: dict(dataset.card) for dataset in datasets},
        defects=tuple(
            defect._replace(where=f"{d.name}: {defect.where}")
            for d in datasets
            for defect in d.defects
        ),
        sha256=digest([dataset.sha256 for dataset in datasets]),
        vectors=tuple(path for dataset in datasets for path in dataset.vectors),
    )


def _of(dataset: Dataset, talk: Conversation) -> Conversation:
    meta = Frozen({**talk.meta, "dataset": dataset.name})
    return replace(talk, id=f"{dataset.name}/{talk.id}", meta=meta)


@dataclass(frozen=True)
class Split:
    """A part to choose on and a part to judge on, with the name of what is held out."""

    name: str
    development: Dataset
    held_out: Dataset


class Splitter(Protocol):
    """Cuts a data set into splits."""

    def splits(self, dataset: Dataset) -> Iterator[Split]:
        """Yield the splits in the order of the data."""
        ...


@component
class LeaveOneConversationOut:
    """Hold out each conversation in turn: for one data set, such as LoCoMo's ten."""

    def splits(self, dataset: Dataset) -> Iterator[Split]:
        """Yield one split for each conversation.

        Raises:
            ConfigError: fewer than two conversations.
        """
        return _leave_out(dataset, [talk.id for talk in dataset])


@component
class LeaveOneDatasetOut:
    """Hold out each data set of a joined one in turn: does a choice carry over to new data?"""

    def splits(self, dataset: Dataset) -> Iterator[Split]:
        """Yield one split for each data set.

        Raises:
            ConfigError: fewer than two data sets.
        """
        return _leave_out(dataset, [str(talk.meta.get("dataset", "")) for talk in dataset])


def _leave_out(dataset: Dataset, groups: Sequence[str]) -> Iterator[Split]:
    names = list(dict.fromkeys(groups))
    if len(names) < 2:
        raise ConfigError(f"{dataset.name!r} has only {names}", "two or more to hold one out")
    return (
        Split(
            name,
            _kept(dataset, [group != name for group in groups], f"{dataset.name} without {name}"),
            _kept(dataset, [group == name for group in groups], name),
        )
        for name in names
    )


def _kept(dataset: Dataset, mask: Sequence[bool], name: str) -> Dataset:
    talks = (talk for talk, kept in zip(dataset, mask, strict=True) if kept)
    return replace(dataset, name=name, conversations=tuple(talks), options={}, defects=())
