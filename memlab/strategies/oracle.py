"""The ceiling: the evidence and nothing else."""

from __future__ import annotations

from typing import ClassVar

from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.run import Run
from memlab.types import Item, Query


@strategy
class Oracle(TurnMemory):
    """Return the evidence of the probe that is being asked, in dialogue order.

    Privileged: it sees the conversation with its labels. It can return only what was
    written and not forgotten, within the budget, so it is the ceiling of the other
    strategies on the same data.
    """

    privileged: ClassVar[bool] = True

    def attach(self, run: Run) -> None:
        """Look up the evidence of every probe of the conversation."""
        super().attach(run)
        self._evidence: dict[Query, set[str]] = {}
        for probe in run.conversation.probes() if run.conversation else ():
            query = Query(probe.text, probe.time, probe.user)
            self._evidence.setdefault(query, set()).update(probe.evidence)

    def reset(self) -> None:
        """Forget the turns, and the labels of the conversation before."""
        super().reset()
        self._evidence = {}

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the evidence that is still kept."""
        wanted = self._evidence.get(query, set())
        rows = self.history.rows(query.user)
        return self.history.pack(
            ((row, 1.0) for row in rows if self.history[row].id in wanted), budget
        )
