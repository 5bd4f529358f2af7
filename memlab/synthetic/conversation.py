"""A synthetic conversation: its events, and the ledger behind them, generated as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from memlab.errors import ConfigError
from memlab.synthetic.abilities import ABILITY
from memlab.synthetic.events import events
from memlab.synthetic.export import row_json, row_text
from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.plan import Plan, make_plan
from memlab.synthetic.rivals import add_rivals
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.talk import Said, Writer
from memlab.types import Event

if TYPE_CHECKING:
    import pandas as pd


class Generated:
    """One conversation of a spec: an iterable of events that can be walked again and again.

    It holds a plan as large as the questions; the turns are written as they are read.
    """

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        self.spec, self.number = spec, number

    def __reduce__(self) -> tuple[type[Generated], tuple[DialogueSpec, int]]:
        return Generated, (self.spec, self.number)

    def __repr__(self) -> str:
        return f"<{self.id}: {self.spec.turns} turns, {self.spec.probes} probes>"

    @cached_property
    def plan(self) -> Plan:
        """The facts that are asked for, and the questions."""
        return make_plan(self.spec, self.number, ABILITY, add_rivals)

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return self.plan.id

    @property
    def people(self) -> Mapping[str, Person]:
        """The people by id."""
        return self.plan.people

    def rows(self) -> Iterator[Row]:
        """Yield everything that is stated, asked for or not, in the order said."""
        for said in self._said():
            yield from said.rows

    def ledger(self) -> pd.DataFrame:
        """Return everything that is stated as a table, values in the first language."""
        import pandas as pd

        first = self.plan.words[0]
        table = pd.DataFrame([row_json(row, self.people, [first]) for row in self.rows()])
        for column in ("key", "value"):
            table[column] = [cell[first.code] if cell else None for cell in table[column]]
        return table

    def world(self) -> pd.DataFrame:
        """Return the people as a table: who speaks, and what the others are to them."""
        import pandas as pd

        return pd.DataFrame(self.people.values()).set_index("id")

    def transcript(self) -> pd.DataFrame:
        """Return every turn with what it states beside it, from the ledger."""
        import pandas as pd

        words = self.plan.words[0]
        lines = [
            {
                "turn": f"t{line.position}",
                "session": line.session + 1,
                "time": line.time,
                "speaker": self.people[line.sayer].name
                if line.sayer in self.people
                else line.sayer,
                "text": line.text,
                "states": "; ".join(row_text(row, self.people, words) for row in line.rows),
            }
            for line in self._said()
        ]
        return pd.DataFrame(lines).set_index("turn")

    def _said(self) -> Iterator[Said]:
        writer = Writer(self.plan)
        for number in range(self.spec.sessions):
            yield from writer.session(number)

    def __iter__(self) -> Iterator[Event]:
        return events(self.plan, self._said())


def generate(spec: DialogueSpec) -> list[Generated]:
    """Return the conversations of a spec; nothing is written until it is read.

    `ml.load("synthetic", spec=spec)` gives a data set of the same conversations.

    Raises:
        ConfigError: anything but a spec.
    """
    if not isinstance(spec, DialogueSpec):
        raise ConfigError(f"{spec!r:.60}", "a DialogueSpec")
    return [Generated(spec, number) for number in range(spec.conversations)]
