"""Answers and judgements of a run's contexts, brought back as further metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from memlab.answerrows import matched
from memlab.answertext import MEASURES, best
from memlab.checking import check_choice
from memlab.contexts import refuse, where
from memlab.errors import ConfigError
from memlab.parsing import parse
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.types import Record
from memlab.verdictnames import answer_key, audit_key, given_key, judge_key

if TYPE_CHECKING:
    from memlab.answerrows import Given

R = TypeVar("R", bound=RunData)
_FLAGS = {"true": 1.0, "false": 0.0}


def with_answers(results: R, answers: Given, measures: str | Sequence[str], reader: str) -> R:
    """Return results whose records hold the scores of a reader's answers."""
    chosen = [measures] if isinstance(measures, str) else list(measures)
    for measure in chosen:
        check_choice("metric", measure, MEASURES)
    _check_name("reader", reader, empty=True)
    _check_new(results, given_key(reader), f"answers of reader {reader!r}")
    given = matched(results, answers, "answer", _text, "answers")
    accepted = {(c.id, p.id): p.answers for c in results.dataset for p in c.probes()}
    records, counts = [], dict.fromkeys(_COUNTED, 0)
    for i, record in enumerate(results.records):
        references = accepted[record.conversation, record.probe]
        counts[_status(record, references, i in given)] += 1
        scores = _scored(record, references, given.get(i), reader)
        records.append(replace(record, verdicts={**record.verdicts, **scores}))
    metrics = [parse(f"Answered(measure={name!r}, reader={reader!r})") for name in chosen]
    return _changed(results, records, metrics, "answers", reader, counts)


_COUNTED = ("scored", "missing", "failed reads", "without accepted answers", "unanswerable")


def _status(record: Record, references: Sequence[str], given: bool) -> str:
    """Say what becomes of a record: each is counted once."""
    if not record.answerable:
        return "unanswerable"
    if not references:
        return "without accepted answers"
    if record.error is not None:
        return "failed reads"
    return "scored" if given else "missing"


def _scored(
    record: Record, references: Sequence[str], answer: str | None, reader: str
) -> dict[str, float | None]:
    comparable = bool(references) and record.answerable
    given = None if not comparable else float(answer is not None)
    scores: dict[str, float | None] = {given_key(reader): given}
    for measure in MEASURES:
        known = comparable and answer is not None
        scores[answer_key(reader, measure)] = (
            best(measure, answer, references) if known and answer is not None else None
        )
    return scores


def with_judgements(results: R, judgements: Given, audit: Given | None, name: str) -> R:
    """Return results whose records hold the verdicts of a judge, and of those who audited it."""
    _check_name("name", name)
    _check_new(results, judge_key(name), f"verdicts of judge {name!r}")
    judged = _verdicts(results, judgements, "judgements")
    audited = {} if audit is None else _verdicts(results, audit, "audit")
    unjudged = [where(results.records[i]) for i in audited if i not in judged]
    head = f"{len(unjudged)} fault(s) in the audit"
    refuse([f"{place}: audited, not judged" for place in unjudged], head)
    if audit is not None and not audited:
        raise ConfigError("the audit holds no verdict", "at least one, of a random sample")
    records = []
    for i, record in enumerate(results.records):
        found = {judge_key(name): judged.get(i)}
        found |= {audit_key(name): audited.get(i)} if audit is not None else {}
        records.append(replace(record, verdicts={**record.verdicts, **found}))
    spelt = [f"Judged(name={name!r})"]
    spelt += [f"Judged(name={name!r}, corrected=True)"] if audit is not None else []
    failed = sum(record.error is not None for record in results.records)
    missing = sum(i not in judged and r.error is None for i, r in enumerate(results.records))
    counts = {"judged": len(judged), "audited": len(audited)}
    counts |= {"missing": missing, "failed reads": failed}
    return _changed(results, records, [parse(m) for m in spelt], "judgements", name, counts)


def _verdicts(results: RunData, given: Given, what: str) -> dict[int, float]:
    read = matched(results, given, "judgement", _verdict, what)
    return {i: verdict for i, verdict in read.items() if verdict is not None}


def _changed(
    results: R,
    records: Sequence[Record],
    metrics: Sequence[Metric],
    kind: str,
    name: str,
    counts: Mapping[str, int],
) -> R:
    """Return the run with new records; its manifest says what was added to them."""
    about = dict(results.manifest)
    about[kind] = {**about.get(kind, {}), name: dict(counts)}
    return results.changed(records, (*results.metrics, *metrics), about)


def _check_name(what: str, name: Any, *, empty: bool = False) -> None:  # noqa: ANN401
    if not isinstance(name, str) or not name.isprintable() or "/" in name or not (name or empty):
        raise ConfigError(f"{what}={name!r}", "printable text without a slash")


def _check_new(results: RunData, key: str, what: str) -> None:
    if any(key in record.verdicts for record in results.records):
        raise ConfigError(f"this run has {what} already", "another name for other ones")


def _text(cell: Any) -> str:  # noqa: ANN401
    """Read an answer; a number or a flag is one, too, as JSON writers make them."""
    if isinstance(cell, str):
        return cell
    value = getattr(cell, "item", lambda: cell)()
    if isinstance(value, int | float):
        return str(value)
    raise ValueError("text")


def _verdict(cell: Any) -> float | None:  # noqa: ANN401
    """Read a verdict; an empty cell of a CSV file is none."""
    if cell == "":
        return None
    if isinstance(cell, str):
        cell = _FLAGS.get(cell.strip().lower(), cell)
    try:
        number = math.nan if isinstance(cell, bytes) else float(cell)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise ValueError("a number from 0 to 1, true or false")
    return number
