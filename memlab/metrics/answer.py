"""Metrics of what a reader made of the contexts, brought back by `Results.add_answers`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from memlab.answertext import MEASURES
from memlab.checking import check_choice, check_flag
from memlab.errors import ConfigError, suggest
from memlab.inference.correction import corrected_mean
from memlab.naming import component
from memlab.rankings import Bools, Floats, Rankings
from memlab.scoring import settle
from memlab.verdictnames import answer_key, audit_key, given_key, judge_key, names_of


@component
class Answered:
    r"""Score of the answer that a reader gave from the context, against the accepted ones.

    `measure`: `f1` (of tokens), `exact`, or `contains`, as `memlab.answertext` defines them.
    Probes without accepted answers and unanswerable ones are left out and counted; a record
    without an answer has no value; a failed read scores 0 whatever was answered.
    `results.add_answers(…)` brings the answers, `reader` tells several readers apart. In the
    formula, which is that of `f1`, T are the tokens of the answer, T_a of an accepted one.

    Formula: \max_{a \in A} \frac{2 |T \cap T_a|}{|T| + |T_a|}

    Source: Rajpurkar et al. (2016), "SQuAD: 100,000+ questions for machine comprehension of
        text", EMNLP; Chinese by characters as in Lewis et al. (2020), "MLQA", ACL.

    >>> from memlab.types import Record
    >>> made = Record(strategy="s", conversation="c", probe="q", budget=None,
    ...               verdicts={"answered/": 1.0, "answer f1/": 0.8})
    >>> Answered()(Rankings.of([made])).tolist()
    [0.8]
    """

    measure: str = "f1"
    reader: str = ""

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = "best score of the reader's answer over the accepted answers"

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a score per record; NaN where excluded or not answered.

        Raises:
            ConfigError: the run has no answers of this reader.
        """
        self.check()
        _check_known(rankings, given_key(self.reader), f"answers of reader {self.reader!r}")
        return settle(self, rankings, rankings.verdict(answer_key(self.reader, self.measure)))

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_choice("measure", self.measure, MEASURES)

    def applies(self, rankings: Rankings) -> Bools:
        """Tell where there is an accepted answer to compare with."""
        return rankings.decidable(given_key(self.reader)) & rankings.answerable


@component
class Judged:
    r"""A judge's verdict on the answer, 0 to 1.

    A record that was not judged has no value; a failed read scores 0.
    `results.add_judgements(…)` brings the verdicts, `name` tells several judges apart.

    With `corrected`, an audited sample corrects the judge: values are such that their mean over
    the records of a strategy (and budget, and data set) is its prediction-powered estimate
    (`memlab.inference.correction.corrected_mean`). They are for means and differences
    of means: a single one may lie far outside 0 to 1, and who wins a probe cannot be told from
    them. A strategy without audited records has none. In the formula, theta is that estimate, n
    the records of the strategy, n_g those audited (or not), d what a record adds: its true label
    minus lambda times the judge's if audited, lambda times the judge's if not.

    Formula: v_i \quad \text{corrected:} \quad \theta + \frac{n}{n_g} \left(d_i - \bar{d}_g\right)

    Source: Angelopoulos et al. (2023), "Prediction-powered inference", Science 382; lambda:
        Angelopoulos, Duchi and Zrnic (2023), "PPI++", arXiv 2311.01453.
    """

    name: str = "judged"
    corrected: bool = False
    answerable_only: bool = True

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = (
        "the judge's verdict on the answer; corrected: prediction-powered by an audited sample"
    )

    def __call__(self, rankings: Rankings) -> Floats:
        """Return a verdict per record; NaN where excluded or not judged.

        Raises:
            ConfigError: the run has no verdicts of this judge, or, to correct it, no audit.
        """
        self.check()
        _check_known(rankings, judge_key(self.name), f"verdicts of judge {self.name!r}")
        judged = rankings.verdict(judge_key(self.name))
        if self.corrected:
            _check_known(rankings, audit_key(self.name), f"audit of judge {self.name!r}")
            judged = self._corrected(rankings, judged)
        return settle(self, rankings, judged)

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_flag("corrected", self.corrected)
        check_flag("answerable_only", self.answerable_only)

    def applies(self, rankings: Rankings) -> Bools:
        """Tell which records are in the denominator: those whose probe can be answered."""
        everything = np.ones(len(rankings), dtype=np.bool_)
        return rankings.answerable if self.answerable_only else everything

    def _corrected(self, rankings: Rankings, judged: Floats) -> Floats:
        """Return values whose mean over a group is its corrected mean."""
        audited = rankings.verdict(audit_key(self.name))
        counted = self.applies(rankings) & ~rankings.failed & ~np.isnan(judged)
        values = np.full(len(rankings), np.nan)
        groups: dict[Hashable, list[int]] = {}
        for i in np.flatnonzero(counted):
            record = rankings.records[i]
            groups.setdefault((record.strategy, record.budget, record.dataset), []).append(int(i))
        for rows in groups.values():
            clusters = [rankings.records[i].conversation for i in rows]
            found = corrected_mean(judged[rows], audited[rows], clusters)
            values[rows] = _spread(judged[rows], audited[rows], found.mean, found.lambda_)
        return values


def _spread(judged: Floats, audited: Floats, mean: float, weight: float) -> Floats:
    """Spread a corrected mean over its records, each by how much it moves the estimate.

    Mean plus n / (records of its kind) times the deviation of what the record adds: weight
    times the judge where there was no audit, true label minus that where there was one.
    Deviations cancel, so the mean of the values is the estimate itself.
    """
    known = ~np.isnan(audited)
    values: Floats = np.full(len(judged), mean)
    for rows, adds in ((known, audited - weight * judged), (~known, weight * judged)):
        if rows.any():
            values[rows] += len(judged) / rows.sum() * (adds[rows] - adds[rows].mean())
    return values


def _check_known(rankings: Rankings, key: str, what: str) -> None:
    records = rankings.records
    if records and not any(key in record.verdicts for record in records):
        known = names_of(key, (name for record in records for name in record.verdicts))
        hint = suggest(key.partition("/")[2], known) if known else "add_answers, add_judgements"
        raise ConfigError(f"this run has no {what}", "", hint)
