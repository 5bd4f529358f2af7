"""Every notebook runs from top to bottom, offline, and says what a new run says too.

`MEMLAB_NOTEBOOKS=write pytest tests/test_notebooks.py` executes them and keeps the outputs.
"""

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WRITE = os.environ.get("MEMLAB_NOTEBOOKS") == "write"
TIMED = {"read ms", "encode ms", "write µs"}
PASSING = [  # what differs from run to run or from version to version, and what stands for it
    (r"-[0-9a-f]{8}\b", "-<hash8>"),
    (r"\b[0-9a-f]{64}\b", "<sha256>"),
    (r"bytes: \d+", "bytes: <size>"),
    (r"\d+\.\d MB", "<size>"),
]


def shown(cell):
    """Return the outputs of a cell that show anything, each as kind and text."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        text = output.get("text") or data.get("text/markdown") or data.get("text/plain")
        if text and not (found and output.get("name") == found[-1][0] == "stdout"):
            found.append([output.get("name", output.output_type), text])
        elif text:
            found[-1][1] += text
    return [(kind, text.replace("\r\n", "\n")) for kind, text in found]


def lasting(text):
    """Return a text without times, hashes of runs and sizes of files."""
    for pattern, stands in PASSING:
        text = re.sub(pattern, stands, text)
    lines, timed = [], []
    for line in text.splitlines():
        fields = re.split(r"\s{2,}", line.strip())
        if TIMED & set(fields):
            timed = [at for at, name in enumerate(fields) if name in TIMED]
        timed = timed if len(fields) > 1 else []
        lines.append([field for at, field in enumerate(fields) if at not in timed])
    return lines


def executed(path):
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(notebook, timeout=300, resources=resources, record_timing=False).execute()
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def write(notebook, path):
    """Keep the outputs: pictures as PNG, line feeds as Unix has them, nothing that is empty."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs = [o for o in cell.outputs if o.get("data") or o.get("text")]
        for output in cell.outputs:
            if "text" in output:
                output.text = output.text.replace("\r\n", "\n")
    nbformat.write(notebook, path)


@pytest.fixture
def command(monkeypatch):
    """Let `!memlab` in a notebook find the command of this environment."""
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(places))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.usefixtures("command")
def test_a_notebook_shows_what_it_shows_when_it_is_run(path):
    fresh = executed(path)
    if WRITE:
        write(fresh, path)
    kept = nbformat.read(path, as_version=4)
    nbformat.validate(kept)
    for new, old in zip(fresh.cells, kept.cells, strict=True):
        ours, theirs = ([(k, lasting(t)) for k, t in shown(cell)] for cell in (new, old))
        assert ours == theirs, f"{path.name} shows something else now:\n{new.source}"
        assert not any(kind in ("stderr", "error") for kind, _ in shown(old)), new.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_small_and_clean(path):
    text = path.read_text("utf-8")
    assert len(text.encode()) < 300_000
    assert not any(junk in text for junk in ("HBox(", "\\u001b[", "unit/s]", "/tmp/", "image/svg"))
    notebook = nbformat.reads(text, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(shown(cell)) for cell in code) >= 4
    assert not any(re.search(r"^def ", cell.source, re.MULTILINE) for cell in code)
    assert not any("execution" in cell.metadata for cell in notebook.cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_figures_in_the_prose_are_figures_of_the_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    told = " ".join(text for cell in notebook.cells for _, text in shown(cell))
    known = re.findall(r"(?<![\w.])\d*\.\d+", f"{told} {' '.join(sources(notebook, 'code'))}")
    for prose in sources(notebook, "markdown"):
        for figure in re.findall(r"(?<![\w.`/])\d*\.\d+(?!\w|\.\d)", prose):
            digits = len(figure.partition(".")[2])
            assert any(round(float(k), digits) == float(figure) for k in known), (figure, prose)


def sources(notebook, kind):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def test_prose_with_a_wrong_figure_is_found(tmp_path, monkeypatch):
    cells = [
        nbformat.v4.new_markdown_cell("The mean is 0.84, the p .031, within 5 % and 2.5."),
        nbformat.v4.new_code_cell("x"),
    ]
    out = nbformat.v4.new_output("stream", text="mean 0.8371  p .031")
    cells[1].outputs = [out]
    path = tmp_path / "wrong.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    with pytest.raises(AssertionError, match=r"2\.5"):
        test_figures_in_the_prose_are_figures_of_the_outputs(path)


def test_times_hashes_and_sizes_do_not_matter_but_figures_do():
    table = (
        "run-{h} · 9 probes\n\nstrategy  R@5    tokens  read ms  n\nbm25      0.{r}  56      {t}  9"
    )
    one = table.format(h="0a1b2c3d", r=768, t="0.123")
    assert lasting(one) == lasting(table.format(h="ffffffff", r=768, t="9.9"))
    assert lasting(one) != lasting(table.format(h="0a1b2c3d", r=769, t="0.123"))


def test_every_notebook_is_numbered_and_linked_from_the_first():
    first = NOTEBOOKS[0].read_text("utf-8")
    assert [path.name[:2] for path in NOTEBOOKS] == [
        f"{n:02}" for n in range(1, len(NOTEBOOKS) + 1)
    ]
    assert all(f"({path.name})" in first for path in NOTEBOOKS[1:])
