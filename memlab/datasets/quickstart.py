"""The committed sample: eight hand-written dialogues in English and Chinese."""

from __future__ import annotations

from dataclasses import replace

from memlab.reading.cards import card, sample
from memlab.registry import DATASETS, load_target
from memlab.types import Dataset


def load() -> Dataset:
    """Return the sample; `vectors` names the file of its MiniLM embeddings where there is one.

    Raises:
        DataError: the sample is missing from this installation.
    """
    path = sample("quickstart.jsonl")
    read: Dataset = load_target(DATASETS["jsonl"])(path, title="quickstart")
    vectors = path.with_name("quickstart.minilm.npz")
    return replace(
        read,
        card=card("quickstart"),
        vectors=(str(vectors),) if vectors.is_file() else (),
    )
