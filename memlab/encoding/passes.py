"""Forward passes whose shape depends on nothing but the length of their texts.

The padding and the matrix sizes of a batch change the last bits of its results, and so does
the number of threads. So a text is padded to the next multiple of 4 tokens, a pass always has
as many rows as fit into 256 tokens, and it runs on one thread, several passes side by side:
what comes out for a text depends on the text and on the machine's arithmetic alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS = 256
STEP = 4

Features = dict[str, Any]
"""What a sentence-transformers model's `preprocess` returns."""


class Pass(NamedTuple):
    """The places of the texts it reads, and their features; what repeats has no place."""

    places: Sequence[int]
    features: Features


def in_passes(
    model: Any,  # noqa: ANN401
    forward: Callable[[Features], NDArray[np.float32]],
    texts: Sequence[Any],
    prompt: str | None = None,
    *,
    alone: bool = False,
) -> tuple[list[NDArray[np.float32]], list[int]]:
    """Return the row of each text and its nanoseconds: an equal share of its pass.

    Args:
        model: makes features, and tells its device.
        forward: runs the model on features of n texts; returns an array with n rows.
        texts: what the model takes: texts, or pairs.
        prompt: put before each by the model.
        alone: give each text a pass of its own, as if it had come alone. So do models that
            take anything but token ids and a mask.
    """
    planned = list(_plan(model, texts, prompt, alone=alone))

    def timed(one: Pass) -> tuple[NDArray[np.float32], int]:
        begin = time.perf_counter_ns()
        tensors = {k: v.to(model.device) if _tensor(v) else v for k, v in one.features.items()}
        return forward(tensors), time.perf_counter_ns() - begin

    done = _on_cores(timed, planned) if model.device.type == "cpu" else map(timed, planned)
    rows: dict[int, NDArray[np.float32]] = {}
    spent: dict[int, int] = {}
    for one, (found, nanoseconds) in zip(planned, done, strict=True):
        rows.update(zip(one.places, found, strict=False))
        spent.update(dict.fromkeys(one.places, nanoseconds // len(one.places)))
    places = range(len(texts))
    return [rows[i] for i in places], [spent[i] for i in places]


def _plan(
    model: Any,  # noqa: ANN401
    texts: Sequence[Any],
    prompt: str | None,
    *,
    alone: bool,
) -> Iterator[Pass]:
    """Yield passes of texts that get the same width, the longest first."""
    whole = model.preprocess(list(texts), prompt=prompt)
    if not _cuttable(whole, len(texts)):
        yield from (Pass([i], model.preprocess([t], prompt=prompt)) for i, t in enumerate(texts))
        return
    lengths = whole["attention_mask"].sum(dim=1).tolist()
    if alone:
        yield from (Pass([i], _cut(model, whole, [i], n)) for i, n in enumerate(lengths))
        return
    by_width: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        by_width.setdefault(_width(length, model.max_seq_length), []).append(place)
    for width, places in sorted(by_width.items(), reverse=True):
        size = max(1, TOKENS // width)
        for start in range(0, len(places), size):
            some = places[start : start + size]
            filled = some + some[:1] * (size - len(some))
            yield Pass(some, _cut(model, whole, filled, width))


def _width(length: int, most: int | None) -> int:
    width = -(-length // STEP) * STEP
    return max(length, min(width, most or width))


def _cuttable(features: Features, count: int) -> bool:
    """Return whether these are token ids with a mask, a row each, and nothing else in tensors."""
    tensors = {name: value for name, value in features.items() if _tensor(value)}
    needed = {"input_ids", "attention_mask"}
    return (
        needed <= tensors.keys() <= needed | {"token_type_ids"}
        and len({tuple(value.shape) for value in tensors.values()}) == 1
        and tensors["input_ids"].ndim == 2
        and len(tensors["input_ids"]) == count
    )


def _tensor(value: object) -> bool:
    return hasattr(value, "shape")


def _cut(model: Any, whole: Features, places: list[int], width: int) -> Features:  # noqa: ANN401
    """Return the features of some texts, cut or padded to a width."""
    from torch.nn.functional import pad

    cut, left = dict(whole), model.tokenizer.padding_side == "left"
    for name, value in whole.items():
        if _tensor(value):
            rows = value[places]
            more = max(0, width - rows.shape[1])
            fill = (model.tokenizer.pad_token_id or 0) if name == "input_ids" else 0
            rows = pad(rows, (more, 0) if left else (0, more), value=fill)
            cut[name] = rows[:, rows.shape[1] - width :] if left else rows[:, :width]
    return cut


def _on_cores(
    timed: Callable[[Pass], tuple[NDArray[np.float32], int]], planned: list[Pass]
) -> list[tuple[NDArray[np.float32], int]]:
    """Run one pass a core, each on one thread."""
    import torch
    from joblib import cpu_count

    workers = min(len(planned), cpu_count())
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            return list(pool.map(timed, planned))
    finally:
        # The workers' setting became the default of new threads: give the caller's back.
        torch.set_num_threads(torch.get_num_threads())
