"""Search and encoding as ratios within one run: exact search, BM25 and embeddings.

    python experiments/search_speed.py OUT_FOLDER [--largest 1000000] [--texts 600]

Exact search against the bare matrix-vector product; BM25 reads against bm25s on the same
tokens, both with ten hits on one thread; BM25 writes along the history; a write and a read
against bm25s indexing everything again; encoding against sentence-transformers' own `encode`,
and the same texts again from the cache. Medians; texts are twenty words drawn by the
law of Zipf and Mandelbrot (exponent 1, offset 2.7: about that of English).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from memlab.indexes import Exact, Postings
from memlab.manifest import machine
from memlab.topk import best

Row = dict[str, object]
WORDS = 20


def median_ms(call: Callable[[int], object], rounds: int) -> float:
    """Return the median milliseconds of a call, the first one not counted."""
    call(0)
    spent = []
    for number in range(rounds):
        begin = time.perf_counter()
        call(number)
        spent.append(1000 * (time.perf_counter() - begin))
    return float(np.median(spent))


def exact(size: int = 100_000, dimension: int = 384) -> Row:
    """Compare a read of the ten nearest with the bare product, turn and turn about."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(size, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = Exact()
    index.reset()
    for row, vector in enumerate(vectors):
        index.add(row, vector)
    spent: dict[str, list[float]] = {"bare": [], "read": []}
    for number in range(60):
        query = vectors[number]
        for name, call in (
            ("bare", lambda q=query: vectors @ q),
            ("read", lambda q=query: index.nearest(q, 10)),
        ):
            begin = time.perf_counter()
            call()
            spent[name].append(1000 * (time.perf_counter() - begin))
    bare, read = (float(np.median(spent[name])) for name in ("bare", "read"))
    return {"what": f"exact read, {size} x {dimension}", "own_ms": read, "other_ms": bare} | {
        "ratio": read / bare,
        "target": "at most 1.3",
    }


def drawn(count: int) -> list[list[str]]:
    """Return texts as words, by the law of Zipf and Mandelbrot over 20,000 words."""
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(20_000)]
    share = 1.0 / (np.arange(len(names)) + 2.7)
    ranks = rng.choice(len(names), size=count * WORDS, p=share / share.sum())
    return [[names[r] for r in row] for row in ranks.reshape(count, WORDS).tolist()]


def reads(size: int = 100_000) -> Row:
    """Compare BM25 reads with bm25s, turn and turn about."""
    import bm25s

    texts, asked = drawn(size), [text[:8] for text in drawn(60)]
    own = Postings()
    own.reset()
    for row, text in enumerate(texts):
        own.add(row, text)
    other = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
    other.index(texts, show_progress=False)
    spent: dict[str, list[float]] = {"own": [], "other": []}
    for question in asked:
        for name, call in (
            ("own", lambda q=question: list(islice(best(*own.scores(q)), 10))),
            ("other", lambda q=question: other.retrieve([q], k=10, show_progress=False)),
        ):
            begin = time.perf_counter()
            call()
            spent[name].append(1000 * (time.perf_counter() - begin))
    mine, theirs = (float(np.median(spent[name])) for name in ("own", "other"))
    return {"what": f"BM25 read at {size}, against bm25s", "own_ms": mine, "other_ms": theirs} | {
        "ratio": mine / theirs,
        "target": "at most 1.5",
    }


def writes(largest: int) -> list[Row]:
    """Return the mean write along the history, then the bytes that a text takes."""
    own, rows = Postings(), []
    own.reset()
    texts, done = drawn(100_000), 0
    for size in (10**n for n in range(2, 8) if 10**n <= largest):
        begin = time.perf_counter()
        for row in range(done, size):
            own.add(row, texts[row % len(texts)])
        mean = 1e6 * (time.perf_counter() - begin) / (size - done)
        rows.append({"what": f"BM25 write from {done} to {size}", "own_us": mean})
        done = size
    return [*rows, {"what": "BM25 held, bytes a text of 20 words", "bytes": held(texts[:50_000])}]


def held(texts: list[list[str]]) -> float:
    """Return the bytes an index takes a text."""
    tracemalloc.start()
    own = Postings()
    own.reset()
    for row, text in enumerate(texts):
        own.add(row, text)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / len(texts)


def rebuilt(size: int = 10_000) -> Row:
    """Compare a write and a read with bm25s indexing everything again."""
    import bm25s

    texts = drawn(size + 30)
    own = Postings()
    own.reset()
    for row, text in enumerate(texts[:size]):
        own.add(row, text)

    def mine(number: int) -> object:
        own.add(10**9 + len(own._rows), texts[size + number])
        return list(islice(best(*own.scores(texts[number][:8])), 10))

    def theirs(number: int) -> object:
        other = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
        other.index(texts[: size + number], show_progress=False)
        return other.retrieve([texts[number][:8]], k=10, show_progress=False)

    one, other_ms = median_ms(mine, 20), median_ms(theirs, 5)
    return {"what": f"BM25 write and read at {size}", "own_ms": one, "other_ms": other_ms} | {
        "ratio": other_ms / one,
        "target": "at least 100, bm25s indexed again over memlab",
    }


def encoding(count: int) -> list[Row]:
    """Compare encoding with sentence-transformers' own, and with the cache."""
    from memlab.encoding.embedding import encode
    from memlab.models import MiniLM
    from memlab.models.cache import VectorCache
    from memlab.models.minilm import _model
    from memlab.spec import load

    talk = load("synthetic", conversations=2, turns=count, sessions=10, probes=5)
    turns = [turn.text for one in talk for turn in one.turns()]
    texts = list(dict.fromkeys(turns))[:count]
    embedder = MiniLM()
    embedder.prepare()
    model = _model()
    begin = time.perf_counter()
    model.encode(texts, batch_size=32, show_progress_bar=False)
    theirs = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        cache = VectorCache(Path(folder) / "vectors.sqlite")
        spent = []
        for _ in range(2):
            begin = time.perf_counter()
            encode(embedder, texts, "document", cache)
            spent.append(time.perf_counter() - begin)
    first, second = spent
    return [
        {"what": f"encoding {len(texts)} texts", "own_ms": 1000 * first, "other_ms": 1000 * theirs}
        | {"ratio": theirs / first, "target": "at least 1, sentence-transformers over memlab"},
        {"what": "the same texts again", "own_ms": 1000 * second, "ratio": first / second}
        | {"target": "at least 50"},
    ]


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--texts", type=int, default=600)
    given = parser.parse_args()
    rows: list[Row] = [exact(), reads(), rebuilt(), *encoding(given.texts), *writes(given.largest)]
    for row in rows:
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()})
    given.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "rows": rows}, indent=1)
    (given.out / "speed.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
