"""One strategy against another: difference, interval, test, effect size and verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from memlab.checking import check_choice
from memlab.errors import ConfigError
from memlab.inference.bootstrap import bootstrap
from memlab.inference.clusters import check_between
from memlab.inference.effects import Effects, effects
from memlab.inference.margins import Margin, equivalence, non_inferiority
from memlab.inference.multiple import benjamini_hochberg, holm
from memlab.inference.power import detectable
from memlab.inference.sign_flip import sign_flip
from memlab.inference.wilcoxon import wilcoxon
from memlab.probewise import Pairs
from memlab.protocols import Metric
from memlab.scoring import more_is_better
from memlab.stats import Estimate, paired

Test = Literal["sign flip", "wilcoxon"]
Interval = Literal["cr3", "bootstrap"]
Adjust = Literal["holm", "bh", "none"]
FAMILY = 10
"""Holm is for families of at most so many contrasts, named before the run."""


@dataclass(frozen=True, slots=True)
class Method:
    """How strategies are compared; `adjust` None chooses by the size of the family."""

    test: Test = "sign flip"
    interval: Interval = "cr3"
    adjust: Adjust | None = None
    margin: float | None = None
    level: float = 0.95

    @property
    def alpha(self) -> float:
        """The level of the tests: 1 - level, without its rounding."""
        return round(1 - self.level, 12)

    def check(self) -> None:
        """Check the choices.

        Raises:
            ConfigError: an unknown test, interval or adjustment, or a number out of range.
        """
        check_choice("test", self.test, ("sign flip", "wilcoxon"))
        check_choice("interval", self.interval, ("cr3", "bootstrap"))
        if self.adjust is not None:
            check_choice("adjust", self.adjust, ("holm", "bh", "none"))
        if self.margin is not None:
            check_between("margin", self.margin, 0, math.inf, "0.02")
        check_between("level", self.level, 0.5, 1, "0.95")


@dataclass(frozen=True, slots=True)
class Contrast:
    """A paired comparison on one metric; `found` is the mean of strategy minus baseline.

    `value` and `baseline_value` are means over the pairs. `p` is two-sided, `adjusted` within
    the family; `detectable` is the difference that would be found with 80 % power. `opposed`:
    the test points another way than the mean. `unpaired` are the data sets without a pair.
    """

    metric: str
    value: float
    baseline_value: float
    found: Estimate
    p: float
    smallest: float
    effects: Effects
    detectable: float
    upward: bool
    note: str = ""
    adjusted: float = math.nan
    equivalent: Margin | None = None
    not_inferior: Margin | None = None
    opposed: bool = False
    unpaired: tuple[str, ...] = ()

    def verdict(self, alpha: float) -> str:
        """Return `better`, `worse`, `not separated`, or why nothing can be concluded."""
        if not self.found.n:
            return "no pairs"
        if self.note == "identical":
            return "identical"
        if self.found.descriptive:
            return "descriptive"
        if self.opposed or not self.adjusted <= alpha:
            return "not separated"
        return "better" if (self.found.mean > 0) == self.upward else "worse"


@dataclass(frozen=True, slots=True)
class Entry:
    """A contrast and its place in the table; `value` is that of the field, if there is one."""

    metric: str
    strategy: str
    baseline: str
    budget: int | None
    contrast: Contrast
    value: Any = None


def contrast(name: str, metric: Metric, pairs: Pairs, method: Method) -> Contrast:
    """Compare two strategies' scores; strata are data sets, which weigh the same.

    Raises:
        ConfigError: a test or interval that knows no strata, on several data sets.
    """
    differences, clusters, strata = pairs.differences, pairs.clusters, pairs.strata_if_several
    upward = more_is_better(metric)
    tested = _tested(pairs, strata, method)
    found = paired(differences, clusters, strata, level=method.level)
    if method.interval == "bootstrap":
        _single(strata, "interval='bootstrap'")
        drawn = bootstrap(differences, clusters, level=method.level)
        found = found._replace(low=drawn.low, high=drawn.high)
    towards = effects(differences if upward else -differences, clusters)
    if strata is not None:  # its mean would be over conversations, whatever their data set
        towards = towards._replace(d=math.nan)
    least = detectable(differences, clusters, strata, alpha=method.alpha)
    both = pairs.known()
    ours, theirs = (
        paired(values, both.clusters, both.strata_if_several).mean
        for values in (both.ours, both.theirs)
    )
    made = Contrast(
        name,
        ours,
        theirs,
        found,
        p=tested.p,
        smallest=tested.smallest,
        effects=towards,
        detectable=least.effect,
        upward=upward,
        note=towards.note,
        opposed=tested.direction * found.mean < 0 or (tested.direction != 0 and found.mean == 0),
        unpaired=pairs.unpaired,
    )
    if method.margin is None:
        return made
    alpha = method.alpha
    same = equivalence(differences, clusters, method.margin, strata, alpha=alpha)
    safe = non_inferiority(
        differences, clusters, method.margin, strata, alpha=alpha, higher_is_better=upward
    )
    return replace(made, equivalent=same, not_inferior=safe)


class _Tested(NamedTuple):
    """p, the smallest p that could have come out, and the sign of an effect by ranks."""

    p: float
    smallest: float
    direction: float = 0.0


def _tested(pairs: Pairs, strata: Sequence[object] | None, method: Method) -> _Tested:
    if method.test == "wilcoxon":
        _single(strata, "test='wilcoxon'")
        ranked = wilcoxon(pairs.differences, pairs.clusters)
        ranks = ranked.clusters - ranked.zeros
        return _Tested(ranked.p, ranked.smallest, ranked.statistic - ranks * (ranks + 1) / 4)
    flipped = sign_flip(pairs.differences, pairs.clusters, strata)
    return _Tested(flipped.p, flipped.smallest)


def _single(strata: Sequence[object] | None, what: str) -> None:
    if strata is not None:
        raise ConfigError(
            f"{what} for several data sets", "one data set", "compare each on its own"
        )


def adjusted(made: Sequence[Contrast], adjust: Adjust | None) -> tuple[list[Contrast], str]:
    """Return the contrasts of a family with adjusted p, and the adjustment that was made.

    Descriptive contrasts conclude nothing, so they are not part of the family.
    """
    ps = [math.nan if one.found.descriptive else one.p for one in made]
    size = sum(not math.isnan(p) for p in ps)
    chosen = adjust or ("holm" if size <= FAMILY else "bh")
    ways = {"holm": holm, "bh": benjamini_hochberg}
    found = ways[chosen](ps).tolist() if chosen in ways else ps
    return [replace(one, adjusted=p) for one, p in zip(made, found, strict=True)], chosen
