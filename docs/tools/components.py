"""Lists of what is registered: metrics, strategies, models and indexes, data sets."""

from __future__ import annotations

import importlib
import inspect
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from inspect import get_annotations
from pathlib import Path
from typing import Any

from docstrings import Described, described

from memlab import registry
from memlab.catalogue import KINDS, catalogue
from memlab.naming import spell
from memlab.parsing import parse
from memlab.rankings import Rankings
from memlab.scoring import definition
from memlab.types import Record

ROOT = Path(__file__).resolve().parents[2]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; bars and line ends inside a cell are escaped."""
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    clean = (" | ".join(" ".join(c.replace("|", "\\|").split()) for c in line) for line in lines)
    return "\n".join(f"| {line} |" for line in clean)


def anchor(name: str) -> str:
    """Return the anchor of a heading that is a name."""
    return name.lower()


def overview(names: Mapping[str, str]) -> str:
    """Return a table of names, each a link to its part of the page, and their first lines."""
    found = {name: described(registry.load_target(target)) for name, target in names.items()}
    return table(
        ("name", "in a line"),
        ((f"[`{name}`](#{anchor(name)})", about.first) for name, about in sorted(found.items())),
    )


@cache
def calls() -> dict[str, str]:
    """Return by name a call with all parameters and their defaults."""
    rows = [row for kind in KINDS for row in catalogue(kind)]
    found = {row["name"]: call(row["name"], row["parameters"]) for row in rows}
    parts = (*registry.INDEXES, *registry.POLICIES, *registry.GRAPHS)
    return found | {name: spell(registry.resolve(name)(), full=True) for name in parts}


def call(name: str, parameters: Mapping[str, str]) -> str:
    """Return a call as code, one parameter a line where it is long.

    >>> call("Window", {"turns": "None", "path": ""})
    'Window(turns=None, path)'
    """
    given = [f"{k}={v}" if v else k for k, v in parameters.items()]
    line = f"{name}({', '.join(given)})"
    return line if len(line) <= 88 else f"{name}(\n" + "".join(f"    {p},\n" for p in given) + ")"


def entry(name: str, about: Described, extra: str = "") -> str:
    """Return the section of one component."""
    meanings = table(("parameter", "meaning"), ((f"`{k}`", v) for k, v in about.parameters.items()))
    parts = [
        f"### {name}",
        f"```python\n{calls()[name]}\n```",
        about.text,
        f"```math\n{about.noted['Formula']}\n```" if "Formula" in about.noted else "",
        meanings if about.parameters else "",
        extra,
        f"Source: {about.noted['Source']}" if "Source" in about.noted else "",
    ]
    return "\n\n".join(part for part in parts if part)


def grouped(names: Mapping[str, str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each module with the things it holds, in the order of the registry."""
    modules = dict.fromkeys(target.partition(":")[0] for target in names.values())
    for path in modules:
        held = {n: registry.load_target(t) for n, t in names.items() if t.startswith(f"{path}:")}
        yield importlib.import_module(path), held


def metrics() -> str:
    """Return every metric with its formula, default, direction and source, by module."""
    parts = [overview(registry.METRICS), "## A worked example", worked()]
    for module, held in grouped(registry.METRICS):
        first, _, more = (inspect.getdoc(module) or "").partition("\n\n")
        title, _, rest = " ".join(first.split()).partition(": ")
        parts += [f"## {title.rstrip('.')}", rest[:1].upper() + rest[1:], more, shared(module)]
        for name, cls in held.items():
            parts.append(entry(name, described(cls), facts(cls())))
    return "\n\n".join(part for part in parts if part)


def shared(module: Any) -> str:  # noqa: ANN401
    """Return what the metrics of a module have in common: parameters that their bases explain."""
    rows = []
    for name, base in vars(module).items():
        own = inspect.isclass(base) and base.__module__ == module.__name__
        names = (
            [n for n, of in get_annotations(base).items() if "ClassVar" not in str(of)]
            if own
            else []
        )
        if name.startswith("_") and names:
            rows.append((", ".join(f"`{n}`" for n in names), described(base).text))
    return table(("parameters", "meaning"), rows) if rows else ""


def facts(metric: Any) -> str:  # noqa: ANN401
    """Return what a metric says of itself, as a list."""
    found = definition(metric)
    fails = found["failed_read_scores"]
    told = "is left out, and counted" if fails is None else f"scores {fails:g}"
    better = "higher" if found["higher_is_better"] else "lower"
    return f"- definition: {found['definition']}\n- a failed read: {told}\n- better: {better}"


RANKED = ("memlab.metrics.retrieval:", "memlab.metrics.behaviour:", "memlab.metrics.longmemeval:")
"""The modules whose metrics need the ranking alone."""

RECORDS = (
    Record(
        strategy="a",
        conversation="c",
        probe="answerable",
        budget=200,
        evidence=("t2", "t5"),
        stale=("t1",),
        evidence_sessions=(0, 1),
        candidates=9,
        candidate_sessions=3,
        ranked=("t5", "t1", "t2", "t7"),
        ranked_sessions=(1, 0, 0, 2),
        items=4,
        tokens=80,
    ),
    Record(
        strategy="a",
        conversation="c",
        probe="not answerable",
        budget=200,
        answerable=False,
        evidence=("t3",),
        candidates=9,
        ranked=("t7", "t3"),
        ranked_sessions=(2, 0),
        items=2,
        tokens=40,
    ),
)


def worked() -> str:
    """Return the values of metrics on two records, computed while the page is made."""
    rankings = Rankings.of(RECORDS)
    spelt = [
        text
        for name, target in registry.METRICS.items()
        if target.startswith(RANKED)
        for text in (f"{name}()", f"{name}(k=2)")
        if text == f"{name}()" or "k=None" in calls()[name]
    ]
    rows = []
    for text in spelt:
        values = parse(text)(rankings)
        if not all(map(math.isnan, values)):
            rows.append((f"`{text}`", *("–" if math.isnan(v) else f"{v:.3f}" for v in values)))
    return (
        "A question whose evidence is `t2` and `t5`, where `t1` has been superseded, got "
        "`t5, t1, t2, t7` of nine turns in 80 tokens; one that cannot be answered, and whose false "
        "premise is made of `t3`, got `t7, t3` in 40. A dash: not in the denominator. Metrics that "
        "need the texts are left out here.\n\n"
        + table(("metric", "answerable", "not answerable"), rows)
    )


def strategies() -> str:
    """Return every strategy, and their kinds side by side."""
    rows = catalogue("strategies")
    kinds = [key for key in rows[0] if key not in ("name", "about", "parameters")]
    shown = (
        (f"[`{row['name']}`](#{anchor(row['name'])})", *(str(row[kind]) for kind in kinds))
        for row in rows
    )
    return f"{listing(registry.STRATEGIES)}\n\n## Kinds\n\n{table(('name', *kinds), shown)}"


def models() -> str:
    """Return every embedder."""
    return listing(registry.MODELS)


def indexes() -> str:
    """Return every index."""
    return listing(registry.INDEXES)


def policies() -> str:
    """Return every policy."""
    return listing(registry.POLICIES)


def graphs() -> str:
    """Return every graph."""
    return listing(registry.GRAPHS)


def listing(names: Mapping[str, str]) -> str:
    """Return an overview of components and a section for each."""
    loaded = {name: registry.load_target(target) for name, target in sorted(names.items())}
    entries = (entry(name, described(found)) for name, found in loaded.items())
    return "\n\n".join([overview(names), *entries])


def datasets() -> str:
    """Return every data set, with its card."""
    parts = [overview(registry.DATASETS)]
    for name, target in sorted(registry.DATASETS.items()):
        parts.append(entry(name, described(registry.load_target(target)), card(name)))
    return "\n\n".join(parts)


def card(name: str) -> str:
    """Return what is known of the source of a data set, as a table; nothing without a card."""
    path = ROOT / "datasets" / f"{name}.toml"
    if not path.is_file():
        return ""
    known = tomllib.loads(path.read_text("utf-8"))
    rows = [(key, str(known[key])) for key in CARD if key in known]
    return table(("card", ""), rows)


CARD = ("source", "revision", "licence", "citation")
