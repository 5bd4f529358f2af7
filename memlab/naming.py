"""One spelling: the repr of a component reads back to an equal object.

The same text is table label, config value and cache key. It is read with `ast`: literals,
registered names and `module:Class` references only, so nothing in it is ever executed.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import io
import json
import math
import tokenize
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

from memlab.errors import ConfigError, suggest
from memlab.registry import name_of, resolve

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


def parts(root: object) -> list[object]:
    """Return `root` and every component inside it, outermost first."""
    found = [root]
    for value in fields(root).values():
        members = value if isinstance(value, list | tuple) else [value]
        for member in members:
            if dataclasses.is_dataclass(member) and not isinstance(member, type):
                found.extend(parts(member))
    return found


def abilities(root: object, method: str) -> list[Any]:
    """Return the parts that offer `method`, a wrapper before what it wraps."""
    return [p for p in parts(root) if callable(getattr(p, method, None))]


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

    An object without a repr of its own is named by its class, never by its address.
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
    if "__repr__" not in {name for cls in type(value).__mro__[:-1] for name in vars(cls)}:
        return f"{name_of(type(value))}()"
    return repr(value)


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
    except (SyntaxError, ValueError) as error:
        raise ConfigError(
            f"cannot read {text!r}: {error}", "a name with keyword arguments, as Window(turns=5)"
        ) from error
    return _build(tree.body, text, references)


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
        if token.string != ":" or tokens[i - 1].type != tokenize.NAME:
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


_NUMBERS = {"inf": math.inf, "nan": math.nan}


def _build(node: ast.expr, text: str, references: Mapping[str, str]) -> Any:  # noqa: ANN401
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _call(references.get(name, name), node, text, references)
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Name(id=name):
            shown = references.get(name, name)
            raise ConfigError(f"{shown!r} is a bare name in {text!r}", f"{shown}(…)")
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=name)) if name in _NUMBERS:
            return -_NUMBERS[name]
        case ast.Tuple(elts=elements):
            return tuple(_build(e, text, references) for e in elements)
        case ast.List(elts=elements):
            return [_build(e, text, references) for e in elements]
        case ast.Dict(keys=keys, values=values) if all(k is not None for k in keys):
            built = (_build(v, text, references) for v in values)
            return dict(zip((ast.literal_eval(k) for k in keys if k), built, strict=True))
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ConfigError(
            f"{ast.unparse(node)!r} in {text!r} is neither a literal nor a component",
            "literals, registered names and module:Class references",
        ) from error


def _call(name: str, node: ast.Call, text: str, references: Mapping[str, str]) -> Any:  # noqa: ANN401
    cls = resolve(name)
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
    except TypeError as error:
        raise ConfigError(f"cannot make {text!r}: {error}") from error


def canonical_json(value: object) -> str:
    """Return strict JSON with sorted keys and no spaces: equal values, equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(*values: object) -> str:
    """Return the sha256 (hex) of the canonical JSON of `values`."""
    return hashlib.sha256(canonical_json(list(values)).encode()).hexdigest()


def file_digest(*paths: Path) -> str:
    """Return the sha256 (hex) over the bytes of the files, in the order given."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.read_bytes())
    return sha.hexdigest()


def slug(name: str) -> str:
    """Return `name` as a safe, readable part of a file name; distinct names stay distinct.

    >>> slug("locomo-lexical"), slug("a/b")
    ('locomo-lexical', 'a-b-c14cddc0')
    """
    safe = "".join(ch if ch.isascii() and (ch.isalnum() or ch in "-_.") else "-" for ch in name)
    safe = safe.strip(".-")[:60]
    return safe if safe == name and safe else f"{safe or 'run'}-{digest(name)[:8]}"


def source_digest(classes: Sequence[type]) -> str:
    """Return the sha256 over the source files of classes that memlab does not register."""
    import inspect

    sources = []
    for cls in sorted(classes, key=name_of):
        try:
            sources.append([name_of(cls), inspect.getsource(cls)])
        except (OSError, TypeError):
            sources.append([name_of(cls), ""])
    return digest(sources)
