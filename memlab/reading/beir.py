"""The files of a retrieval data set in BEIR's and LMEB's layout, read with their faults noted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memlab.reading.published import Log, json_lines, lines, name, once, text
from memlab.types import Role

QRELS = ("qrels.tsv", "qrels.jsonl", "qrels/test.tsv", "qrels/test.jsonl")
"""Where judgements may lie, below the folder of their queries."""

_SESSION = re.compile(r"_session_(\d+)_turn_\d+")


class Document(NamedTuple):
    """A document; `session` is read from ids such as `scene_0_session_1_turn_9`."""

    id: str
    text: str
    title: str
    role: Role
    session: str | None


class Question(NamedTuple):
    """A query with its judgements: document -> score."""

    id: str
    text: str
    answers: tuple[str, ...]
    subset: str
    where: str
    judged: Mapping[str, float]


def documents(file: Path, log: Log) -> dict[str, Document]:
    """Read a corpus: `id` (or `_id`), `text` and perhaps `title`."""
    found: dict[str, Document] = {}
    for where, row in json_lines(file, log):
        doc, words = name(row.get("id", row.get("_id"))), text(row, "text", where, log)
        if doc is None or words is None:
            log.note("document without id or text", where, row, "dropped")
        elif doc in found:
            log.note("repeated document", where, doc, "dropped")
        else:
            match = _SESSION.search(doc)
            role: Role = "assistant" if words.lower().startswith("assistant:") else "user"
            title = text(row, "title", where, log) or ""
            found[doc] = Document(doc, words, title, role, match[1] if match else None)
    return found


def candidates(file: Path, corpus: Mapping[str, Document], log: Log) -> dict[str, tuple[str, ...]]:
    """Read scene -> documents: `scene_id`, `candidate_doc_ids` (or `query-id`, `corpus-ids`)."""
    scenes: dict[str, tuple[str, ...]] = {}
    for where, row in json_lines(file, log):
        scene = name(row.get("scene_id", row.get("query-id")))
        listed = row.get("candidate_doc_ids", row.get("corpus-ids"))
        if scene is None or not isinstance(listed, list):
            log.note("candidates without id or list", where, row, "dropped")
            continue
        if scene in scenes:
            log.note("repeated candidates", where, scene, "dropped")
            continue
        ids = [name(value) or "" for value in listed]
        known = [doc for doc in ids if doc in corpus]
        if len(known) < len(ids):
            missing = [doc for doc in ids if doc not in corpus]
            log.note("candidate of no document", where, f"{len(missing)}: {missing}", "dropped")
        scenes[scene] = once(known)
        if len(scenes[scene]) < len(known):
            log.note("repeated candidate", where, len(known) - len(scenes[scene]), "repaired")
    return scenes


def questions(folder: Path, qrels: Path, subset: str, log: Log) -> Iterator[Question]:
    """Yield the queries of a folder (`id` or `_id`, `text`, perhaps `answer`), judged."""
    judged = judgements(qrels, log)
    seen: set[str] = set()
    for place, row in json_lines(folder / "queries.jsonl", log):
        where = f"{subset}/{place}".lstrip("/")
        query, words = name(row.get("id", row.get("_id"))), text(row, "text", where, log)
        if query is None or words is None:
            log.note("query without id or text", where, row, "dropped")
        elif query in seen:
            log.note("repeated query", where, query, "dropped")
        else:
            seen.add(query)
            answer = text(row, "answer", where, log)
            answers = (answer,) if answer and answer.strip() else ()
            yield Question(query, words, answers, subset, where, judged.get(query, {}))
    for query, scores in judged.items():
        if query not in seen:
            where = f"{subset}/{qrels.name}".lstrip("/")
            log.note("judgements of no query", where, f"{len(scores)} of {query}", "dropped")


def judgements(file: Path, log: Log) -> dict[str, dict[str, float]]:
    """Read query -> document -> score; a line of headings may come first."""
    judged: dict[str, dict[str, float]] = {}
    for where, fields in _triples(file, log):
        query, document, score = name(fields[0]), name(fields[1]), _score(fields[2])
        if query is None or document is None or score is None:
            log.note("unreadable judgement", where, fields, "dropped")
        elif document in judged.setdefault(query, {}):
            log.note("repeated judgement", where, f"{query} {document}", "dropped")
        else:
            judged[query][document] = score
    return judged


def _triples(file: Path, log: Log) -> Iterator[tuple[str, Sequence[object]]]:
    if file.suffix == ".jsonl":
        for where, row in json_lines(file, log):
            yield where, [row.get(key) for key in ("query-id", "corpus-id", "score")]
        return
    for index, (number, line) in enumerate(lines(file)):
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) == 4:  # the form of trec_eval, with its unused second column
            parts = [parts[0], *parts[2:]]
        if index == 0 and [part.strip() for part in parts] == ["query-id", "corpus-id", "score"]:
            continue
        yield f"{file.name}:{number}", parts if len(parts) == 3 else [None, None, line]


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        score = float(value)
    except (ValueError, OverflowError):
        return None
    return score if math.isfinite(score) else None


def scene_of(query: str, scenes: Mapping[str, object]) -> str | None:
    """Return the scene of a query: its own id, or the longest part before a `_` that is one.

    >>> scene_of("conv_3_q_12", {"conv_3": (), "conv": ()})
    'conv_3'
    """
    while query not in scenes:
        query, cut, _ = query.rpartition("_")
        if not cut:
            return None
    return query
