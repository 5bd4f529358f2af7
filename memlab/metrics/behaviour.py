"""Behaviour metrics: what must not come back, and silence where there is no answer.

Where less is better a failure is left out and counted: an empty context must not look safe.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from memlab.checking import check_choice
from memlab.naming import component
from memlab.rankings import UNITS, Bools, Floats, Rankings, Unit
from memlab.scoring import check_k, settle


@component
class Abstention:
    r"""Whether nothing was returned for a probe that cannot be answered.

    Formula: \left[\text{items} = 0\right]

    Source: memlab's own definition, over the questions without an answer of the data sets.
    """

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = "1 if nothing was returned, over unanswerable probes"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return 1 or 0 per record; NaN for answerable probes."""
        return settle(self, rankings, (rankings.items == 0).astype(np.float64))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the probe cannot be answered."""
        return ~rankings.answerable


@component
class DistractorExposure:
    r"""Share of the misleading turns of an unanswerable probe among the first `k` ranks.

    The evidence of an adversarial probe is what its false premise is made of.

    Formula: \frac{|\{e \in E : r(e) \le k\}|}{|E|}

    Source: memlab's own definition, for the adversarial questions of Maharana et al. (2024),
        "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL (LoCoMo).
    """

    k: int | None = None
    unit: Unit = "turn"

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "fractional recall of evidence, over unanswerable probes"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a share per record; NaN where excluded or not measurable.

        Raises:
            ConfigError: a parameter that cannot work.
        """
        check_k(self.k)
        check_choice("unit", self.unit, UNITS)
        found = rankings.found(self.unit)
        share = found.within(self.k) / np.maximum(found.relevant, 1)
        return settle(self, rankings, np.where(rankings.measurable, share, np.nan))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where an unanswerable probe has evidence."""
        return rankings.evident & ~rankings.answerable


@component
class Leak:
    r"""Whether the context holds another user's turn, by id or by text.

    Formula: \left[\text{some source or text is another user's}\right]

    Source: memlab's own definition; what betrays a text is stated in `memlab.judging.echoes`.
    """

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "1 if another user's turn came back, by id or text"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return 1 or 0 per record; NaN where the replay gave no verdict."""
        return settle(self, rankings, rankings.verdict("leak"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the replay could tell."""
        return rankings.decidable("leak")


@component
class Residue:
    r"""Whether the context holds a forgotten turn, by id or by text.

    Formula: \left[\text{some source or text is that of a forgotten turn}\right]

    Source: memlab's own definition; what betrays a text is stated in `memlab.judging.echoes`.
    """

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "1 if a forgotten turn came back, by id or text"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return 1 or 0 per record; NaN where nothing had been forgotten."""
        return settle(self, rankings, rankings.verdict("residue"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where something had been forgotten."""
        return rankings.decidable("residue")


@component
class StaleHit:
    r"""Whether a superseded turn was returned and no current evidence ranks above it.

    Read it beside the recall of the current value: returning nothing is never stale. S are
    the superseded turns.

    Formula: \left[\min_{s \in S \setminus E} r(s) < \min_{e \in E} r(e)\right]

    Source: memlab's own definition.
    """

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "1 if a superseded turn ranks above all current evidence"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return 1 or 0 per record; NaN where nothing was superseded or not measurable."""
        stale = rankings.first_stale() < rankings.found("turn").first()
        values = np.where(rankings.measurable, stale.astype(np.float64), np.nan)
        return settle(self, rankings, values)

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the probe has superseded turns."""
        return rankings.superseded
