"""Out to a reader and back: contexts, answers, judgements, and what retrieval says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, overload

from memlab.answers import with_answers, with_judgements
from memlab.contexts import context_table, write_contexts
from memlab.judged import judge_table
from memlab.predicting import prediction_table
from memlab.protocols import Metric
from memlab.rundata import RunData

if TYPE_CHECKING:
    import pandas as pd

    from memlab.answerrows import Given

Limit = int | Literal["all"] | None


class ReaderViews(RunData):
    """A run whose contexts can be given to a reader, and whose answers come back."""

    @overload
    def to_contexts(
        self, path: None = None, *, strategies: Sequence[str] | None = None, budget: Limit = "all"
    ) -> pd.DataFrame: ...
    @overload
    def to_contexts(
        self, path: str | Path, *, strategies: Sequence[str] | None = None, budget: Limit = "all"
    ) -> Path: ...
    def to_contexts(
        self,
        path: str | Path | None = None,
        *,
        strategies: Sequence[str] | None = None,
        budget: Limit = "all",
    ) -> pd.DataFrame | Path:
        """Return the context that each strategy gave for each probe; with `path`, write JSON lines.

        `context` is one text, its items in dialogue order, one below the other: a turn as
        `[2024-05-08 13:56] Ann: …` (UTC), a part of one as `[…] Ann (excerpt): …`, any other
        item as `[summary] …`, by its kind, at the place of its first source; without sources
        before all others. `tokens` are those of the items, without times and names;
        `sources` are turn ids in the order returned. A failed read has no context (None,
        null) and its `error`.

        `strategy`, `conversation`, `probe` and `budget` name a row: `add_answers` and
        `add_judgements` expect these four back.

        Args:
            path: a file to write instead; it is returned.
            strategies: labels; all by default.
            budget: one of the run's; None is that without a limit.

        Raises:
            Faults: unknown labels or budget; texts that are missing or not those of the run.
            RunError: the data, or the derived texts of a loaded run, are not at hand.

        >>> import memlab as ml
        >>> results = ml.evaluate(["Window(turns=2)"], "quickstart", ["Recall()"], budget=200)
        >>> print(results.to_contexts().context[0])
        [2024-02-05 19:20] Nora: Exactly. My brother Owen lives in Cardiff, so ...
        [2024-02-05 19:21] assistant: That is a nice bonus. The train from ...
        """
        if path is None:
            return context_table(self, strategies, budget)
        return write_contexts(self, Path(path), strategies, budget)

    def add_answers(
        self,
        answers: Given,
        metric: str | Sequence[str] = ("exact", "f1", "contains"),
        *,
        reader: str = "",
    ) -> Self:
        """Return results with a reader's answers as further metrics, `Answered(…)`.

        Answers are compared with the accepted ones as texts (`memlab.answertext`): exact
        match and token F1 as SQuAD has them, Chinese by characters, and whether the accepted
        answer is contained. The best of the accepted answers counts.

        The run folder stays as the run wrote it: keep the file of answers and add it again
        after `Results.load`. `manifest["answers"]` counts what was scored, missing and left out.

        Args:
            answers: a DataFrame, a `.jsonl` or `.csv` file, or a list of dicts with `strategy`,
                `conversation`, `probe`, `budget` (may lack where the run has one) and `answer`.
            metric: those of `exact`, `f1`, `contains` that tables show; each can be asked
                for later as `Answered(measure="f1")`.
            reader: a name, to tell several readers apart.

        Raises:
            Faults: missing columns, unknown ids, duplicates, values that are no answers.
            DataError: a file that cannot be read.
            RunError: the data, which hold the accepted answers, are not at hand.
        """
        return with_answers(self, answers, metric, reader)

    def add_judgements(
        self, judgements: Given, *, audit: Given | None = None, name: str = "judged"
    ) -> Self:
        """Return results with a judge's verdicts as further metrics, `Judged(…)`.

        With an audit, `Judged(name=…, corrected=True)` is shown beside the raw verdicts: its
        means and differences are corrected for the judge's errors. The audited
        rows must be a random sample of every strategy's rows.

        Args:
            judgements: rows as for `add_answers`, with `judgement`: a number from 0 to 1, true
                or false.
            audit: rows of the same kind by people who looked at some of the answers.
            name: of the judge, to tell several apart.

        Raises:
            Faults: as `add_answers`, and rows that were audited but not judged.
            DataError: a file that cannot be read.
        """
        return with_judgements(self, judgements, audit, name)

    def judged(self, name: str = "judged") -> pd.DataFrame:
        """Return what a judge says, and what an audit makes of it, a line per strategy and budget.

        `raw` is the judge's mean over `n` records, `corrected` the prediction-powered one with
        its interval, `by_rates` that from the judge's rates after Rogan and Gladen;
        `sensitivity`, `specificity` and `agreement` are shares of the `audited` records
        (the first two for verdicts of 0 and 1 alone). Failed reads are counted, not judged.

        Raises:
            ConfigError: the run has no verdicts of this judge.
        """
        return judge_table(self, name)

    def predicts(self, answer: Metric | str, retrieval: Metric | str = "Recall()") -> pd.DataFrame:
        """Return how well a retrieval metric predicts an answer metric, a line per statistic.

        `probes`: within a strategy, `AUC`, the chance that of two probes the better answered
        one has the better retrieval (0.5: none), and `all minus none`, the answer score
        where retrieval is 1 minus that where it is 0. `questions`: the latter for the same
        question, between strategies that found all and those that found none, so that hard
        questions do not pose as an effect. `strategies`: Kendall's tau-b between the orders of
        the strategies by both. Failed reads are left out: they would score 0 on both sides.
        Intervals are 95 %, by conversation (jackknife, t; tau: resampled), none below six.

        Raises:
            ConfigError: metrics that the run has not, or a corrected one.
        """
        return prediction_table(self, answer, retrieval)
