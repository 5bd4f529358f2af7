"""The approximate index agrees with the exact one, through all that public reports complain of."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError, DataError, MissingExtra
from memlab.indexes import HNSW, Exact
from memlab.models import Hashing
from memlab.run import Run
from memlab.strategies import Vector
from memlab.types import Query, Turn, utc

pytest.importorskip("hnswlib")
GRAPH = {"exact_below": 1}


def unit(n, dimension=16, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def clustered(n, dimension=32, seed=0):
    """Points around sqrt(n) centres, as texts of some topics are."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(int(n**0.5), dimension))
    points = centres[rng.integers(len(centres), size=n)] + 0.5 * rng.normal(size=(n, dimension))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def filled(index, vectors, rows=None):
    index.reset()
    for row, vector in zip(rows or range(len(vectors)), vectors, strict=True):
        index.add(row, vector)
    return index


def found(index, vector, count):
    rows, scores = index.nearest(vector, count)
    return list(zip(rows.tolist(), scores.astype(float).round(5).tolist(), strict=True))


@settings(max_examples=25)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=80), st.integers(1, 40))
def test_adding_removing_and_adding_again_is_as_in_the_exact_index(steps, count):
    vectors = unit(len(steps) + 1)
    exact, graph = Exact(), HNSW(ef=100, **GRAPH)
    exact.reset()
    graph.reset()
    live = set()
    for number, (adds, row) in enumerate(steps):
        for index in (exact, graph):
            if adds and row not in live:
                index.add(row, vectors[number])
            elif not adds:
                index.remove(row)
        live = live | {row} if adds else live - {row}
        assert len(graph) == len(exact) == len(live)
    assert found(graph, vectors[-1], count) == found(exact, vectors[-1], count)


def test_recall_on_clustered_points():
    vectors, queries = clustered(5000), clustered(5000, seed=0)[::50]
    exact, graph = filled(Exact(), vectors), filled(HNSW(), vectors)
    shared = [
        len(set(exact.nearest(q, 10)[0].tolist()) & set(graph.nearest(q, 10)[0].tolist()))
        for q in queries
    ]
    assert np.mean(shared) / 10 >= 0.95


def test_more_than_there_are():
    index = filled(HNSW(**GRAPH), unit(3))
    assert len(found(index, unit(1)[0], 10)) == 3
    index.remove(0)
    index.remove(1)
    assert [row for row, _ in found(index, unit(1)[0], 10)] == [2]
    index.remove(2)
    assert found(index, unit(1)[0], 10) == []


def test_more_than_ef():
    index = filled(HNSW(ef=5, **GRAPH), unit(400))
    assert len(found(index, unit(1)[0], 100)) == 100


def test_duplicates_are_all_found_in_the_order_added():
    index = filled(HNSW(**GRAPH), np.tile(unit(1), (50, 1)))
    assert [row for row, _ in found(index, unit(1)[0], 50)] == list(range(50))


def test_most_of_the_nodes_removed():
    index = filled(HNSW(**GRAPH), unit(1000))
    for row in range(900):
        index.remove(row)
        if row % 100 == 99:
            rows = index.nearest(unit(1)[0], 20)[0]
            assert len(rows) == 20
            assert rows.min() > row


def test_the_same_writes_give_the_same_graph(tmp_path):
    files = []
    for number in range(3):
        filled(HNSW(**GRAPH), unit(500)).save(tmp_path / str(number))
        files.append((tmp_path / str(number) / "graph.bin").read_bytes())
    assert files[0] == files[1] == files[2]


def test_saved_and_loaded_under_new_numbers(tmp_path):
    vectors = unit(600)
    index = filled(HNSW(ef=77, **GRAPH), vectors)
    for row in range(0, 600, 7):
        index.remove(row)
    before = found(index, vectors[1], 10)
    index.save(tmp_path)
    kept = [row for row in range(600) if row % 7]
    assert before[0] == (1, pytest.approx(1.0))
    again = HNSW(ef=77, **GRAPH)
    again.load(tmp_path, list(range(len(kept))))
    assert [(kept[row], score) for row, score in found(again, vectors[1], 10)] == before
    again.add(10_000, vectors[0])
    assert found(again, vectors[0], 1)[0][0] == 10_000


def test_removed_vectors_are_in_no_file(tmp_path):
    vectors = unit(300)
    index = filled(HNSW(**GRAPH), vectors)
    index.remove(5)
    index.save(tmp_path)
    told = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert vectors[6].tobytes() in told
    assert vectors[5].tobytes() not in told


def test_a_file_of_another_index_is_refused(tmp_path):
    filled(HNSW(**GRAPH), unit(20)).save(tmp_path)
    with pytest.raises(DataError, match=r"m 16.*expected m 8"):
        HNSW(m=8, **GRAPH).load(tmp_path, list(range(20)))
    about = tmp_path / "graph.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"dimension": 8}))
    with pytest.raises(DataError, match=r"dimension 8.*expected dimension 16"):
        HNSW(**GRAPH).load(tmp_path, list(range(20)))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_independent_and_find_the_same(copied):
    vectors = unit(300)
    index = filled(HNSW(**GRAPH), vectors)
    twin = copied(index)
    assert found(twin, vectors[3], 10) == found(index, vectors[3], 10)
    twin.remove(3)
    assert found(index, vectors[3], 1)[0][0] == 3
    assert found(twin, vectors[3], 1)[0][0] != 3


def test_scores_behind_a_filter_are_exact():
    vectors = unit(100)
    index = filled(HNSW(**GRAPH), vectors)
    expected = vectors[[3, 50]] @ vectors[3]
    assert index.among([3, 50], vectors[3]).tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    assert index.scores(vectors[3])[0].tolist() == list(range(100))


@pytest.mark.parametrize("index", [Exact(), HNSW(exact_below=1)])
def test_what_no_index_takes(index):
    filled(index, unit(3))
    with pytest.raises(ContractError, match="NaN"):
        index.add(9, np.full(16, np.nan, dtype=np.float32))
    with pytest.raises(ContractError, match=r"shape \(8,\)"):
        index.add(9, np.ones(8, dtype=np.float32))
    with pytest.raises(ContractError, match="row 1 was added twice"):
        index.add(1, unit(1)[0])
    index.add(9, np.zeros(16, dtype=np.float32))
    assert dict(found(index, unit(1)[0], 4))[9] == 0.0


@pytest.mark.parametrize(
    ("index", "message"), [(HNSW(m=1), "m=1"), (HNSW(ef=0), "ef=0"), (HNSW(seed=-1), "seed=-1")]
)
def test_wrong_numbers(index, message):
    with pytest.raises(ConfigError, match=message):
        index.reset()


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hnswlib", None)
    with pytest.raises(MissingExtra, match=r"memlab\[ann\]"):
        HNSW().reset()


def test_a_budget_is_filled_however_many_rows_that_takes():
    turns = [
        Turn(id=str(i), text=f"word{i}", time=utc("2024-01-01"), user="u") for i in range(1500)
    ]
    read = []
    for index in (Exact(), HNSW(ef=1500)):
        memory = Vector(embedder=Hashing(), index=index)
        memory.reset()
        memory.attach(Run())
        for turn in turns:
            memory.write(turn)
        items = memory.read(Query("word7", utc("2024-01-02"), "u"), 3000)
        assert sum(memory.run.count(item.text) for item in items) > 2990
        read.append([(item.sources, item.score) for item in items])
    assert read[0] == read[1]
