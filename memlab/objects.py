"""What objects consist of, read without running any code of theirs: a proxy is not asked."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from memlab.livecode import CODE, Filed
from memlab.origins import namespace, origin_of
from memlab.values import declared, module_of, mro, scalar

_CONTENT: tuple[type, ...] = (str, bytes, bytearray, int, float, complex, dict, list, tuple)
_SETS = (set, frozenset)
_BUILTIN = (types.BuiltinFunctionType, types.MethodWrapperType)
_OPAQUE = frozenset(
    "_asyncio _contextvars _io _socket _ssl _thread _weakref asyncio concurrent io logging mmap "
    "multiprocessing queue socket ssl subprocess threading weakref".split()
)
"""Modules of locks, files, loggers and the like: they carry state of a process, no meaning."""

_UNTOLD = frozenset({"__doc__", "__module__", "__name__", "__qualname__", "__vectorcalloffset__"})
_MAY_FAIL = (TypeError, ValueError, AttributeError, RuntimeError)


def is_dataclass(kind: type) -> bool:
    """Tell whether objects of a class are made of declared fields."""
    return declared(kind, "__dataclass_fields__") is not None


def is_component(kind: type) -> bool:
    """Tell whether a class is a component, or has what a memory has."""
    names = ("reset", "write", "read")
    memory = all(declared(kind, name) is not None for name in names)
    return memory or declared(kind, "is_component") is True


def attributes(value: object) -> dict[str, Any]:
    """Return the attributes that an object holds itself: its dict and its slots."""
    found: dict[str, Any] = {}
    for cls in mro(type(value)):
        for name, slot in type.__dict__["__dict__"].__get__(cls).items():
            if name == "__dict__" and type(slot) is types.GetSetDescriptorType:
                held = slot.__get__(value, type(value))
                found = {**found, **held} if type(held) is dict else found
            elif type(slot) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = slot.__get__(value, type(value))
                except AttributeError:  # a slot that is not set
                    continue
    return {k: v for k, v in found.items() if type(k) is str and k not in _UNTOLD}


def object_members(value: Any, filed: bool = False) -> Iterator[Any]:  # noqa: ANN401
    """Yield the class of an object and what it holds; of containers, what they hold."""
    kind = type(value)
    if kind in (list, tuple, *_SETS):
        yield from value
    elif kind in (dict, types.MappingProxyType):
        for key, member in value.items():
            yield from (key, member)
    else:
        yield kind
        if kind in _BUILTIN:
            yield [value.__module__ if type(value.__module__) is str else None, value.__name__]
            yield None if namespace(value.__self__) is not None else value.__self__
        elif module_of(kind).partition(".")[0] not in _OPAQUE:
            yield from _held(value, kind, filed)


def _held(value: Any, kind: type, filed: bool) -> Iterator[Any]:  # noqa: ANN401
    base = next((b for b in (*_CONTENT, *_SETS) if issubclass(kind, b)), None)
    if base is not None:
        yield set(value) if base in _SETS else _content(base, value)
    code = issubclass(kind, CODE)
    if not code and _reduces(kind):
        yield from _reduced(value)
        return
    held = attributes(value)
    if is_dataclass(kind):
        held = _fields(kind, held)
    for name, member in sorted(held.items()):
        if type(declared(kind, name)) is functools.cached_property:
            continue
        if not filed:
            yield from (name, member)
        elif issubclass(type(member), CODE):
            yield from (name, Filed(member))
    if base is None and not held and _is_known(kind):
        yield scalar(getattr(value, "__name__", None))  # as of a method of a builtin class
        yield from _reduced(value)


def _content(base: type, value: Any) -> Any:  # noqa: ANN401
    """Return what a subclass of a builtin class holds, as the builtin class itself."""
    if base is dict:
        return dict(dict.items(value))
    if base in (list, tuple):
        return base(base.__iter__(value))
    if base is bytearray:
        return bytes(value)
    return base.__getnewargs__(value)[0]  # type: ignore[attr-defined]


def _fields(kind: type, held: dict[str, Any]) -> dict[str, Any]:
    """Keep the fields of a dataclass, and functions that were put on the object."""
    names = declared(kind, "__dataclass_fields__")
    found = {n: held.get(n, declared(kind, n)) for n in names}
    return found | {n: v for n, v in held.items() if type(v) in CODE}


def _is_known(kind: type) -> bool:
    """Tell whether a class is of Python, numpy or pandas, whose objects are safe to ask."""
    root = module_of(kind).partition(".")[0]
    return root in ("numpy", "pandas") or origin_of(root).kind == "python"


def _reduces(kind: type) -> bool:
    """Tell whether a class says itself what its objects hold, and may be asked."""
    names = {name for cls in mro(kind)[:-1] for name in type.__dict__["__dict__"].__get__(cls)}
    said = names & {"__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"}
    return bool(said) and _is_known(kind)


def _reduced(value: Any) -> Iterator[Any]:  # noqa: ANN401
    try:
        made = value.__reduce_ex__(4)
    except _MAY_FAIL:  # it holds what no file can: only its class is told
        return
    if isinstance(made, str):
        yield made
        return
    _, arguments, *state = made
    yield arguments
    for member in state:
        yield list(member) if issubclass(type(member), Iterator) else member
