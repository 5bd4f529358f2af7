"""Encode the quickstart sample with the real MiniLM; the vectors are committed beside it.

python experiments/quickstart_vectors.py
"""

from pathlib import Path

from memlab.datasets.quickstart import load
from memlab.encoding.vectors import write_vectors
from memlab.parsing import parse
from memlab.prepare import announced


def main() -> None:
    dataset, memory = load(), parse("Vector(embedder=MiniLM())")
    texts: dict[str, dict[str, None]] = {"document": {}, "query": {}}
    for conversation in dataset:
        for _, (_, role, text) in announced(memory, conversation):
            texts[role][text] = None
    path = Path(__file__).resolve().parent.parent / "datasets" / "quickstart.minilm.npz"
    written = write_vectors(path, memory.embedder, {r: list(t) for r, t in texts.items()})
    print(f"{written} vectors, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
