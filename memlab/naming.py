"""One spelling: the repr of a component reads back to an equal object.

The same text is table label, config value and cache key. `memlab.parsing` reads it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

from memlab.parsing import parse
from memlab.sourcefiles import note
from memlab.spelling import default_of as default_of
from memlab.spelling import describe as describe
from memlab.spelling import spell as spell

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
    note(made.__module__)
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


def _same(self: object, other: object) -> bool:
    return type(self) is type(other) and describe(self, full=True) == describe(other, full=True)
