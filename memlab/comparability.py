"""Whether two runs may be compared: what their numbers depend on must be the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memlab.errors import RunError

Manifest = Mapping[str, Any]


def basis(manifest: Manifest) -> dict[str, Any]:
    """Return what a run's numbers depend on beside its strategies, by name.

    The order of budgets does not matter.

    >>> sorted(basis({"resolved": {"data": "ab", "tokenizer": "estimate", "budget": [5]}}))
    ['budget', 'data', 'evidence rule', 'tokenizer']
    """
    resolved = manifest.get("resolved", {})
    found: dict[str, Any] = {
        "data": resolved.get("data"),
        "tokenizer": resolved.get("tokenizer"),
        "budget": _ordered(resolved.get("budget")),
        "evidence rule": manifest.get("evidence_rule"),
    }
    found.update(_labels(manifest.get("dataset", {}).get("options", {})))
    return found


def _ordered(budgets: Any) -> Any:  # noqa: ANN401 - a manifest may say anything
    if not isinstance(budgets, list):
        return budgets
    return sorted(budgets, key=lambda budget: (budget is None, str(budget).zfill(20)))


def _labels(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for i, one in enumerate(options.get("datasets", [options])):
        if "labels" in one:
            yield f"labels of {one.get('name', i)}", one["labels"]


def differing(ours: Manifest, theirs: Manifest) -> dict[str, tuple[Any, Any]]:
    """Return what makes two runs incomparable: name -> the value in each.

    A metric counts where both runs name it and its definition has changed. Of the same data,
    labels that one of them names and the other leaves to the default are no difference.
    """
    mine, other = basis(ours), basis(theirs)
    found = {
        name: (mine.get(name), other.get(name))
        for name in dict.fromkeys([*mine, *other])
        if mine.get(name) != other.get(name)
    }
    if mine["data"] is not None and "data" not in found:
        unnamed = (key for key in [*mine, *other] if key not in mine or key not in other)
        for name in unnamed:
            found.pop(name, None)
    first, second = ours.get("definitions", {}), theirs.get("definitions", {})
    for name in first:
        if name in second and first[name] != second[name]:
            found[f"definition of {name}"] = (first[name], second[name])
    return found


def require_same(ours: Manifest, theirs: Manifest) -> None:
    """Refuse two runs whose numbers mean different things.

    Raises:
        RunError: names every key that differs, with both values.
    """
    found = differing(ours, theirs)
    if not found:
        return
    told = "; ".join(f"{key}: {short(a)} and {short(b)}" for key, (a, b) in found.items())
    raise RunError(
        f"these runs cannot be compared, they differ in {told}",
        "the same data, labels, tokenizer, budgets and definitions",
        "run both with one of them",
    )


def short(value: object) -> str:
    """Return a value as text, of a long one, such as a hash, the beginning."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
