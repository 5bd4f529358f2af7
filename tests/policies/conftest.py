"""Strings of references to pages of one size, played through main memory."""

from datetime import timedelta

import pytest

from memlab.pages import MemoryPage
from memlab.paging import Paging
from memlab.run import Run
from memlab.types import utc

START = utc("2024-01-01T09:00")


@pytest.fixture(scope="session")
def page():
    """Make a page of a token."""

    def make(name, tokens=1, hours=0.0, **more):
        at = START - timedelta(hours=hours)
        return MemoryPage(id=str(name), content="", tokens=tokens, last_accessed=at, **more)

    return make


@pytest.fixture(scope="session")
def memory():
    """Make a main memory of a number of tokens for a policy."""

    def make(policy, tokens, **more):
        run = Run()

        def draw(number, below):
            return int(run.rng("eviction", str(number)).integers(below))

        policy.reset(tokens, draw)
        return Paging(tokens, policy, **more)

    return make


@pytest.fixture(scope="session")
def faults(page, memory):
    """Count the faults of a string on empty frames, with all its pages in the archive."""

    def count(policy, references, frames):
        paging = memory(policy, frames)
        paging.archive = {str(name): page(name) for name in references}
        if hasattr(policy, "foresee"):
            policy.foresee([str(name) for name in references])
        for number, name in enumerate(references):
            paging.access(str(name), START + timedelta(minutes=number))
        return paging.counts["faults"]

    return count
