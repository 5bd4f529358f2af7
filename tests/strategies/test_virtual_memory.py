"""Virtual memory: pages of turns, main memory and archive, searched and paged in."""

import copy
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import ConfigError
from memlab.parsing import parse
from memlab.policies import ARC, CLOCK, FIFO, LFU, LRU, Belady, RandomEviction, WeightedLRU
from memlab.run import Run
from memlab.strategies import BM25, VirtualMemory
from memlab.types import Conversation, Dataset, Probe, Query, Turn, utc

START = utc("2024-01-01T09:00")
NOW = START + timedelta(days=1)
POLICIES = [ARC, Belady, CLOCK, FIFO, LFU, LRU, RandomEviction, WeightedLRU]


def where(memory, user="ann"):
    """Return the texts in main memory and in the archive."""
    pages = memory.pages(user)
    return [[page.content for page in pages[name]] for name in ("main", "archive")]


def counts(memory, *names):
    return [memory.stats()[name] for name in names]


# Each text of a letter and a colour is two tokens.
COLOURS = ("a red", "b green", "c blue", "d red")


def test_main_memory_is_seventy_percent_of_the_window():
    assert VirtualMemory().tokens == 89_600  # 0.7 × 128,000


def test_new_turns_push_old_ones_into_the_archive(told, turns):
    memory = told(VirtualMemory(tokens=4, eviction=LRU()), turns(*COLOURS))
    assert where(memory) == [["c blue", "d red"], ["a red", "b green"]]
    assert counts(memory, "evictions", "pages", "pages in main memory") == [2, 4, 2]


def test_a_read_returns_hits_first_then_what_was_used_last(told, turns, ask):
    memory = told(VirtualMemory(tokens=6, eviction=LRU()), turns(*COLOURS))
    # Red finds t0 (archived) and t3: t0 comes in for t1, the longest unused; t2 follows.
    assert ask(memory, "red") == ["t0", "t3", "t2"]
    assert ask(memory, "red", budget=4) == ["t0", "t3"]
    assert ask(memory, "nothing") == ["t3", "t2", "t1"]


def test_a_pure_read_is_what_a_touching_one_returns(told, turns, ask):
    pure = told(VirtualMemory(tokens=6, eviction=LRU()), turns(*COLOURS))
    touched = told(VirtualMemory(tokens=6, eviction=LRU(), touch=True), turns(*COLOURS))
    assert ask(pure, "red") == ask(touched, "red")
    assert where(pure) == [["b green", "c blue", "d red"], ["a red"]]
    assert where(touched) == [["c blue", "d red", "a red"], ["b green"]]
    names = ("accesses", "hits", "faults", "evictions")
    assert counts(pure, *names) == [2, 1, 1, 1]
    assert counts(touched, *names) == [2, 1, 1, 2]
    ask(pure, "red")
    ask(touched, "red")
    assert counts(pure, *names) == [4, 2, 2, 1]  # it was not paged in
    assert counts(touched, *names) == [4, 3, 1, 2]


def test_search_is_by_the_share_of_words_and_looks_everywhere(told, turns):
    said = turns("python python python", "a snake", "tea", "no python today", "b", "c", "d")
    memory = told(VirtualMemory(tokens=8, eviction=LRU()), said)
    found = memory.search(Query("python", NOW, "ann"))
    assert [(page.content, score) for page, score in found] == [
        ("python python python", 1.0),
        ("no python today", 1.0),
    ]
    assert memory.search(Query("xylophone", NOW, "ann")) == []
    assert memory.search(Query("python", NOW, "bob")) == []


def test_five_pages_are_found_unless_asked_otherwise(told, turns):
    said = turns(*(f"tea {n}" for n in range(9)))
    query = Query("tea", NOW, "ann")
    assert len(told(VirtualMemory(), said).search(query)) == 5
    assert len(told(VirtualMemory(k=7), said).search(query)) == 7
    assert [page.id for page in told(VirtualMemory(k=2), said).page_in(query)] == ["p0", "p1"]


def test_another_memory_may_be_the_index(told, turns, ask):
    said = turns("the boat", "boats and boats", "a car")
    assert ask(told(VirtualMemory(tokens=100, k=1, index=BM25()), said), "boats")[0] == "t1"
    assert ask(told(VirtualMemory(tokens=100, k=1), said), "the boats")[0] == "t0"


def test_pages_hold_turns_of_one_session_and_user(told, turns):
    said = [
        *turns("a", "b", "c"),
        *turns("d", first=3, user="bob"),
        *turns("e", first=4),
        *turns("f", first=5, session="2"),
    ]
    memory = told(VirtualMemory(page=2), said)
    assert where(memory) == [["a\nb", "c\ne", "f"], []]
    assert where(memory, "bob") == [["d"], []]


def test_pages_are_filled_by_tokens(told, turns):
    said = turns("one two", "three", "four five six", "seven")
    memory = told(VirtualMemory(page_tokens=3), said)
    assert [page.tokens for page in memory.pages("ann")["main"]] == [3, 3, 1]
    assert where(memory) == [["one two\nthree", "four five six", "seven"], []]


def test_a_tool_call_and_its_results_share_a_page(told, turns):
    call = turns("look()", first=0, meta={"call": "c"})[0]
    (chat,) = turns("meanwhile", first=1)
    result = Turn(
        id="r", text="sunny", time=START + timedelta(minutes=2), user="ann", role="tool",
        meta={"call": "c"},
    )  # fmt: skip
    memory = told(VirtualMemory(), [call, chat, result])
    assert where(memory) == [["look()\nsunny", "meanwhile"], []]
    page = memory.pages("ann")["main"][0]
    assert (page.category, page.last_accessed) == ("knowledge", result.time)
    items = memory.read(Query("sunny", NOW, "ann"), None)
    assert [item.sources[0] for item in items] == ["t0", "r", "t1"]
    memory.forget(["t0"], "ann")
    assert where(memory) == [["", "meanwhile"], []]  # a result without its call is not shown
    assert memory.search(Query("sunny", NOW, "ann")) == []


def test_a_turn_longer_than_main_memory_is_split(told, turns):
    text = " ".join(f"word{n}" for n in range(30))
    memory = told(VirtualMemory(tokens=16), turns(text))
    pages = [page for part in memory.pages("ann").values() for page in part]
    assert "".join(page.content for page in sorted(pages, key=lambda p: int(p.id[1:]))) == text
    assert all(page.tokens <= 16 for page in pages)
    items = memory.read(Query("word3", NOW, "ann"), None)
    assert all(item.kind == "excerpt" and item.text in text for item in items)
    assert "word3 " in items[0].text
    memory.forget(["t0"], "ann")
    assert where(memory) == [[], []]


def test_a_memory_too_small_for_a_character_refuses_the_turn(told, turns):
    memory = told(VirtualMemory(tokens=1), turns("a"))
    with pytest.raises(ConfigError, match="'t1' has a character of more than 1 tokens"):
        memory.write(turns("🛶", first=1)[0])
    assert where(memory) == [["a"], []]
    assert [turn.id for turn in memory.history.live()] == ["t0"]


def test_single_pages_can_be_used_pinned_and_deleted(told, turns):
    memory = told(VirtualMemory(tokens=4, eviction=LRU()), turns(*COLOURS))
    memory.pin("p2", "ann", NOW)
    assert memory.access("p0", "ann", NOW).access_count == 1
    assert where(memory)[0] == ["c blue", "a red"]
    memory.access("p1", "ann", NOW)
    assert where(memory)[0] == ["c blue", "b green"]
    memory.unpin("p2", "ann")
    memory.access("p0", "ann", NOW)
    assert where(memory)[0] == ["b green", "a red"]
    memory.delete("p0", "ann")
    assert where(memory) == [["b green"], ["d red", "c blue"]]
    assert "t0" not in {turn.id for turn in memory.history.live()}


def test_unknown_pages_and_pages_that_never_fit_are_errors(told, turns):
    said = [*turns(*COLOURS), *turns("one two three four five six", first=4, meta={"call": "c"})]
    memory = told(VirtualMemory(tokens=4), said)
    with pytest.raises(ConfigError, match=r"page 'p4' of 6 tokens.*at most the 4 tokens"):
        memory.access("p4", "ann", NOW)
    with pytest.raises(ConfigError, match="6 tokens of pinned pages"):
        memory.pin("p4", "ann", NOW)
    for page_id, user in (("p9", "ann"), ("p0", "bob")):
        for call in (memory.access, memory.pin):
            with pytest.raises(ConfigError, match=f"page {page_id!r} of user {user!r}"):
                call(page_id, user, NOW)
        for call in (memory.unpin, memory.delete):
            with pytest.raises(ConfigError, match=f"page {page_id!r} of user {user!r}"):
                call(page_id, user)
    assert counts(memory, "refused") == [2]  # when it was written, and when it was asked for


def test_evicting_one_page_breaks_the_limit_for_a_larger_one(told, turns):
    said = [*turns(*COLOURS[:2]), *turns("one two three four", first=2)]
    said += turns("c tea", first=3)  # two tokens, for which one page of two leaves: 6 stay 6
    for evict, used, overflows, above in (("until fit", 2, 0, 0), ("one", 6, 1, 2)):
        memory = told(VirtualMemory(tokens=4, evict=evict, eviction=LRU()), said)
        assert sum(page.tokens for page in memory.pages("ann")["main"]) == used
        assert counts(memory, "overflows", "above") == [overflows, above]


def test_importance_and_category_come_from_the_turn(told, turns):
    (weighty,) = turns("a", meta={"importance": 1.0, "category": "skill"})
    (odd,) = turns("b", first=1, meta={"importance": 7, "category": "dream"})
    (rule,) = turns("c", first=2)
    memory = told(VirtualMemory(), [weighty, odd, rule])
    pages = memory.pages("ann")["main"]
    assert [(p.importance, p.category) for p in pages] == [
        (1.0, "skill"),
        (0.5, "conversation"),
        (0.5, "conversation"),
    ]
    assert counts(memory, "importances ignored") == [1]


@pytest.mark.parametrize(
    ("wrong", "told_"),
    [
        ("tokens=0", "tokens"),
        ("page=0", "page"),
        ("page=2, page_tokens=9", "one of the two"),
        ("evict='two'", "until fit"),
        ("k=-1", "k="),
        ("touch=1", "touch"),
        ("eviction=BM25()", "victim"),
        ("index=Window()", "scores"),
    ],
)
def test_parameters_that_cannot_work_are_refused(wrong, told_):
    with pytest.raises(ConfigError, match=told_):
        parse(f"VirtualMemory({wrong})").reset()


def test_explain_tells_where_pages_are(told, turns):
    memory = told(VirtualMemory(tokens=4, eviction=LRU()), turns(*COLOURS))
    table = memory.explain(Query("red", NOW, "ann"))
    assert table.to_dict("list") == {
        "page": ["p0", "p3"],
        "turns": [["t0"], ["t3"]],
        "score": [1.0, 1.0],
        "in main": [False, True],
        "accesses": [0, 0],
    }


def test_held_tells_main_memory_from_the_archive(told, turns):
    memory = told(VirtualMemory(tokens=4, eviction=LRU()), turns(*COLOURS))
    assert [(held.kind, held.text) for held in memory.held()] == [
        ("main memory", "c blue"),
        ("main memory", "d red"),
        ("archive", "a red"),
        ("archive", "b green"),
    ]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 30)),
        st.tuples(st.just("forget"), st.integers(0, 30)),
        st.tuples(st.just("read"), st.integers(0, 5)),
        st.tuples(st.just("access"), st.integers(0, 30)),
    ),
    max_size=40,
)
SHAPES = st.sampled_from([{}, {"page": 2}, {"page_tokens": 6}, {"evict": "one"}])


def step(memory, kind, number, at):
    now = START + timedelta(minutes=at)
    user = "bob" if number % 4 == 3 else "ann"
    known = {turn.id for turn in memory.history.live()}
    if kind == "write" and f"t{number}" not in known:
        call = {"meta": {"call": str(number // 4)}} if number % 5 == 1 else {}
        role = "tool" if number % 10 == 1 else "user"
        text = f"w{number % 5} tea 喝茶 " * (number % 4)
        memory.write(Turn(id=f"t{number}", text=text, time=now, user=user, role=role, **call))
    if kind == "forget":
        memory.forget([f"t{number}"], user)
    if kind == "read":
        return memory.read(Query(f"w{number} 喝茶", now, "ann"), 30)
    if kind == "access":
        every = [p.id for part in memory.pages(user).values() for p in part if p.tokens <= 24]
        if every:
            memory.access(every[number % len(every)], user, now)
    return None


def state(memory):
    return {"pages": [memory.pages(user) for user in ("ann", "bob")], **memory.store.to_json()}


@settings(max_examples=40)
@pytest.mark.parametrize("policy", POLICIES)
@given(steps=STEPS, shape=SHAPES, touch=st.booleans())
def test_pages_are_kept_and_the_limit_holds(policy, steps, shape, touch):
    memory = VirtualMemory(tokens=24, eviction=policy(), touch=touch, k=2, **shape)
    memory.reset()
    memory.attach(Run())
    for at, (kind, number) in enumerate(steps):
        step(memory, kind, number, at)
        for user in ("ann", "bob"):
            pages = memory.pages(user)
            ids = [page.id for part in pages.values() for page in part]
            table = memory.store.table
            own = {p for p, rows in table.rows.items() if memory.history[rows[0]].user == user}
            assert len(ids) == len(set(ids))
            assert set(ids) == own
            rows = {row for page_id in own for row in table.rows[page_id]}
            texts = {row for row in memory.history.rows(user) if memory.history[row].text}
            assert texts <= rows <= set(memory.history.rows(user))
            used = sum(page.tokens for page in pages["main"])
            assert used <= 24 or shape.get("evict") == "one"


@settings(max_examples=25)
@pytest.mark.parametrize("policy", POLICIES)
@given(steps=STEPS, more=STEPS, shape=SHAPES)
def test_a_saved_memory_goes_on_as_the_other(tmp_path_factory, policy, steps, more, shape):
    folder = tmp_path_factory.mktemp("saved")
    first = VirtualMemory(tokens=24, eviction=policy(), touch=True, k=2, **shape)
    second = copy.deepcopy(first)
    for memory in (first, second):
        memory.reset()
        memory.attach(Run())
    for at, (kind, number) in enumerate(steps):
        step(first, kind, number, at)
    first.save(folder)
    second.load(folder)
    assert state(first) == state(second)
    for at, (kind, number) in enumerate(more, len(steps)):
        assert step(first, kind, number, at) == step(second, kind, number, at)
    assert [first.pages(u) for u in ("ann", "bob")] == [second.pages(u) for u in ("ann", "bob")]
    assert first.stats() == second.stats()


@settings(max_examples=25)
@pytest.mark.parametrize("policy", POLICIES)
@given(steps=STEPS, asked=st.integers(0, 5), shape=SHAPES)
def test_a_pure_read_foretells_the_touching_one(policy, steps, asked, shape):
    pure = VirtualMemory(tokens=24, eviction=policy(), k=2, **shape)
    pure.reset()
    pure.attach(Run())
    for at, (kind, number) in enumerate(steps):
        step(pure, kind, number, at)
    before = state(pure)["pages"]
    found = step(pure, "read", asked, 99)
    assert state(pure)["pages"] == before
    pure.touch = True
    assert step(pure, "read", asked, 99) == found


def talk(topics, asked):
    """Make a conversation in which topics are told, two tokens each, and then asked for."""
    told = [
        Turn(id=f"t{n}", text=f"{n} tea", time=START + timedelta(minutes=n), user="u")
        for n in range(topics)
    ]
    probes = [
        Probe(
            id=f"q{n}", text=str(topic), time=NOW + timedelta(minutes=n), user="u",
            evidence=(f"t{topic}",),
        )
        for n, topic in enumerate(asked)
    ]  # fmt: skip
    return Dataset("topics", (Conversation("c", (*told, *probes)),))


def test_a_run_shows_faults_and_nobody_beats_belady():
    asked = [n * n % 11 % 7 for n in range(60)]
    labels = {
        policy.__name__: VirtualMemory(tokens=6, eviction=policy(), touch=True, k=1)
        for policy in POLICIES
    }
    results = ml.evaluate(labels, talk(7, asked), ["Recall()"], budget=6)
    table = results.counters().pivot_table(index="strategy", columns="counter", values="total")
    assert (table["accesses"] == 60).all()
    assert (table["hits"] + table["faults"] == 60).all()
    assert table["faults"].idxmin() == "Belady"
    assert table["faults"].nunique() > 2
    assert (table["overflows"] == 0).all()
    told = f"counted by 'Belady': accesses 60, evictions {table['evictions']['Belady']:g}, "
    assert told in repr(results)
    assert results.to_json()["strategies"]["LRU"]["counters"]["faults"] == table["faults"]["LRU"]


def test_belady_needs_a_conversation_to_see():
    assert ml.evaluate(
        {"belady": "VirtualMemory(tokens=4, eviction=Belady())"}, talk(3, [0, 0]), [], budget=9
    ).records[0].ranked == ("t0", "t2")  # fmt: skip
