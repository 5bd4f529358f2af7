"""What must be said beside a table of comparisons: what was tested, what nothing can be said of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memlab.contrasts import FAMILY, Contrast, Entry, Method
from memlab.stats import FEW
from memlab.tokencurves import Tokens

_TESTS = {
    "sign flip": "p: sign flip test by conversation, two-sided",
    "wilcoxon": "p: Wilcoxon's signed rank test on conversation means, two-sided",
}
_INTERVALS = {
    "cr3": "conversations as clusters (CR3, t)",
    "bootstrap": "percentile bootstrap of conversations, too narrow with few of them",
}
_ADJUSTED = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg: to explore",
    "none": "not adjusted",
}
_TESTED = ("better", "worse", "not separated")


class Seen(NamedTuple):
    """The contrasts of a table, and how they were made and adjusted."""

    entries: Sequence[Entry]
    method: Method
    adjustments: Sequence[str]

    @property
    def families(self) -> dict[str, list[Contrast]]:
        """The contrasts that were adjusted together, by metric."""
        found: dict[str, list[Contrast]] = {}
        for entry in self.entries:
            if not (math.isnan(entry.contrast.p) or entry.contrast.found.descriptive):
                found.setdefault(entry.metric, []).append(entry.contrast)
        return found

    def told(self, *verdicts: str) -> list[Contrast]:
        """Return the contrasts that have one of the verdicts."""
        made = [entry.contrast for entry in self.entries]
        return [one for one in made if one.verdict(self.method.alpha) in verdicts]


def remarks(seen: Seen, tokens: Tokens | None) -> Iterator[str]:
    """Yield what the values are, how they were tested, what cannot be concluded, what is left."""
    if isinstance(tokens, tuple):
        low, high = tokens
        yield f"values: mean height of the curve from {low:.0f} to {high:.0f} tokens"
    elif tokens is not None:
        yield f"values: at {tokens:.10g} tokens, between the budgets that were run"
    yield "difference: strategy minus baseline over the probes that both have a value on"
    width, way = percent(seen.method.level), _INTERVALS[seen.method.interval]
    yield f"interval: {width}, not adjusted, {way}"
    families = seen.families
    yield f"{_TESTS[seen.method.test]}; {_adjustment(seen, families)}"
    yield from _reach(seen)
    yield from _unreachable(seen, families)
    yield from _conclusions(seen)
    yield from _left_out(seen)


def _adjustment(seen: Seen, families: Mapping[str, Sequence[Contrast]]) -> str:
    sizes = sorted({len(family) for family in families.values()})
    if not sizes:
        return "nothing to adjust"
    told = " to ".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))
    over = f"{told} {_contrasts(sizes[-1])} of a metric"
    if list(seen.adjustments) == ["none"]:
        return f"not adjusted, for {over}"
    return f"adjusted over {over} ({', '.join(_ADJUSTED[way] for way in seen.adjustments)})"


def _reach(seen: Seen) -> Iterator[str]:
    """Yield what so few conversations cannot show."""
    estimates = [entry.contrast.found for entry in seen.entries]
    numbers = sorted({found.clusters for found in estimates if found.n})
    if not numbers:
        return
    told = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
    smallest = min((one.smallest for one in seen.told(*_TESTED)), default=math.nan)
    least = "" if math.isnan(smallest) else f"; the smallest p they allow is {p_text(smallest)}"
    yield f"{told} conversation{'s' * (numbers[-1] != 1)}{least}"
    if few := len(seen.told("descriptive")):
        yield (
            f"descriptive, so no conclusion: {few} {_contrasts(few)} "
            f"with fewer than {FEW} conversations, or with a data set that has fewer"
        )


def _unreachable(seen: Seen, families: Mapping[str, Sequence[Contrast]]) -> Iterator[str]:
    """Yield where Holm asks for a smaller p than so few conversations can give."""
    for metric, family in families.items():
        chosen = seen.method.adjust or ("holm" if len(family) <= FAMILY else "bh")
        least = len(family) * min(one.smallest for one in family)
        asked = chosen == "holm" and len(family) > 1 and any(one.p < 1 for one in family)
        if asked and least > seen.method.alpha:
            yield (
                f"{metric}: over {len(family)} contrasts an adjusted p is at least "
                f"{p_text(min(least, 1.0))}, so none can be separated; name fewer"
            )


def _conclusions(seen: Seen) -> Iterator[str]:
    effects = [one.detectable for one in seen.told("not separated")]
    effects = [effect for effect in effects if not math.isnan(effect)]
    if effects:
        ends = " to ".join(dict.fromkeys(f"{e:.3f}" for e in (min(effects), max(effects))))
        yield (
            f"not separated is not equal: differences of {ends} would have been found "
            "with 80 % power (one contrast, not adjusted)"
        )
    if opposed := sum(one.opposed for one in seen.told("not separated")):
        told = f"{opposed} {_contrasts(opposed)}"
        yield f"ranks that point another way than the mean, so not separated: {told}"


def _left_out(seen: Seen) -> Iterator[str]:
    ignored = max((entry.contrast.found.ignored for entry in seen.entries), default=0)
    if ignored:
        many = "s" if ignored > 1 else ""
        yield f"left out: up to {ignored} probe{many} on which one of the two has no value"
    lost = Counter(e.contrast.unpaired for e in seen.entries if e.contrast.found.n)
    for names, count in lost.items():
        if names:
            told = f"{count} {_contrasts(count)}"
            yield f"no pairs in {', '.join(names)}, so over the other data sets: {told}"
    if seen.method.margin is not None:
        yield (
            f"margin {seen.method.margin:g}: equivalent (two one-sided tests) and not "
            f"inferior at {seen.method.alpha:.2g}, not adjusted"
        )


def _contrasts(count: int) -> str:
    return "contrast" if count == 1 else "contrasts"


def percent(share: float) -> str:
    """Return a share in percent.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.6g} %"


def p_text(value: float) -> str:
    """Return a p-value with two digits that count.

    >>> p_text(0.0312), p_text(0.00002), p_text(1.0)
    ('.031', '<.0001', '1')
    """
    if math.isnan(value):
        return "–"
    if value < 0.0001:
        return "<.0001"
    return f"{value:.2g}".removeprefix("0") if value >= 0.001 else f"{value:.4f}".removeprefix("0")
