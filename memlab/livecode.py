"""What functions and classes consist of: code, defaults, closures, and the globals they use.

A file decides what its module-level names hold, and a memo among them may fill during a run:
of those only code and constants are taken. Names without a file, as in a notebook, are taken
with all they hold, and so are closures and classes that a function made; a memo there makes
another hash once it is filled, so it belongs into the state that `reset` makes.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memlab.origins import Origin, locate, namespace, origin, origin_of
from memlab.sourcefiles import Files
from memlab.values import module_of, plain, scalar

CODE: tuple[type, ...] = (
    types.FunctionType,
    types.MethodType,
    type,
    staticmethod,
    classmethod,
    property,
    functools.partial,
    functools.partialmethod,
    functools.cached_property,
    functools.singledispatchmethod,
    type(functools.lru_cache(int)),
)
_PASSED = frozenset(
    "__dict__ __weakref__ __module__ __doc__ __qualname__ __abstractmethods__ _abc_impl "
    "__dataclass_params__ __dataclass_fields__ __match_args__ __parameters__ "
    "__firstlineno__ __static_attributes__ __annotate__ __annotate_func__ "
    "__annotations_cache__".split()
)


class Filed(NamedTuple):
    """A value that a file has made: only its code and its constants count."""

    value: Any


class Uses(NamedTuple):
    """The names that code reads, its inner functions included."""

    globals: set[str]
    attributes: set[str]
    modules: set[str]


def uses(code: types.CodeType) -> Uses:
    """Return what code reads: an attribute is not taken for a global of the same name."""
    found = Uses(set(), set(), set())
    for step in dis.get_instructions(code):
        if "GLOBAL" in step.opname or step.opname == "LOAD_NAME":
            found.globals.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            found.modules.add(step.argval)
        elif isinstance(step.argval, str):
            found.attributes.add(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            for mine, its in zip(found, uses(inner), strict=True):
                mine.update(its)
    return found


def code_members(code: types.CodeType) -> Iterator[Any]:
    """Yield everything of compiled code that decides what it does; neither place nor lines."""
    yield [code.co_name, code.co_flags, code.co_argcount, code.co_posonlyargcount]
    yield [code.co_kwonlyargcount, code.co_code, code.co_exceptiontable]
    yield [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    yield code.co_consts


def function_members(function: types.FunctionType, filed: bool, files: Files) -> Iterator[Any]:
    """Yield what a function consists of, the globals it reads included."""
    home = origin(function.__globals__)
    files.see(home)
    yield function.__code__
    yield [function.__defaults__, function.__kwdefaults__]
    yield from cells(function, filed)
    for name, value in sorted(vars(function).items()):
        yield from _named(name, value, fixed=home.kind != "live")
    used = uses(function.__code__)
    for module in sorted(used.modules):
        if (found := locate(module)) is not None:
            files.see(found)
    yield from _globals(function.__globals__, home, used, files)


def cells(function: types.FunctionType, filed: bool = False) -> Iterator[Any]:
    """Yield the names that a function closes over, and what they hold."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield from _named(name, cell.cell_contents, fixed=filed)
        except ValueError:  # a name that is not bound yet
            yield name


def _globals(space: Mapping[str, Any], home: Origin, used: Uses, files: Files) -> Iterator[Any]:
    fixed = home.kind != "live"
    passed = files.rebound(home) if home.kind == "own" else frozenset()
    for name in sorted(used.globals - passed):
        if name not in space or (fixed and name.startswith("__")):
            continue
        value = space[name]
        inner = namespace(value)
        if inner is None:
            yield from _named(name, value, fixed, home)
        else:
            yield from _of_module(name, inner, used.attributes, files, set())


def _of_module(
    name: str, space: Mapping[str, Any], attributes: set[str], files: Files, seen: set[int]
) -> Iterator[Any]:
    """Yield what code may read of a module, by the attributes it names."""
    home = origin(space)
    files.see(home)
    yield f"{name} is {home.name}"
    if home.kind not in ("own", "live") or id(space) in seen:
        return
    seen.add(id(space))
    for attribute in sorted(attributes - files.rebound(home)):
        if attribute not in space or attribute.startswith("__"):
            continue
        inner = namespace(space[attribute])
        if inner is None:
            yield from _named(attribute, space[attribute], home.kind == "own", home)
        else:
            yield from _of_module(attribute, inner, attributes, files, seen)


def class_members(cls: type, files: Files) -> Iterator[Any]:
    """Yield the bases of a class and what its body holds."""
    home = origin_of(module_of(cls))
    files.see(home)
    yield from cls.__bases__
    if type(cls) is not type:
        yield type(cls)
    fixed = home.kind != "live" and "<locals>" not in cls.__qualname__
    body = type.__dict__["__dict__"].__get__(cls)
    for name, value in sorted(body.items()):
        if name == "__annotations__":
            yield [f"{key}: {kind}" for key, kind in value.items() if type(kind) is str]
        elif name not in _PASSED:
            yield from _named(name, value, fixed, home)


def patched(cls: type) -> Iterator[Any]:
    """Yield the functions of a class of memlab that were put there from outside."""
    for name, value in sorted(type.__dict__["__dict__"].__get__(cls).items()):
        if type(value) is types.FunctionType and origin(value.__globals__).kind != "memlab":
            yield from (name, value)


def _named(name: str, value: Any, fixed: bool, home: Origin | None = None) -> Iterator[Any]:  # noqa: ANN401
    """Yield a name and its value; of what a file fixes, only code and constants."""
    if not fixed:
        yield from (name, value)
    elif issubclass(type(value), CODE):
        yield from (name, Filed(value))
    elif value is not None and type(value) not in (list, dict, set):
        text = scalar(value) or plain(value)
        if text is not None:
            folder = str(home.file.parent) if home and home.file else "\0"
            yield from (name, text.replace(folder, "."))
