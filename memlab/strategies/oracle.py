"""The ceiling: the evidence and nothing else."""

from __future__ import annotations

from typing import ClassVar

from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.run import Run
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class Oracle(TurnMemory):
    """Return the evidence of the probe that is being asked, in dialogue order.

    Privileged: it sees the conversation with its labels. It can return only what was
    written and not forgotten, within the budget, so it is the ceiling of the other
    strategies on the same data.

    >>> Oracle.privileged
    True
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "labels")

    privileged: ClassVar[bool] = True

    def attach(self, run: Run) -> None:
        """Look up the evidence of every probe of the run's conversation."""
        super().attach(run)
        self._look_up()

    def reset(self) -> None:
        """Forget the turns."""
        super().reset()
        self._look_up()

    def _look_up(self) -> None:
        self._evidence: dict[Query, set[str]] = {}
        seen = self.run.conversation
        for probe in seen.probes() if seen else ():
            query = Query(probe.text, probe.time, probe.user)
            self._evidence.setdefault(query, set()).update(probe.evidence)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the evidence that is still kept."""
        wanted = self._evidence.get(query, set())
        rows = self.history.rows(query.user)
        return self.history.pack(
            ((row, 1.0) for row in rows if self.history[row].id in wanted), budget
        )
