"""What must be known to read and to repeat a run: facts, strategies, definitions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memlab.naming import spell
from memlab.render import caption, shown_metrics
from memlab.reporting.grid import Column, Grid, text
from memlab.rundata import RunData
from memlab.scoring import definition

Facts = list[tuple[str, str]]
_WAYS = {"True": "higher", "False": "lower"}
_CARD = ("title", "description", "citation", "source", "licence", "labels", "revision")


def headline(results: RunData) -> str:
    """Return what was run, in a line, without the run's name."""
    return caption(results)[0].removeprefix(f"{run_name(results)} · ")


def run_name(results: RunData) -> str:
    """Return the name of the run's folder."""
    return f"{results.manifest['name']}-{results.manifest['hash8']}"


def notes(results: RunData) -> list[str]:
    """Return what must be known to read the tables."""
    return [
        note.replace("macro, and the last table:", "macro:")  # there, tables stand in a row
        for note in caption(results)[1:]
    ]


def facts(results: RunData) -> Facts:
    """Return the manifest in a reader's order."""
    about = results.manifest
    resolved, packages = about["resolved"], dict(about["packages"])
    units = about.get("units", {})
    commit = (about.get("git") or {}).get("commit")
    version = str(packages.pop("memlab", ""))
    dirty = ", with local changes" if (about.get("git") or {}).get("dirty") else ""
    found = [
        ("memlab", version + (f", commit {commit}{dirty}" if commit else "")),
        ("source of memlab", _short(resolved.get("source"))),
        ("hash of the run", about["hash8"]),
        ("seed", str(resolved["seed"])),
        ("budgets", ", ".join("none" if b is None else f"{b:,}" for b in resolved["budget"])),
        ("tokenizer", str(resolved["tokenizer"])),
        ("models", _inline(resolved.get("models"))),
        *_data(about.get("dataset", {}), resolved.get("data")),
        ("coverage of evidence", str(about.get("coverage") or "")),
        ("evidence rule", str(about.get("evidence_rule", ""))),
        ("learns on read", ", ".join(about.get("learns_on_read", []))),
        ("jobs", str(about.get("jobs", ""))),
        ("seconds", str(about.get("seconds", ""))),
        ("units", ", ".join(f"{n} {name}" for name, n in units.items())),
        ("machine", _inline(about.get("machine"))),
        ("Python", str(about.get("python", ""))),
        ("packages", ", ".join(f"{n} {v}" for n, v in packages.items() if v)),
    ]
    return [(name, value) for name, value in found if value]


def _data(data: Mapping[str, Any], content: object) -> Facts:
    found = [("data set", str(data.get("name", "")))]
    card = data.get("card") or {}
    nested = {k: v for k, v in card.items() if isinstance(v, Mapping) and "title" in v}
    for name, one in (nested or {"": card}).items():
        found += [(f"{name} {key}".strip(), str(one[key])) for key in _CARD if one.get(key)]
    defects = [
        f"{n} {action}: {kind}"
        for action, kinds in (data.get("defects") or {}).items()
        for kind, n in kinds.items()
    ]
    return [
        *found,
        ("options", _inline(data.get("options"))),
        ("sha256 of the file", str(data.get("sha256", ""))),
        ("sha256 of the content", str(content or "")),
        ("conversations", str(data.get("conversations", ""))),
        ("probes", _inline(data.get("probes"))),
        ("defects", "; ".join(defects)),
    ]


def licences(results: RunData) -> list[str]:
    """Return the licences of the data, which the dialogues in a report stay under."""
    data = results.manifest.get("dataset", {})
    card = data.get("card") or {}
    nested = [(name, one) for name, one in card.items() if isinstance(one, Mapping)]
    cards = [(str(data.get("name", "")), card), *nested]
    return [f"{name}: {one['licence']}" for name, one in cards if one.get("licence")]


def _short(digest: object) -> str:
    return str(digest or "")[:16]


def _inline(value: object) -> str:
    """Return nested values in a line."""
    if isinstance(value, Mapping):
        return ", ".join(_pairs(value))
    if isinstance(value, list | tuple):
        return "; ".join(map(_inline, value))
    return "" if value is None else str(value)


def _pairs(value: Mapping[Any, Any]) -> Iterator[str]:
    for key, one in value.items():
        if one in ("", None):
            continue
        if isinstance(one, Mapping | list | tuple):
            yield f"{key} ({_inline(one)})"
        else:
            yield f"{key} {one}"


def strategies(results: RunData) -> Grid:
    """Return what each label stands for."""
    rows = []
    for label, spelt in results.manifest.get("strategies", {}).items():
        kinds = list(dict.fromkeys(spelt.values())) if isinstance(spelt, Mapping) else [spelt]
        more = f" (the first of {len(kinds)}, by conversation)" if len(kinds) > 1 else ""
        rows.append((text(label), text(f"{kinds[0]}{more}", "code")))
    columns = (Column("strategy", number=False), Column("what it is", number=False))
    return Grid("strategies", "Strategies", columns, tuple(rows))


def definitions(results: RunData) -> Grid:
    """Return what each metric means, which way is better, and what a failed read scores."""
    columns = ("metric", "definition", "better", "a failed read scores")
    rows = []
    for metric in shown_metrics(results):
        told = definition(metric)
        way = _WAYS.get(str(told.get("higher_is_better")), "not stated")
        failed = told.get("failed_read_scores")
        scores = "nothing: it is left out" if failed is None else f"{failed:g}"
        cells = (text(spell(metric), "code"), text(str(told["definition"])), text(way))
        rows.append((*cells, text(scores)))
    head = tuple(Column(name, number=False) for name in columns)
    return Grid("definitions", "Definitions", head, tuple(rows))


def manifest_json(results: RunData) -> str:
    """Return the manifest as it stands in the run's folder, but for the counts shown above."""
    shown = {key: value for key, value in results.manifest.items() if key != "counts"}
    return json.dumps(shown, indent=1, ensure_ascii=False, sort_keys=True, default=str)
