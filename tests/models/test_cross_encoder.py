"""A cross-encoder, tiny and with random weights: loading, scoring, identity, errors."""

import numpy as np
import pytest

from memlab.errors import ConfigError, ModelError
from memlab.models import CrossEncoder
from memlab.run import Run
from memlab.strategies import Reranker
from memlab.types import Query, Turn, utc

transformers = pytest.importorskip("transformers")
pytest.importorskip("sentence_transformers")
QUERY = Query("red car", utc("2024-01-01"))


def made(folder, labels=1):
    import torch

    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "car", "tea", "green", "."]
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        num_labels=labels,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return str(folder)


def test_a_score_depends_on_its_pair_alone(tmp_path):
    model = CrossEncoder(name=made(tmp_path), device="cpu")
    texts = ["red car.", "green tea.", "tea tea tea tea tea tea tea"]
    together = model.score(QUERY, texts)
    assert together.tolist() == [model.score(QUERY, [text])[0] for text in texts]
    assert len(set(together.tolist())) == 3
    assert model.score(QUERY, []).tolist() == []


def test_a_folder_is_known_by_its_files(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    one, other = (CrossEncoder(name=made(f), device="cpu") for f in (first, second))
    assert one.identity()["revision"] == other.identity()["revision"]
    (second / "vocab.txt").write_text("x", "utf-8")
    assert one.identity()["revision"] != other.identity()["revision"]


def test_it_ranks_the_hits_of_a_memory(tmp_path):
    scorer = CrossEncoder(name=made(tmp_path), device="cpu")
    memory = Reranker(scorer=scorer, keep=0.0, form="text")
    memory.reset()
    memory.attach(Run())
    texts = ["red car", "car green", "red tea car"]
    for number, text in enumerate(texts):
        memory.write(Turn(id=str(number), text=text, time=utc("2024-01-01"), user="u"))
    items = memory.read(Query("red car", utc("2024-01-02"), "u"), None)
    expected = np.argsort(-scorer.score(QUERY, texts), kind="stable")
    assert [item.sources[0] for item in items] == [str(i) for i in expected]


def test_what_cannot_score_pairs_is_refused(tmp_path):
    with pytest.raises(ModelError, match="has 3 outputs"):
        CrossEncoder(name=made(tmp_path, labels=3), device="cpu").score(QUERY, ["x"])
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ModelError, match="cannot be loaded"):
        CrossEncoder(name=str(empty), device="cpu").score(QUERY, ["x"])
    with pytest.raises(ConfigError, match="max_length=0"):
        CrossEncoder(name=str(tmp_path), max_length=0).score(QUERY, ["x"])
