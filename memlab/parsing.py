"""One spelling, read back: the repr of a component becomes an equal object.

The text is read with `ast`: literals, registered names, and `module:Class` references. A
reference imports its module, as any use of it would; only classes made to be components are
called, and nothing else in the text is run.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import io
import math
import tokenize
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, MemlabError, suggest
from memlab.registry import load_target, resolve

_NUMBERS = {"inf": math.inf, "nan": math.nan}
_BUILTIN: dict[str, Any] = {"set": set, "frozenset": frozenset, "Path": Path}


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
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
            name in _BUILTIN and len(args) <= 1
        ):
            return _BUILTIN[name](*(_build(arg, text, references) for arg in args))
        case ast.Call(func=ast.Name(id=name)):
            return _call(references.get(name, name), node, text, references)
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Name(id=name) if isinstance(
            found := load_target(references[name]) if name in references else None,
            types.FunctionType | enum.Enum,
        ):
            return found
        case ast.Name(id=name):
            shown = references.get(name, name)
            raise ConfigError(f"{shown!r} is a bare name in {text!r}", f"{shown}()")
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
    required = [
        f.name
        for f in (dataclasses.fields(cls) if known else ())
        if f.default is f.default_factory is dataclasses.MISSING and f.name not in given
    ]
    if required:
        raise ConfigError(f"{name} in {text!r} lacks {required[0]!r}", f"{required[0]}=…")
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
