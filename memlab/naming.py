"""One spelling: the repr of a component reads back to an equal object.

The same text is table label, config value and cache key. `memlab.parsing` reads it.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

from memlab.parsing import parse
from memlab.registry import name_of

C = TypeVar("C")


def _component(cls: type[C]) -> type[C]:
    made = dataclasses.dataclass(kw_only=True, repr=False, eq=False)(cls)
    own = vars(made)
    methods: dict[str, Callable[..., Any]] = {
        "__repr__": describe,
        "__eq__": _same,
        "__hash__": lambda self: hash(describe(self)),
    }
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    made.is_component = True  # type: ignore[attr-defined]
    return made


@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
def strategy(cls: type[C]) -> type[C]:
    """Turn a class into a component whose fields are its hyper-parameters.

    Fields are keyword-only; the constructor only stores. State is annotated and made in
    `reset`. Equality and hash follow the hyper-parameters, never the state.

    >>> @strategy
    ... class Last:
    ...     turns: int = 3
    >>> Last(turns=5).turns
    5
    """
    return _component(cls)


@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
def component(cls: type[C]) -> type[C]:
    """Turn a class into a part (metric, index, embedder, policy); as `strategy` does."""
    return _component(cls)


def part(text: str) -> Any:  # noqa: ANN401 - the type is the field's own
    """Return a dataclass field whose default is the component named by `text`, made lazily."""
    return dataclasses.field(default_factory=lambda: parse(text))


def fields(component_: object) -> dict[str, Any]:
    """Return the hyper-parameters of a component by name."""
    if not dataclasses.is_dataclass(component_):
        return {}
    return {f.name: getattr(component_, f.name) for f in dataclasses.fields(component_)}


def inside(component_: object) -> list[object]:
    """Return the components that are fields of a component, or stand in its lists and tuples."""
    found: list[object] = []
    for value in fields(component_).values():
        listed = list(value.values()) if isinstance(value, dict) else value
        members = listed if isinstance(listed, list | tuple) else [value]
        found += [m for m in members if dataclasses.is_dataclass(m) and not isinstance(m, type)]
    return found


def parts(root: object) -> list[object]:
    """Return `root` and every component inside it, outermost first."""
    return [root, *(part for member in inside(root) for part in parts(member))]


def providers(root: object, method: str) -> list[Any]:
    """Return who offers `method`: the root, else the outermost parts that do.

    A part inside a provider is left to it, so nothing is done twice.
    """
    if callable(getattr(root, method, None)):
        return [root]
    return [found for member in inside(root) for found in providers(member, method)]


def default_of(field: dataclasses.Field[Any]) -> Any:  # noqa: ANN401
    """Return the default of a field; `dataclasses.MISSING` where it has none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def describe(obj: Any, *, full: bool = False) -> str:  # noqa: ANN401
    """Return the text that `parse` reads back; with `full`, defaults are spelt out."""
    shown = []
    for field in dataclasses.fields(obj):
        value = getattr(obj, field.name)
        default = default_of(field)
        if full or type(value) is not type(default) or value != default:
            shown.append(f"{field.name}={spell(value, full=full)}")
    return f"{name_of(type(obj))}({', '.join(shown)})"


def spell(value: Any, *, full: bool = False) -> str:  # noqa: ANN401
    """Return the text of a value: of a component as `describe` does, of others their repr.

    An object without a repr of its own is spelt by class and attributes, a function by its
    name: never by an address.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return describe(value, full=full)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, tuple):
        inner = ", ".join(spell(v, full=full) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return "[" + ", ".join(spell(v, full=full) for v in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{k!r}: {spell(v, full=full)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, set) and value:
        return "{" + ", ".join(sorted(spell(v, full=full) for v in value)) + "}"
    if callable(getattr(value, "item", None)) and getattr(value, "shape", None) == ():
        return spell(value.item(), full=full)  # a numpy scalar, as a grid gives them
    if isinstance(value, types.FunctionType):
        return f"{value.__module__}:{value.__qualname__}"
    if "__repr__" in {name for cls in type(value).__mro__[:-1] for name in vars(cls)}:
        return repr(value)
    shown = ", ".join(
        f"{k}={spell(v, full=full)}" for k, v in getattr(value, "__dict__", {}).items()
    )
    return f"{name_of(type(value))}({shown})"


def _same(self: object, other: object) -> bool:
    return type(self) is type(other) and fields(self) == fields(other)
