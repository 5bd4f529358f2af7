"""The text of components and of their parameters: equal values, equal text, in every process."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import re
import types
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError
from memlab.fingerprint import content
from memlab.objects import attributes
from memlab.registry import name_of
from memlab.values import is_array, scalar


def default_of(field: dataclasses.Field[Any]) -> Any:  # noqa: ANN401
    """Return the default of a field; `dataclasses.MISSING` where it has none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def describe(obj: Any, *, full: bool = False) -> str:  # noqa: ANN401
    """Return the text that `parse` reads back; with `full`, defaults are spelt out.

    Raises:
        ConfigError: a parameter that holds itself.
    """
    shown = []
    try:
        for field in dataclasses.fields(obj):
            text = _inner(getattr(obj, field.name), full)
            if full or text != _inner(default_of(field), full):
                shown.append(f"{field.name}={text}")
    except RecursionError:
        raise ConfigError(f"a parameter of {type(obj).__name__} holds itself", "a tree") from None
    return f"{name_of(type(obj))}({', '.join(shown)})"


def spell(value: Any, *, full: bool = False) -> str:  # noqa: ANN401
    """Return the text of a value: of a component as `describe` does, of others their repr.

    Arrays are spelt by type, shape and sha256, functions by name (those made inside functions
    also by a hash of their code), objects without a repr by class and attributes: never by an
    address, never in the order of a set. Equal texts mean equal values.
    """
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        return describe(value, full=full)
    if issubclass(kind, enum.Enum):
        return _of_member(value)
    if is_array(value) and (text := _of_array(value)):
        return text
    if issubclass(kind, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if issubclass(kind, list | tuple | dict | set | frozenset):
        return _of_container(value, full)
    if issubclass(kind, types.FunctionType | types.MethodType | functools.partial):
        return _of_callable(value, full)
    if issubclass(kind, Path):
        return f"Path({str(value)!r})"
    if kind is re.Pattern:  # its repr cuts long patterns
        return f"re.compile({value.pattern!r}, {value.flags})"
    return _of_object(value)


def _of_member(value: enum.Enum) -> str:
    name = f"{type(value).__module__}:{type(value).__qualname__}"
    named = type(value).__members__.get(value.name or "") is value
    return f"{name}.{value.name}" if named else f"{name}({value.value!r})"


def _of_array(value: Any) -> str:  # noqa: ANN401
    if callable(getattr(value, "item", None)) and value.shape == () and not is_array(value.item()):
        return spell(value.item())  # a numpy scalar, as a grid gives them
    shape = getattr(value, "shape", None)
    about = f"shape={shape}, sha256={content(value)[:16]!r}"
    if (dtype := getattr(value, "dtype", None)) is not None:
        about = f"dtype={str(dtype)!r}, {about}"
    return f"{name_of(type(value))}({about})"


def _of_container(value: Any, full: bool) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        pairs = (f"{_inner(k, full)}: {_inner(v, full)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    inner = [_inner(v, full) for v in value]
    if isinstance(value, tuple):
        return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
    if isinstance(value, list):
        return f"[{', '.join(inner)}]"
    members = "{" + ", ".join(sorted(inner)) + "}" if inner else ""
    if isinstance(value, frozenset):
        return f"frozenset({members})"
    return members or "set()"


def _of_callable(value: Any, full: bool) -> str:  # noqa: ANN401
    if isinstance(value, types.MethodType):
        return f"{_inner(value.__self__, full)}.{value.__name__}"
    if isinstance(value, functools.partial):
        given = [_inner(v, full) for v in (value.func, *value.args)]
        given += [f"{k}={_inner(v, full)}" for k, v in sorted(value.keywords.items())]
        return f"functools.partial({', '.join(given)})"
    return f"{value.__module__}:{value.__qualname__}"


def _inner(value: Any, full: bool) -> str:  # noqa: ANN401
    """Return the text of a parameter: functions that share a name are told apart."""
    text = spell(value, full=full)
    if type(value) is not types.FunctionType or "<" not in text:
        return text
    held = [scalar(c.cell_contents) for c in value.__closure__ or () if c != types.CellType()]
    code = content([value.__code__, value.__defaults__, value.__kwdefaults__, held])
    return f"{text}#{code[:8]}"


def _of_object(value: Any) -> str:  # noqa: ANN401
    kind = type(value)
    own = "__repr__" in {name for cls in kind.__mro__[:-1] for name in vars(cls)}
    if own and " at 0x" not in (text := repr(value)):
        return text
    held = attributes(value)
    texts = {name: scalar(member) and spell(member) for name, member in held.items()}
    if all(texts.values()):
        return f"{name_of(kind)}({', '.join(f'{k}={text}' for k, text in texts.items())})"
    return f"{name_of(kind)}(sha256={content(value)[:16]!r})"
