"""Where a strategy fails: questions, evidence and what came back, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memlab.errors import ConfigError, suggest
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.scoring import as_metric

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

_SHOWN = 5
_BEFORE = ("strategy", "conversation", "probe", "budget", "category")
_AFTER = ("question", "answers", "evidence", "retrieved", "error")


def failure_table(
    results: RunData, strategy: str | None, metric: Metric | str, below: float
) -> pd.DataFrame:
    """Return the records that scored below `below`, worst first, with their texts."""
    import numpy as np
    import pandas as pd

    measure = as_metric(metric)
    values = results.values(measure)
    texts = {
        (c.id, turn.id): f"{turn.speaker}: {turn.text}"
        for c in results.dataset
        for turn in c.turns()
    }
    questions = {(c.id, p.id): p for c in results.dataset for p in c.probes()}
    labels = list(dict.fromkeys(record.strategy for record in results.records))
    if strategy is not None and strategy not in labels:
        raise ConfigError(f"no strategy {strategy!r} in this run", "", suggest(strategy, labels))
    rows: list[dict[str, Any]] = []
    for i in np.argsort(values, kind="stable"):
        record, value = results.records[i], values[i]
        if strategy is not None and record.strategy != strategy:
            continue
        if record.error is None and not value < below:
            continue
        probe = questions[record.conversation, record.probe]
        rows.append(
            {
                "strategy": record.strategy,
                "conversation": record.conversation,
                "probe": record.probe,
                "budget": record.budget,
                "category": record.category,
                spell(measure): value,
                "question": probe.text,
                "answers": " | ".join(probe.answers),
                "evidence": _lines(texts, record.conversation, record.evidence),
                "retrieved": _lines(texts, record.conversation, record.ranked[:_SHOWN]),
                "error": record.error,
            }
        )
    return pd.DataFrame(rows, columns=[*_BEFORE, spell(measure), *_AFTER])


def _lines(texts: dict[tuple[str, str], str], conversation: str, ids: tuple[str, ...]) -> str:
    return "\n".join(f"[{i}] {texts.get((conversation, i), '(no such turn)')}" for i in ids)
