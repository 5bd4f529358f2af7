"""The contract of a memory, check by check."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from itertools import product
from pathlib import Path
from typing import Any

from memlab.digests import canonical_json
from memlab.errors import ContractError, MemlabError, TruncationWarning
from memlab.judging.items import item_fault
from memlab.naming import describe, fields, providers
from memlab.parsing import parse
from memlab.protocols import Memory, chooses, learns_on_read, privileged
from memlab.run import Run
from memlab.samples import FOREIGN, LONG, SECRET, TURNS, conversation, query
from memlab.types import Item, Query, Turn

BUDGETS = (0, 1, 12, 40, 100_000, None)
QUESTIONS = ("What colour is the kayak that I bought?", "storm warning", "茶", "")


class Inapplicable(Exception):  # noqa: N818 - not an error: the check does not apply
    """A check that does not apply to a strategy, with the reason."""


class Trial:
    """A strategy under test: makes fresh copies, writes turns, reads."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._run = Run()

    def fresh(self, turns: Sequence[Turn] = ()) -> Any:  # noqa: ANN401 - abilities are optional
        """Return a reset copy that has seen the turns."""
        memory = copy.deepcopy(self._memory)
        memory.reset()
        seen = conversation() if privileged(memory) else None
        for part in providers(memory, "attach"):
            part.attach(Run(self._run.counter, conversation=seen))
        for turn in turns:
            memory.write(turn)
        return self.settled(memory)

    def settled(self, memory: Any) -> Any:  # noqa: ANN401
        """Let a memory finish what it does between sessions and before a probe."""
        for part in providers(memory, "maintain"):
            part.maintain(query().time)
        for part in providers(memory, "flush"):
            part.flush()
        return memory

    def tokens(self, items: Sequence[Item]) -> int:
        """Return the tokens of the item texts."""
        return sum(self._run.count(item.text) for item in items)

    def needs(self, method: str) -> None:
        """Skip the check if the strategy lacks an ability."""
        if not callable(getattr(self._memory, method, None)):
            raise Inapplicable(f"it has no {method}()")

    @property
    def memory(self) -> Any:  # noqa: ANN401
        """The strategy as it was given."""
        return self._memory


def ask(memory: Any, asked: Query, budget: int | None) -> list[Item]:  # noqa: ANN401
    """Read, and check that a list of items came back."""
    items = memory.read(asked, budget)
    if not (isinstance(items, list) and all(isinstance(i, Item) for i in items)):
        raise ContractError(f"read returned {items!r:.60}", "a list of Item")
    return items


def _require(condition: object, found: str, expected: str = "", fix: str = "") -> None:
    if not condition:
        raise ContractError(found, expected, fix)


def _context(items: Sequence[Item]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(item.text, item.sources, item.kind) for item in items]


def repr_parses_back(trial: Trial) -> None:
    """The repr reads back to an equal object, so it can be label, config and cache key."""
    if not is_dataclass(trial.memory):
        raise Inapplicable("it is not a @strategy")
    spelt = describe(trial.memory)
    try:
        _require(parse(spelt) == trial.memory, f"{spelt} reads back to something else")
    except MemlabError as error:
        raise ContractError(f"{spelt} does not read back: {error}") from error


def constructor_only_stores(trial: Trial) -> None:
    """The constructor makes no state and changes no argument."""
    if not is_dataclass(trial.memory):
        raise Inapplicable("it is not a @strategy")
    cls: Any = type(trial.memory)
    made = cls(**fields(trial.memory))
    extra = set(vars(made)) - set(fields(made))
    _require(not extra, f"the constructor makes {sorted(extra)}", "fields only", "use reset()")
    _require(made == trial.memory, "the constructor changes its arguments", "it only stores")


def empty_memory_is_silent(trial: Trial) -> None:
    """Reading before any write returns nothing."""
    for budget in BUDGETS:
        items = ask(trial.fresh(), query(), budget)
        _require(items == [], f"an empty memory returned {items!r} at budget {budget}", "[]")


def budget_is_kept(trial: Trial) -> None:
    """A read keeps to its budget; without one, it returns what a huge one does, up to 100 items."""
    memory = trial.fresh(TURNS)
    for text in QUESTIONS:
        for budget in (*range(0, 140, 4), 100_000):
            used = trial.tokens(ask(memory, _asked(text), budget))
            _require(used <= budget, f"{used} tokens at a budget of {budget}", "at most that")
        free, huge = (_ranked(memory, text, budget) for budget in (None, 100_000))
        _require(free == huge, f"without budget {free}, at 100,000 {huge}", "the same")
    many = trial.fresh([_numbered(i) for i in range(300)])
    _require(len(ask(many, query(), None)) <= 100, "more than 100 items without a budget")


def larger_budgets_go_on(trial: Trial) -> None:
    """A read cuts at the first misfit: a larger budget goes on where a smaller one stopped."""
    if chooses(trial.memory):
        raise Inapplicable("it chooses what fills the budget")
    memory = trial.fresh(TURNS)
    for text in QUESTIONS:
        smaller: list[str] = []
        for budget in (*range(0, 140, 4), 100_000):
            ranked = _ranked(memory, text, budget)
            _require(
                ranked[: len(smaller)] == smaller,
                f"at budget {budget} the ranking is {ranked}, at a smaller one {smaller}",
                "the same ranking, cut later",
            )
            smaller = ranked


def _ranked(memory: Memory, text: str, budget: int | None) -> list[str]:
    return [source for item in ask(memory, _asked(text), budget) for source in item.sources]


def _asked(text: str, user: str = "ann") -> Query:
    return Query(text, query().time, user)


def _numbered(number: int) -> Turn:
    return Turn(id=f"n{number}", text=f"kayak {number}", time=query().time, user="ann")


def reset_forgets(trial: Trial) -> None:
    """After reset nothing of before comes back."""
    memory = trial.fresh(TURNS)
    memory.reset()
    for part in providers(memory, "attach"):
        part.attach(Run())
    for budget in BUDGETS:
        found = ask(trial.settled(memory), query(), budget)
        _require(found == [], f"items survived reset(), at budget {budget}", "[]")


def instances_share_nothing(trial: Trial) -> None:
    """What one instance is told, another does not know."""
    trial.fresh(TURNS)
    other = trial.fresh()
    for budget in BUDGETS:
        _require(ask(other, query(), budget) == [], "an instance knows another one's turns")


def same_input_same_output(trial: Trial) -> None:
    """Two copies that saw the same turns return the same."""
    first, second = (ask(trial.fresh(TURNS), query(), 200) for _ in range(2))
    _require(_context(first) == _context(second), "two equal replays differ", "the same items")


def same_in_another_process(trial: Trial) -> None:
    """Another process, with another hash seed and another `time.time`, returns the same."""
    memory: Any = trial.memory
    if not is_dataclass(memory):
        raise Inapplicable("it is not a @strategy")
    spelt = describe(memory)
    if "__main__:" in spelt or "<locals>" in spelt:
        raise Inapplicable("its class was not imported from a file")
    here = context_of(trial.memory)
    there = _elsewhere(spelt)
    _require(there == here, "another process returns something else", "no clock, no hash order")


def context_of(memory: Memory) -> str:
    """Return what a memory answers to the questions of the checks, as text."""
    trial = Trial(memory)
    told = trial.fresh(TURNS)
    answers = [_context(ask(told, _asked(text), 200)) for text in QUESTIONS]
    return canonical_json(answers)


_ELSEWHERE = """
import sys, time
now = time.time
time.time = lambda: now() + 1e8
from memlab.naming import parse
from memlab.contract import context_of
sys.stdout.buffer.write(context_of(parse(sys.argv[1])).encode())
"""


def _elsewhere(spelt: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # noqa: S603 - this interpreter, and a program of ours
        [sys.executable, "-c", _ELSEWHERE, spelt], env=environment, capture_output=True, check=False
    )
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise ContractError(f"another process failed: {''.join(last)}")
    return done.stdout.decode()


def reads_change_nothing(trial: Trial) -> None:
    """A read does not change the next ones, unless the strategy says touch=True."""
    if learns_on_read(trial.memory):
        raise Inapplicable("it learns on read (touch=True)")
    memory = trial.fresh(TURNS)
    before = _context(ask(memory, query(), 200))
    others = product((*QUESTIONS, "kayak"), (50, 7, None))
    for text, budget in others:
        ask(memory, _asked(text), budget)
        _require(_context(ask(memory, query(), 200)) == before, "reading changed the next read")
    for _ in range(30):
        _require(_context(ask(memory, query(), 200)) == before, "after many reads, another one")


def reads_teach_nothing(trial: Trial) -> None:
    """A memory that was read answers, after a further write, as one that was not."""
    if learns_on_read(trial.memory):
        raise Inapplicable("it learns on read (touch=True)")
    asked, silent = trial.fresh(TURNS[:-1]), trial.fresh(TURNS[:-1])
    for text in QUESTIONS:
        ask(asked, _asked(text), 200)
    for memory in (asked, silent):
        memory.write(TURNS[-1])
        trial.settled(memory)
    for text in QUESTIONS:
        same = _context(ask(asked, _asked(text), 200)) == _context(ask(silent, _asked(text), 200))
        _require(same, f"reading changed what {text!r} gets after the next write")


def global_randomness_is_left_alone(trial: Trial) -> None:
    """Neither seeded nor drawn from: another strategy's draws must not depend on this one."""
    before = _random_state()
    ask(trial.fresh(TURNS), query(), 200)
    _require(before == _random_state(), "global random state was changed", "run.rng(…), or none")


def _random_state() -> str:
    import random

    import numpy as np

    state = np.random.get_state(legacy=False)  # noqa: NPY002 - read, to see that nobody drew
    return f"{random.getstate()}{state['state']['key'].tolist()}{state['state']['pos']}"


def saves_and_loads(trial: Trial) -> None:
    """A saved and loaded memory returns the same context, and goes on from there."""
    trial.needs("save")
    trial.needs("load")
    first, second = trial.fresh(TURNS[:-1]), trial.fresh()
    with tempfile.TemporaryDirectory() as folder:
        first.save(Path(folder))
        second.load(Path(folder))
    for moment in ("after loading", "after a further write"):
        same = _context(ask(first, query(), 200)) == _context(ask(second, query(), 200))
        _require(same, f"{moment} the context differs", "the context before saving")
        for memory in (first, second):
            if moment == "after loading":
                memory.write(TURNS[-1])
                trial.settled(memory)


def saving_changes_nothing(trial: Trial) -> None:
    """A memory that was saved, or looked at by held(), goes on as one that was not."""
    trial.needs("save")
    saved, twin = trial.fresh(TURNS[:-1]), trial.fresh(TURNS[:-1])
    with tempfile.TemporaryDirectory() as folder:
        saved.save(Path(folder))
    if callable(getattr(saved, "held", None)):
        list(saved.held())
    for moment in ("after saving", "after a further write"):
        for text in QUESTIONS:
            same = _context(ask(saved, _asked(text), 200)) == _context(ask(twin, _asked(text), 200))
            _require(same, f"{moment} {text!r} gets another context", "that of an unsaved memory")
        if moment == "after saving":
            for memory in (saved, twin):
                memory.write(TURNS[-1])
                trial.settled(memory)


def users_are_apart(trial: Trial) -> None:
    """No user ever gets another's turns, by id or by text."""
    memory = trial.fresh(TURNS)
    for asker, budget in product(("ann", "bob", "nobody"), BUDGETS):
        own = {turn.id for turn in TURNS if turn.user == asker}
        items = ask(memory, _asked(f"{SECRET} {FOREIGN} kayak", asker), budget)
        sources = {source for item in items for source in item.sources}
        _require(sources <= own, f"{asker} got {sorted(sources - own)}", "own turns only")
        word = {"ann": FOREIGN, "bob": SECRET}.get(asker)
        leaked = word is not None and any(word in item.text for item in items)
        _require(not leaked, f"{asker} got a text with {word!r}", "nothing of another user")


def forgotten_stays_forgotten(trial: Trial) -> None:
    """Forgotten turns never come back, by id or text, before and after reloading."""
    trial.needs("forget")
    memory, twin = trial.fresh(TURNS), trial.fresh(TURNS)
    for either in (memory, twin):
        ask(either, _asked(SECRET), None)
    secret = [turn.id for turn in TURNS if SECRET in turn.text]
    memory.forget(secret, "bob")
    kept = ask(trial.settled(twin), _asked(SECRET), None)
    same = _context(ask(trial.settled(memory), _asked(SECRET), None))
    _require(same == _context(kept), "bob deleted a turn of ann's", "only the owner deletes")
    memory.forget(secret, "ann")
    memory.forget(["never said"], "ann")
    _no_trace(trial.settled(memory), secret, "forget()")
    if hasattr(memory, "save") and hasattr(memory, "load"):
        reloaded = trial.fresh()
        with tempfile.TemporaryDirectory() as folder:
            memory.save(Path(folder))
            for file in Path(folder).rglob("*"):
                if file.is_file():
                    _require(SECRET.encode() not in file.read_bytes(), f"{file.name} keeps it")
            reloaded.load(Path(folder))
        for text in QUESTIONS:  # before anything else is asked: some memories learn on read
            left = _context(ask(memory, _asked(text), 200))
            again = _context(ask(reloaded, _asked(text), 200))
            _require(left == again, "after forget(), saving and loading lose something else")
        _no_trace(reloaded, secret, "forget(), save() and load()")


def _no_trace(memory: Memory, secret: Sequence[str], after: str) -> None:
    for text, budget in product((SECRET, "kayak", *QUESTIONS), BUDGETS):
        for item in ask(memory, _asked(text), budget):
            traced = set(item.sources) & set(secret) or SECRET in item.text
            _require(not traced, f"after {after}, {item!r} came back", "nothing of it")


def sources_exist(trial: Trial) -> None:
    """Every source is a turn that was written; a turn item carries its turn's text, once."""
    texts = {turn.id: turn.text for turn in TURNS}
    memory = trial.fresh(TURNS)
    for text, budget in product(QUESTIONS, BUDGETS):
        items = ask(memory, _asked(text), budget)
        whole = [item for item in items if item.kind == "turn"]
        _require(len(whole) == len(set(whole)), f"an item twice at budget {budget}", "each once")
        for item in items:
            fault = item_fault(item, texts.get)
            _require(fault is None, fault or "")


def odd_texts_are_welcome(trial: Trial) -> None:
    """Chinese, emoji, empty and 100 kB texts are written and asked for without a fault."""
    odd = ["你好，我喜欢喝茶。", "👩‍👩‍👧 🛶", "", " \n\t", "Å\u0301 NFC/NFD", "<|endoftext|>", LONG]
    turns = [
        Turn(id=f"o{i}", text=text, time=query().time, user="ann") for i, text in enumerate(odd)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        memory = trial.fresh(turns)
        for text, budget in product(odd, (0, 5, 500, None)):
            items = ask(memory, _asked(text), budget)
            used = trial.tokens(items)
            kept = budget is None or used <= budget
            _require(kept, f"{used} tokens at {budget} for {text[:20]!r}", "at most the budget")


def tool_results_keep_their_call(trial: Trial) -> None:
    """A tool result never comes back without the call it answers."""
    memory = trial.fresh(TURNS)
    calls = {t.id: t.meta["call"] for t in TURNS if "call" in t.meta}
    callers = {t.meta["call"]: t.id for t in TURNS if "call" in t.meta and t.role != "tool"}
    for text in ("weather storm warning", "kayak", query().text):
        for budget in range(0, 120, 3):
            items = ask(memory, _asked(text), budget)
            got = {source for item in items for source in item.sources}
            lonely = [i for i in got if i in calls and callers[calls[i]] not in got]
            _require(not lonely, f"at budget {budget} {lonely} came without the call")


CHECKS: tuple[Callable[[Trial], None], ...] = (
    repr_parses_back,
    constructor_only_stores,
    empty_memory_is_silent,
    budget_is_kept,
    larger_budgets_go_on,
    reset_forgets,
    instances_share_nothing,
    same_input_same_output,
    same_in_another_process,
    reads_change_nothing,
    reads_teach_nothing,
    global_randomness_is_left_alone,
    saves_and_loads,
    saving_changes_nothing,
    users_are_apart,
    forgotten_stays_forgotten,
    sources_exist,
    odd_texts_are_welcome,
    tool_results_keep_their_call,
)
