"""Progress is seen by a person and leaves nothing: at a terminal, in a notebook, in a log."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from memlab import progress

BARS = """
from memlab.progress import progress_bar
always = {"mininterval": 0, "miniters": 1}
with progress_bar("outer", "part", 2, **always) as outer:
    for part in range(2):
        outer.update(1)
        with progress_bar("inner", "text", 3, **always) as inner:
            for text in range(3):
                inner.update(1)
"""
BROKEN = """
from memlab.progress import progress_bar
try:
    with progress_bar("broken", "part", 3, mininterval=0, miniters=1) as bar:
        bar.update(1)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print("stopped")
"""


class Watched(NotebookClient):
    """Keeps the text of every display while it lasts."""

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.shown.append(msg["content"]["data"].get("text/plain", ""))
        return super().process_message(msg, cell, cell_index)


DUE = """
from memlab import progress

class Due:
    def __init__(self, after, call):
        self.start = call
    def cancel(self):
        pass

kept, progress.Timer = progress.Timer, Due
"""
"""The time after which bars are shown passes at once."""
QUICK = "progress.Timer, progress._AFTER = kept, 3600"


def executed(*cells):
    """Execute cells in a kernel; return their outputs, and what was shown meanwhile."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in (DUE, *cells)]
    client = Watched(nbformat.v4.new_notebook(cells=cells), timeout=60)
    client.shown = []
    client.execute()
    nbformat.validate(client.nb)
    return [cell.outputs for cell in client.nb.cells[1:]], client.shown


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_shows_bars_and_keeps_none_of_them():
    (bars, broken, quick), shown = executed(BARS, BROKEN, QUICK + BARS)
    assert any(line.startswith("outer:") and "1/2 [" in line for line in shown)
    assert any(line.startswith("inner:") and "2/3 [" in line for line in shown)
    assert any(line.startswith("broken:") and "1/3 [" in line for line in shown)
    emptied = {"output_type": "display_data", "metadata": {}, "data": {}}
    assert bars == [emptied, emptied]  # one for each level of nesting
    said = {"output_type": "stream", "name": "stdout", "text": "stopped\n"}
    assert broken == [emptied, said]
    assert quick == []
    assert "" in shown  # the line that emptied them


class Shell:
    """Stands in for IPython's shell: notes what is published."""

    def __init__(self):
        self.execution_count = 1
        self.display_pub = self
        self.published = []

    def publish(self, bundle, *, transient, update):
        self.published.append((bundle, transient["display_id"], update))


def test_quick_work_shows_nothing_and_the_first_line_comes_late(monkeypatch):
    shell = Shell()
    monkeypatch.setattr(progress, "_AFTER", 3600)  # its time comes when the test says so
    area = progress._CellArea(shell)
    area.write("\runits: 0")
    area.write("\n")
    area.write("\x1b[A")
    area.write("\r        ")
    area._due()
    assert shell.published == []
    area.write("\runits: 1")
    area._due()
    area.write("\runits: 2")
    area.write("\r        ")
    (first, name, _), second, third = shell.published
    assert (first, second, third) == (
        {"text/plain": "units: 1"}, ({"text/plain": "units: 2"}, name, True), ({}, name, True)
    )  # fmt: skip


def test_bars_of_a_cell_share_a_place_and_cells_do_not(monkeypatch):
    monkeypatch.setattr(progress, "_AFTER", 3600)
    monkeypatch.setattr(progress._CellArea, "_free", [])
    shell = Shell()
    names = []
    for cell in (1, 1, 2):
        shell.execution_count = cell
        area = progress._CellArea(shell)
        area.write("\rline")
        area._due()
        names.append(shell.published[-1][1:])
        area.write("\r    ")
    assert names[0][1] is False
    assert names[1] == (names[0][0], True)
    assert names[2][1] is False
    assert names[2][0] != names[0][0]


KERNEL = "JPY_PARENT_PID"
RUN = "import memlab as ml; ml.evaluate({'w': 'Window()'}, 'quickstart', ['MRR()']); print('done')"


def test_a_log_gets_nothing():
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("done\n", "")


def at_a_terminal(code, **environment):
    """Run code at a terminal of 80 columns; return all it wrote."""
    pty = pytest.importorskip("pty", reason="terminals are Unix's")
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        env={k: v for k, v in os.environ.items() if k != KERNEL} | environment,
    )  # fmt: skip
    os.close(theirs)
    written = b""
    try:
        while chunk := os.read(ours, 65536):
            written += chunk
    except OSError:  # how a terminal says that nobody holds its other end
        pass
    finally:
        os.close(ours)
    assert process.wait(timeout=60) == 0
    return written.decode()


def screen(written):
    """Return the lines a reader is left with."""
    lines = []
    for line in written.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return [line for line in lines if line]


def test_a_terminal_is_left_clean():
    written = at_a_terminal(RUN)
    assert "units: " in written
    assert "/8 [" in written
    assert screen(written) == ["done"]


def test_an_interrupted_run_leaves_a_clean_line():
    written = at_a_terminal(BROKEN)
    assert "broken: " in written
    assert screen(written) == ["stopped"]


def test_bars_can_be_turned_off():
    assert at_a_terminal(RUN, TQDM_DISABLE="1") == "done\r\n"


def test_a_command_that_a_notebook_calls_leaves_nothing_in_it():
    assert at_a_terminal(RUN, **{KERNEL: "1"}) == "done\r\n"
