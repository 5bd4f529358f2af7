"""How much of the evidence survived loading: no strategy can find what is not there."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
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


def coverage_lines(dataset: Dataset) -> list[Line]:
    """Return the lines of the coverage table, in the order of the data.

    A loader notes what it lost in `Probe.meta["lost_evidence"]`: role -> references; the role
    is `unknown` where the reference names no turn. Raw labels keep such references; they count
    as lost here, because they can never be hit.
    """
    kept: Counter[tuple[str, str, str]] = Counter()
    lost: Counter[tuple[str, str, str]] = Counter()
    for talk in dataset:
        name = str(talk.meta.get("dataset", dataset.name))
        said, roles, names = Ids(), array("i"), list[str]()
        for event in talk.events:
            if isinstance(event, Turn):
                said.add(event.id)
                if event.role not in names:
                    names.append(event.role)
                roles.append(names.index(event.role))
            elif isinstance(event, Probe):
                for role, count in _lost(event):
                    lost[name, event.category, role] += count
                for turn in event.evidence:
                    rows = said.rows(turn)
                    role = names[roles[rows[-1]]] if rows else "unknown"
                    (kept if rows else lost)[name, event.category, role] += 1
    return [Line(*key, kept[key], lost[key]) for key in dict.fromkeys([*kept, *lost])]


def _lost(probe: Probe) -> Iterator[tuple[str, int]]:
    noted = probe.meta.get("lost_evidence")
    if isinstance(noted, Mapping):
        yield from ((str(role), int(count)) for role, count in noted.items())


def coverage(dataset: Dataset) -> pd.DataFrame:
    """Return the share of evidence that survived loading, by category and role."""
    import pandas as pd

    rows = [(*line, line.share) for line in coverage_lines(dataset)]
    return pd.DataFrame(rows, columns=[*Line._fields, "share"])


def shortfall(dataset: Dataset) -> str:
    """Return a sentence on what was lost; empty if nothing was."""
    lines = coverage_lines(dataset)
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
