"""memlab: compare memory strategies of conversational agents.

Importing this package imports none of its parts; each name is resolved when it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlab.board.board import hypotheses as hypotheses
    from memlab.evidence import coverage as coverage
    from memlab.gate.check import check as check
    from memlab.history import History as History
    from memlab.history import TurnMemory as TurnMemory
    from memlab.naming import component as component
    from memlab.naming import part as part
    from memlab.naming import strategy as strategy
    from memlab.paper.bundle import bundle as bundle
    from memlab.paper.methods import methods as methods
    from memlab.paper.verify import verify as verify
    from memlab.parsing import parse as parse
    from memlab.portrait import describe as describe
    from memlab.protocols import Memory as Memory
    from memlab.repeating import repeat as repeat
    from memlab.reporting.write import report as report
    from memlab.results import Results as Results
    from memlab.runner import evaluate as evaluate
    from memlab.scores import score as score
    from memlab.spec import load as load
    from memlab.splits import LeaveOneConversationOut as LeaveOneConversationOut
    from memlab.splits import LeaveOneDatasetOut as LeaveOneDatasetOut
    from memlab.sweeps import grid as grid
    from memlab.synthetic.conversation import generate as generate
    from memlab.synthetic.spec import DialogueSpec as DialogueSpec
    from memlab.testing import check_memory as check_memory
    from memlab.tracing import Trace as Trace
    from memlab.tracing import trace as trace
    from memlab.types import Conversation as Conversation
    from memlab.types import Dataset as Dataset
    from memlab.types import Forget as Forget
    from memlab.types import Item as Item
    from memlab.types import Probe as Probe
    from memlab.types import Query as Query
    from memlab.types import SessionEnd as SessionEnd
    from memlab.types import Tick as Tick
    from memlab.types import Turn as Turn

__version__ = "0.1.0"

_HOMES = {
    "memlab.board.board": "hypotheses",
    "memlab.gate.check": "check",
    "memlab.history": "History TurnMemory",
    "memlab.naming": "component part strategy",
    "memlab.paper.bundle": "bundle",
    "memlab.paper.methods": "methods",
    "memlab.paper.verify": "verify",
    "memlab.parsing": "parse",
    "memlab.types": "Conversation Dataset Forget Item Probe Query SessionEnd Tick Turn",
    "memlab.protocols": "Memory",
    "memlab.spec": "load",
    "memlab.runner": "evaluate",
    "memlab.repeating": "repeat",
    "memlab.reporting.write": "report",
    "memlab.scores": "score",
    "memlab.results": "Results",
    "memlab.testing": "check_memory",
    "memlab.evidence": "coverage",
    "memlab.portrait": "describe",
    "memlab.synthetic.conversation": "generate",
    "memlab.synthetic.spec": "DialogueSpec",
    "memlab.splits": "LeaveOneConversationOut LeaveOneDatasetOut",
    "memlab.sweeps": "grid",
    "memlab.tracing": "Trace trace",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOME:
        raise AttributeError(f"module 'memlab' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
