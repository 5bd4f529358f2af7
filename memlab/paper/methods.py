"""The methods section and the main table of a paper, from what a run recorded."""

from __future__ import annotations

from collections.abc import Iterator

from memlab import cells
from memlab.cells import Cells
from memlab.checking import check_choice
from memlab.comparison import Comparison
from memlab.paper.facts import data, failures, metrics, protocol, readers, several, strategies
from memlab.paper.spans import Block, Sentence, as_latex, as_markdown
from memlab.render import grid, grid_macro, shown_metrics
from memlab.results import Results
from memlab.stats import FEW
from memlab.tables import datasets, small

_CR3 = (
    "MacKinnon, Nielsen and Webb, Fast and reliable jackknife and bootstrap methods for "
    "cluster-robust inference, Journal of Applied Econometrics 38 (2023)"
)
_SATTERTHWAITE = (
    "Satterthwaite, An approximate distribution of estimates of variance components, "
    "Biometrics Bulletin 2 (1946)"
)
_TESTS = {
    "sign flip": "Canay, Romano and Shaikh, Randomization tests under an approximate symmetry "
    "assumption, Econometrica 85 (2017)",
    "wilcoxon": "Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945)",
}
_ADJUSTMENTS = {
    "holm": "Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal "
    "of Statistics 6 (1979)",
    "bh": "Benjamini and Hochberg, Controlling the false discovery rate, Journal of the Royal "
    "Statistical Society B 57 (1995)",
}
_PPI = (
    "Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered inference, "
    "Science 382 (2023)"
)


def methods(
    results: Results,
    comparison: Comparison | None = None,
    *,
    format: str = "markdown",  # noqa: A002
) -> str:
    r"""Return methods and main table as Markdown or LaTeX, to be shortened by hand.

    Data with hash, n, conversations and licence; protocol, budget, tokenizer, seed and
    versions; strategies with all parameters; metrics with definitions, denominators and what
    was left out, failed or trivial; statistics; the table; with a comparison, its table and
    notes. Nothing is written that the run did not record. Everything is escaped.

    Args:
        results: of a run.
        comparison: what `results.compare(…)` returned.
        format: `markdown` or `latex`, which needs the packages booktabs and graphicx; texts in
            Chinese need XeLaTeX or LuaLaTeX with a font for them.

    Raises:
        ConfigError: another format.

    >>> import memlab as ml
    >>> results = ml.evaluate({"w": "Window(turns=2)"}, "quickstart", ["MRR()"], budget=200)
    >>> print(methods(results).splitlines()[0][:65])
    **Data.** 99 questions in 8 conversations of the data set `quicks
    """
    check_choice("format", format, ("markdown", "latex"))
    blocks = [
        data(results),
        protocol(results),
        strategies(results),
        metrics(results),
        _statistics(results, comparison),
        failures(results),
        readers(results),
        _references(results, comparison),
    ]
    known = [block for block in blocks if block is not None]
    if format == "markdown":
        parts = [as_markdown(known), *(cells.markdown(c) for c, _ in _tables(results))]
        parts += [comparison.to_markdown().rstrip()] if comparison is not None else []
        return "\n\n".join(parts) + "\n"
    parts = [r"% needs \usepackage{booktabs, graphicx}", as_latex(known)]
    parts += [_floated(cells.latex(table), caption) for table, caption in _tables(results)]
    if comparison is not None:
        table = cells.latex(comparison.cells, left=3)
        parts.append(_floated(table, "Paired differences, computed as told under Statistics."))
    return "\n\n".join(parts) + "\n"


def _tables(results: Results) -> Iterator[tuple[Cells, str]]:
    """Yield the main table, for several data sets one of each metric, with its caption."""
    about = results.manifest
    run = f"{about['name']}-{about['hash8']}"
    half = "± is half of a 95 % interval"
    if not several(results):
        yield grid(results), f"Results of {run}; {half}; tokens and milliseconds per read."
        return
    for metric in shown_metrics(results):
        yield grid_macro(results, metric), f"Results of {run} by data set; {half}."


def _floated(table: str, caption: str) -> str:
    """Return a table in a float, no wider than the text."""
    fit = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    head = [r"\begin{table}", r"\centering", rf"\caption{{{cells.escape_latex(caption)}}}", fit]
    return "\n".join([*head, f"{table}}}", r"\end{table}"])


def _statistics(results: Results, comparison: Comparison | None) -> Block:
    clusters = len({record.conversation for record in results.records})
    mean = "of the means of the data sets, each of which weighs the same" * several(results)
    sentences: list[Sentence] = [
        [f"Scores are means over questions{'; the macro is the mean ' + mean if mean else ''}."]
    ]
    few = small(results)
    if len(few) == max(len(datasets(results)), 1):
        each = "in every data set " * several(results)
        sentences.append(
            [
                f"With {clusters} conversations, {each}fewer than {FEW}, there is no interval: ",
                "the figures describe the data.",
            ]
        )
    else:
        freedom = _freedom(results, clusters)
        sentences.append(
            [
                "Intervals are 95 %, cluster-robust with conversations as clusters (CR3, the ",
                f"jackknife over conversations; t with {freedom}), ",
                "symmetric and not clipped.",
            ]
        )
    if comparison is not None:
        told = "; ".join(comparison.notes)
        sentences.append([f"Strategies were compared by paired differences ({told})."])
    return "Statistics", sentences, []


def _freedom(results: Results, clusters: int) -> str:
    """Return the degrees of freedom in words, and what has no interval."""
    if not several(results):
        return f"{clusters - 1} degrees of freedom"
    told = "one degree of freedom less than a data set has conversations"
    if few := small(results):
        return f"{told}; none for {', '.join(few)}, with fewer than {FEW}, nor for the macro"
    return f"{told}, for the macro with Satterthwaite's degrees of freedom"


def _references(results: Results, comparison: Comparison | None) -> Block:
    sources = [_CR3] + [_SATTERTHWAITE] * (several(results) and not small(results))
    if comparison is not None:
        sources.append(_TESTS[comparison.method.test])
        sources += [_ADJUSTMENTS[way] for way in comparison.adjustments if way in _ADJUSTMENTS]
    audited = (counts.get("audited") for counts in results.manifest.get("judgements", {}).values())
    sources += [_PPI] * any(audited)
    return "Sources", [["Of the statistics:"]], [[f"{source}."] for source in sources]
