"""Approximate nearest neighbours: hierarchical navigable small worlds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.checking import check_whole
from memlab.errors import DataError, MissingExtra
from memlab.naming import component, part

if TYPE_CHECKING:
    from memlab.indexes.exact import Exact

_GRAPH, _ABOUT = "graph.bin", "graph.json"
_START = 1024


@component
class HNSW:
    """Search a graph of neighbours instead of every vector (extra `ann`, hnswlib).

    The vectors themselves are kept in an exact index: the graph only proposes candidates, whose
    cosines are those of `Exact`. Below `exact_below` vectors, for all of them, and for scores
    behind a filter the exact index answers alone. `m` neighbours a node, `ef_construction`
    candidates while building, `ef` while searching; a search for more than `ef` looks at as many.

    One thread builds the graph, in the order of writing: the same writes give the same graph.
    A removed vector leaves the exact index at once. In the graph its node stays as a way to
    others until a quarter of the nodes are dead, or until the graph is saved: then it is built
    again from the living. Memory is about twice that of `Exact`.

    Source: Malkov and Yashunin (2020), "Efficient and Robust Approximate Nearest Neighbor Search
        Using Hierarchical Navigable Small World Graphs", IEEE TPAMI 42.

    >>> HNSW(m=32, ef=100)
    HNSW(m=32, ef=100)
    """

    m: int = 16
    ef_construction: int = 200
    ef: int = 50
    seed: int = 100
    exact_below: int = 1000
    exact: Any = part("Exact()")

    def reset(self) -> None:
        """Forget every row.

        Raises:
            ConfigError: m below 2, another number below 1.
            MissingExtra: hnswlib is not installed.
        """
        check_whole("m", self.m, least=2)
        for name in ("ef_construction", "ef", "exact_below"):
            check_whole(name, getattr(self, name), least=1)
        check_whole("seed", self.seed)
        _hnswlib()
        self._exact: Exact = self.exact
        self._exact.reset()
        self._graph: Any = None
        self._row_of: list[int] = []
        self._label_of: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._exact)

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Store a vector under a row number.

        Raises:
            ContractError: as `Exact.add`.
        """
        self._exact.add(row, vector)
        if self._graph is not None:
            self._link([row], vector[None])
        elif len(self) >= self.exact_below:
            self._build()

    def remove(self, row: int) -> None:
        """Delete a row and its vector; a row that is not there is passed over."""
        self._exact.remove(row)
        label = self._label_of.pop(row, None)
        if label is None:
            return
        self._graph.mark_deleted(label)
        if 4 * len(self._label_of) < 3 * len(self._row_of):
            self._build()

    def _build(self) -> None:
        """Build the graph anew from the living vectors, in the order added."""
        rows, vectors = self._exact.vectors()
        self._graph, self._row_of, self._label_of = None, [], {}
        if len(rows) >= self.exact_below:
            self._graph = self._empty(vectors.shape[1], max(_START, 2 * len(rows)))
            self._link(rows.tolist(), vectors)

    def _empty(self, dimension: int, room: int) -> Any:  # noqa: ANN401
        graph = _hnswlib().Index(space="ip", dim=dimension)
        graph.init_index(room, self.m, self.ef_construction, self.seed)
        graph.set_num_threads(1)
        return graph

    def _link(self, rows: list[int], vectors: NDArray[np.float32]) -> None:
        """Give rows labels of their own: a label is never used twice, so none comes back."""
        labels = range(len(self._row_of), len(self._row_of) + len(rows))
        if labels.stop > self._graph.get_max_elements():
            self._graph.resize_index(2 * labels.stop)
        self._graph.add_items(vectors, np.fromiter(labels, dtype=np.int64), num_threads=1)
        self._row_of += rows
        self._label_of.update(zip(rows, labels, strict=True))

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their vectors."""
        return self._exact.vectors()

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their exact cosine with `vector`."""
        return self._exact.scores(vector)

    def among(self, rows: Sequence[int], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the exact cosines of some rows."""
        return self._exact.among(rows, vector)

    def nearest(
        self, vector: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return about the `count` best rows and their cosines, best first.

        As many rows as asked for, or all there are. Equal cosines come in the order added.
        """
        if self._graph is None or 2 * count >= len(self):
            return self._exact.nearest(vector, count)
        self._graph.set_ef(max(self.ef, count))
        try:
            labels = self._graph.knn_query(vector, count, num_threads=1)[0][0]
        except RuntimeError:  # fewer than `count` living nodes can be reached from the entry
            return self._exact.nearest(vector, count)
        rows = np.array([self._row_of[label] for label in np.sort(labels)], dtype=np.int64)
        scores = self._exact.among(rows.tolist(), vector)
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def save(self, path: Path) -> None:
        """Write vectors and graph into the folder `path`, nothing of what was removed."""
        self._exact.save(path)
        if len(self._label_of) < len(self._row_of):
            self._build()
        if self._graph is not None:
            self._graph.save_index(str(path / _GRAPH))
        about = self._about() | {"graph": self._graph is not None}
        (path / _ABOUT).write_text(json.dumps(about), "utf-8")

    def _about(self) -> dict[str, Any]:
        named = ("m", "ef_construction", "seed", "exact_below")
        shape = {"metric": "inner product", "dimension": self.vectors()[1].shape[1]}
        return shape | {name: getattr(self, name) for name in named}

    def load(self, path: Path, rows: Sequence[int]) -> None:
        """Replace the state by what `save` wrote, under row numbers given in that order.

        `ef` is this object's own, as it is no part of the graph.

        Raises:
            DataError: files of an index of another dimension, metric or parameters.
        """
        self.reset()
        about = json.loads((path / _ABOUT).read_text("utf-8"))
        self._exact.load(path, rows)
        here = self._about()
        if wrong := [key for key, value in here.items() if about.get(key) != value]:
            told = ", ".join(f"{key} {about.get(key)!r}" for key in wrong)
            raise DataError(f"{path} holds an index with {told}", ", ".join(_said(here, wrong)))
        if about["graph"]:
            room = max(_START, 2 * len(rows))
            self._graph = _hnswlib().Index(space="ip", dim=here["dimension"])
            self._graph.load_index(str(path / _GRAPH), max_elements=room)
            self._graph.set_num_threads(1)
            if self._graph.get_current_count() != len(rows):
                raise DataError(f"{path / _GRAPH} is not the graph of its vectors")
            self._row_of = list(rows)
            self._label_of = {row: label for label, row in enumerate(rows)}


def _said(about: dict[str, Any], keys: list[str]) -> list[str]:
    return [f"{key} {about[key]!r}" for key in keys]


def _hnswlib() -> Any:  # noqa: ANN401
    try:
        import hnswlib
    except ImportError as error:
        raise MissingExtra.of("HNSW()", "ann") from error
    return hnswlib
