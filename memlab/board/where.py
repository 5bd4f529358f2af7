"""Which probes a check is about: a filter on fields, dials and meta of the probes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from memlab.board.strict import Table
from memlab.errors import ConfigError, RunError
from memlab.probewise import Key
from memlab.rundata import RunData

Where = Mapping[str, Any]


def read_where(table: Table) -> Where:
    """Read `where`: a value, a list of texts (any of them), or a closed range of numbers."""
    found = table.mapping("where", {})
    for field, wanted in found.items():
        if not _good(wanted):
            table.fault(f"where {field} = {wanted!r}", "a value, a list of texts, or [low, high]")
    return found


def words(where: Where) -> str:
    """Return a filter in words.

    >>> words({"category": ["tool", "update"], "distance": [20, float("inf")]})
    'category tool or update, distance from 20'
    """
    return ", ".join(f"{field} {_shown(wanted)}" for field, wanted in where.items())


def chosen(results: RunData, where: Where) -> frozenset[Key] | None:
    """Return the probes that a filter keeps; None where it keeps all.

    Raises:
        ConfigError: a field that no probe has, or a filter that keeps none.
    """
    if not where:
        return None
    columns = [(_column(results, field), _test(wanted)) for field, wanted in where.items()]
    kept = frozenset(
        Key(record.dataset, record.conversation, record.probe)
        for i, record in enumerate(results.records)
        if all(test(column[i]) for column, test in columns)
    )
    if not kept:
        raise ConfigError(f"no probe has {words(where)}", "a filter that keeps some")
    return kept


def restricted(results: RunData, kept: frozenset[Key] | None) -> RunData:
    """Return the run cut to some probes."""
    if kept is None:
        return results
    records = [
        record
        for record in results.records
        if Key(record.dataset, record.conversation, record.probe) in kept
    ]
    return RunData(records, results.facts, results.latencies, results.manifest, results.metrics)


def _good(wanted: object) -> bool:
    if isinstance(wanted, list):
        numbers = all(isinstance(w, int | float) and not isinstance(w, bool) for w in wanted)
        texts = bool(wanted) and all(isinstance(w, str) for w in wanted)
        return texts or (numbers and len(wanted) == 2 and wanted[0] <= wanted[1])
    return isinstance(wanted, str | int | float | bool)


def _shown(wanted: Any) -> str:  # noqa: ANN401
    if not isinstance(wanted, list):
        return str(wanted)
    if isinstance(wanted[0], str):
        return " or ".join(wanted)
    low, high = wanted
    if high == math.inf:
        return f"from {low:g}"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _test(wanted: Any) -> Callable[[Any], bool]:  # noqa: ANN401
    if isinstance(wanted, list) and not isinstance(wanted[0], str):
        low, high = wanted
        return lambda value: _number(value) and low <= value <= high
    allowed = wanted if isinstance(wanted, list) else [wanted]
    return lambda value: any(value == one and type(value) is type(one) for one in allowed)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _meta(results: RunData, missing: ConfigError) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return what the data say of each probe, in search of a field that the records lack."""
    try:
        return {(c.id, p.id): p.meta for c in results.dataset for p in c.probes()}
    except RunError as lost:
        found = f"{missing.found}, and the data, whose probes may have it, cannot be read: {lost}"
        raise ConfigError(found, "", missing.fix) from lost


def _column(results: RunData, field: str) -> list[Any]:
    """Return a field or dial of every record, or what the data's probes have of that name.

    Raises:
        ConfigError: neither has it, or no record has it and the data are not at hand.
    """
    try:
        return results.field(field)
    except ConfigError as error:
        meta = _meta(results, error)
        if not any(field in found for found in meta.values()):
            raise error from None
    return [meta[record.conversation, record.probe].get(field) for record in results.records]
