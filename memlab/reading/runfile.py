"""Rankings and judgements that others made: TREC files or dicts, brought to one form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, DataError, Faults
from memlab.reading.beir import judgements
from memlab.reading.published import Log, lines, read_value

Ranking = dict[Any, list[Any]]
"""Query -> documents, best first."""

_SHOWN = 20


def rankings(given: object, label: str) -> Ranking:
    """Return a run as query -> documents, best first.

    A file of trec_eval (`query Q0 document rank score tag`), a `.json` file, or a dict of
    query -> list of documents or query -> {document: score}. Scores decide the order, highest
    first; equal scores stay as they stand. The column `rank` is not read, nor is the tag.

    Raises:
        ConfigError: another type.
        DataError: a file that cannot be read.
        Faults: lines or scores that cannot be used, a document ranked twice.
    """
    if isinstance(given, str | Path) and Path(given).suffix != ".json":
        return _run_file(Path(given), label)
    value = read_value(Path(given))[0] if isinstance(given, str | Path) else given
    if not isinstance(value, Mapping):
        raise ConfigError(f"{label} is {value!r:.80}", "a run file or a dict by query")
    faults: list[str] = []
    ranked = {query: _ranked(query, found, label, faults) for query, found in value.items()}
    _refuse(faults)
    return ranked


def _run_file(path: Path, label: str) -> Ranking:
    scored: dict[str, list[tuple[str, float]]] = {}
    faults: list[str] = []
    for number, line in lines(path):
        fields = line.split()
        score = _number(fields[4]) if len(fields) == 6 else None
        if score is None:
            wanted = "expected: query Q0 document rank score tag"
            faults.append(f"{path}, line {number}: found {line!r:.80}; {wanted}")
        else:
            scored.setdefault(fields[0], []).append((fields[2], score))
    ranked = {query: _by_score(query, pairs, label, faults) for query, pairs in scored.items()}
    _refuse(faults)
    return ranked


def _ranked(query: object, found: object, label: str, faults: list[str]) -> list[Any]:
    where = f"{label}, query {query!r}"
    if isinstance(found, Mapping):
        pairs = [(document, _number(score)) for document, score in found.items()]
        if any(score is None for _, score in pairs):
            faults.append(f"{where}: found {found!r:.80}; expected finite scores")
            return []
        return _by_score(query, [(d, s) for d, s in pairs if s is not None], label, faults)
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        faults.append(f"{where}: found {found!r:.80}; expected a list, or scores by document")
        return []
    return _by_score(query, [(document, 0.0) for document in found], label, faults)


def _by_score(
    query: object, pairs: Sequence[tuple[Any, float]], label: str, faults: list[str]
) -> list[Any]:
    ordered = [document for document, _ in sorted(pairs, key=lambda pair: -pair[1])]
    seen: list[Any] = list(dict.fromkeys(map(_key, ordered)))
    if len(seen) < len(ordered):
        faults.append(f"{label}, query {query!r}: a document is ranked twice")
    return ordered


def _key(document: object) -> object:
    """Return something that can be hashed and tells documents apart, whatever they are."""
    return document if isinstance(document, str | int) else repr(document)


def relevant(given: object) -> dict[Any, dict[Any, float]]:
    """Return judgements as query -> document -> grade.

    A file of trec_eval (`query 0 document grade`) or of BEIR (tabs, three columns), or a dict
    of query -> {document: grade} or query -> list of relevant documents.

    Raises:
        ConfigError: another type.
        DataError: a file that cannot be read, or holds nothing.
        Faults: lines or grades that cannot be used.
    """
    if isinstance(given, str | Path) and Path(given).suffix != ".json":
        log = Log()
        judged: dict[Any, dict[Any, float]] = dict(judgements(Path(given), log))
        _refuse([f"{d.where}: {d.kind}, found {d.found}" for d in log])
    else:
        value = read_value(Path(given))[0] if isinstance(given, str | Path) else given
        if not isinstance(value, Mapping):
            raise ConfigError(f"qrels is {value!r:.80}", "a qrels file or a dict by query")
        faults: list[str] = []
        judged = {query: _grades(query, found, faults) for query, found in value.items()}
        _refuse(faults)
    if not judged:
        raise DataError("the qrels hold no query", "at least one")
    return judged


def _grades(query: object, found: object, faults: list[str]) -> dict[Any, float]:
    if isinstance(found, Mapping):
        grades = {document: _number(grade) for document, grade in found.items()}
        if not any(grade is None for grade in grades.values()):
            return {document: grade for document, grade in grades.items() if grade is not None}
    elif isinstance(found, list | tuple | set | frozenset):
        try:
            return dict.fromkeys(found, 1.0)
        except TypeError:  # a document that cannot be hashed is no id
            pass
    faults.append(f"qrels, query {query!r}: found {found!r:.80}; expected grades by document")
    return {}


def check_ids(kind: str, groups: Mapping[str, Iterable[object]]) -> None:
    """Check that ids are texts everywhere, or whole numbers everywhere.

    Raises:
        ConfigError: both, or another type.
    """
    found = {where: sorted({_type(value) for value in ids}) for where, ids in groups.items()}
    types = {name for names in found.values() for name in names}
    if len(types) > 1 or not types <= {"text", "whole number"}:
        told = "; ".join(f"{where}: {', '.join(names)}" for where, names in found.items() if names)
        raise ConfigError(
            f"ids of {kind} of mixed or other types ({told})",
            "text everywhere, or whole numbers everywhere",
            "files hold text: write str(id)",
        )


def _type(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        return type(value).__name__
    return "text" if isinstance(value, str) else "whole number"


def _number(value: object) -> float | None:
    if isinstance(value, bool | bytes):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _refuse(faults: Sequence[str]) -> None:
    if faults:
        more = [f"… and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        raise Faults([*faults[:_SHOWN], *more], f"{len(faults)} fault(s) in the rankings")
