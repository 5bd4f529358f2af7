"""What is registered, with the first line of each docstring."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from memlab import registry
from memlab.naming import default_of, spell
from memlab.scoring import definition
from memlab.taxonomy import tags_of

KINDS = {
    "strategies": registry.STRATEGIES,
    "metrics": registry.METRICS,
    "models": registry.MODELS,
    "datasets": registry.DATASETS,
}


def catalogue(kind: str) -> list[dict[str, Any]]:
    """Return name, description and parameters with defaults of everything of a kind."""
    rows = []
    for name, target in sorted(KINDS[kind].items()):
        found = registry.load_target(target)
        row: dict[str, Any] = {
            "name": name,
            "about": _about(found),
            "parameters": _parameters(found),
        }
        row |= definition(found()) if kind == "metrics" else {}
        tags = tags_of(found) if kind == "strategies" else None
        rows.append(row | (tags._asdict() if tags else {}))
    return rows


def _about(found: Any) -> str:  # noqa: ANN401
    text = inspect.getdoc(found) or ""
    return " ".join(text.split("\n\n")[0].split())


def _parameters(found: Any) -> dict[str, str]:  # noqa: ANN401
    if dataclasses.is_dataclass(found):
        defaults = {f.name: default_of(f) for f in dataclasses.fields(found)}
        required = dataclasses.MISSING
        return {name: "" if d is required else spell(d) for name, d in defaults.items()}
    signature = inspect.signature(found)
    return {
        f"**{name}" if p.kind is p.VAR_KEYWORD else name: ""
        if p.default is p.empty
        else repr(p.default)
        for name, p in signature.parameters.items()
    }
