"""Scores of rankings that others produced, with intervals and tests by conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, suggest
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.reading.runfile import Ranking, check_ids, rankings, relevant
from memlab.scoreboard import Scores
from memlab.scoring import as_metric
from memlab.types import Record

METRICS = ("Recall(k=5)", "Recall(k=10)", "MRR()", "NDCG(k=10)")
MISSING = "the run has no ranking for this query"

Conversations = Mapping[Any, Any] | Callable[[Any], Any]


def score(
    run: object,
    qrels: object,
    metrics: Metric | str | Sequence[Metric | str] | None = None,
    *,
    conversations: Conversations | None = None,
    baseline: str | None = None,
) -> Scores:
    """Score rankings that others produced; intervals and tests are by conversation.

    A run is a file of trec_eval, a `.json` file, or a dict of query -> documents, best first, or
    query -> {document: score}; several are a dict of label -> run, or a list of files. Scores
    decide the order, highest first; equal ones stay in the order of the file or dict (trec_eval
    itself breaks such ties by document id). A grade above 0 in the qrels is relevant.

    Every query of the qrels counts: one that a run does not have scores the metric's default
    and is counted as missing; queries of a run that the qrels do not have are left out and
    counted as extra; queries without a relevant document are outside the evidence metrics.

    Args:
        run: one run or several.
        qrels: a qrels file, or a dict of query -> documents or query -> {document: grade}.
        metrics: metrics or their reprs; by default Recall at 5 and 10, MRR, NDCG at 10.
        conversations: query -> conversation, as a dict or a function. Without it every query
            counts as independent of all others, which the notes say.
        baseline: the run that others are compared with; by default the first.

    Raises:
        ConfigError: ids of mixed types, a query without a conversation, an unknown baseline,
            a metric over sessions, which rankings of documents do not have.
        DataError: a file that cannot be read.
        Faults: lines, scores or grades that cannot be used.

    >>> score({"q1": ["a", "b"], "q2": ["c"]}, {"q1": ["b"], "q2": ["c"]}, "MRR()")
    run         MRR()  queries  missing  extra
    run  0.750        2        0      0
    ...
    """
    runs = {label: rankings(given, label) for label, given in _runs(run).items()}
    judged = relevant(qrels)
    chosen = [_turn_metric(metric) for metric in _listed(metrics)]
    _check(runs, judged, conversations)
    clusters = _clusters(judged, conversations)
    records = {label: _records(label, found, judged, clusters) for label, found in runs.items()}
    if baseline is not None and baseline not in runs:
        raise ConfigError(f"unknown baseline {baseline!r}", "", suggest(str(baseline), runs))
    if len(runs) > 1:
        baseline = baseline or next(iter(runs))
    extra = {label: len(set(found) - set(judged)) for label, found in runs.items()}
    notes = _notes(judged, conversations, len(runs) > 1)
    return Scores(records, chosen, baseline if len(runs) > 1 else None, extra, notes)


def _runs(run: object) -> dict[str, object]:
    """Return label -> run, whichever way they are given."""
    if isinstance(run, list | tuple):
        found: dict[str, object] = {Path(path).stem: path for path in run}
        if len(found) < len(run) or not run:
            raise ConfigError(f"run={run!r:.80}", "files of different names, or a dict by label")
        return found
    if isinstance(run, str | Path):
        return {Path(run).stem: run}
    if isinstance(run, Mapping) and run and all(map(_is_run, run.values())):
        return {str(label): given for label, given in run.items()}
    return {"run": run}


def _is_run(value: object) -> bool:
    """Tell whether a value is a run, and not what one query found."""
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(v, Mapping | list | tuple) for v in value.values())
    return isinstance(value, str | Path)


def _listed(metrics: Metric | str | Sequence[Metric | str] | None) -> Sequence[Metric | str]:
    if metrics is None:
        return METRICS
    return list(metrics) if isinstance(metrics, list | tuple) else [metrics]  # type: ignore[list-item]


def _turn_metric(metric: Metric | str) -> Metric:
    made = as_metric(metric)
    if getattr(made, "unit", "turn") != "turn":
        raise ConfigError(f"{spell(made)} needs sessions", "a metric with unit='turn'")
    return made


def _check(
    runs: Mapping[str, Ranking],
    judged: Mapping[Any, Mapping[Any, float]],
    given: Any,  # noqa: ANN401
) -> None:
    queries: dict[str, Any] = {"qrels": judged, **runs}
    if isinstance(given, Mapping):
        queries["conversations"] = given
    check_ids("queries", queries)
    documents = {"qrels": [document for grades in judged.values() for document in grades]}
    documents |= {label: [d for docs in run.values() for d in docs] for label, run in runs.items()}
    check_ids("documents", documents)


def _clusters(judged: Mapping[Any, Any], given: Conversations | None) -> dict[Any, str]:
    if given is None:
        return {query: str(query) for query in judged}
    if not isinstance(given, Mapping):
        if not callable(given):
            raise ConfigError(f"conversations={given!r:.80}", "a dict or a function of the query")
        return {query: str(given(query)) for query in judged}
    without = [query for query in judged if query not in given]
    if without:
        raise ConfigError(
            f"{len(without)} queries of the qrels have no conversation, such as {without[0]!r}",
            "every query in `conversations`",
        )
    return {query: str(given[query]) for query in judged}


def _records(
    label: str,
    run: Ranking,
    judged: Mapping[Any, Mapping[Any, float]],
    clusters: Mapping[Any, str],
) -> list[Record]:
    return [
        Record(
            strategy=label,
            conversation=clusters[query],
            probe=str(query),
            budget=None,
            evidence=tuple(str(document) for document, grade in grades.items() if grade > 0),
            ranked=tuple(map(str, run.get(query, ()))),
            items=len(run.get(query, ())),
            error=None if query in run else MISSING,
        )
        for query, grades in judged.items()
    ]


def _notes(judged: Mapping[Any, Mapping[Any, float]], given: object, several: bool) -> list[str]:
    notes = []
    if given is None:
        notes.append("No conversations were given: each query counts as independent of the others.")
    graded = sum(any(grade > 1 for grade in grades.values()) for grades in judged.values())
    if graded:
        notes.append(f"Grades above 1 count as 1; queries with such grades: {graded}.")
    without = sum(not any(grade > 0 for grade in grades.values()) for grades in judged.values())
    if without:
        notes.append(f"Queries without a relevant document, outside the metrics: {without}.")
    if several:
        notes.append(
            "± is half of a 95 % interval (CR3; none below 6 clusters). p: two-sided sign flips, "
            "not adjusted."
        )
    else:
        notes.append("± is half of a 95 % interval (CR3; none below 6 clusters).")
    return notes
