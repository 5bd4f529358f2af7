"""LMEB (arXiv 2603.12572) and folders like it: corpus, queries, judgements, candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.checking import check_flag
from memlab.digests import file_digest
from memlab.errors import ConfigError, DataError, suggest
from memlab.reading.beir import (
    QRELS,
    Document,
    Question,
    candidates,
    documents,
    questions,
    scene_of,
)
from memlab.reading.cards import card
from memlab.reading.published import MINUTE, START, Log, lost
from memlab.types import Conversation, Dataset, Event, Probe, SessionEnd, Turn

UNANSWERABLE = ("abstention_evidence", "adversarial", "adversarial_abstention")
"""Subsets whose queries have no answer; what they cite is a distractor."""


def load(
    path: str | Path,
    *,
    subsets: Sequence[str] | None = None,
    titles: bool = True,
    language: str = "en",
    strict: bool = False,
) -> Dataset:
    """Read a data set of LMEB, or a folder of BEIR's layout; queries that share candidates meet.

    Every folder with `queries.jsonl` is a subset (the probe's category) and has `qrels.tsv` (or
    `.jsonl`, or `qrels/test.…`); `corpus.jsonl` and `candidates.jsonl` lie there or above.
    Queries with equal candidates make one conversation, whose turns are those documents in the
    order of the corpus. The data state no times: turn i is said at minute i, `imputed`.
    Judgements above 0 are evidence, grades count alike. A query without candidates gets the
    whole corpus, as in the official evaluation.

    Args:
        path: the folder of one data set, such as `Dialogue/LoCoMo`.
        subsets: those to read, by their path below `path`; by default all.
        titles: put a document's title before its text, as the official evaluation does.
        language: goes to the meta of the conversations.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: an unknown subset.
        DataError: a file that is missing or cannot be read; with `strict`, any defect.
    """
    check_flag("titles", titles)
    root, log = Path(path), Log()
    reader = _Reader(root, log)
    for subset, folder in _chosen(root, subsets).items():
        reader.read(subset, folder)
    if subsets is None:
        reader.note_unused()
    talks = tuple(_talk(pool, titles, language, log) for pool in reader.pools.values())
    if not talks:
        raise DataError(f"{root} has no query that can be used", "at least one")
    if strict:
        log.refuse(root)
    described = {**card("lmeb"), "titles": titles}
    sha256 = file_digest(*dict.fromkeys(reader.files))
    return Dataset(f"lmeb-{root.resolve().name}", talks, {}, described, tuple(log), sha256)


def _chosen(root: Path, subsets: Sequence[str] | None) -> dict[str, Path]:
    files = sorted(root.rglob("queries.jsonl"))
    found = {_inside(root, file.parent): file.parent for file in files}
    if not found:
        raise DataError(f"{root} has no queries.jsonl, nor any folder below it", "an LMEB data set")
    if subsets is None:
        return found
    wanted = [subsets] if isinstance(subsets, str) else list(subsets)
    for subset in wanted:
        if subset not in found:
            raise ConfigError(f"unknown subset {subset!r}", "", suggest(str(subset), found))
    return {subset: found[subset] for subset in wanted}


def _inside(root: Path, folder: Path) -> str:
    return "" if folder == root else folder.relative_to(root).as_posix()


@dataclass
class _Pool:
    """The documents that some queries may return: one conversation."""

    id: str
    docs: list[Document]
    corpus: Mapping[str, Document]
    scenes: list[str] = field(default_factory=list)
    queries: list[Question] = field(default_factory=list)


@dataclass
class _Files:
    """What a subset is read from: its corpus and, where there are candidates, its scenes."""

    corpus: dict[str, Document]
    scenes: dict[str, frozenset[str]] | None
    everything: frozenset[str]
    places: dict[str, int]
    home: str
    number: int


class _Reader:
    """Reads the files of one data set, each once, and sorts its queries into pools."""

    def __init__(self, root: Path, log: Log) -> None:
        self.root = root
        self.log = log
        self.files: list[Path] = []
        self.pools: dict[tuple[int, frozenset[str]], _Pool] = {}
        self._read: dict[tuple[Path, Path | None], _Files] = {}
        self._corpora: dict[Path, dict[str, Document]] = {}
        self._taken: set[str] = set()

    def read(self, subset: str, folder: Path) -> None:
        """Read one subset."""
        corpus = self._above(folder, "corpus.jsonl")
        if corpus is None:
            raise DataError(f"{folder} has no corpus.jsonl, nor a folder above it", "a corpus")
        qrels = next((folder / q for q in QRELS if (folder / q).is_file()), None)
        if qrels is None:
            raise DataError(f"{folder} has no judgements", "one of " + ", ".join(QRELS))
        files = self._pair(corpus, self._above(folder, "candidates.jsonl"))
        self.files += [folder / "queries.jsonl", qrels]
        for query in questions(folder, qrels, subset, self.log):
            self._place(query, files)

    def note_unused(self) -> None:
        """Note how many documents no query may return: they are in no conversation."""
        for number, (file, corpus) in enumerate(self._corpora.items()):
            used = {doc for n, kept in self.pools if n == number for doc in kept}
            if len(used) < len(corpus):
                found = f"{len(corpus) - len(used)} of {len(corpus)}"
                where = file.relative_to(self.root).as_posix()
                self.log.note("documents of no query", where, found, "dropped")

    def _above(self, folder: Path, filename: str) -> Path | None:
        for place in (folder, *folder.parents):
            if (place / filename).is_file():
                return place / filename
            if place == self.root:
                break
        return None

    def _pair(self, corpus: Path, listed: Path | None) -> _Files:
        if (corpus, listed) not in self._read:
            if corpus not in self._corpora:
                self._corpora[corpus] = documents(corpus, self.log)
                self.files.append(corpus)
            docs = self._corpora[corpus]
            scenes = None
            if listed is not None:
                self.files.append(listed)
                read = candidates(listed, docs, self.log)
                scenes = {scene: frozenset(ids) for scene, ids in read.items()}
            home = _inside(self.root, (listed or corpus).parent)
            number = list(self._corpora).index(corpus)
            places = {doc: place for place, doc in enumerate(docs)}
            everything = frozenset(docs)
            self._read[corpus, listed] = _Files(docs, scenes, everything, places, home, number)
        return self._read[corpus, listed]

    def _place(self, query: Question, files: _Files) -> None:
        scenes = files.scenes
        scene = None if scenes is None else scene_of(query.id, scenes)
        if scenes is not None and scene is None:
            self.log.note("query without candidates", query.where, query.id, "reported")
        kept = files.everything if scenes is None or scene is None else scenes[scene]
        if not kept:
            self.log.note("query with no document to find", query.where, query.id, "dropped")
            return
        key = (files.number, kept)
        if key not in self.pools:
            docs = [files.corpus[doc] for doc in sorted(kept, key=files.places.__getitem__)]
            self.pools[key] = _Pool(self._free(files.home, scene), docs, files.corpus)
        pool = self.pools[key]
        if scene is not None and scene not in pool.scenes:
            pool.scenes.append(scene)
        pool.queries.append(query)

    def _free(self, home: str, scene: str | None) -> str:
        wanted = "/".join(filter(None, (home, scene))) or self.root.resolve().name or "corpus"
        return _unused(wanted, self._taken)


def _unused(wanted: str, taken: set[str]) -> str:
    """Return the wanted id, numbered where it is taken, and take it."""
    free, number = wanted, 2
    while free in taken:
        free, number = f"{wanted}#{number}", number + 1
    taken.add(free)
    return free


def _talk(pool: _Pool, titles: bool, language: str, log: Log) -> Conversation:
    events = list(_turns(pool, titles))
    asked = events[-1].time + MINUTE
    taken: set[str] = set()
    for query in pool.queries:
        wanted = query.id
        if wanted in taken:
            log.note("query id of two subsets", query.where, query.id, "repaired")
            wanted = f"{query.subset}/{query.id}"
        evidence, meta = _evidence(query, pool, log)
        events.append(
            Probe(
                id=_unused(wanted, taken),
                text=query.text,
                time=asked,
                user=pool.id,
                category=query.subset,
                evidence=evidence,
                answers=query.answers,
                answerable=query.subset.rpartition("/")[2] not in UNANSWERABLE,
                meta=meta,
            )
        )
    scenes = {"scenes": pool.scenes} if pool.scenes else {}
    return Conversation(pool.id, tuple(events), {"language": language, **scenes})


def _turns(pool: _Pool, titles: bool) -> Iterator[Event]:
    named = all(doc.session is not None for doc in pool.docs)
    sessions = [(doc.session or "1") if named else "1" for doc in pool.docs]
    last = {session: place for place, session in enumerate(sessions)}
    for place, (doc, session) in enumerate(zip(pool.docs, sessions, strict=True)):
        time = START + place * MINUTE
        yield Turn(
            id=doc.id,
            text=f"{doc.title} {doc.text}".strip() if titles else doc.text,
            time=time,
            session=session,
            speaker=doc.role,
            role=doc.role,
            user=pool.id,
            imputed=True,
            meta={"title": doc.title} if doc.title else {},
        )
        if place == last[session]:
            yield SessionEnd(session=session, time=time)


def _evidence(query: Question, pool: _Pool, log: Log) -> tuple[tuple[str, ...], dict[str, Any]]:
    inside = {doc.id for doc in pool.docs}
    positive = [doc for doc, score in query.judged.items() if score > 0]
    gone: list[str] = []
    for doc in positive:
        if doc not in inside:
            known = pool.corpus.get(doc)
            kind = "evidence outside the candidates" if known else "evidence of no document"
            log.note(kind, query.where, f"{query.id}: {doc}", "dropped")
            gone.append(known.role if known else "unknown")
    if not positive:
        log.note("no evidence", query.where, query.id, "reported")
    return tuple(doc for doc in positive if doc in inside), lost(gone)
