"""What became of a claim: its verdict, its workloads' runs and checks; read and written as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memlab.board.evidence import AGAINST, DESCRIPTIVE, EXPECTED, Outcome
from memlab.drafts import drafted
from memlab.errors import DataError

HELD, REFUTED, NOT_SEPARATED = "held", "refuted", "not separated"
NOT_YET, NOT_HERE, NOT_RUN = "not measurable yet", "not measured here", "not run yet"
VERDICTS = (HELD, REFUTED, NOT_SEPARATED, DESCRIPTIVE, NOT_YET, NOT_HERE, NOT_RUN)


@dataclass(frozen=True, slots=True)
class Measured:
    """A workload that was measured: the folder of its run, and its checks."""

    workload: str
    run: str
    checks: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A claim that was measured; `digest` is that of its file then.

    `missing` tells what could not be measured for want of a component, `away` what could not
    be measured on that machine.
    """

    id: str
    digest: str
    memlab: str
    verdict: str
    workloads: tuple[Measured, ...]
    missing: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "digest": self.digest,
            "memlab": self.memlab,
            "verdict": self.verdict,
            "workloads": [
                {"name": m.workload, "run": m.run, "checks": [c.to_json() for c in m.checks]}
                for m in self.workloads
            ],
            "missing": list(self.missing),
            "away": list(self.away),
        }

    def found(self) -> Entry:
        """Return what was found without the names of the runs, which are hashes of the code."""
        unnamed = (replace(one, run="") for one in self.workloads)
        return replace(self, workloads=tuple(unnamed))

    @classmethod
    def from_json(cls, name: str, data: Mapping[str, Any]) -> Entry:
        """Read back what `to_json` wrote."""
        measured = tuple(
            Measured(m["name"], m["run"], tuple(Outcome(**c) for c in m["checks"]))
            for m in data["workloads"]
        )
        known = (data["digest"], data["memlab"], data["verdict"], measured)
        return cls(name, *known, tuple(data["missing"]), tuple(data["away"]))


def verdict(checks: Sequence[Outcome]) -> str:
    """Return the verdict on a claim by its checks.

    Refuted if one speaks against it, held if all are as expected; descriptive if one has fewer
    than six conversations; else not separated.
    """
    found = [check.verdict for check in checks]
    if AGAINST in found:
        return REFUTED
    if all(one == EXPECTED for one in found):
        return HELD
    return DESCRIPTIVE if DESCRIPTIVE in found else NOT_SEPARATED


def read_entries(path: Path) -> dict[str, Entry]:
    """Read a file of verdicts; one that does not exist holds none.

    Raises:
        DataError: it is not such a file.
    """
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text("utf-8"))
        return {name: Entry.from_json(name, one) for name, one in data.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"cannot read {path}: {type(error).__name__}: {error}",
            "verdicts that memlab wrote",
            "memlab hypotheses --run writes it anew once the file is gone",
        ) from error


def write_entries(path: Path, entries: Mapping[str, Entry]) -> None:
    """Write verdicts, whole or not at all; equal ones give equal bytes."""
    data = {name: entries[name].to_json() for name in sorted(entries)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafted(path) as draft:
        draft.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
