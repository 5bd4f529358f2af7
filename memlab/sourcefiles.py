"""The files that code depends on, and the versions of the packages where they end.

They are found in the text of import statements, so that a constant taken from another
module leads to its file as well; nothing is imported.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from memlab.digests import file_digest
from memlab.origins import Origin, locate, namespace, origin_of


class Files:
    """The files and the versions of packages that some code depends on."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Path | None], Origin] = {}
        self._rebound: dict[Path, frozenset[str]] = {}

    def see(self, found: Origin) -> None:
        """Take note of a module that holds code in use."""
        self._seen.setdefault((found.name, found.file), found)

    def rebound(self, found: Origin) -> frozenset[str]:
        """Return the names that functions of a file declare `global`: they change in a run."""
        if found.file is None:
            return frozenset()
        if found.file not in self._rebound:
            nodes = ast.walk(_tree(found.file))
            names = (name for n in nodes if isinstance(n, ast.Global) for name in n.names)
            self._rebound[found.file] = frozenset(names)
        return self._rebound[found.file]

    def hashes(self) -> list[list[str]]:
        """Return name and sha256 of every file, and name and version of installed packages."""
        held = {key for key, found in self._seen.items() if found.kind in ("own", "installed")}
        waiting, seen = list(self._seen.values()), dict(self._seen)
        while waiting:
            found = waiting.pop()
            for used in _imports(found) if found.kind == "own" else ():
                if (used.name, used.file) not in seen:
                    seen[used.name, used.file] = used
                    waiting.append(used)
        files = {k for k, f in seen.items() if f.file and (f.kind == "own" or k in held)}
        roots = {f.name.partition(".")[0] for f in seen.values() if f.kind == "installed"}
        hashed = [[name, *_states(name, path)] for name, path in sorted(files) if path]
        return hashed + [[root, text] for root in sorted(roots) for text in _versions(root)]


def note(module: str) -> None:
    """Remember the files of a module of the user, as they are while it is loaded."""
    if (found := origin_of(module)).kind == "own":
        files = Files()
        files.see(found)
        files.hashes()


_FIRST: dict[tuple[str, Path], tuple[object, str]] = {}
"""The hash of each file when its module was first met, with what marks that load of it."""


def _states(name: str, path: Path) -> list[str]:
    """Return the hash of a file; before it, that of the text that is loaded, if it is another."""
    try:
        now = file_digest(path)
    except OSError:
        now = "gone"
    space = namespace(sys.modules.get(name))
    if space is None:
        return [now]
    load = space.get("__spec__") or space
    known, first = _FIRST.get((name, path), (None, now))
    if known is not load:
        _FIRST[name, path] = (load, now)
        first = now
    return [now] if first == now else [first, now]


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _versions(root: str) -> list[str]:
    try:
        return [version(root)]
    except PackageNotFoundError:
        names = sorted(set(_distributions().get(root, ())))
        return [f"{name} {version(name)}" for name in names]


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # also a compiled module
        return ast.Module([], [])


def _imports(found: Origin) -> Iterator[Origin]:
    """Yield the modules that a file names in its imports, and the packages around them."""
    file = found.file
    if file is None:
        return
    inside = file.name == "__init__.py"
    package = found.package or (found.name if inside else found.name.rpartition(".")[0])
    for node in ast.walk(_tree(file)):
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
