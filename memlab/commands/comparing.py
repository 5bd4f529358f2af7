"""`memlab compare`: strategies of a run, or two runs, by paired differences."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import NOTHING, Commands, code_of, command, out, print_json
from memlab.errors import ConfigError
from memlab.tokencurves import Tokens


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "compare", "compare strategies of a run, or two runs")
    parser.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    parser.add_argument(
        "other", type=Path, nargs="?", help="an earlier run on the same data, which is the baseline"
    )
    parser.add_argument(
        "--baseline", metavar="NAME", help="a strategy; with two runs, namesakes by default"
    )
    parser.add_argument("--metrics", nargs="+", metavar="REPR", help='such as "Recall(k=10)"')
    parser.add_argument("--strategies", nargs="+", metavar="NAME", help="default: all others")
    parser.add_argument(
        "--tokens", metavar="N", help="at equal tokens: 1000, 500-4000 (area), or area"
    )
    parser.add_argument("--budget", metavar="N", help="one of the run's budgets, or none")
    parser.add_argument("--by", metavar="FIELD", help="such as category")
    parser.add_argument("--test", choices=("sign flip", "wilcoxon"), default="sign flip")
    parser.add_argument("--interval", choices=("cr3", "bootstrap"), default="cr3")
    parser.add_argument("--adjust", choices=("holm", "bh", "none"), help="default: by the family")
    parser.add_argument("--margin", type=float, metavar="X", help="test equivalence within X")
    parser.add_argument("--format", choices=("text", "markdown", "latex"), default="text")
    parser.set_defaults(call=_compare)


def _compare(options: argparse.Namespace) -> int:
    from memlab.plan import read_metrics
    from memlab.results import Results

    chosen = read_metrics(options.metrics) if options.metrics else None
    results = Results.load(options.run, metrics=chosen)
    other = None if options.other is None else Results.load(options.other, metrics=chosen)
    comparison = results.compare(
        options.baseline,
        strategies=options.strategies,
        other=other,
        tokens=_tokens(options.tokens),
        by=options.by,
        budget=_budget(options.budget),
        test=options.test,
        interval=options.interval,
        adjust=options.adjust,
        margin=options.margin,
    )
    if options.json:
        print_json(comparison.to_json())
    else:
        texts = {"markdown": comparison.to_markdown, "latex": comparison.to_latex}
        out(texts.get(options.format, lambda: repr(comparison))())
    known = any(entry.contrast.found.n for entry in comparison.entries)
    return code_of(results) if known else NOTHING


def _budget(text: str | None) -> int | str | None:
    """Return what `--budget` asks for.

    >>> _budget("4000"), _budget("none"), _budget(None)
    (4000, None, 'all')
    """
    if text is None:
        return "all"
    if text == "none":
        return None
    if not text.isdecimal():
        raise ConfigError(f"--budget {text}", "a number of tokens, or none")
    return int(text)


def _tokens(text: str | None) -> Tokens | str | None:
    """Return what `--tokens` asks for.

    >>> _tokens("1000"), _tokens("500-4000"), _tokens("area")
    (1000.0, (500.0, 4000.0), 'area')
    """
    if text is None or text == "area":
        return text
    try:
        ends = [float(part) for part in text.split("-")]
    except ValueError:
        ends = []
    if len(ends) == 1:
        return ends[0]
    if len(ends) == 2:
        return ends[0], ends[1]
    raise ConfigError(f"--tokens {text}", "a number, LOW-HIGH, or area")
