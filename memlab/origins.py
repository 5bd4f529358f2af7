"""Where code comes from: the user's files, an installed package, Python, memlab, or no file."""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Mapping
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Literal, NamedTuple

Kind = Literal["own", "live", "installed", "python", "memlab"]
"""Own: a file of the user. Live: no file, as the cells of a notebook."""

_PACKAGE = Path(__file__).resolve().parents[__name__.count(".") - 1]
_PYTHON = Path(ast.__file__).resolve().parent


class Origin(NamedTuple):
    """The module that holds some code."""

    name: str
    kind: Kind
    file: Path | None
    package: str


def origin(space: Mapping[str, Any]) -> Origin:
    """Return the origin of code whose globals are `space`."""
    name, file = str(space.get("__name__") or ""), space.get("__file__")
    package = space.get("__package__") or ""
    typed_in = name == "__main__" and ("get_ipython" in space or hasattr(sys, "ps1"))
    path = file if isinstance(file, str) and not typed_in else None
    return _origin(name, path, package if isinstance(package, str) else "")


def origin_of(module: object) -> Origin:
    """Return the origin of the module of that name, as it is loaded."""
    space = namespace(sys.modules.get(str(module)))
    return origin(space) if space else _origin(str(module), None, "")


def look_again() -> None:
    """Forget which files were there."""
    _origin.cache_clear()


def namespace(module: object) -> dict[str, Any] | None:
    """Return the names of a module; None if it is none. A lazy module is not woken."""
    if not issubclass(type(module), types.ModuleType):
        return None
    space: dict[str, Any] = object.__getattribute__(module, "__dict__")
    return space


@lru_cache(maxsize=4096)
def _origin(name: str, file: str | None, package: str) -> Origin:
    root = name.partition(".")[0]
    path = Path(file or "")
    if not path.is_file():
        known = "python" if root in sys.stdlib_module_names else "live"
        return Origin(name, "memlab" if root == "memlab" else known, None, package)  # type: ignore[arg-type]
    resolved = path.resolve()
    kind: Kind = "own"
    if {"site-packages", "dist-packages"} & {*path.parts, *resolved.parts}:
        kind = "installed"
    if root == "memlab" and _PACKAGE in resolved.parents:
        kind = "memlab"
    elif kind == "own" and _PYTHON in resolved.parents:
        kind = "python"
    return Origin(name, kind, resolved, package)


def locate(name: str) -> Origin | None:
    """Return the origin of a module, loaded or not, without importing anything."""
    space = namespace(sys.modules.get(name))
    if space is not None:
        return origin({**space, "__name__": name})
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names and root == name and name in sys.builtin_module_names:
        return _origin(name, None, "")
    spec = _spec(name)
    if spec is None:
        return None
    return _origin(name, spec.origin if spec.has_location else None, spec.parent or "")


def _spec(name: str) -> ModuleSpec | None:
    parent = name.rpartition(".")[0]
    try:
        if not parent:
            return importlib.util.find_spec(name)
        space = namespace(sys.modules.get(parent))
        above = None if space is not None else _spec(parent)
        where = space.get("__path__") if space is not None else None
        where = above.submodule_search_locations if above else where
        return PathFinder.find_spec(name, list(where)) if where else None
    except (ImportError, ValueError, AttributeError, TypeError):  # as finders of packages raise
        return None
