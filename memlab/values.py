"""Texts of plain data: equal data, equal text, in every process; other data, another text."""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from collections.abc import Iterator
from inspect import getattr_static
from itertools import chain
from pathlib import PurePath
from typing import Any

from memlab.errors import ConfigError
from memlab.origins import origin_of

SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes, type(...)})
_HOLDERS = frozenset({list, tuple, dict})
_DEPTH = 4


def scalar(value: Any) -> str | None:  # noqa: ANN401
    """Return the text of a number, a text, a path or a pattern; None of anything else."""
    kind = type(value)
    if (numpy := sys.modules.get("numpy")) and issubclass(kind, numpy.generic):
        value = value.item()
        kind = type(value)
    if kind is int:
        return f"int {value:x}"
    if kind is float:
        return f"float {value.hex()}"
    if kind in SCALARS:
        return f"{kind.__name__} {value!r}"
    if issubclass(kind, PurePath):
        return f"path {value}"
    return f"pattern {value.flags} {value.pattern!r}" if kind is re.Pattern else None


def plain(value: Any) -> str | None:  # noqa: ANN401
    """Return the text of lists, tuples, dicts and sets of plain values, fast; else None."""
    kind = type(value)
    if kind in (set, frozenset):
        if not _is_plain(list(value)):
            return None
        return _hashed(f"{kind.__name__} {len(value)}", "\n".join(sorted(map(repr, value))))
    if kind not in _HOLDERS or not _is_plain(value):
        return None
    if kind is list and set(map(type, value)) == {float}:
        return _hashed(f"floats {len(value)}", array("d", value).tobytes())
    try:
        return _hashed(f"{kind.__name__} {len(value)}", repr(value))
    except ValueError:  # an integer of more digits than Python writes
        return None


def _is_plain(value: Any) -> bool:  # noqa: ANN401
    level = [value]
    for _ in range(_DEPTH):
        holders: list[Any] = [v for v in level if type(v) in _HOLDERS]
        if not holders:
            return True
        members = (chain(v, v.values()) if type(v) is dict else v for v in holders)
        level = list(chain.from_iterable(members)) if len(holders) > 1 else list(*members)
        kinds = set(map(type, level))
        if not kinds <= SCALARS | _HOLDERS:
            return False
        if kinds <= SCALARS:
            return True
    return False


def _hashed(head: str, body: str | bytes) -> str:
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return f"{head} {hashlib.sha256(data).hexdigest()}"


def mro(cls: type) -> tuple[type, ...]:
    """Return a class and its bases, past any metaclass."""
    found: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return found


def module_of(cls: type) -> str:
    """Return the name of the module of a class, past any metaclass."""
    name = type.__dict__["__module__"].__get__(cls)
    return name if type(name) is str else ""


def declared(cls: type, name: str) -> Any:  # noqa: ANN401
    """Return what a class or a base declares under a name, unbound; None if nothing."""
    for base in mro(cls):
        body = type.__dict__["__dict__"].__get__(base)
        if name in body:
            return body[name]
    return None


def is_array(value: object) -> bool:
    """Tell whether a value is an array or a table of a package, without asking the value."""
    if declared(type(value), "__array__") is None:
        return False
    return origin_of(module_of(type(value))).kind == "installed"


def array_members(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield what an array or a table holds: types, shapes, names, and the bytes or objects.

    Raises:
        ConfigError: an array that cannot be read.
    """
    import numpy as np

    kind = type(value)
    yield f"{kind.__module__}:{kind.__qualname__}"
    try:
        if declared(kind, "detach") is None:
            yield from _table(value)
        else:
            yield [str(value.dtype), list(value.shape)]
            value = _bytes_of_tensor(value)
        held = np.asarray(value)
    except (TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise ConfigError(
            f"an array of {kind.__qualname__} cannot be read: {error}", "an array of numpy"
        ) from error
    yield str(held.dtype.descr if held.dtype.names else held.dtype.str)
    yield tuple(held.shape)
    if held.dtype.hasobject:
        yield held.tolist()
    else:
        data = np.ascontiguousarray(held).reshape(-1).view(np.uint8)
        yield hashlib.sha256(data.data).hexdigest()
    if type(mask := getattr_static(value, "_mask", None)) is np.ndarray:
        yield mask


def _table(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the labels of a table or a series of pandas or its like."""
    for name in ("columns", "name", "index"):
        if declared(type(value), name) is not None:
            labels = getattr(value, name)
            if not callable(labels):
                yield [name, list(labels) if hasattr(labels, "__iter__") else labels]
    if declared(type(value), "dtypes") is not None:
        dtypes = value.dtypes
        yield [str(d) for d in dtypes] if hasattr(dtypes, "__iter__") else str(dtypes)


def _bytes_of_tensor(value: Any) -> Any:  # noqa: ANN401
    torch = sys.modules["torch"]
    return value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
