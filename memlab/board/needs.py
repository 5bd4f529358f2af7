"""What a claim needs that memlab does not have yet, in plain words."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from collections.abc import Iterable

from memlab.errors import ConfigError
from memlab.registry import COMPONENTS, load_target
from memlab.synthetic.spec import DialogueSpec

FORM = re.compile(r"[A-Z]\w*(\.[a-z]\w*)?|synthetic\.\w+|memlab(\.\w+)+(:\w+)?")
_CALLED = re.compile(r"(?<![\w:.])([A-Z]\w*)\(")
_NOT_COMPONENTS = ("True", "False", "None", "Path")


def absent(needs: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each need that is not met.

    A need is the name of a component, `Name.parameter` for a parameter of one, `synthetic.dial`
    for a dial of the synthetic dialogues, or a module or `module:Name` of memlab.

    >>> absent(["BM25", "BM25.k1", "memlab.text", "Telepathy", "Window.colour"])
    ('memlab has no Telepathy yet', "memlab's Window has no parameter 'colour' yet")
    """
    return tuple(dict.fromkeys(said for said in map(_absent, needs) if said))


def named(spelt: str) -> list[str]:
    """Return the registered or future names that the repr of a component calls.

    >>> named("Dedup(inner=Vector(embedder=Hashing()), policy=my.module:Own())")
    ['Dedup', 'Vector', 'Hashing']
    """
    return list(dict.fromkeys(n for n in _CALLED.findall(spelt) if n not in _NOT_COMPONENTS))


def _absent(need: str) -> str:
    if need.startswith("memlab."):
        return "" if _importable(need) else f"memlab has no {need.removeprefix('memlab.')} yet"
    name, _, parameter = need.partition(".")
    if name == "synthetic":
        known = parameter in {field.name for field in dataclasses.fields(DialogueSpec)}
        return "" if known else f"synthetic dialogues have no dial {parameter!r} yet"
    if name not in COMPONENTS:
        return f"memlab has no {name} yet"
    if parameter:
        cls = load_target(COMPONENTS[name])
        if parameter not in {field.name for field in dataclasses.fields(cls)}:
            return f"memlab's {name} has no parameter {parameter!r} yet"
    return ""


def _importable(need: str) -> bool:
    module, _, attribute = need.partition(":")
    try:
        if importlib.util.find_spec(module) is None:
            return False
        if attribute:
            load_target(need)
    except (ImportError, ConfigError):
        return False
    return True
