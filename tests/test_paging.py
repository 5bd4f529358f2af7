"""Main memory and archive: what comes in, what leaves, and what is counted."""

from datetime import timedelta

import pytest

from memlab.errors import ConfigError
from memlab.pages import CATEGORIES, MemoryPage
from memlab.paging import Paging
from memlab.policies import LRU
from memlab.types import utc

NOW = utc("2024-01-01T09:00")


def page(name, tokens=1, **more):
    return MemoryPage(id=name, content=name, tokens=tokens, last_accessed=NOW, **more)


def memory(tokens, names="", **more):
    policy = LRU()
    policy.reset(tokens, lambda number, below: 0)
    made = Paging(tokens, policy, **more)
    for name in names:
        made.put(page(name), NOW)
    return made


def test_a_page_has_the_fields_of_a_page():
    one = MemoryPage(id="p", content="茶", tokens=2, last_accessed=NOW)
    assert (one.id, one.content, one.tokens, one.last_accessed) == ("p", "茶", 2, NOW)
    assert (one.access_count, one.importance, one.category) == (0, 0.5, "conversation")
    assert CATEGORIES == ("conversation", "knowledge", "skill", "metadata")
    assert MemoryPage.from_json(one.to_json()) == one
    later = one.accessed(NOW + timedelta(hours=1))
    assert (later.access_count, later.last_accessed) == (1, NOW + timedelta(hours=1))


@pytest.mark.parametrize(
    "wrong",
    [{"importance": 1.5}, {"category": "dream"}, {"tokens": -1}, {"access_count": -1}],
)
def test_a_page_that_cannot_be_is_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        MemoryPage(**{"id": "p", "content": "", "tokens": 1, "last_accessed": NOW, **wrong})


def test_access_pages_in_and_counts():
    paging = memory(2, "abc")
    assert (list(paging.main), list(paging.archive)) == (["b", "c"], ["a"])
    assert paging.access("b", NOW)
    assert paging.access("a", NOW)  # c was used the longest ago
    assert (list(paging.main), list(paging.archive)) == (["b", "a"], ["c"])
    assert paging["a"].access_count == paging["b"].access_count == 1
    assert [paging.counts[n] for n in ("accesses", "hits", "faults", "evictions")] == [2, 1, 1, 2]


def test_pages_leave_until_the_page_fits():
    for until_fit, main, used in ((True, ["big"], 3), (False, ["b", "c", "big"], 5)):
        paging = memory(3, "abc", until_fit=until_fit)
        paging.put(page("big", tokens=3), NOW)
        assert (list(paging.main), paging.used) == (main, used)
        assert paging.counts["overflows"] == (not until_fit)
        assert paging.counts["evictions"] == (3 if until_fit else 1)


def test_a_fault_soon_after_the_eviction_is_thrash():
    # Two frames. a is evicted by c; asked again at once, no page was evicted since: thrash.
    paging = memory(2, "abc")
    paging.access("a", NOW)
    assert paging.counts["thrash"] == 1
    # b leaves for a. c (evicted by d) and a (by e) leave after b: two since, no fewer than two
    # frames, so that a memory of four would not have kept b either.
    paging = memory(2, "abc")
    paging.access("a", NOW)
    for name in "de":
        paging.put(page(name), NOW)
    assert list(paging.main) == ["d", "e"]
    paging.access("b", NOW)
    assert (paging.counts["faults"], paging.counts["thrash"]) == (2, 1)


def test_what_can_never_fit_stays_in_the_archive_and_is_counted():
    paging = memory(2, "ab")
    paging.put(page("big", tokens=3), NOW)
    assert not paging.access("big", NOW)
    assert (list(paging.main), list(paging.archive)) == (["a", "b"], ["big"])
    assert (paging.counts["refused"], paging.counts["evictions"]) == (2, 0)
    assert paging["big"].access_count == 0  # it was not returned


def test_a_pinned_page_stays():
    paging = memory(2, "ab")
    paging.pin("a", NOW)
    for name in "cd":
        paging.put(page(name), NOW)
    assert list(paging.main) == ["a", "d"]
    paging.archive["big"] = page("big", tokens=2)
    with pytest.raises(ConfigError, match="3 tokens of pinned pages"):
        paging.pin("big", NOW)
    paging.unpin("a")
    paging.put(page("e"), NOW)
    assert list(paging.main) == ["d", "e"]
    paging.pin("a", NOW)
    assert list(paging.main) == ["e", "a"]


def test_a_page_that_grows_makes_room_or_leaves():
    paging = memory(3, "abc")
    paging.put(page("b", tokens=2), NOW)
    assert (list(paging.main), paging.used) == (["b", "c"], 3)
    paging.put(page("b", tokens=4), NOW)
    assert (list(paging.main), paging["b"].tokens) == (["c"], 4)
    paging.shrink(page("b", tokens=1))
    paging.shrink(page("c", tokens=0))
    assert (list(paging.main), paging.used, paging["b"].tokens) == (["c"], 0, 1)


def test_held_pages_do_not_leave_for_one_another():
    paging = memory(2, "abc")
    paging.access("b", NOW)
    assert paging.access("a", NOW, ["b"])
    assert sorted(paging.main) == ["a", "b"]
    assert not paging.access("c", NOW, ["a", "b"])


def test_a_trial_leaves_everything_where_it_is():
    paging = memory(2, "abcd")
    before = (paging.state(), dict(paging.main), dict(paging.archive))
    trial = paging.trial(["a", "d"])
    assert trial.access("a", NOW)
    assert trial.access("d", NOW)
    assert list(trial.main) == ["d", "a"]
    assert (paging.state(), dict(paging.main), dict(paging.archive)) == before
    paging.count_read(trial)
    assert [paging.counts[n] for n in ("accesses", "hits", "faults", "evictions")] == [2, 1, 1, 2]


def test_a_deleted_page_is_gone_everywhere():
    paging = memory(2, "abc")
    paging.pin("b", NOW)
    for name in "ab":
        paging.delete(name)
        assert name not in paging
    assert (paging.used, list(paging.main), paging.pinned) == (1, ["c"], {})
    assert paging.state()["left"] == {}
    assert list(paging.policy.order) == ["c"]
