"""Write the report of a run: HTML, Markdown or LaTeX, by the name of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memlab.checking import check_whole
from memlab.drafts import drafted
from memlab.errors import ConfigError, Faults, MemlabError
from memlab.reporting.content import Content, check_baseline, gather
from memlab.reporting.document import MARK, as_latex, as_markdown
from memlab.results import Results

FAILURES = 2000
"""Failures that a report holds by default."""
_HTML = (".html", ".htm")


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What was written, and what was left out and why.

    `failures` of `failures_found` are in the file.
    """

    path: Path
    size: int
    failures: int
    failures_found: int
    left_out: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what `memlab report --json` prints."""
        return {**asdict(self), "path": str(self.path), "left_out": list(self.left_out)}

    def __repr__(self) -> str:
        large = self.size >= 1e6
        size = f"{self.size / 1e6:.1f} MB" if large else f"{max(self.size / 1e3, 0.1):.1f} kB"
        head = f"{self.path}: {size}"
        if self.failures_found:
            head += f", {self.failures:,} of {self.failures_found:,} failures"
        return "\n".join([head, *self.left_out])


def report(
    results: Results,
    path: str | Path,
    baseline: str | None = None,
    *,
    by: Sequence[str] = ("category",),
    failures: int = FAILURES,
    title: str = "",
) -> Report:
    """Write the report of a run into one file.

    `.html` is a page that needs no network: tables that sort and filter, comparison,
    pictures, failures with their dialogues, manifest and definitions. `.md` and `.tex` hold the
    tables.

    Args:
        results: a run; one that was loaded needs its data at hand to show dialogues.
        path: where to write; a file that is no report of memlab is not written over.
        baseline: the strategy that the others are compared with.
        by: fields or dials that tables are split by.
        failures: how many failures to show at most, 0 for none. The dialogues behind them
            become part of the file, under the licence of the data.
        title: of the report; by default the name of the run.

    Raises:
        Faults: everything that is wrong with the call, before anything is computed.
        DataError: the file cannot be written.

    >>> import tempfile
    >>> from memlab.runner import evaluate
    >>> run = evaluate({"window": "Window()", "bm25": "BM25()"}, "quickstart", ["MRR()"])
    >>> made = report(run, Path(tempfile.mkdtemp()) / "report.md", baseline="window")
    >>> made.left_out
    ()
    """
    target = Path(path)
    _check(results, target, baseline, by, failures)
    write = _writer(target)
    rich = target.suffix.lower() in _HTML
    content = gather(results, baseline, by, failures, title, rich=rich)
    encoded = write(content).encode("utf-8", "backslashreplace")
    with drafted(target) as draft:
        draft.write_bytes(encoded)
    found = content.browser
    shown, total = (found.shown, found.total) if found else (0, 0)
    left_out = (*content.left_out, *(found.notes if found else ()))
    return Report(target, len(encoded), shown, total, left_out)


def _writer(target: Path) -> Callable[[Content], str]:
    from memlab.reporting.page import as_html

    writers = {".md": as_markdown, ".tex": as_latex} | dict.fromkeys(_HTML, as_html)
    if target.suffix.lower() not in writers:
        raise ConfigError(
            f"a report named {target.name!r}", "a name that ends in .html, .md or .tex"
        )
    return writers[target.suffix.lower()]


def _check(
    results: Results, target: Path, baseline: str | None, by: Sequence[str], failures: int
) -> None:
    checks: list[Callable[[], object]] = [
        lambda: _writer(target),
        lambda: _check_place(target),
        lambda: check_baseline(results, baseline),
        lambda: check_whole("failures", failures),
        *(lambda field=field: results.field(field) for field in by),
    ]
    faults = []
    for check in checks:
        try:
            check()
        except MemlabError as error:
            faults.append(error)
    if faults:
        raise Faults(faults, "the report cannot be written")


def _check_place(target: Path) -> None:
    if not target.parent.is_dir():
        raise ConfigError(f"no folder {target.parent}", "a folder that exists")
    if target.is_dir():
        raise ConfigError(f"{target} is a folder", "the name of a file")
    if target.exists() and MARK.encode() not in target.read_bytes()[:1000]:
        raise ConfigError(f"{target} exists and is no report", "another name", "or delete it")
