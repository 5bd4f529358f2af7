"""A metric by the values of a field, in the order in which a picture shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memlab import tables
from memlab.dials import quality
from memlab.naming import spell
from memlab.protocols import Metric

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

NONE = "(none)"


def categories(results: RunData, metric: Metric, by: str) -> pd.DataFrame:
    """Return a metric by a field: one line per data set, value, strategy and budget.

    `by` is the value as text, `(none)` where a record has none. Numbers and ranges come by
    size; texts by their mean over strategies and data sets, the highest first.

    Raises:
        ConfigError: no record has the field.
    """
    import pandas as pd

    of = np.array([record.dataset for record in results.records])
    names = tables.datasets(results)
    groups = list(tables.field_groups(results, by))
    rows: list[dict[str, Any]] = []
    for name in names or [""]:
        for value, (strategy, budget), at in groups:
            chosen = at[of[at] == name]
            if len(chosen):
                row: dict[str, Any] = {"dataset": name} if names else {}
                row |= {by: NONE if value in (None, "") else str(value)}
                row |= {"strategy": strategy, "budget": budget}
                rows.append(row | quality(results, metric, chosen))
    table = pd.DataFrame(rows)
    texts = any(isinstance(value, str) for value, _, _ in groups)
    return _by_mean(table, by, spell(metric)) if texts else table


def _by_mean(table: pd.DataFrame, by: str, metric: str) -> pd.DataFrame:
    """Sort the lines of each data set; values that are none or have no mean come last."""
    means = table.groupby(by, sort=False)[metric].transform("mean").fillna(-np.inf)
    keys = [-means.to_numpy(), (table[by] == NONE).to_numpy()]
    if "dataset" in table:
        keys.append(table["dataset"].factorize()[0])
    return table.iloc[np.lexsort(keys)].reset_index(drop=True)
