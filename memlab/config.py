"""Experiment files: the call of `evaluate`, written down in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, Faults, MemlabError, as_utf8, suggest
from memlab.plan import plan
from memlab.spec import PATHS, repository_root

PARAMETERS = (
    "strategies",
    "dataset",
    "metrics",
    "budget",
    "tokenizer",
    "seed",
    "name",
    "out",
    "jobs",
    "resume",
    "published",
)
"""The parameters of `evaluate`, which are the keys of a file."""
_NEEDED = PARAMETERS[:3]


def read_config(path: Path) -> dict[str, Any]:
    """Read an experiment file into `evaluate`'s arguments.

    Relative paths are relative to the root of the file's repository (the nearest folder above
    it with a `.git` or a `pyproject.toml`, else the file's own folder). The `spec.toml` of a
    run folder goes on in that folder.

    Raises:
        ConfigError: the file is missing, is not TOML, or has an unknown key.
    """
    try:
        config = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", "an experiment file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}", "", as_utf8(error)) from error
    root = repository_root(path)
    given = config.get("dataset")
    for table in given if isinstance(given, list) else [given]:
        if isinstance(table, dict):
            paths = (key for key in PATHS if isinstance(table.get(key), str))
            table |= {key: str(root / table[key]) for key in paths}
    faults: list[MemlabError] = [
        ConfigError(f"{path.name} has an unknown key {key!r}", "", suggest(key, PARAMETERS))
        for key in config
        if key not in PARAMETERS
    ]
    faults += [ConfigError(f"{path.name} has no {k!r}") for k in _NEEDED if k not in config]
    out = config.get("out", "results")
    if not isinstance(out, str):
        faults.append(ConfigError(f"out={out!r}", "the path of a folder, as text"))
    if faults:
        raise Faults([*faults, *_further(config)])
    run = path.resolve().parent
    if path.name == "spec.toml" and (run / "records.jsonl").exists():
        config["out"] = run.parent  # the spec of a run folder: go on in it
    else:
        config["out"] = root / out
    config.setdefault("name", path.stem)
    return config


def _further(config: Mapping[str, Any]) -> list[str]:
    """Return what else is wrong with a file that has wrong keys, so that all shows at once."""
    known = {k: v for k, v in config.items() if k in PARAMETERS and k != "out"}
    if any(key not in known for key in _NEEDED):
        return []
    try:
        plan(known.pop("strategies"), known.pop("dataset"), known.pop("metrics"), **known)
    except Faults as found:
        return list(found.faults)
    return []
