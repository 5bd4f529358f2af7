"""Benchmarks as ratios to the reference, against those of an earlier run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.cells import plain
from memlab.drafts import drafted
from memlab.errors import RunError
from memlab.gate.contrast import IMPROVED, REGRESSION, WITHIN
from memlab.gate.latency import RESOLUTION, SLOWER, SLOWER_ELSEWHERE

NEW, GONE = "not in the baseline", "vanished"
DISTURBED = "slower, but disturbed"
_SEEN, _DISTURBED = "reference ns", 0.1


@dataclass(frozen=True)
class Benches:
    """Times of benchmarks over the reference measured beside each, and the machine's kind.

    The time is that of the fastest round, as what is slower was interrupted; 0.005 is added, as
    in the gate: calls of less come out half as long again in another process of the same code.
    `waited` is the share of a benchmark's time in which others had the processor.
    """

    machine: Mapping[str, Any]
    ratios: Mapping[str, float]
    waited: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, measured: Mapping[str, Any]) -> Benches:
        """Take the JSON that pytest-benchmark wrote; names are the tests' within their folder.

        Raises:
            RunError: benchmarks without a reference.
        """
        about, ratios, waited = measured["machine_info"], {}, {}
        for one in measured["benchmarks"]:
            if _SEEN not in one["extra_info"]:
                raise RunError(f"{one['fullname']} has no reference beside it", "its conftest.py")
            name = one["fullname"].rpartition("/")[2]
            fastest = one["stats"]["min"] * 1e9
            ratios[name] = fastest / one["extra_info"][_SEEN] + RESOLUTION
            waited[name] = one["extra_info"].get("waited", 0.0)
        machine = {
            "cpu": about["cpu"].get("brand_raw", about["machine"]),
            "Python": ".".join(about["python_version"].split(".")[:2]),
        }
        return cls(machine, ratios, waited)

    def disturbed(self, name: str) -> bool:
        """Tell whether others had the processor for more than a tenth of the time."""
        return self.waited.get(name, 0.0) > _DISTURBED

    def better(self, other: Benches) -> Benches:
        """Return the lower ratio of each benchmark of two runs, and the less disturbed one's share.

        >>> Benches({}, {"a": 1.0, "b": 2.0}).better(Benches({}, {"a": 3.0, "b": 1.5})).ratios
        {'a': 1.0, 'b': 1.5}
        """
        found = {name: min(r, other.ratios.get(name, r)) for name, r in self.ratios.items()}
        shares = {n: min(s, other.waited.get(n, s)) for n, s in self.waited.items()}
        return Benches(self.machine, found, shares)

    @classmethod
    def read(cls, path: Path) -> Benches:
        """Read what `save` wrote.

        Raises:
            RunError: the file is not that.
        """
        try:
            data = json.loads(path.read_text("utf-8"))
            ratios = {str(name): float(ratio) for name, ratio in data["ratios"].items()}
            return cls(dict(data["machine"]), ratios)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(
                f"cannot read {path}: {type(error).__name__}: {error}",
                "what memlab bench --save wrote",
                "make it again: memlab bench --save",
            ) from error

    def save(self, path: Path, *, into: Benches | None = None) -> None:
        """Write the ratios, to four digits; with `into`, over those of the same name there."""
        ratios = dict(into.ratios if into else {}) | dict(self.ratios)
        data = {
            "machine": dict(self.machine),
            "ratios": {name: float(f"{ratios[name]:.4g}") for name in sorted(ratios)},
        }
        with drafted(path) as draft:
            draft.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")

    def limit(self, before: Benches) -> float:
        """Return the slowdown that counts: wider where the machines or Pythons differ."""
        return SLOWER if dict(self.machine) == dict(before.machine) else SLOWER_ELSEWHERE


@dataclass(frozen=True)
class Bench:
    """One benchmark: its ratios to the reference before and now, and what came of it."""

    name: str
    baseline: float
    run: float
    verdict: str

    @property
    def change(self) -> float:
        """How many times as long it takes."""
        return self.run / self.baseline


def compared(now: Benches, before: Benches, limit: float, *, whole: bool) -> list[Bench]:
    """Return every benchmark of the run; if it is `whole`, also those that vanished from it.

    What is slower while others had the processor is told, and no regression.

    >>> one, two = (Benches({}, {"a": ratio}) for ratio in (1.0, 2.0))
    >>> compared(two, one, 1.5, whole=True)[0].verdict
    'regression'
    """
    names = dict.fromkeys([*(before.ratios if whole else ()), *now.ratios])
    found = []
    for name in names:
        was, is_ = before.ratios.get(name, math.nan), now.ratios.get(name, math.nan)
        verdict = _verdict(was, is_, limit)
        if verdict == REGRESSION and now.disturbed(name):
            verdict = DISTURBED
        found.append(Bench(name, was, is_, verdict))
    return found


def _verdict(was: float, now: float, limit: float) -> str:
    if math.isnan(was) or math.isnan(now):
        return NEW if math.isnan(was) else GONE
    if now > limit * was:
        return REGRESSION
    return IMPROVED if now * limit < was else WITHIN


def table(benches: Sequence[Bench]) -> str:
    """Return the benchmarks as plain text, the slower ones first."""
    order = [REGRESSION, GONE, DISTURBED, NEW, IMPROVED, WITHIN]
    rows = [
        [one.verdict, one.name, *(_number(x) for x in (one.baseline, one.run, one.change))]
        for one in sorted(benches, key=lambda one: order.index(one.verdict))
    ]
    return plain((["verdict", "benchmark", "baseline", "run", "ratio"], rows), 2)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3g}"
