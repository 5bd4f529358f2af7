"""A walk over values and the code behind them, which gives one hash for all of it.

Nothing in the hash is an address, the order of a set, a line number or the name of a folder.
"""

from __future__ import annotations

import hashlib
import itertools
import types
from collections.abc import Iterator
from typing import Any

from memlab.livecode import (
    CODE,
    Filed,
    cells,
    class_members,
    code_members,
    function_members,
    patched,
)
from memlab.objects import is_component, is_dataclass, object_members
from memlab.origins import Origin, look_again, namespace, origin, origin_of
from memlab.sourcefiles import Files
from memlab.values import array_members, is_array, module_of, mro, plain, scalar

_UNORDERED = (set, frozenset)
_CONTAINERS = (list, tuple, dict, *_UNORDERED, types.MappingProxyType, types.CodeType)
_LARGE = 1000


class _Frame:
    """A value under way: the hashes of its members are added as they are found."""

    def __init__(self, value: Any, members: Iterator[Any]) -> None:  # noqa: ANN401
        self.value, self.members = value, members
        self.unordered = type(value) in _UNORDERED
        self.numbers: dict[int, int] = {}
        self.found: list[str] = []
        self.sha = hashlib.sha256(type(value).__name__.encode())

    def add(self, text: str) -> None:
        if self.unordered:
            self.found.append(text)
            return
        data = text.encode("utf-8", "surrogatepass")
        self.sha.update(b"%d:" % len(data) + data)

    def close(self) -> str:
        found, self.found, self.unordered = sorted(self.found), [], False
        for text in found:
            self.add(text)
        return self.sha.hexdigest()


class Walk:
    """A walk over values with a stack of its own, so that depth costs no recursion.

    Functions, classes and objects with attributes are numbered when first met; of a container
    that holds itself the second meeting is named. Members of a set are walked apart.
    """

    def __init__(self) -> None:
        look_again()
        self.files = Files()
        self.foreign = False
        self._deep: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._open: dict[int, int] = {}
        self._kept: list[object] = []
        self._plain: dict[int, tuple[object, str]] = {}

    def digest(self, root: object) -> str:
        """Return the sha256 (hex) of a value."""
        self._numbers = {}
        stack = [_Frame(None, iter((root,)))]
        while True:
            frame = stack[-1]
            if frame.unordered:
                self._numbers = {}
            for member in frame.members:
                filed = type(member) is Filed
                value = member.value if filed else member
                text = self._text(value)
                if text is None:
                    stack.append(self._opened(value, filed))
                    break
                frame.add(text)
            else:
                if frame.value is not None:
                    del self._open[id(frame.value)]
                if type(frame.value) in _UNORDERED:
                    self._numbers = frame.numbers
                stack.pop()
                if not stack:
                    return frame.close()
                stack[-1].add(frame.close())

    def _opened(self, value: Any, filed: bool) -> _Frame:  # noqa: ANN401
        frame = _Frame(value, self._members(value, filed))
        frame.numbers = self._numbers
        self._open[id(value)] = len(self._open)
        if type(value) not in _CONTAINERS and _is_numbered(value):
            self._numbers[id(value)] = len(self._numbers)
            self._kept.append(value)
        return frame

    def _text(self, value: Any) -> str | None:  # noqa: ANN401
        """Return the text of what needs no walk of its own: plain data, and what was met."""
        if (text := scalar(value)) is not None:
            return text
        key = id(value)
        if key in self._plain:
            return self._plain[key][1]
        if key in self._numbers:
            return f"met {self._numbers[key]}"
        if key in self._open:
            return f"inside {self._open[key]}"
        if (space := namespace(value)) is not None:
            self.files.see(origin(space))
            return f"module {space.get('__name__')}"
        if (text := plain(value)) is not None and len(value) > _LARGE:
            self._plain[key] = (value, text)
        return text

    def _members(self, value: Any, filed: bool) -> Iterator[Any]:  # noqa: ANN401
        kind = type(value)
        if kind is types.FunctionType:
            return self._of_function(value, filed)
        if issubclass(kind, type):
            return self._of_class(value)
        if kind is types.CodeType:
            return code_members(value)
        if is_array(value):
            self.foreign = True
            return array_members(value)
        if is_component(kind):
            self._deep.update(module_of(base) for base in mro(kind))
        elif kind not in _CONTAINERS:
            self.foreign = True
        return object_members(value, filed)

    def _of_function(self, function: types.FunctionType, filed: bool) -> Iterator[Any]:
        home = origin(function.__globals__)
        self.foreign = self.foreign or home.kind != "memlab"
        if self._is_walked(home):
            return function_members(function, filed, self.files)
        self.files.see(home)
        named = f"{home.name}:{function.__qualname__}"
        if home.kind == "python":
            inner = [v for v in cells(function) if issubclass(type(v), CODE)]
            return iter((named, *inner, vars(function).get("registry")))
        return iter((named, *cells(function, filed)))

    def _of_class(self, cls: type) -> Iterator[Any]:
        home = origin_of(module_of(cls))
        self.foreign = self.foreign or home.kind not in ("memlab", "python")
        named = f"{home.name}:{cls.__qualname__}"
        if self._is_walked(home) or (home.kind == "installed" and "<locals>" in named):
            return itertools.chain((named,), class_members(cls, self.files))
        self.files.see(home)
        return iter((named, *(patched(cls) if home.kind == "memlab" else ())))

    def _is_walked(self, home: Origin) -> bool:
        walked = home.kind == "installed" and home.name in self._deep
        return walked or home.kind in ("own", "live")


def _is_numbered(value: object) -> bool:
    kind = type(value)
    if kind is types.FunctionType or issubclass(kind, type):
        return True
    return not is_dataclass(kind) and origin_of(module_of(kind)).kind != "python"
