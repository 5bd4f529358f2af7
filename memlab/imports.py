"""What a file imports, by the text of its import statements: nothing is imported to find it.

So a constant taken from another module leads to its file, and an import inside a function too.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from memlab.origins import Origin, locate


def rebound(file: Path) -> frozenset[str]:
    """Return the names that functions of a file declare `global`."""
    return _read(file)[1]


def imported(found: Origin) -> Iterator[Origin]:
    """Yield the modules that a file names in its imports, and the packages around them."""
    file = found.file
    if file is None:
        return
    inside = file.name == "__init__.py"
    package = found.package or (found.name if inside else found.name.rpartition(".")[0])
    for node in _read(file)[0]:
        for name in _named(node, package):
            steps = name.split(".")
            for end in range(1, len(steps) + 1):
                used = locate(".".join(steps[:end]))
                if used is not None:
                    yield used
                if used is None or used.kind not in ("own", "live"):
                    break


def _named(node: ast.AST, package: str) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute("." * level + (module or ""), package)
            return [f"{base}.{alias.name}" for alias in names] if base else []
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called),
            args=[ast.Constant(value=str(name)), *_],
        ) if called in ("import_module", "__import__"):
            return [found] if (found := _absolute(name, package)) else []
    return []


def _absolute(name: str, package: str) -> str:
    try:
        return importlib.util.resolve_name(name, package)
    except (ImportError, ValueError):
        return ""


def _read(file: Path) -> tuple[tuple[ast.AST, ...], frozenset[str]]:
    try:
        return _parsed(file.read_bytes() if file.suffix == ".py" else b"")
    except OSError:
        return (), frozenset()


@lru_cache(maxsize=1024)
def _parsed(text: bytes) -> tuple[tuple[ast.AST, ...], frozenset[str]]:
    """Return what may import a module, and the names that are declared `global`."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), frozenset()
    names = (name for n in nodes if isinstance(n, ast.Global) for name in n.names)
    may = (ast.Import, ast.ImportFrom, ast.Call)
    return tuple(n for n in nodes if isinstance(n, may)), frozenset(names)
