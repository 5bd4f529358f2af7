"""A joined run by its data sets, so that no table mixes them."""

from __future__ import annotations

from memlab.rundata import RunData
from memlab.tables import datasets


def parts(results: RunData) -> list[tuple[str, RunData]]:
    """Return each data set with its share of the run; a single one is the run itself."""
    found = datasets(results)
    if len(found) < 2:
        about = results.manifest.get("dataset", {})
        return [(str(about.get("name", "")), results)]
    return [(name, _only(results, name)) for name in found]


def _only(results: RunData, dataset: str) -> RunData:
    records = [record for record in results.records if record.dataset == dataset]
    talks = {record.conversation for record in records}
    return RunData(
        records,
        [facts for facts in results.facts if facts["conversation"] in talks],
        [unit for unit in results.latencies if unit["conversation"] in talks],
        results.manifest,
        results.metrics,
    )


def several_budgets(results: RunData) -> bool:
    """Tell whether the run has more than one budget."""
    return len({budget for _, budget in results.groups}) > 1
