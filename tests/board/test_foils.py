"""What claims are set against: the foils keep the contract where they are not meant to break it."""

import pytest

from memlab.board.foils import Boosted, Careless, RawFusion, Scaled, StaleCache, Top
from memlab.board.lexical import Unsegmented, WordSets
from memlab.errors import ConfigError, Faults
from memlab.models.hashing import Hashing
from memlab.naming import spell
from memlab.parsing import parse
from memlab.strategies import BM25, Hybrid, Vector
from memlab.testing import check_memory
from memlab.types import Query, Turn, utc

NOW = utc("2024-01-01")
LEGS = (BM25(), Vector(embedder=Hashing()))
KEPT = [
    RawFusion(legs=LEGS),
    Scaled(inner=BM25(), factor=3.0),
    Top(inner=BM25(), k=3),
    Boosted(),
    Boosted(touch=True),
    Unsegmented(),
    WordSets(),
    WordSets(score="overlap", segmented=False),
]


def told(memory, *texts, user="ann"):
    memory.reset()
    for i, text in enumerate(texts):
        memory.write(Turn(id=f"t{i}", text=text, time=NOW, user=user))
    return memory


def ranked(memory, question, budget=None):
    return [item.sources[0] for item in memory.read(Query(question, NOW, "ann"), budget)]


@pytest.mark.parametrize("foil", KEPT, ids=spell)
def test_a_foil_keeps_the_contract_and_has_one_spelling(foil):
    check_memory(foil)
    assert parse(spell(foil)) == foil


def test_the_careless_one_is_found_out():
    with pytest.raises(Faults, match=r"users are apart(.|\n)*forgotten stays forgotten"):
        check_memory(Careless())
    memory = told(Careless(), "a secret", user="bob")
    assert ranked(memory, "secret") == ["t0"]
    memory.forget(["t0"], "bob")
    assert ranked(memory, "secret") == ["t0"]


def test_the_stale_cache_is_found_out():
    with pytest.raises(Faults, match="forgotten stays forgotten"):
        check_memory(StaleCache())
    memory = told(StaleCache(), "a boat")
    assert ranked(memory, "boat") == ["t0"]
    memory.write(Turn(id="t1", text="another boat", time=NOW, user="ann"))
    assert ranked(memory, "boat") == ["t0"]


def test_raw_fusion_follows_the_larger_unit():
    texts = ("red boat", "a boat is red and wide", "lamp")
    loud = (Scaled(inner=BM25(), factor=1000.0), Vector(embedder=Hashing()))
    assert ranked(told(RawFusion(legs=loud), *texts), "boat")[:2] == ranked(
        told(BM25(), *texts), "boat"
    )


@pytest.mark.parametrize("fusion", ["rrf", "score"])
def test_hybrid_does_not_see_the_unit(fusion):
    texts = ("red boat", "a boat is red and wide", "lamp")
    plain = told(Hybrid(legs=LEGS, fusion=fusion), *texts)
    legs = (Scaled(inner=BM25(), factor=1000.0), Vector(embedder=Hashing()))
    scaled = told(Hybrid(legs=legs, fusion=fusion), *texts)
    assert ranked(plain, "boat") == ranked(scaled, "boat")


def test_top_keeps_the_first():
    texts = ("boat", "boat boat", "boat lamp", "boat car")
    assert ranked(told(Top(k=2), *texts), "boat") == ranked(told(BM25(), *texts), "boat")[:2]
    with pytest.raises(ConfigError, match="k=0"):
        Top(k=0).reset()
    with pytest.raises(ConfigError, match="inner="):
        Scaled(inner=3).reset()


def test_boosted_learns_what_is_read_only_if_told():
    texts = ("red boat", "red car")
    for touch, then in ((True, ["t1", "t0"]), (False, ["t0", "t1"])):
        memory = told(Boosted(touch=touch, weight=100.0), *texts)
        assert ranked(memory, "red") == ["t0", "t1"]
        assert ranked(memory, "car") == ["t1"]
        memory.read(Query("car", NOW, "ann"), None)
        assert ranked(memory, "red") == then


def test_a_chinese_clause_is_one_word_without_segments():
    texts = ("我昨天买了一条红色的船。", "我喜欢喝茶。")
    assert ranked(told(BM25(), *texts), "红色的船") == ["t0"]
    assert ranked(told(Unsegmented(), *texts), "红色的船") == []
    assert ranked(told(Unsegmented(), *texts), "我喜欢喝茶") == ["t1"]


def test_english_terms_are_the_same_with_and_without_segments():
    texts = ("I bought a red boat!", "Hiking, again: two boats.")
    for question in ("Which boats?", "hiking", "red"):
        assert ranked(told(BM25(), *texts), question) == ranked(
            told(Unsegmented(), *texts), question
        )


def test_word_sets():
    # Terms: {red, boat}, {red, boat, wide}; the question {red, wide}.
    # Jaccard 1/3 and 2/3; overlap 1/2 and 1.
    texts = ("red boat", "red boat, wide", "lamp")
    for score, shares in (("jaccard", (2 / 3, 1 / 3)), ("overlap", (1.0, 0.5))):
        memory = told(WordSets(score=score), *texts)
        items = memory.read(Query("red wide", NOW, "ann"), None)
        assert [(item.sources[0], item.score) for item in items] == [
            ("t1", pytest.approx(shares[0])),
            ("t0", pytest.approx(shares[1])),
        ]
    with pytest.raises(ConfigError, match="score='cosine'"):
        WordSets(score="cosine").reset()
