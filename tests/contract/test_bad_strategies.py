"""The contract catches what it is for: each of these strategies is wrong in one way."""

import pytest

from memlab.contract import CHECKS
from memlab.errors import Faults
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.strategies import FullHistory, Window
from memlab.testing import check_memory, run_check
from memlab.types import Item


@strategy
class Leaks(FullHistory):
    def read(self, query, budget):
        rows = range(len(self.history.turns)) if budget else []
        return self.history.pack(((r, 0.0) for r in rows if self.history.turns[r]), budget)


@strategy
class Remembers(FullHistory):
    """What was forgotten comes back at finite budgets."""

    def reset(self):
        super().reset()
        self.gone = []

    def forget(self, turn_ids, user):
        self.gone += [t for t in self.history.live() if t.id in turn_ids and t.user == user]
        super().forget(turn_ids, user)

    def read(self, query, budget):
        found = super().read(query, budget)
        own = [Item.of(t) for t in self.gone if t.user == query.user]
        return found if budget is None or budget < 100 else own + found


@strategy
class SkipsAndFills(TurnMemory):
    def read(self, query, budget):
        items, left = [], budget or 10**9
        for row in self.history.newest(query.user):
            turn = self.history[row]
            if "call" not in turn.meta and self.history.tokens[row] <= left and budget != 0:
                left -= self.history.tokens[row]
                items.append(Item.of(turn))
        return items[:100]


@strategy
class HashOrder(TurnMemory):
    def read(self, query, budget):
        rows = sorted(self.history.rows(query.user), key=lambda r: hash(self.history[r].text))
        return self.history.pack(((r, 0.0) for r in rows), budget)


@strategy
class WallClock(TurnMemory):
    def read(self, query, budget):
        import time

        rows = self.history.rows(query.user)
        first = int(time.time() // 3e7) % max(1, len(rows))
        return self.history.pack(((r, 0.0) for r in rows[first:] + rows[:first]), budget)


@strategy
class Twice(FullHistory):
    def read(self, query, budget):
        half = budget if budget is None else budget // 2
        return [i for item in super().read(query, half)[:50] for i in (item, item)]


@strategy
class Tires(FullHistory):
    """Every tenth read is another one."""

    def reset(self):
        super().reset()
        self.reads = 0

    def read(self, query, budget):
        self.reads += 1
        found = super().read(query, budget)
        return found[:1] if self.reads % 10 == 0 else found


@strategy
class Overspends(FullHistory):
    def read(self, query, budget):
        return super().read(query, None if budget is None else budget + 5)


@strategy
class Rewrites(FullHistory):
    def read(self, query, budget):
        return [Item(i.text.upper(), i.sources) for i in super().read(query, budget)]


@strategy
class LonelyResults(Window):
    def read(self, query, budget):
        return [i for i in super().read(query, budget) if "weather(" not in i.text]


class Shared(FullHistory):
    """All instances share one list."""

    kept = []  # noqa: RUF012 - that is the fault

    def write(self, turn):
        super().write(turn)
        self.kept.append(turn)

    def read(self, query, budget):
        return [Item.of(t) for t in self.kept if t.user == query.user][: 0 if budget == 0 else 1]


@strategy
class WorksAtOnce(FullHistory):
    size: int = 1

    def __post_init__(self):
        self.model = object()


@strategy
class LearnsLate(FullHistory):
    """What was asked for changes the order, but only after the next write."""

    def reset(self):
        super().reset()
        self.asked = self.waiting = 0

    def write(self, turn):
        super().write(turn)
        self.asked = self.waiting

    def read(self, query, budget):
        self.waiting += 1
        rows = self.history.rows(query.user)
        start = self.asked % max(1, len(rows))
        return self.history.pack(((r, 0.0) for r in rows[start:] + rows[:start]), budget)


@strategy
class BadMaintain(FullHistory):
    """Between sessions everybody's turns are thrown together."""

    def maintain(self, now):
        self.history._users = {
            user: {r: None for r, t in enumerate(self.history.turns) if t}
            for user in ("ann", "bob", "nobody")
        }


@strategy
class StrictForget(FullHistory):
    def forget(self, turn_ids, user):
        for turn_id in turn_ids:
            self.history._row_of[turn_id]
        super().forget(turn_ids, user)


@strategy
class DropsWhenSaved(FullHistory):
    """Saving takes the newest turn out of sight."""

    def reset(self):
        super().reset()
        self.hidden = 0

    def save(self, path):
        super().save(path)
        self.hidden = 1

    def read(self, query, budget):
        return super().read(query, budget)[self.hidden :]


@strategy
class LosesOnSave(FullHistory):
    """A deletion makes the next save forget more than was asked."""

    def forget(self, turn_ids, user):
        super().forget(turn_ids, user)
        self.lossy = bool(turn_ids)

    def save(self, path):
        super().save(path)
        if getattr(self, "lossy", False):
            lines = (path / "turns.jsonl").read_text("utf-8").splitlines(keepends=True)
            (path / "turns.jsonl").write_text("".join(lines[:-1]), "utf-8")


@strategy
class GlobalRandom(FullHistory):
    def read(self, query, budget):
        import random

        random.random()
        return super().read(query, budget)


class NoList(FullHistory):
    def read(self, query, budget):
        return iter(super().read(query, budget))


@pytest.mark.parametrize(
    ("memory", "check"),
    [
        (Leaks(), "users_are_apart"),
        (Remembers(), "forgotten_stays_forgotten"),
        (SkipsAndFills(), "larger_budgets_go_on"),
        (HashOrder(), "same_in_another_process"),
        (WallClock(), "same_in_another_process"),
        (Twice(), "sources_exist"),
        (Tires(), "reads_change_nothing"),
        (Overspends(), "budget_is_kept"),
        (Rewrites(), "sources_exist"),
        (LonelyResults(), "tool_results_keep_their_call"),
        (Shared(), "instances_share_nothing"),
        (WorksAtOnce(), "constructor_only_stores"),
        (LearnsLate(), "reads_teach_nothing"),
        (BadMaintain(), "users_are_apart"),
        (StrictForget(), "forgotten_stays_forgotten"),
        (DropsWhenSaved(), "saving_changes_nothing"),
        (LosesOnSave(), "forgotten_stays_forgotten"),
        (GlobalRandom(), "global_randomness_is_left_alone"),
        (NoList(), "empty_memory_is_silent"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_check_finds_it(memory, check, monkeypatch, pytestconfig):
    import sys

    # The other process imports this file by the name pytest gave it.
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    sys.modules.setdefault(type(memory).__module__, sys.modules[__name__])
    (function,) = [c for c in CHECKS if c.__name__ == check]
    outcome = run_check(function, memory)
    assert outcome.result == "failed", outcome
    with pytest.raises(Faults, match=check.replace("_", " ")):
        check_memory(memory)
