"""Rankings and evidence in the formats of trec_eval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from memlab.digests import slug
from memlab.types import Record


def write_trec(records: Sequence[Record], directory: Path) -> list[Path]:
    """Write `qrels.txt` and `<strategy>[.<budget>].run`; return the paths.

    Ids are percent-encoded, so that none holds a space; a query is `conversation/probe`. The
    score is the rank from the end: the order is the strategy's own and has no ties. A turn
    ranked twice appears at its first accepted rank; a rejected claim keeps its rank under an
    id that no qrels hold.
    """
    directory.mkdir(parents=True, exist_ok=True)
    qrels: dict[tuple[str, str], None] = {}
    runs: dict[tuple[str, int | None], list[str]] = {}
    for record in records:
        query = f"{quote(record.conversation, safe='')}/{quote(record.probe, safe='')}"
        qrels.update(((query, quote(turn, safe="")), None) for turn in record.evidence)
        lines = runs.setdefault((record.strategy, record.budget), [])
        lines.extend(_run_lines(query, record))
    several = len({budget for _, budget in runs}) > 1
    paths = [directory / "qrels.txt"]
    paths[0].write_text("".join(f"{q} 0 {d} 1\n" for q, d in qrels), encoding="utf-8")
    for (strategy, budget), lines in runs.items():
        suffix = f".{'none' if budget is None else budget}" if several else ""
        paths.append(directory / f"{slug(strategy)}{suffix}.run")
        paths[-1].write_text("".join(lines), encoding="utf-8")
    return paths


def _run_lines(query: str, record: Record) -> list[str]:
    rejected, seen = set(record.rejected), set()
    lines = []
    tag = quote(record.strategy, safe="")
    for rank, turn in enumerate(record.ranked):
        name = quote(turn, safe="")
        if rank in rejected or name in seen:
            name = f"{name}!{rank}"
        else:
            seen.add(name)
        lines.append(f"{query} Q0 {name} {rank + 1} {len(record.ranked) - rank} {tag}\n")
    return lines
