"""Run the contract on a strategy: `check_memory`, for anybody's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memlab.contract import CHECKS, Inapplicable, Trial
from memlab.errors import ContractError, Faults, fault_text
from memlab.naming import spell
from memlab.protocols import Memory


@dataclass(frozen=True)
class Outcome:
    """What a check gave: `passed`, `failed` or `skipped`, and why."""

    check: str
    result: str
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """The outcomes of all checks on one strategy."""

    strategy: str
    outcomes: tuple[Outcome, ...]

    def __repr__(self) -> str:
        lines = [f"{o.result:<8}{o.check}{': ' * bool(o.reason)}{o.reason}" for o in self.outcomes]
        return "\n".join([self.strategy, *lines])


def run_check(check: Callable[[Trial], None], memory: Memory) -> Outcome:
    """Run one check on a strategy."""
    name = check.__name__.replace("_", " ")
    try:
        check(Trial(memory))
    except Inapplicable as reason:
        return Outcome(name, "skipped", str(reason))
    except Exception as error:  # noqa: BLE001 - any fault of the strategy is the outcome
        told = str(error) if isinstance(error, ContractError) else fault_text(error)
        return Outcome(name, "failed", told)
    return Outcome(name, "passed")


def check_memory(memory: Memory) -> Report:
    """Run the whole contract on a strategy and return the report.

    Raises:
        Faults: every check that failed.

    >>> from memlab.strategies import Window
    >>> print(check_memory(Window(turns=3)).outcomes[0].result)
    passed
    """
    if isinstance(memory, type):
        raise ContractError(f"{memory.__name__} is a class", f"an object: {memory.__name__}()")
    missing = [m for m in ("reset", "write", "read") if not callable(getattr(memory, m, None))]
    if missing:
        raise ContractError(f"{memory!r} has no {missing[0]}()", "reset, write and read")
    outcomes = tuple(run_check(check, memory) for check in CHECKS)
    failed = [f"{o.check}: {o.reason}" for o in outcomes if o.result == "failed"]
    if failed:
        passed = ", ".join(o.check for o in outcomes if o.result == "passed")
        head = f"{len(failed)} of {len(outcomes)} checks failed (passed: {passed or 'none'})"
        raise Faults(failed, head)
    return Report(spell(memory), outcomes)
