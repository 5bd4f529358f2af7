"""What a run is: everything that decides its records, its hash, and its experiment file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from memlab.checking import check_whole
from memlab.content import dataset_digest
from memlab.digests import canonical_json, digest, file_digest
from memlab.errors import ConfigError, DataError, suggest
from memlab.evidence import Audit, audit, shortfall
from memlab.fingerprint import fingerprint
from memlab.naming import spell
from memlab.protocols import Memory, Metric
from memlab.published import Published
from memlab.registry import DATASETS, load_target
from memlab.splits import join
from memlab.types import Dataset

PATHS = ("path", "corrections")
"""The options of data sets that name files."""

Choice = Memory | Mapping[str, Memory]
"""A strategy, or one for each conversation (weights chosen leave-one-out)."""


@dataclass(frozen=True)
class Spec:
    """Everything that decides the records of a run, and the metrics first shown."""

    name: str
    strategies: Mapping[str, Choice]
    dataset: Dataset
    metrics: tuple[Metric, ...]
    budgets: tuple[int | None, ...]
    tokenizer: str
    seed: int
    models: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Published, ...] = ()

    def memory(self, label: str, conversation: str) -> Memory:
        """Return the strategy that is used on a conversation."""
        chosen = self.strategies[label]
        return chosen[conversation] if isinstance(chosen, Mapping) else chosen

    def memories(self) -> Iterator[Memory]:
        """Yield every strategy."""
        for chosen in self.strategies.values():
            yield from chosen.values() if isinstance(chosen, Mapping) else [chosen]

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """What can change a record, as JSON values.

        Raises:
            DataError: data that cannot be hashed.
        """
        return {
            "strategies": {k: spelt(v, full=True) for k, v in self.strategies.items()},
            "order": list(self.strategies),
            "data": dataset_digest(self.dataset),
            "budget": list(self.budgets),
            "seed": self.seed,
            "tokenizer": self.tokenizer,
            "models": dict(self.models),
            "source": package_digest(),
            "foreign_source": fingerprint(self.strategies.values()),
        }

    @cached_property
    def audit(self) -> Audit:
        """Coverage, probes by category, and references that dangle."""
        return audit(self.dataset)

    @cached_property
    def lost(self) -> str:
        """What evidence did not survive loading, in a sentence; empty if all of it did."""
        return shortfall(self.dataset, self.audit.lines)

    @cached_property
    def hash8(self) -> str:
        """The first eight digits of the hash of `resolved`."""
        return digest(self.resolved)[:8]

    def to_toml(self, folder: Path) -> str:
        """Return the experiment file of this run, its paths as seen from `folder`."""
        head = {
            "name": self.name,
            "budget": ["none" if b is None else b for b in self.budgets],
            "tokenizer": self.tokenizer,
            "seed": self.seed,
            "metrics": [spell(m) for m in self.metrics],
        }
        lines = [f"{key} = {_toml(value)}" for key, value in head.items()]
        lines += [*_dataset_lines(self.dataset.options, folder), "", "[strategies]"]
        tables = []
        for label, choice in self.strategies.items():
            spelling = spelt(choice)
            if isinstance(spelling, str):
                lines.append(f"{_toml(label)} = {_toml(spelling)}")
            else:
                tables += ["", f"[strategies.{_toml(label)}]"]
                tables += [f"{_toml(k)} = {_toml(v)}" for k, v in spelling.items()]
        for table in (one.table() for one in self.published):
            tables += ["", "[[published]]", *(f"{k} = {_toml(v)}" for k, v in table.items())]
        return "\n".join([*lines, *tables]) + "\n"


def spelt(choice: Choice, *, full: bool = False) -> Any:  # noqa: ANN401
    """Return the repr of a strategy, or of one for each conversation."""
    if isinstance(choice, Mapping):
        return {c: spelt(m, full=full) for c, m in choice.items()}
    return spell(choice, full=full)


def package_digest() -> str:
    """Return the hash of memlab's own source files."""
    root = Path(__file__).parent
    return file_digest(*sorted(root.rglob("*.py")))


def load(name: str | Sequence[Any], **options: Any) -> Dataset:  # noqa: ANN401
    """Load a data set by name; the options are those of its loader, and `limit`.

    `limit` keeps the first so many conversations. A list of names, of tables such as
    `{"name": "locomo", "path": …}` and of data sets gives them joined.

    Raises:
        ConfigError: unknown name or option.
        DataError: the file is missing or broken.

    >>> load("quickstart", limit=2)
    <quickstart: 2 conversations, 73 turns, 24 probes; defects: none>
    """
    if isinstance(name, list | tuple):
        return join([_one(given, options) for given in name])
    if not isinstance(name, str) or name not in DATASETS:
        hint = suggest(name, DATASETS) if isinstance(name, str) else ""
        if str(name).endswith(".jsonl"):
            hint = f'a file is loaded as ml.load("jsonl", path={name!r})'
        raise ConfigError(f"unknown data set {name!r}", "", hint)
    loader = load_target(DATASETS[name])
    limit = options.pop("limit", None)
    known = inspect.signature(loader).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())  # it names them itself
    for option in options:
        if option not in known and not takes_any:
            hint = suggest(option, [*known, "limit"])
            raise ConfigError(f"data set {name!r} has no option {option!r}", "", hint)
    needed = [k for k, p in known.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    missing = [k for k in needed if k not in options]
    if missing:
        raise ConfigError(f"data set {name!r} was given no {missing[0]!r}", f"{missing[0]}=…")
    for path in PATHS:
        if not isinstance(options.get(path, ""), str | Path):
            raise ConfigError(f"{path}={options[path]!r}", "the path of a file, as text")
    loaded: Dataset = replace(loader(**options), options=_again({"name": name, **options}))
    if limit is None:
        return loaded
    check_whole("limit", limit, least=1)
    return loaded.take(limit)


def _again(options: dict[str, Any]) -> dict[str, Any]:
    """Return the table that loads the data again; empty where it would hold Python objects."""
    try:
        for value in options.values():
            _toml("" if value is None else value)
    except DataError:
        return {}
    return options


def _one(given: Any, options: Mapping[str, Any]) -> Dataset:  # noqa: ANN401
    if isinstance(given, Dataset):
        return given
    table = {"name": given} if isinstance(given, str) else given
    if not isinstance(table, Mapping) or "name" not in table:
        raise ConfigError(f"data set {given!r}", "a name, a table with a name, or a data set")
    return load(**{**options, **table})


def repository_root(path: Path) -> Path:
    """Return the root of the repository that holds `path`, else its folder."""
    folder = path.resolve().parent
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists() or (candidate / "pyproject.toml").is_file():
            return candidate
    return folder


def _dataset_lines(options: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield the table that loads the data again, or one table for each of several."""
    several = options.get("datasets")
    if not options:
        yield from ("", "[dataset]")
        yield "# These data were made in Python: give `dataset` to load or repeat this."
    for table in several if several is not None else [options] if options else []:
        given = {k: v for k, v in table.items() if v is not None}
        given |= {k: _from(folder, given[k]) for k in PATHS if k in given}
        yield from ("", "[[dataset]]" if several is not None else "[dataset]")
        yield from (f"{key} = {_toml(value)}" for key, value in given.items())


def _from(folder: Path, path: str | Path) -> str:
    """Write a path relative to the repository that holds `folder`; elsewhere in full."""
    root = repository_root(folder / "spec.toml")
    inside = (root / ".git").exists() or (root / "pyproject.toml").is_file()
    return os.path.relpath(path, root) if inside else str(Path(path).resolve())


def _toml(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if isinstance(value, str | bool | int | float):
        return canonical_json(value).replace("\x7f", "\\u007f")
    if isinstance(value, Path):
        return _toml(str(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(str(k))} = {_toml(v)}" for k, v in value.items()) + "}"
    raise DataError(f"{value!r} cannot be written to TOML", "text, numbers, booleans, lists")
