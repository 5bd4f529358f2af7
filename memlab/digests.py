"""Canonical text and hashes: of values, of files, of code, and names that are safe in paths."""

from __future__ import annotations

import hashlib
import json
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def canonical_json(value: object) -> str:
    """Return strict JSON with sorted keys and no spaces: equal values, equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(*values: object) -> str:
    """Return the sha256 (hex) of the canonical JSON of `values`."""
    return hashlib.sha256(canonical_json(list(values)).encode()).hexdigest()


def file_digest(*paths: Path) -> str:
    """Return the sha256 (hex) over the bytes of the files, in the order given."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.read_bytes())
    return sha.hexdigest()


def slug(name: str) -> str:
    """Return `name` as a safe, readable part of a file name; distinct names stay distinct.

    >>> slug("locomo-lexical"), slug("a/b")
    ('locomo-lexical', 'a-b-1693b0cf')
    """
    safe = "".join(ch if ch.isascii() and (ch.isalnum() or ch in "-_.") else "-" for ch in name)
    safe = safe.strip(".-")[:60]
    return safe if safe == name and safe else f"{safe or 'run'}-{digest(name)[:8]}"


def code_digest(objects: Iterable[object]) -> str:
    """Return the hash of the code behind classes and functions that memlab does not provide.

    It covers the live code of each, with base classes, closures and the globals it uses, and
    the source files of its module and of the modules of the same project that it imports. The
    live code tells apart what a notebook defined twice; the files, what a later process reads.
    """
    found: dict[str, Any] = {}
    for thing in objects:
        for part in thing.__mro__ if isinstance(thing, type) else (thing,):
            module = str(getattr(part, "__module__", ""))
            if _is_project(module):
                key = f"{module}:{getattr(part, '__qualname__', '')}"
                live = list(_of_class(part, set()) if isinstance(part, type) else _live(part))
                found[key] = [live, _files(module)]
    return digest(found) if found else ""


def _live(thing: object) -> Iterator[str]:
    return _of_value(thing, set())


def _is_project(module: str) -> bool:
    """Tell whether a module is the user's own: not Python's, not memlab's, not installed."""
    root = module.partition(".")[0]
    if module == "__main__":
        return True
    if root in ("", "memlab", "builtins") or root in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"} & set(Path(file).parts)


def _files(module: str) -> dict[str, str]:
    """Return the hashes of a module's file and of the project's modules that it uses."""
    waiting, seen = [module], {module}
    hashes = {}
    while waiting:
        name = waiting.pop()
        loaded = sys.modules.get(name)
        file = Path(getattr(loaded, "__file__", None) or "")
        if file.is_file():
            hashes[name] = file_digest(file)
        for value in list(vars(loaded).values()) if loaded and name != "__main__" else []:
            used = value.__name__ if isinstance(value, types.ModuleType) else None
            used = used or str(getattr(value, "__module__", ""))
            if used not in seen and _is_project(used):
                seen.add(used)
                waiting.append(used)
    return hashes


def _of_class(cls: type, seen: set[int]) -> Iterator[str]:
    for name, value in sorted(vars(cls).items()):
        if not name.startswith("__") or isinstance(value, types.FunctionType):
            yield name
            yield from _of_value(value, seen)


def _of_value(value: Any, seen: set[int]) -> Iterator[str]:  # noqa: ANN401
    """Yield texts that change when a value changes, functions by their code."""
    value = getattr(value, "fget", getattr(value, "__func__", value))
    if id(value) in seen:
        return
    if isinstance(value, types.FunctionType):
        seen.add(id(value))
        yield from _of_code(value.__code__)
        yield from (repr(part) for part in (value.__defaults__, value.__kwdefaults__))
        for cell in value.__closure__ or ():
            yield from _of_value(_content(cell), seen)
        for name in sorted(_names(value.__code__) & set(value.__globals__)):
            used = value.__globals__[name]
            if not isinstance(used, types.ModuleType):
                yield name
                yield from _of_value(used, seen)
    elif isinstance(value, type):
        seen.add(id(value))
        if value.__module__ == "__main__":
            yield from _of_class(value, seen)
    elif value is None or isinstance(value, str | bytes | int | float | tuple | list | dict):
        yield repr(value)


def _content(cell: types.CellType) -> Any:  # noqa: ANN401
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not bound yet
        return None


def _names(code: types.CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*(_names(c) for c in inner))


def _of_code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _of_code(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))
        else:
            yield repr(constant)
