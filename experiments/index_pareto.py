"""Recall, latency and memory of the vector indexes: exact search, and HNSW over m and ef.

    python experiments/index_pareto.py OUT_FOLDER [--sizes 10000,100000] [--largest 1000000]

Vectors are 384 dimensions wide, unit length, around sqrt(n) centres with the spread at which
the ten nearest of a point lie at a cosine of about 0.6, as those of MiniLM on dialogues do.
Every index gets them one by one, as a memory does. Recall at 10 is that of the exact
search; reads are single, warm and on one thread; memory is the growth of the process. The
largest size has one m, as building takes long.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memlab.indexes import HNSW, Exact
from memlab.manifest import machine

DIMENSION = 384
EFS = (10, 20, 40, 80, 160, 320)
MS = (8, 16, 32)
STYLES = {8: ("#0072B2", "o"), 16: ("#D55E00", "s"), 32: ("#009E73", "^")}
QUERIES = 200
SPREAD = 0.8


def points(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors and queries around the same centres."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(int(count**0.5), DIMENSION)).astype(np.float32)
    made = []
    for size in (count, QUERIES):
        at = centres[rng.integers(len(centres), size=size)]
        noise = rng.normal(size=(size, DIMENSION)).astype(np.float32)
        found = at + SPREAD * noise
        made.append(found / np.linalg.norm(found, axis=1, keepdims=True))
    return made[0], made[1]


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def built(index: Exact | HNSW, vectors: np.ndarray) -> tuple[float, int]:
    """Fill an index; return seconds and bytes."""
    gc.collect()
    before, begin = resident(), time.perf_counter()
    index.reset()
    for row, vector in enumerate(vectors):
        index.add(row, vector)
    return time.perf_counter() - begin, resident() - before


def read(index: Exact | HNSW, queries: np.ndarray, truth: list[set[int]]) -> dict[str, float]:
    """Return recall at 10 and the milliseconds of single reads."""
    index.nearest(queries[0], 10)
    spent, shared = [], []
    for query, known in zip(queries, truth, strict=True):
        begin = time.perf_counter()
        rows = index.nearest(query, 10)[0]
        spent.append(1000 * (time.perf_counter() - begin))
        shared.append(len(known & set(rows.tolist())) / 10)
    p50, p95 = np.percentile(spent, [50, 95])
    return {
        "recall": round(float(np.mean(shared)), 4),
        "p50_ms": round(float(p50), 4),
        "p95_ms": round(float(p95), 4),
    }


def rows(size: int, ms: tuple[int, ...]) -> Iterator[dict[str, float | int | str]]:
    """Yield a row for each index of one size."""
    vectors, queries = points(size)
    exact = Exact()
    seconds, held = built(exact, vectors)
    truth = [set(exact.nearest(query, 10)[0].tolist()) for query in queries]
    about = {"size": size, "build_s": round(seconds, 2), "bytes": held}
    yield {"index": "Exact()", **about, **read(exact, queries, truth)}
    del exact
    for m in ms:
        graph = HNSW(m=m)
        seconds, held = built(graph, vectors)
        about = {"size": size, "build_s": round(seconds, 2), "bytes": held}
        for ef in EFS:
            graph.ef = ef
            yield {"index": f"HNSW(m={m}, ef={ef})", **about, **read(graph, queries, truth)}
        del graph


def draw(found: list[dict[str, float | int | str]], file: Path) -> None:
    """Draw recall against the median read, a panel for each size, a line for each m."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    sizes = sorted({int(row["size"]) for row in found})
    figure = Figure(figsize=(4 * len(sizes), 3.4), layout="constrained")
    for axes, size in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
        own = [row for row in found if row["size"] == size]
        for m in MS:
            line = [row for row in own if str(row["index"]).startswith(f"HNSW(m={m},")]
            if line:
                x, y = ([row[key] for row in line] for key in ("p50_ms", "recall"))
                gigabytes = float(line[0]["bytes"]) / 1e9
                label = f"HNSW, m={m}: {gigabytes:.2g} GB, built in {line[0]['build_s']:.0f} s"
                colour, marker = STYLES[m]
                axes.plot(x, y, color=colour, marker=marker, markersize=4, label=label)
        exact = next(row for row in own if row["index"] == "Exact()")
        label = f"exact: {float(exact['bytes']) / 1e9:.2g} GB"
        axes.plot([exact["p50_ms"]], [1.0], "kD", markersize=5, label=label)
        axes.set(xscale="log", xlabel="read, median (ms)", ylabel="recall at 10")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        low, high = axes.get_xlim()
        axes.set_xlim(10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high)))
        axes.set_title(f"{size:,} vectors of {DIMENSION}", fontsize=9)
        axes.legend(fontsize=7, loc="center right")
    figure.savefig(file, dpi=150)


def main() -> None:
    """Measure, print, draw and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--largest", type=int, default=0)
    given = parser.parse_args()
    found: list[dict[str, float | int | str]] = []
    plans = [(int(size), MS) for size in given.sizes.split(",")]
    if given.largest:
        plans.append((given.largest, (16,)))
    given.out.mkdir(parents=True, exist_ok=True)
    for size, ms in plans:
        for row in rows(size, ms):
            print(row, flush=True)
            found.append(row)
        text = json.dumps({"machine": machine(), "rows": found}, indent=1)
        (given.out / "indexes.json").write_text(text + "\n", "utf-8")
        draw(found, given.out / "indexes.png")


if __name__ == "__main__":
    main()
