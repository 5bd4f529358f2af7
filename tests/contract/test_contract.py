"""Every registered strategy keeps the contract; a new one is picked up by its registry line."""

import pytest

from memlab.contract import CHECKS
from memlab.parsing import parse
from memlab.registry import STRATEGIES
from memlab.testing import run_check

VARIANTS = [
    "Window(turns=3)",
    "Window(exchanges=2)",
    "Window(turns=0)",
    "TokenWindow(tokens=20)",
    "BM25(form='said', stemming=False, unique=False)",
    "Vector(embedder=Hashing())",
    "Hybrid(legs=(BM25(), Vector(embedder=Hashing())))",
    "Hybrid(legs=(BM25(), Vector(embedder=Hashing())), fusion='rrf')",
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("spelt", [*(f"{name}()" for name in STRATEGIES), *VARIANTS])
def test_contract(spelt, check):
    memory = parse(spelt)
    outcome = run_check(check, memory)
    if outcome.result == "skipped":
        pytest.skip(outcome.reason)
    assert outcome.result == "passed", outcome.reason


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"NoMemory"}))
def test_every_storing_strategy_forgets_saves_and_loads(name):
    memory = parse(f"{name}()")
    assert [m for m in ("forget", "save", "load") if not hasattr(memory, m)] == []
