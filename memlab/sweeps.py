"""Sweeps: one component for each combination of parameter values, by label."""

from __future__ import annotations

import dataclasses
import itertools
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from memlab.errors import ConfigError, Faults, MemlabError, suggest
from memlab.naming import spell
from memlab.parsing import parse
from memlab.registry import name_of


def grid(
    strategy: object, /, *, name: str | None = None, **values: Iterable[Any]
) -> dict[str, Any]:
    """Return a strategy for each combination of values, by label; the last varies fastest.

    Args:
        strategy: a class, or a strategy (or its repr) that gives the parameters not named here.
            Any other component, such as a metric, can be swept as well.
        name: makes the labels, as `"window {turns}"`; by default a label is the repr.
        **values: a list for each parameter. Dots lead into parts, numbers into lists of parts:
            `**{"embedder.dimension": [256, 1024], "legs.0.k1": [0.9, 1.2]}`.

    Raises:
        Faults: unknown parameters, values that are no list, labels that are equal: all at once.

    >>> from memlab.strategies import BM25, Window
    >>> grid(Window, turns=[5, 10], name="last {turns}")
    {'last 5': Window(turns=5), 'last 10': Window(turns=10)}
    >>> list(grid(BM25(form="text"), k1=[0.9, 1.2], b=[0.4]))
    ["BM25(k1=0.9, b=0.4, form='text')", "BM25(k1=1.2, b=0.4, form='text')"]
    >>> list(grid("Vector(embedder=Hashing())", **{"embedder.dimension": [64]}))
    ['Vector(embedder=Hashing(dimension=64))']
    """
    base = parse(strategy) if isinstance(strategy, str) else strategy
    about = name_of(base) if isinstance(base, type) else spell(base)
    faults: list[MemlabError] = [*_label_faults(name, values)]
    if not values:
        faults.append(ConfigError("nothing to vary", "a list for a parameter", "as turns=[5, 10]"))
    lists = [_listed(parameter, given, faults) for parameter, given in values.items()]
    labels, made = [], []
    for chosen in itertools.product(*lists):
        combination = dict(zip(values, chosen, strict=True))
        made.append(_made(base, combination, faults))
        if not faults:
            labels.append(_label(made[-1], name, combination, faults))
    faults += _equal_labels(labels, name)
    if faults:
        told = list(dict.fromkeys(map(str, faults)))
        raise Faults(told, f"{len(told)} fault(s) in the grid of {about}")
    return dict(zip(labels, made, strict=True))


def _listed(parameter: str, given: Any, faults: list[MemlabError]) -> list[Any]:  # noqa: ANN401
    """Return the values of a parameter as Python's own; [None] stands in for a faulty list."""
    unordered = isinstance(given, str | bytes | Mapping | AbstractSet)
    wrong = unordered or not isinstance(given, Iterable)
    made = given if wrong else given.tolist() if hasattr(given, "tolist") else list(given)
    if wrong or not isinstance(made, list):
        hint = "" if isinstance(given, Mapping | AbstractSet) else f"{parameter}=[{spell(given)}]"
        faults.append(ConfigError(f"{parameter}={given!r}", "a list of values, in order", hint))
        return [None]
    if not made:
        faults.append(ConfigError(f"{parameter} has no values", "at least one"))
        return [None]
    own = [v.item() if getattr(v, "shape", None) == () else v for v in made]
    twice = [text for text, n in Counter(map(spell, own)).items() if n > 1]
    faults += [ConfigError(f"{parameter} has {text} more than once") for text in twice]
    return own


def _made(base: Any, combination: Mapping[str, Any], faults: list[MemlabError]) -> Any:  # noqa: ANN401
    """Return `base`, made anew with the values; what cannot be set is a fault."""
    made, left = base, dict(combination)
    if isinstance(base, type) and dataclasses.is_dataclass(base):
        given = {f.name: left.pop(f.name) for f in dataclasses.fields(base) if f.name in left}
        try:
            made = base(**given)
        except TypeError as error:  # a parameter without a default is not given
            faults.append(ConfigError(f"{name_of(base)} cannot be made: {error}"))
            return None
    for parameter, value in left.items():
        try:
            made = _with(made, parameter, parameter.split("."), value)
        except MemlabError as fault:
            faults.append(fault)
    return made


def _with(part: Any, parameter: str, steps: Sequence[str], value: Any) -> Any:  # noqa: ANN401
    """Return a part with the value put where the steps lead."""
    if not steps:
        return value
    step, *rest = steps
    if isinstance(part, list | tuple):
        if step not in map(str, range(len(part))):
            found = f"{parameter!r}: {step!r} is no member of a {type(part).__name__}"
            raise ConfigError(found, f"a number below {len(part)}")
        at = int(step)
        inner = _with(part[at], parameter, rest, value)
        members = [*part[:at], inner, *part[at + 1 :]]
        return tuple(members) if isinstance(part, tuple) else members
    about = name_of(part if isinstance(part, type) else type(part))
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        wanted = "a class made by @ml.strategy, @ml.component or @dataclass"
        raise ConfigError(f"{parameter!r}: {about} has no named parameters", wanted)
    known = [f.name for f in dataclasses.fields(part)]
    if step not in known:
        where = "" if parameter == step else f"{parameter!r}: "
        hint = suggest(step, known) if known else f"{about} takes no parameters"
        raise ConfigError(f"{where}{about} has no parameter {step!r}", "", hint)
    return dataclasses.replace(part, **{step: _with(getattr(part, step), parameter, rest, value)})


class _Names(string.Formatter):
    """Fills in parameters by their whole name, dots and all."""

    def get_field(self, field_name: str, _: Any, kwargs: Mapping[str, Any]) -> tuple[Any, str]:  # noqa: ANN401
        return kwargs[field_name], field_name


def _label_faults(name: str | None, values: Iterable[str]) -> Iterator[MemlabError]:
    if name is None:
        return
    wanted = 'a text with the parameters in braces, as "window {turns}"'
    try:
        asked = [field for _, field, _, _ in string.Formatter().parse(name)]
    except (TypeError, ValueError) as error:
        yield ConfigError(f"name={name!r} ({error})", wanted)
        return
    for field in [field for field in asked if field is not None and field not in values]:
        yield ConfigError(f"name={name!r}: {field!r} does not vary", "", suggest(field, values))


def _label(
    made: object, name: str | None, combination: Mapping[str, Any], faults: list[MemlabError]
) -> str:
    if name is None:
        return spell(made)
    try:
        return _Names().vformat(name, (), combination)
    except (TypeError, ValueError, LookupError) as error:  # a format unknown to the value
        why = f"{type(error).__name__}: {error}"
        faults.append(ConfigError(f"name={name!r}: {why}", "formats that fit the values"))
        return ""


def _equal_labels(labels: Sequence[str], name: str | None) -> Iterator[MemlabError]:
    for label, n in Counter(labels).items():
        if n > 1:
            hint = f"name={name!r} must name what varies" if name else ""
            yield ConfigError(f"{n} combinations have the label {label!r}", "one each", hint)
