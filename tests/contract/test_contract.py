"""Every registered strategy keeps the contract; a new one is picked up by its registry line."""

import pytest

from memlab.contract import CHECKS
from memlab.parsing import parse
from memlab.registry import STRATEGIES
from memlab.testing import run_check

VARIANTS = [
    "Window(turns=3)",
    "Window(exchanges=2)",
    "Window(turns=0)",
    "TokenWindow(tokens=20)",
    "TokenWindow(tokens=30, unit='exchange')",
    "DynamicWindow(initial=1, least=1, inputs=1, scorer=ComplexityScorer(unit='characters'))",
    "BM25(form='said', stemming=False, unique=False)",
    "Vector(embedder=Hashing())",
    "Contextual(dense=None)",
    "Vector(embedder=Hashing(), index=HNSW(exact_below=1))",
    "Contextual(dense=Vector(embedder=Hashing()), window=20, pause=1)",
    "Hybrid(legs=(BM25(), Vector(embedder=Hashing())))",
    "Hybrid(legs=(BM25(), Vector(embedder=Hashing())), fusion='rrf')",
    "BatchWriter(inner=Vector(embedder=Hashing()), size=3)",
    "BatchWriter(inner=Contextual(dense=None), size=5)",
    "BatchWriter(inner=Window(turns=3), size=2)",
    "CachedRetriever(inner=Window(turns=3), size=2, ttl=60)",
    "CachedRetriever(inner=Contextual(dense=None))",
    "CachedRetriever(inner=Oracle())",
    "Reranker(inner=Window(turns=9), depth=3, form='said')",
    "Reranker(inner=Vector(embedder=Hashing()), keep=0.0)",
    "Reranker(inner=TokenWindow(tokens=20))",
    "ContextCompressor(inner=Window(turns=9), repeat=0.5)",
    "ContextCompressor(inner=TokenWindow(tokens=20))",
    "ContextCompressor(inner=Vector(embedder=Hashing()), share=0.5, scorer=FeatureScorer())",
    "CachedRetriever(inner=ContextCompressor(inner=Reranker(inner=BatchWriter())))",
    "TermGraph()",
    "TermGraph(neighbours=0.0, b=0.0, restart=0.9, rounds=1)",
    "TriHybrid(legs=(BM25(), Vector(embedder=Hashing()), TermGraph()))",
    "TriHybrid(legs=(BM25(), Vector(embedder=Hashing()), TermGraph()), fusion='rrf')",
    "ConsistencyFilter(action='flag')",
    "ConsistencyFilter(inner=Window(turns=3))",
    "ImportanceAware(facts=PatternFacts(original=True))",
    "ImportanceAware(exchanges=1, tokens=30)",
    "MultiLevel(tail=0, working=1, short_term=3, summary=60)",
    "ShortTermMemory(tokens=60, keep=2, summary=30)",
    "RollingSummary(every=2, tokens=80, ratio=1.0)",
    "RollingSummary(every=1, tokens=0, form='text')",
    "SummaryBuffer(tokens=40, every=2, summary=60)",
    "SummaryBuffer(tokens=None, turns=2, every=1, ratio=1.0)",
    "SegmentedSummary(size=3, every=2, tail=1, tokens=60)",
    "CachedRetriever(inner=SegmentedSummary(size=4, every=4, tail=0))",
    "BatchWriter(inner=RollingSummary(every=3, ratio=1.0), size=4)",
    "ContextCompressor(inner=SummaryBuffer(tokens=60, every=2, ratio=1.0))",
    "Rewriting(inner=TermGraph(), rewriter=QueryRewriter(synonyms=True, hours=1000.0), tail=0)",
    "Rewriting(inner=ConsistencyFilter(inner=Hybrid(legs=(BM25(), TermGraph()))))",
    "VirtualMemory(tokens=40)",
    "VirtualMemory(tokens=40, touch=True)",
    "VirtualMemory(tokens=10, eviction=LRU())",
    "VirtualMemory(tokens=45, eviction=LFU(), page=2, touch=True)",
    "VirtualMemory(tokens=60, eviction=CLOCK(), page_tokens=30, index=BM25())",
    "VirtualMemory(tokens=45, eviction=ARC(), evict='one', touch=True)",
    "VirtualMemory(tokens=45, eviction=Belady(), touch=True)",
    "VirtualMemory(tokens=45, eviction=RandomEviction(), touch=True)",
    "VirtualMemory(tokens=45, eviction=WeightedLRU(aged=True), page=3)",
    "VirtualMemory(tokens=50, eviction=FIFO(), index=Vector(embedder=Hashing()))",
    "BudgetSelector(inner=Window(turns=9), fill='stop')",
    "BudgetSelector(inner=Window(turns=9), fill='knapsack')",
    "BudgetSelector(fill='mmr')",
    "BudgetSelector(inner=Contextual(dense=None), fill='mmr', embedder=Hashing())",
    "Combined(members=(TokenWindow(tokens=20), BM25()), shares=(1, 2.5))",
    "Combined(members=(Dedup(), ContextCompressor(), Redacted(inner=Window())))",
    "Combined(members=(BudgetSelector(), Window(turns=2)))",
    "Dedup(inner=Window(turns=3), policy=ExactDuplicates(speakers=False))",
    "Dedup(inner=Vector(embedder=Hashing()))",
    "Redacted(inner=CachedRetriever(inner=Vector(embedder=Hashing())))",
    "Redacted(inner=ContextCompressor())",
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("spelt", [*(f"{name}()" for name in STRATEGIES), *VARIANTS])
def test_contract(spelt, check):
    memory = parse(spelt)
    outcome = run_check(check, memory)
    if outcome.result == "skipped":
        pytest.skip(outcome.reason)
    assert outcome.result == "passed", outcome.reason


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"NoMemory"}))
def test_every_storing_strategy_forgets_saves_and_loads(name):
    memory = parse(f"{name}()")
    assert [m for m in ("forget", "save", "load") if not hasattr(memory, m)] == []
