"""Any sentence-transformers model, tried on the folder of MiniLM."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from memlab.encoding import local as encoding
from memlab.encoding.embedding import cache_key
from memlab.errors import ConfigError, ModelError
from memlab.models.sentence_transformer import PRESETS, SentenceTransformer
from memlab.parsing import parse

TEXTS = ["I moved to Oslo last week.", "我叫张三"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
INSTRUCTION = "Represent this sentence for searching relevant passages: "


@pytest.fixture
def local(minilm_folder):
    return lambda **settings: SentenceTransformer(name=str(minilm_folder), device="cpu", **settings)


def test_a_local_folder_gives_the_vectors_of_the_model(local, minilm):
    encoded = local().encode(TEXTS, "query")
    assert (encoded.vectors == minilm.encode(TEXTS, "query").vectors).all()
    assert parse(repr(local())) == local()


def test_prompts_are_put_before_the_texts_of_their_role(local, minilm):
    model = local(query_prompt="query: ", document_prompt="passage: ")
    for role, prompt in (("query", "query: "), ("document", "passage: ")):
        plain = minilm.encode([prompt + text for text in TEXTS], role)
        encoded = model.encode(TEXTS, role)
        assert (encoded.vectors == plain.vectors).all()
        assert encoded.tokens == plain.tokens


def test_max_length_cuts_and_is_part_of_the_key(local):
    short = local(max_length=4)
    encoded = short.encode(TEXTS, "document")  # 4 tokens: two words and the marks
    assert encoded.tokens == (4, 4)
    assert encoded.truncated == (True, True)
    assert (encoded.vectors[0] == short.encode(["I moved"], "document").vectors[0]).all()
    assert cache_key(short, "x", "query") != cache_key(local(), "x", "query")


@pytest.mark.parametrize("wrong", [0, -3, 513])
def test_a_length_beyond_the_models_positions_is_refused(local, wrong):
    with pytest.raises(ConfigError, match=f"max_length={wrong}; expected 1 to 512 tokens"):
        local(max_length=wrong).prepare()


def copied(folder, target, **files):
    shutil.copytree(folder, target)
    for name, content in files.items():
        (target / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return SentenceTransformer(name=str(target), device="cpu")


def test_an_edited_folder_gets_a_new_key_and_a_moved_one_keeps_it(tmp_path, minilm_folder):
    first = copied(minilm_folder, tmp_path / "a" / "m")
    moved = copied(minilm_folder, tmp_path / "b" / "m")
    assert cache_key(first, "x", "query") == cache_key(moved, "x", "query")
    edited = copied(minilm_folder, tmp_path / "c" / "m", modules=[])
    assert cache_key(edited, "x", "query") != cache_key(first, "x", "query")


def test_the_models_own_prompts_are_used_unless_others_are_given(tmp_path, minilm_folder):
    own = {"prompts": {"query": "Q: ", "passage": "P: "}}
    model = copied(minilm_folder, tmp_path / "m", config_sentence_transformers=own)
    assert model.identity()["query_prompt"] == "Q: "
    assert model.identity()["document_prompt"] == "P: "
    none = SentenceTransformer(name=model.name, query_prompt="", device="cpu")
    assert none.identity()["query_prompt"] == ""


def test_a_folder_named_as_a_preset_gets_its_prompts(tmp_path, minilm_folder):
    model = copied(minilm_folder, tmp_path / "bge-small-en-v1.5")
    assert model.identity()["query_prompt"] == INSTRUCTION
    assert str(model.identity()["revision"]).startswith("sha256:")


@pytest.fixture
def hub(tmp_path, minilm_folder, monkeypatch):
    """A hub cache that holds MiniLM's files under the name of another model."""
    repo = tmp_path / "models--BAAI--bge-small-en-v1.5"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text(COMMIT)
    shutil.copytree(minilm_folder, repo / "snapshots" / COMMIT)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    encoding.find.cache_clear()
    yield repo
    encoding.find.cache_clear()


@pytest.mark.parametrize("name", ["bge-small-en-v1.5", "BAAI/bge-small-en-v1.5"])
def test_a_preset_in_the_hubs_cache_is_used_without_the_hub(hub, minilm, name):
    model = SentenceTransformer(name=name, device="cpu")
    assert model.identity()["revision"] == COMMIT
    assert model.identity()["model"] == "BAAI/bge-small-en-v1.5"
    asked = model.encode(["Where do I live?"], "query").vectors
    expected = minilm.encode([INSTRUCTION + "Where do I live?"], "query").vectors
    assert (asked == expected).all()
    plain = model.encode(TEXTS, "document").vectors
    assert (plain == minilm.encode(TEXTS, "document").vectors).all()


def test_a_commit_is_a_key_without_any_file():
    model = SentenceTransformer(name="bge-m3", revision=COMMIT, device="cpu")
    assert model.identity()["revision"] == COMMIT
    assert model.identity()["query_prompt"] == ""


def test_an_unknown_model_is_a_typed_error(monkeypatch, tmp_path):
    import huggingface_hub

    def unreachable(**asked):
        raise OSError("the hub cannot be reached")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(ModelError, match=r"'no/such' is no folder .*cannot be reached"):
        SentenceTransformer(name="no/such", device="cpu").encode(["x"], "query")


def test_a_folder_without_a_model_is_a_typed_error(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded on 'cpu'"):
        SentenceTransformer(name=str(tmp_path), device="cpu").prepare()


def test_presets_have_the_prompts_of_their_cards():
    assert {p.query for name, p in PRESETS.items() if name.endswith("en-v1.5")} == {INSTRUCTION}
    assert {p.query for name, p in PRESETS.items() if name.endswith("zh-v1.5")} == {
        "为这个句子生成表示以用于检索相关文章："
    }
    assert {(p.query, p.document) for name, p in PRESETS.items() if "-e5-" in name} == {
        ("query: ", "passage: ")
    }
    assert not any(p.document for name, p in PRESETS.items() if name.startswith("bge"))


def test_rows_are_left_alone_when_not_normalized(tmp_path, minilm_folder):
    modules = json.loads((minilm_folder / "modules.json").read_text("utf-8"))[:2]
    model = copied(minilm_folder, tmp_path / "m", modules=modules)
    raw = SentenceTransformer(name=model.name, normalize=False, device="cpu")
    vectors = raw.encode(TEXTS, "query").vectors
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert (np.abs(norms - 1) > 0.1).all()
    assert np.allclose(vectors / norms, model.encode(TEXTS, "query").vectors, atol=1e-6)
