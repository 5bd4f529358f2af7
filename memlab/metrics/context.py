"""Context metrics: what the tokens of a context bought. They need no turn ids, but for one."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from memlab.naming import component
from memlab.rankings import Bools, Floats, Rankings
from memlab.scoring import settle


@component
class AnswerInContext:
    r"""Whether an accepted answer string occurs in the context; read beside `AnswerChance`.

    Whole words, in CJK substrings of two characters or more. Probes without answers, and those
    whose gold evidence itself lacks the string, are excluded and counted.

    Formula: \left[\text{some item of the context holds some accepted answer}\right]

    Source: Karpukhin et al. (2020), "Dense Passage Retrieval for Open-Domain Question
        Answering", EMNLP: retrieval accuracy by answer string.
    """

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = "1 if an accepted answer occurs in the context"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return 1 or 0 per record; NaN where excluded."""
        return settle(self, rankings, rankings.verdict("answer"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the answer could be found at all."""
        return rankings.decidable("answer")


@component
class AnswerChance:
    r"""Chance that a random context of equal size holds an accepted answer.

    Of the N turns the user may see, c hold an answer, and m of them fit into the tokens of the
    context on average. Same denominator as `AnswerInContext`, so the two can be subtracted.

    Formula: 1 - \frac{\binom{N - c}{m}}{\binom{N}{m}}

    Source: the hypergeometric distribution (`memlab.judging.verdicts.chance`).
    """

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "AnswerInContext of a random context of equal size"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a probability per record; NaN where excluded."""
        return settle(self, rankings, rankings.verdict("chance"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the answer could be found at all."""
        return rankings.decidable("answer")


@component
class ContextTokens:
    r"""Tokens of the context. A failure is left out: it did not save tokens.

    Formula: \sum_{i \in \text{items}} \text{tokens}(i)

    Source: memlab's own definition; the counter is the run's `tokenizer`.
    """

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "tokens over the texts returned"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a count per record."""
        return settle(self, rankings, rankings.tokens.astype(np.float64))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell that every record counts."""
        return np.ones(len(rankings), dtype=np.bool_)


@component
class EvidencePerKiloToken:
    r"""Distinct evidence turns in the context per thousand tokens; an empty context scores 0.

    The mean is over probes, so a long context does not weigh more than a short one.

    Formula: \frac{1000 \cdot |\{e \in E : r(e) < \infty\}|}{\text{tokens}}

    Source: memlab's own definition.
    """

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = "1000 * distinct evidence turns found / tokens"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a rate per record; NaN where excluded or not measurable."""
        rate = 1000.0 * rankings.found("turn").within() / np.maximum(rankings.tokens, 1)
        return settle(self, rankings, np.where(rankings.measurable, rate, np.nan))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where an answerable probe has evidence."""
        return rankings.evident & rankings.answerable


@component
class Redundancy:
    r"""How much of the context repeats itself. A failure is left out: it repeats nothing.

    S is the set of different runs of four words (or character bigrams), p the number of such
    runs with repeats. A context of fewer words has none and scores 0.

    Formula: 1 - \frac{|S|}{p}

    Source: shingles of Broder (1997), "On the resemblance and containment of documents".
    """

    default: ClassVar[float] = float("nan")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = "share of the context said before in the same context"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a share per record; NaN where the replay gave none."""
        return settle(self, rankings, rankings.verdict("redundancy"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where the replay could tell."""
        return rankings.decidable("redundancy")
