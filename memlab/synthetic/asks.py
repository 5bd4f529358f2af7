"""Questions as the planner sees them: what is asked, of whom, when; no words yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from memlab.synthetic.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question, asked after `position` turns were said, of the store of `owner`.

    `kind` says how the ledger answers it (`memlab.synthetic.derive`). `args` are the events it
    names, `as_of` the day it is about, `n` the place in an order (−1 the last), `via` the
    relation by which it names the subject.
    """

    position: int
    owner: str
    category: str
    kind: str
    subject: str
    fact: str
    key: Value | None = None
    args: tuple[Value, ...] = ()
    as_of: date | None = None
    n: int = 0
    via: str = ""

    @property
    def negated(self) -> bool:
        """Whether it asks for what is not so."""
        return self.kind == "negated"


@dataclass(frozen=True, slots=True)
class Slot:
    """What a turn has to say: a row of the ledger, in a manner.

    Manners: `say`, `change` (names the new value as a change; `old` may be told), `hint`,
    `hearsay`, `bare` (the answer to the question of the turn before), `question` (that
    question), `feel`, `relation`, `advice_ask`, `tool_ask`, `call`, `result`, `tool_ack`, `forget`,
    `mention` (of what the row is about, without its value).
    """

    row: str
    manner: str = "say"
    old: Value | None = None
