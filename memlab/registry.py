"""Names of components as text, resolved when they are used: importing memlab imports none."""

from __future__ import annotations

import importlib
from typing import Any

from memlab.errors import ConfigError, MemlabError, suggest

STRATEGIES = {
    "BM25": "memlab.strategies.bm25:BM25",
    "BatchWriter": "memlab.strategies.batched:BatchWriter",
    "BudgetSelector": "memlab.strategies.budget_selector:BudgetSelector",
    "CachedRetriever": "memlab.strategies.cached:CachedRetriever",
    "Combined": "memlab.strategies.combined:Combined",
    "ConsistencyFilter": "memlab.strategies.consistency_filter:ConsistencyFilter",
    "ContextCompressor": "memlab.strategies.compressor:ContextCompressor",
    "Contextual": "memlab.strategies.contextual:Contextual",
    "Dedup": "memlab.strategies.dedup:Dedup",
    "DynamicWindow": "memlab.strategies.dynamic_window:DynamicWindow",
    "FullHistory": "memlab.strategies.full_history:FullHistory",
    "Hybrid": "memlab.strategies.hybrid:Hybrid",
    "ImportanceAware": "memlab.strategies.importance_aware:ImportanceAware",
    "MultiLevel": "memlab.strategies.multi_level:MultiLevel",
    "NoMemory": "memlab.strategies.no_memory:NoMemory",
    "Oracle": "memlab.strategies.oracle:Oracle",
    "Overlap": "memlab.strategies.overlap:Overlap",
    "Random": "memlab.strategies.random:Random",
    "Redacted": "memlab.strategies.redacted:Redacted",
    "Reranker": "memlab.strategies.reranker:Reranker",
    "Rewriting": "memlab.strategies.rewriting:Rewriting",
    "RollingSummary": "memlab.strategies.rolling_summary:RollingSummary",
    "SegmentedSummary": "memlab.strategies.segmented_summary:SegmentedSummary",
    "ShortTermMemory": "memlab.strategies.short_term:ShortTermMemory",
    "SummaryBuffer": "memlab.strategies.summary_buffer:SummaryBuffer",
    "TokenWindow": "memlab.strategies.token_window:TokenWindow",
    "TriHybrid": "memlab.strategies.hybrid:TriHybrid",
    "Vector": "memlab.strategies.vector:Vector",
    "VirtualMemory": "memlab.strategies.virtual_memory:VirtualMemory",
    "Window": "memlab.strategies.window:Window",
}

METRICS = {
    name: f"memlab.metrics.{module}:{name}"
    for module, names in {
        "retrieval": "AP MRR NDCG Precision RPrecision Recall RecallAll RecallAny",
        "context": "AnswerInContext AnswerChance ContextTokens EvidencePerKiloToken Redundancy",
        "behaviour": "Abstention DistractorExposure Leak Residue StaleHit",
        "longmemeval": "NDCGAny TurnToSession",
        "answer": "Answered Judged",
    }.items()
    for name in names.split()
}

INDEXES = {
    "Exact": "memlab.indexes.exact:Exact",
    "HNSW": "memlab.indexes.hnsw:HNSW",
    "Postings": "memlab.indexes.postings:Postings",
}

MODELS = {
    "ByScript": "memlab.models.by_script:ByScript",
    "CohereEmbedder": "memlab.models.cohere:CohereEmbedder",
    "CrossEncoder": "memlab.models.cross_encoder:CrossEncoder",
    "E5": "memlab.models.e5:E5",
    "ExtractiveSummarizer": "memlab.models.extractive:ExtractiveSummarizer",
    "FeatureScorer": "memlab.models.features:FeatureScorer",
    "Hashing": "memlab.models.hashing:Hashing",
    "MiniLM": "memlab.models.minilm:MiniLM",
    "OpenAIEmbedder": "memlab.models.openai:OpenAIEmbedder",
    "SentenceTransformer": "memlab.models.sentence_transformer:SentenceTransformer",
}

POLICIES = {
    "ARC": "memlab.policies.eviction.arc:ARC",
    "Belady": "memlab.policies.eviction.belady:Belady",
    "CLOCK": "memlab.policies.eviction.clock:CLOCK",
    "ComplexityScorer": "memlab.policies.complexity:ComplexityScorer",
    "CompressOnThreshold": "memlab.policies.compression:CompressOnThreshold",
    "FIFO": "memlab.policies.eviction.fifo:FIFO",
    "ExactDuplicates": "memlab.policies.duplicates:ExactDuplicates",
    "ImportanceScorer": "memlab.policies.importance:ImportanceScorer",
    "ImportanceSignals": "memlab.policies.importance:ImportanceSignals",
    "LFU": "memlab.policies.eviction.lfu:LFU",
    "LRU": "memlab.policies.eviction.lru:LRU",
    "PatternFacts": "memlab.policies.facts:PatternFacts",
    "QueryRewriter": "memlab.policies.rewriting:QueryRewriter",
    "RandomEviction": "memlab.policies.eviction.random:RandomEviction",
    "SectionedContext": "memlab.policies.sectioned:SectionedContext",
    "SensitiveDetector": "memlab.policies.pii:SensitiveDetector",
    "TaskContext": "memlab.policies.task_context:TaskContext",
    "ToolResults": "memlab.policies.task_context:ToolResults",
    "WeightedLRU": "memlab.policies.eviction.weighted_lru:WeightedLRU",
}

GRAPHS = {
    "SlotGraph": "memlab.graphs.slots:SlotGraph",
    "TermGraph": "memlab.graphs.terms:TermGraph",
}

DATASETS = {
    "beam": "memlab.datasets.beam:load",
    "frame": "memlab.datasets.frame:load",
    "jsonl": "memlab.datasets.jsonl:load",
    "lmeb": "memlab.datasets.lmeb:load",
    "locomo": "memlab.datasets.locomo:load",
    "longmemeval": "memlab.datasets.longmemeval:load",
    "memdaily": "memlab.datasets.memdaily:load",
    "messages": "memlab.datasets.messages:load",
    "personamem": "memlab.datasets.personamem:load",
    "prefeval": "memlab.datasets.prefeval:load",
    "quickstart": "memlab.datasets.quickstart:load",
    "realtalk": "memlab.datasets.realtalk:load",
    "synthetic": "memlab.datasets.synthetic:load",
}

COMPONENTS = {**STRATEGIES, **METRICS, **INDEXES, **MODELS, **POLICIES, **GRAPHS}
_NAMES = {target: name for name, target in COMPONENTS.items()}


def load_target(target: str) -> Any:  # noqa: ANN401
    """Import and return what `module:attribute` names.

    Raises:
        ConfigError: the module or the attribute does not exist.
    """
    module, _, attribute = target.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for step in attribute.split("."):
            found = getattr(found, step)
    except MemlabError:
        raise
    except Exception as error:  # a module may fail at import in any way
        raise ConfigError(
            f"{target!r} cannot be imported: {type(error).__name__}: {error}",
            "module:Class with a module on the Python path",
        ) from error
    return found


def resolve(name: str) -> Any:  # noqa: ANN401
    """Return the class of a registered name or of a `module:Class` reference."""
    if ":" in name:
        return load_target(name)
    if name not in COMPONENTS:
        hint = suggest(name, COMPONENTS)
        raise ConfigError(f"unknown name {name!r}", "", f"{hint}; your own class: module:Class")
    return load_target(COMPONENTS[name])


def name_of(cls: type) -> str:
    """Return the registered name of a class, or its `module:Class` reference."""
    target = f"{cls.__module__}:{cls.__qualname__}"
    return _NAMES.get(target, target)


def is_registered(cls: type) -> bool:
    """Tell whether memlab itself provides the class."""
    return f"{cls.__module__}:{cls.__qualname__}" in _NAMES
