"""How much of the evidence survived loading: no strategy can find what is not there."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memlab.ids import Ids
from memlab.types import Dataset, Probe, Turn

if TYPE_CHECKING:
    import pandas as pd


class Line(NamedTuple):
    """Evidence references of a category on turns of a role: kept, and lost in loading."""

    dataset: str
    category: str
    role: str
    kept: int
    lost: int

    @property
    def share(self) -> float:
        """The share that survived."""
        return self.kept / (self.kept + self.lost)


class Audit(NamedTuple):
    """What one walk over a data set finds: coverage, probes by category, references that dangle.

    `dangling` counts the evidence, stale and forbidden ids that name no turn said before the
    probe. Raw labels of published data hold some, on purpose; they can never be hit.
    """

    lines: tuple[Line, ...]
    probes: dict[str, int]
    dangling: int


def audit(dataset: Dataset) -> Audit:
    """Walk a data set once; the lines of the coverage table come in the order of the data.

    A loader notes what it lost in `Probe.meta["lost_evidence"]`: role -> references; the role
    is `unknown` where the reference names no turn. Raw labels keep such references; they count
    as lost here, because they can never be hit.
    """
    kept: Counter[tuple[str, str, str]] = Counter()
    lost: Counter[tuple[str, str, str]] = Counter()
    probes: Counter[str] = Counter()
    dangling = 0
    for talk in dataset:
        name = str(talk.meta.get("dataset", dataset.name))
        said = _Said()
        for event in talk.events:
            if isinstance(event, Turn):
                said.add(event)
            elif isinstance(event, Probe):
                probes[event.category] += 1
                for role, count in _lost(event):
                    lost[name, event.category, role] += count
                for turn in event.evidence:
                    role = said.role(turn)
                    (kept if role else lost)[name, event.category, role or "unknown"] += 1
                named = {*event.evidence, *event.stale, *event.forbidden}
                dangling += sum(not said.role(turn) for turn in named)
    lines = (Line(*key, kept[key], lost[key]) for key in dict.fromkeys([*kept, *lost]))
    return Audit(tuple(lines), dict(probes), dangling)


class _Said:
    """The roles of the turns said so far, by their ids."""

    def __init__(self) -> None:
        self._ids, self._roles, self._names = Ids(), array("i"), list[str]()

    def add(self, turn: Turn) -> None:
        self._ids.add(turn.id)
        if turn.role not in self._names:
            self._names.append(turn.role)
        self._roles.append(self._names.index(turn.role))

    def role(self, turn_id: str) -> str:
        """Return the role of a turn; empty if it was not said."""
        rows = self._ids.rows(turn_id)
        return self._names[self._roles[rows[-1]]] if rows else ""


def _lost(probe: Probe) -> Iterator[tuple[str, int]]:
    noted = probe.meta.get("lost_evidence")
    if isinstance(noted, Mapping):
        yield from ((str(role), int(count)) for role, count in noted.items())


def coverage(dataset: Dataset) -> pd.DataFrame:
    """Return the share of evidence that survived loading, by category and role."""
    import pandas as pd

    rows = [(*line, line.share) for line in audit(dataset).lines]
    return pd.DataFrame(rows, columns=[*Line._fields, "share"])


def shortfall(dataset: Dataset, lines: Sequence[Line]) -> str:
    """Return a sentence on what was lost, by the lines of the table; empty if nothing was."""
    lost = sum(line.lost for line in lines)
    if not lost:
        return ""
    total = lost + sum(line.kept for line in lines)
    parts = (f"{line.lost} of {line.category} on {line.role} turns" for line in lines if line.lost)
    reasons = Counter(d.kind for d in dataset.defects if d.action == "dropped")
    why = ", ".join(f"{kind} ({n})" for kind, n in reasons.items())
    return (
        f"{dataset.name}: {100 * (total - lost) / total:.2f} % of {total} evidence references "
        f"survived loading; lost: {', '.join(parts)}" + (f"; dropped: {why}" if why else "")
    )
