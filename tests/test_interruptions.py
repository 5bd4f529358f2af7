"""A run that is killed again and again ends with the bytes of one that was left alone."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

KILLS = 200 if os.environ.get("MEMLAB_FULL") else 20

# Notes every unit it begins, and works long enough for a kill to hit it.
STRATEGY = """
import os
from memlab.history import TurnMemory
from memlab.naming import strategy


@strategy
class Noted(TurnMemory):
    label: str = ""
    effort: int = 3000

    def attach(self, run):
        super().attach(run)
        self.begun = False

    def write(self, turn):
        if not self.begun:
            self.begun = True
            with open(os.environ["NOTES"], "a") as file:
                file.write(f"{self.label} {turn.user[:2]} {turn.id}\\n")
        super().write(turn)
        sum(i * i for i in range(self.effort))

    def read(self, query, budget):
        rows = list(self.history.newest(query.user))
        return self.history.pack(((row, 0.0) for row in rows), budget)
"""

CONFIG = """
name = "killed"
budget = [60, 200]
metrics = ["Recall(k=5)"]
jobs = {jobs}
[dataset]
name = "quickstart"
[strategies]
one = "noted:Noted(label='one')"
two = "noted:Noted(label='two')"
bm25 = "BM25()"
random = "Random()"
"""


class Project:
    """A folder with the strategy, the config and the notes."""

    def __init__(self, path, jobs):
        self.path = path
        (path / "noted.py").write_text(STRATEGY)
        (path / "run.toml").write_text(CONFIG.format(jobs=jobs))

    def start(self, out):
        environment = {**os.environ, "PYTHONPATH": str(self.path), "NOTES": str(self.notes(out))}
        command = [sys.executable, "-m", "memlab", "run", "run.toml", "--out", out]
        return subprocess.Popen(
            command, cwd=self.path, env=environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    def finish(self, out):
        process = self.start(out)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()

    def notes(self, out):
        return self.path / f"{out}.notes"

    def begun(self, out):
        notes = self.notes(out)
        return notes.read_text().splitlines() if notes.exists() else []

    def folder(self, out):
        (found,) = (self.path / out).iterdir()
        return found

    def closed(self, out):
        """Return how many units of the noting strategies are closed on disk."""
        files = list((self.path / out).glob("*/records.jsonl"))
        lines = files[0].read_text().splitlines(keepends=True) if files else []
        done = [json.loads(line) for line in lines if line.endswith("\n") and '"closes"' in line]
        return sum(d["closes"]["strategy"] in ("one", "two") for d in done)


def kill(process):
    """Kill the run as `kill -9` does, then its workers, which would idle until they time out.

    The workers hold the pipe to this process, so it is read to its end only after that.
    """
    process.kill()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_runs_end_with_the_same_bytes(tmp_path, jobs):
    project, rng = Project(tmp_path, jobs), random.Random(jobs)
    begin = time.monotonic()
    project.finish("whole")
    duration = time.monotonic() - begin
    expected = (project.folder("whole") / "records.jsonl").read_bytes()
    units = len(project.begun("whole"))
    assert units == 16

    kills, rounds = 0, 0
    while kills < KILLS // 2:
        rounds += 1
        out = f"killed{rounds}"
        for _ in range(6):
            closed, begun = project.closed(out), len(project.begun(out))
            process = project.start(out)
            try:
                process.communicate(timeout=rng.uniform(0.3, duration))
            except subprocess.TimeoutExpired:
                kill(process)
                kills += 1
            # What was closed before this attempt is not begun again in it.
            assert len(project.begun(out)) - begun <= units - closed
        closed, begun = project.closed(out), len(project.begun(out))
        project.finish(out)
        assert len(project.begun(out)) - begun == units - closed
        assert (project.folder(out) / "records.jsonl").read_bytes() == expected
    assert kills >= KILLS // 2
