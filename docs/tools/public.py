"""The Python reference: every public name, described by its docstring through mkdocstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from components import ROOT, table
from docstrings import described

import memlab
from memlab.config import PARAMETERS

GROUPS = {
    "Run and measure": "evaluate repeat grid load score Results",
    "Conclude and share": "check report methods bundle verify hypotheses",
    "Data": "Dataset Conversation Turn Probe SessionEnd Forget Tick Query Item",
    "Write your own": "strategy component part parse Memory TurnMemory History check_memory",
}
"""What stands first, in this order; every other public name follows under its kind."""

CLASSES = {
    "Comparisons": "memlab.comparison.Comparison",
    "Pictures": "memlab.plots.Plots",
    "Repeats": "memlab.repeating.Repeats",
}
"""What the methods of results return."""

MODULES = {
    "Contracts and optional abilities": "protocols",
    "Estimates": "stats",
    "Tests": "inference.sign_flip inference.wilcoxon inference.multiple inference.margins",
    "Intervals and effects": "inference.bootstrap inference.effects inference.power",
    "Imperfect judges": "inference.correction",
    "Errors": "errors",
}


def names() -> str:
    """Return directives for every name of `memlab.__all__`, by group."""
    groups = {title: listed.split() for title, listed in GROUPS.items()}
    placed = {name for listed in groups.values() for name in listed}
    rest = [name for name in memlab.__all__ if name not in placed]
    groups["More functions"] = [n for n in rest if not inspect.isclass(getattr(memlab, n))]
    groups["More classes"] = [n for n in rest if inspect.isclass(getattr(memlab, n))]
    parts = []
    for title, listed in groups.items():
        parts += [f"## {title}", *(directive(getattr(memlab, name), name) for name in listed)]
    return "\n\n".join(parts)


def classes() -> str:
    """Return directives for what is not public by name, but comes back from what is."""
    return "\n\n".join(f"## {title}\n\n::: {path}" for title, path in CLASSES.items())


def modules() -> str:
    """Return directives for whole modules."""
    parts = []
    for title, listed in MODULES.items():
        parts.append(f"## {title}")
        for name in listed.split():
            options = "show_root_heading: false\n      show_root_toc_entry: false"
            parts.append(f"`memlab.{name}`\n\n::: memlab.{name}\n    options:\n      {options}")
    return "\n\n".join(parts)


def directive(thing: Any, name: str) -> str:  # noqa: ANN401
    """Return the directive that describes a thing where it is defined, under its public name."""
    found: Callable[..., Any] = thing
    options = [f"heading: ml.{name}", *(["inherited_members: true"] * inspect.isclass(thing))]
    lines = "".join(f"\n      {option}" for option in options)
    return f"::: {found.__module__}.{found.__qualname__}\n    options:{lines}"


def parameters() -> str:
    """Return the keys of an experiment file, as `evaluate` describes its parameters."""
    told = described(memlab.evaluate).parameters
    defaults = inspect.signature(memlab.evaluate).parameters
    rows = []
    for name in PARAMETERS:
        default = defaults[name].default
        shown = "needed" if default is inspect.Parameter.empty else f"`{default!r}`"
        rows.append((f"`{name}`", shown, told[name]))
    return table(("key", "default", "meaning"), rows)


def jsonl() -> str:
    """Return the section on the form of dialogues from the document of the data sets."""
    text = (ROOT / "datasets" / "README.md").read_text("utf-8")
    return text.partition("## The format of `jsonl`\n")[2].partition("\n## ")[0].strip()
