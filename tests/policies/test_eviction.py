"""Eviction policies on known strings of references, and on pages of several sizes."""

import json
from collections import OrderedDict
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.parsing import parse
from memlab.policies import ARC, CLOCK, FIFO, LFU, LRU, Belady, RandomEviction, WeightedLRU
from memlab.types import utc

NOW = utc("2024-01-01T09:00")
ALL = [ARC, Belady, CLOCK, FIFO, LFU, LRU, RandomEviction, WeightedLRU]

# Silberschatz, Galvin and Gagne, "Operating System Concepts": FIFO 15, LRU 12, OPT 9.
BOOK = "70120304230321201701"
# Belady, Nelson and Shedler (1969): FIFO 9 with three frames, 10 with four.
ANOMALY = "123412512345"
# Stallings, "Operating Systems": after three frames are filled OPT 3, LRU 4, FIFO 6, CLOCK 5.
CLOCKS = "232152453252"


@pytest.mark.parametrize(
    ("policy", "references", "frames", "expected"),
    [
        (FIFO, BOOK, 3, 15),
        (LRU, BOOK, 3, 12),
        (Belady, BOOK, 3, 9),
        (FIFO, ANOMALY, 3, 9),
        (FIFO, ANOMALY, 4, 10),
        (LRU, ANOMALY, 3, 10),
        (LRU, ANOMALY, 4, 8),
        (Belady, ANOMALY, 3, 7),
        (Belady, ANOMALY, 4, 6),
        (FIFO, CLOCKS, 3, 3 + 6),
        (LRU, CLOCKS, 3, 3 + 4),
        (Belady, CLOCKS, 3, 3 + 3),
        (CLOCK, CLOCKS, 3, 3 + 5),
        # 1 1 2 3 1, two frames: 1 and 2 come in, 3 evicts 2 (one access against two), 1 is there.
        (LFU, "11231", 2, 3),
        # The same with LRU: 3 evicts 1, which comes back.
        (LRU, "11231", 2, 4),
    ],
)
def test_faults_are_those_of_the_books(faults, policy, references, frames, expected):
    assert faults(policy(), references, frames) == expected


def arc_of_the_paper(references, c):  # noqa: C901 - as in the paper, to be compared with it
    """Count the misses of ARC(c), written down from figure 4 of the paper, case by case."""
    t1, t2, b1, b2 = (OrderedDict() for _ in range(4))
    p, misses = 0.0, 0

    def replace(x):
        if t1 and (len(t1) > p or (x in b2 and len(t1) == p)):
            b1[t1.popitem(last=False)[0]] = None
        else:
            b2[t2.popitem(last=False)[0]] = None

    for x in references:
        if x in t1 or x in t2:  # case I
            (t1 if x in t1 else t2).pop(x)
            t2[x] = None
            continue
        misses += 1
        if x in b1:  # case II
            p = min(c, p + max(1, len(b2) / len(b1)))
            replace(x)
            del b1[x]
            t2[x] = None
        elif x in b2:  # case III
            p = max(0, p - max(1, len(b1) / len(b2)))
            replace(x)
            del b2[x]
            t2[x] = None
        else:  # case IV
            if len(t1) + len(b1) == c:
                if len(t1) < c:
                    b1.popitem(last=False)
                    replace(x)
                else:
                    t1.popitem(last=False)
            elif len(t1) + len(t2) + len(b1) + len(b2) >= c:
                if len(t1) + len(t2) + len(b1) + len(b2) == 2 * c:
                    b2.popitem(last=False)
                replace(x)
            t1[x] = None
    return misses


STRINGS = st.lists(st.integers(0, 7), max_size=60)
FRAMES = st.integers(1, 6)


@given(references=STRINGS, frames=FRAMES)
def test_arc_is_that_of_the_paper(faults, references, frames):
    assert faults(ARC(), references, frames) == arc_of_the_paper(references, frames)


def test_arc_keeps_what_is_used_twice_through_a_scan(page, memory):
    # a a b b, then a scan of c d e f: T2 keeps a and b, whose room a scan never takes (p is 0).
    paging = memory(ARC(), 3)
    paging.archive = {name: page(name) for name in "abcdef"}
    for name in "aabbcdef":
        paging.access(name, NOW)
    assert set(paging.main) == {"a", "b", "f"}
    assert paging.policy.state() == {
        "t1": {"f": 1},
        "t2": {"a": 1, "b": 1},
        # |T1| + |B1| is at most 3: the ghost of c is gone.
        "b1": {"d": 1, "e": 1},
        "b2": {},
        "p": 0.0,
    }
    # d is a ghost of B1: p = 0 + max(1, 0/2) = 1. T1 is not above p, so T2 gives a up.
    paging.access("d", NOW)
    assert (set(paging.main), paging.policy.p) == ({"b", "d", "f"}, 1.0)
    assert list(paging.policy.b2) == ["a"]


@pytest.mark.parametrize("other", ALL)
@given(references=STRINGS, frames=FRAMES)
def test_nobody_has_fewer_faults_than_belady(faults, other, references, frames):
    assert faults(Belady(), references, frames) <= faults(other(), references, frames)


@pytest.mark.parametrize("policy", [LRU, Belady])
@given(references=STRINGS, frames=FRAMES)
def test_stack_policies_have_no_anomaly(faults, policy, references, frames):
    assert faults(policy(), references, frames + 1) <= faults(policy(), references, frames)


@pytest.mark.parametrize("policy", ALL)
@given(references=STRINGS)
def test_with_room_for_all_only_the_first_reference_faults(faults, policy, references):
    assert faults(policy(), references, 8) == len(set(references))


@pytest.mark.parametrize(
    ("hours", "accesses", "importance", "expected"),
    [
        # .5 × (1/1 + .3 ln 1) = .5
        (0, 0, 0.5, 0.5),
        # .5 × (1/25 + .3 ln 29) = .5 × (.04 + 1.01019) = .52509
        (24, 28, 0.5, 0.5251),
        # .8 × (1/2 + .3 ln 6) = .8 × (.5 + .53753) = .83002
        (1, 5, 0.8, 0.8300),
        # importance 0 counts as .05: .05 × 1/1
        (0, 0, 0.0, 0.05),
    ],
)
def test_weighted_lru_scores(page, hours, accesses, importance, expected):
    one = page("p", hours=hours, access_count=accesses, importance=importance)
    assert WeightedLRU().score(one, NOW) == pytest.approx(expected, abs=5e-5)


def test_weighted_lru_takes_a_page_from_the_future_as_new(page):
    assert WeightedLRU().score(page("p", hours=-5), NOW) == 0.5


def test_weighted_lru_evicts_the_first_of_equals(page, memory):
    paging = memory(WeightedLRU(), 2)
    for name in "abc":
        paging.put(page(name), NOW)
    assert list(paging.main) == ["b", "c"]


def test_a_hot_page_is_never_evicted_unless_counts_age(page, memory):
    # After 28 accesses .5 × .3 ln 29 = .505 is more than any page of the same importance that was
    # never accessed can have (.5). With a half-life of an hour, ten days leave nothing of it.
    for policy, gone in ((WeightedLRU(), False), (WeightedLRU(aged=True, half_life=1.0), True)):
        paging = memory(policy, 2)
        paging.put(page("hot"), NOW)
        for _ in range(28):
            paging.access("hot", NOW)
        later = NOW + timedelta(days=10)
        for name in "abc":
            paging.put(page(name, hours=-240), later)
        assert ("hot" not in paging.main) is gone


def test_an_aged_count_halves(page, memory):
    policy = WeightedLRU(aged=True, half_life=2.0)
    paging = memory(policy, 2)
    paging.put(page("p"), NOW)
    for hours in (0, 0, 2):  # two at once, halved to one, and one more
        paging.access("p", NOW + timedelta(hours=hours))
    assert policy.accesses(paging["p"], NOW + timedelta(hours=2)) == pytest.approx(2.0)
    assert policy.accesses(paging["p"], NOW + timedelta(hours=6)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "wrong",
    ["frequency=-1.0", "floor=2.0", "aged=1", "half_life=0.0"],
)
def test_weights_that_cannot_work_are_refused(wrong, memory):
    with pytest.raises(ConfigError, match=wrong.partition("=")[0]):
        memory(parse(f"WeightedLRU({wrong})"), 2)


def test_random_eviction_is_that_of_the_seed(page, memory):
    kept = []
    for _ in range(2):
        paging = memory(RandomEviction(), 5)
        for number in range(60):
            paging.put(page(number), NOW)
        kept.append(list(paging.main))
    assert kept[0] == kept[1]
    assert kept[0] != ["55", "56", "57", "58", "59"]


SIZES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=50)


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize("until_fit", [True, False])
@given(steps=SIZES)
def test_pages_of_any_size_are_kept_somewhere(page, memory, policy, until_fit, steps):
    paging = memory(policy(), 10, until_fit=until_fit)
    written = {}
    for number, (name, tokens) in enumerate(steps):
        now = NOW + timedelta(minutes=number)
        before, left = set(paging.main), paging.counts["evictions"]
        if str(name) in written:
            paging.access(str(name), now)
        else:
            written[str(name)] = tokens
            paging.put(page(name, tokens=tokens), now)
        gone = before - set(paging.main)
        assert len(gone) == paging.counts["evictions"] - left <= len(before)
        assert {**paging.main, **paging.archive}.keys() == written.keys()
        assert not paging.main.keys() & paging.archive.keys()
        assert paging.used == sum(p.tokens for p in paging.main.values())
        assert paging.used <= 10 or not until_fit
        assert paging.recent.keys() == paging.main.keys()
    counts = paging.counts
    assert counts["accesses"] == counts["hits"] + counts["faults"]
    assert counts["thrash"] <= counts["faults"]


@pytest.mark.parametrize("policy", ALL)
@given(steps=SIZES, cut=st.integers(0, 50))
def test_a_policy_goes_on_where_it_was_saved(page, memory, policy, steps, cut):
    whole, first = memory(policy(), 10), memory(policy(), 10)
    second = memory(policy(), 10)
    for number, (name, tokens) in enumerate(steps):
        now = NOW + timedelta(minutes=number)
        for paging in (whole, first if number < cut else second):
            if str(name) in paging:
                paging.access(str(name), now)
            else:
                paging.put(page(name, tokens=tokens), now)
        if number == cut - 1:
            saved = json.loads(json.dumps(first.state()))
            second.restore(saved, {**first.main, **first.archive})
    assert whole.state() == (first if cut > len(steps) else second).state()


def test_a_policy_may_only_evict_what_may_leave(page, memory):
    class Wrong(LRU):
        def victim(self, pages, incoming, now):
            return "elsewhere"

    paging = memory(Wrong(), 1)
    paging.put(page("a"), NOW)
    with pytest.raises(ContractError, match="elsewhere"):
        paging.put(page("b"), NOW)
