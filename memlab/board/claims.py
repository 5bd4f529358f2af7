"""The words of the board: claims, the workloads that test them, the checks of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memlab.board.evidence import Evidence
from memlab.board.scored import Scored
from memlab.rundata import RunData

if TYPE_CHECKING:
    from memlab.results import Results


class Check(Protocol):
    """What a workload is measured for."""

    @property
    def scored(self) -> Scored:
        """What it scores."""
        ...

    @property
    def title(self) -> str:
        """The check in words."""
        ...

    @property
    def expectation(self) -> object:
        """What is expected; its text is shown."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The strategies it is about."""
        ...

    @property
    def tested(self) -> bool:
        """Whether it is a test, with a p."""
        ...

    @property
    def difference(self) -> bool:
        """Whether its effect is a difference."""
        ...

    def measure(self, results: RunData) -> Evidence:
        """Return what a run says."""
        ...


@dataclass(frozen=True)
class Workload:
    """An experiment that a claim foretells the outcome of.

    `experiment` holds the parameters of `memlab.evaluate`; `needs` what it takes beyond the
    claim's own needs.
    """

    name: str
    why: str
    needs: tuple[str, ...]
    experiment: Mapping[str, Any]
    checks: tuple[Check, ...]

    def run(self, out: str | Path | None = None, jobs: int = 1) -> Results:
        """Run the experiment by itself, or go on with it where `out` has it."""
        from memlab.runner import evaluate

        return evaluate(**self.experiment, out=out, jobs=jobs)


@dataclass(frozen=True)
class Claim:
    """A claim on memory with the workloads that test it.

    `digest` is the hash of everything in its file that can change a verdict.
    """

    id: str
    claim: str
    needs: tuple[str, ...]
    workloads: tuple[Workload, ...]
    digest: str
    note: str = ""
