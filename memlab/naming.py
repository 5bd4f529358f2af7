"""One spelling: the repr of a component reads back to an equal object.

The same text is table label, config value and cache key. It is read with `ast`: literals,
registered names, and `module:Class` references. A reference imports its module, as any use of
it would; only classes made to be components are called, and nothing else in the text is run.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import math
import tokenize
import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, dataclass_transform

from memlab.errors import ConfigError, MemlabError, suggest
from memlab.registry import load_target, name_of, resolve

C = TypeVar("C")
_NUMBERS = {"inf": math.inf, "nan": math.nan}


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


def parse(text: str) -> Any:  # noqa: ANN401
    """Build the object a component's repr stands for.

    Raises:
        ConfigError: unknown name or keyword (with a suggestion), positional argument,
            anything that is not a literal or a component.

    >>> parse("Window(turns=5)")
    Window(turns=5)
    """
    source, references = _hide_references(text)
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(
            f"cannot read {text!r}: {error}", "a name with keyword arguments, as Window(turns=5)"
        ) from error
    try:
        return _build(tree.body, text, references)
    except (TypeError, RecursionError) as error:
        raise ConfigError(f"cannot read {text!r:.200}: {error}") from error


def _hide_references(text: str) -> tuple[str, dict[str, str]]:
    """Replace `module:Class` by a plain name, which is what Python's grammar allows."""
    try:
        tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return text, {}
    references: dict[str, str] = {}
    edits: list[tuple[int, int, str]] = []
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for i, token in enumerate(tokens[1:-1], 1):
        left, right = tokens[i - 1], tokens[i + 1]
        if token.string != ":" or left.type != tokenize.NAME or right.type != tokenize.NAME:
            continue
        if left.string in ("None", "True", "False", *_NUMBERS):
            continue
        first, last = i - 1, i + 1
        while first >= 2 and tokens[first - 1].string == ".":
            first -= 2
        while last + 2 < len(tokens) and tokens[last + 1].string == ".":
            last += 2
        begin = starts[tokens[first].start[0] - 1] + tokens[first].start[1]
        end = starts[tokens[last].end[0] - 1] + tokens[last].end[1]
        name = f"reference_{len(references)}"
        references[name] = text[begin:end]
        edits.append((begin, end, name))
    for begin, end, name in reversed(edits):
        text = text[:begin] + name + text[end:]
    return text, references


def _build(node: ast.expr, text: str, references: Mapping[str, str]) -> Any:  # noqa: ANN401
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _call(references.get(name, name), node, text, references)
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Name(id=name) if isinstance(
            found := load_target(references[name]) if name in references else None,
            types.FunctionType,
        ):
            return found
        case ast.Name(id=name):
            shown = references.get(name, name)
            raise ConfigError(f"{shown!r} is a bare name in {text!r}", f"{shown}(…)")
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=name)) if name in _NUMBERS:
            return -_NUMBERS[name]
        case ast.Set(elts=elements) | ast.Tuple(elts=elements) | ast.List(elts=elements):
            make = {ast.Set: set, ast.Tuple: tuple, ast.List: list}[type(node)]
            return make(_build(e, text, references) for e in elements)
        case ast.Dict(keys=keys, values=values) if all(k is not None for k in keys):
            built = (_build(v, text, references) for v in values)
            spelt = (_build(k, text, references) for k in keys if k)
            return dict(zip(spelt, built, strict=True))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError) as error:
        raise ConfigError(
            f"{ast.unparse(node)!r} in {text!r} is neither a literal nor a component",
            "literals, registered names and module:Class references",
        ) from error


def _call(name: str, node: ast.Call, text: str, references: Mapping[str, str]) -> Any:  # noqa: ANN401
    cls = resolve(name)
    if not _may_be_made(cls):
        raise ConfigError(
            f"{name} in {text!r} is not a component", "a @strategy, a @component or a memory class"
        )
    if node.args:
        raise ConfigError(f"{name} has a positional argument in {text!r}", "keyword arguments")
    known = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    given: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg not in known:
            wrong = keyword.arg or "**"
            hint = suggest(wrong, known) if known else f"{name} takes no arguments"
            raise ConfigError(f"{name} has no parameter {wrong!r} (in {text!r})", "", hint)
        given[keyword.arg] = _build(keyword.value, text, references)
    try:
        return cls(**given)
    except MemlabError:
        raise
    except Exception as error:
        message = f"cannot make {text!r}: {type(error).__name__}: {error}"
        raise ConfigError(message) from error


def _may_be_made(cls: object) -> bool:
    """Tell whether a config may call it: a class meant for that, never any callable."""
    memory = all(callable(getattr(cls, method, None)) for method in ("reset", "write", "read"))
    return isinstance(cls, type) and (memory or getattr(cls, "is_component", False) is True)
