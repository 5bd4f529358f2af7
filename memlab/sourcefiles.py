"""The files that code depends on, and the versions of the packages where they end."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from memlab.digests import file_digest
from memlab.imports import imported, rebound
from memlab.origins import Origin, look_again, namespace, origin_of


class Files:
    """The files and the versions of packages that some code depends on."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Path | None], Origin] = {}

    def see(self, found: Origin) -> None:
        """Take note of a module that holds code in use."""
        self._seen.setdefault((found.name, found.file), found)

    def rebound(self, found: Origin) -> frozenset[str]:
        """Return the names that functions of a file declare `global`: they change in a run."""
        return rebound(found.file) if found.file else frozenset()

    def hashes(self) -> list[list[str]]:
        """Return name and sha256 of every file, and name and version of installed packages."""
        reached = self._reached()
        roots = {f.name.partition(".")[0] for f in reached.values() if f.kind == "installed"}
        return self.states() + [[r, text] for r in sorted(roots) for text in _versions(r)]

    def states(self) -> list[list[str]]:
        """Return name and sha256 of every file: all of the user's, of others what is in use."""
        used = {key for key, found in self._seen.items() if found.kind == "installed"}
        reached = self._reached().items()
        files = {key for key, f in reached if f.file and (f.kind == "own" or key in used)}
        return [[name, *_states(name, path)] for name, path in sorted(files) if path]

    def _reached(self) -> dict[tuple[str, Path | None], Origin]:
        waiting, reached = list(self._seen.values()), dict(self._seen)
        while waiting:
            found = waiting.pop()
            for used in imported(found) if found.kind == "own" else ():
                if (used.name, used.file) not in reached:
                    reached[used.name, used.file] = used
                    waiting.append(used)
        return reached


def note(module: str) -> None:
    """Remember the files of a module of the user as they are when it is loaded."""
    look_again()
    found = origin_of(module)
    if found.kind == "own" and found.file and not _is_met(module, found.file):
        files = Files()
        files.see(found)
        files.states()


_FIRST: dict[tuple[str, Path], tuple[object, str]] = {}
"""The hash of each file when its module was first met, with what marks that load of it."""


def _is_met(name: str, path: Path) -> bool:
    return (name, path) in _FIRST and _FIRST[name, path][0] is _load(name)


def _load(name: str) -> object:
    """Return what is made anew when a module is loaded again; None if it is not loaded."""
    space = namespace(sys.modules.get(name))
    return None if space is None else space.get("__spec__") or space


def _states(name: str, path: Path) -> list[str]:
    """Return the hash of a file; before it, that of the text that is loaded, if it is another."""
    try:
        now = file_digest(path)
    except OSError:
        now = "gone"
    load = _load(name)
    if load is not None and not _is_met(name, path):
        _FIRST[name, path] = (load, now)
    first = now if load is None else _FIRST[name, path][1]
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
