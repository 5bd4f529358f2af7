"""Small dialogues for strategies."""

from datetime import timedelta

import pytest

from memlab.run import Run
from memlab.types import Query, Turn, utc

START = utc("2024-01-01T09:00")


@pytest.fixture
def turns():
    """Make turns of one user, roles alternating, ids t0, t1, …"""

    def make(*texts, user="ann", first=0, **more):
        return [
            Turn(
                id=f"t{first + i}",
                text=text,
                time=START + timedelta(minutes=first + i),
                role="user" if i % 2 == 0 else "assistant",
                user=user,
                **more,
            )
            for i, text in enumerate(texts)
        ]

    return make


@pytest.fixture
def told():
    """Reset a memory, attach a run, and write turns into it."""

    def tell(memory, turns, run=None):
        memory.reset()
        memory.attach(run or Run())
        for turn in turns:
            memory.write(turn)
        return memory

    return tell


@pytest.fixture
def ask():
    """Return the ids that a memory returns, best first."""

    def read(memory, text="", budget=None, user="ann"):
        items = memory.read(Query(text, START + timedelta(days=1), user), budget)
        return [item.sources[0] for item in items]

    return read
