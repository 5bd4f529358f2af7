"""Progress for a person who watches: at a terminal or in a notebook; never in a log or a file."""

from __future__ import annotations

import os
import sys
from threading import RLock, Timer
from typing import Any, ClassVar
from uuid import uuid4

_AFTER = 0.5
"""Seconds of work before a notebook shows a bar: most cells are done, and nothing is shown."""
_KERNEL = "JPY_PARENT_PID"
"""Set in what a kernel starts: `!memlab run …` meets a terminal there that keeps every line."""


def progress_bar(title: str, unit: str, total: int | None = None, **options: Any) -> Any:  # noqa: ANN401 - tqdm
    """Return a tqdm bar that is gone when the work is done, or was interrupted.

    At a terminal it is drawn on stderr. A notebook shows it as text, without ipywidgets, and its
    saved file keeps none of that. Elsewhere, in commands that a notebook calls, and where
    TQDM_DISABLE is set, nothing is written. `options` are tqdm's.
    """
    from tqdm import tqdm

    shell = _notebook()
    if shell is not None:
        options |= {"file": _CellArea(shell), "ncols": 80}
    elif not sys.stderr.isatty() or _KERNEL in os.environ:
        options |= {"disable": True}
    return tqdm(total=total, desc=title, unit=unit, leave=False, **options)


def _notebook() -> Any:  # noqa: ANN401 - IPython's shell
    """Return the shell of the running kernel; None outside of notebooks."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython

    shell = get_ipython()
    return shell if hasattr(shell, "kernel") else None


class _CellArea:
    """A file for tqdm: shows its line below the running cell, and takes the line away again.

    What was shown stays in the notebook as an output without content, which takes no room; the
    bars of a cell that follow each other share one.
    """

    encoding = "utf-8"
    _free: ClassVar[list[tuple[int, str]]] = []
    """Displays that are empty again: number of the cell's execution, name of the display."""

    def __init__(self, shell: Any) -> None:  # noqa: ANN401
        self._shell = shell
        self._cell = shell.execution_count
        self._line = self._name = ""
        self._lock = RLock()
        self._timer: Timer | None = None

    def write(self, text: str) -> None:
        """Show what tqdm writes to the start of a line; moves between lines mean nothing here."""
        if not text.startswith("\r"):
            return
        with self._lock:
            self._line = text.strip()
            if not self._line:
                self._clear()
            elif self._name:
                self._publish(update=True)
            elif self._timer is None:
                self._timer = Timer(_AFTER, self._due)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Do nothing: every line is sent at once."""

    def _due(self) -> None:
        """Show the line for the first time, where the work is still going on."""
        with self._lock:
            if not self._line:
                return
            self._free[:] = [free for free in self._free if free[0] == self._cell]
            update = bool(self._free)
            self._name = self._free.pop()[1] if update else uuid4().hex
            self._publish(update=update)

    def _clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._name:
            self._publish(update=True)
            self._free.append((self._cell, self._name))
            self._name = ""

    def _publish(self, *, update: bool) -> None:
        bundle = {"text/plain": self._line} if self._line else {}
        self._shell.display_pub.publish(bundle, transient={"display_id": self._name}, update=update)
