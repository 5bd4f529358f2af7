"""Build the site: `python docs/tools/build.py [FOLDER]` writes FOLDER/site (default: build).

The pages are copied to FOLDER/docs; a line `<!-- generate: NAME -->` becomes a list made from the
code, formulas become MathML, notebooks become pages. Then Zensical builds them, strictly: any
warning ends the build, and so does a page that would load something from elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import griffe  # noqa: F401 - what the site is made with is looked for before anything is done
    import latex2mathml  # noqa: F401
    import nbformat  # noqa: F401
    import zensical  # noqa: F401
except ModuleNotFoundError as error:
    raise SystemExit(
        f"the site needs {error.name}, which is not installed; expected the extra 'docs'; "
        'run in the clone: pip install -e ".[docs]"'
    ) from error

import commands
import components
import gallery
import public
from formulas import with_formulas

DOCS = Path(__file__).resolve().parents[1]
LISTS: dict[str, Callable[[], str]] = {
    "metrics": components.metrics,
    "strategies": components.strategies,
    "models": components.models,
    "indexes": components.indexes,
    "policies": components.policies,
    "graphs": components.graphs,
    "datasets": components.datasets,
    "commands": commands.commands,
    "exit codes": commands.codes,
    "notebooks": gallery.cards,
    "names": public.names,
    "classes": public.classes,
    "modules": public.modules,
    "parameters": public.parameters,
    "jsonl": public.jsonl,
}

_LIST = re.compile(r"^<!-- generate: (.+) -->$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PLOT = re.compile(r"((?:\.\./)+)experiments/plots/")
_SKIP = re.compile(r"^<!-- skip: .+ -->\n", re.MULTILINE)
_SHIM = re.compile(r'<script src="https://unpkg\.com/iframe-worker/shim"[^>]*></script>')
_LOADED = re.compile(
    r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\bhref="https?://'
)


def assemble(folder: Path) -> None:
    """Write the pages, ready to be built, into an emptied folder.

    Raises:
        KeyError: a page asks for a list that is not known.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        DOCS, folder, ignore=shutil.ignore_patterns("tools", "*.toml", "*.py", "__pycache__")
    )
    shutil.copytree(DOCS.parent / "experiments" / "plots", folder / "assets" / "plots")
    (folder / "gallery").mkdir(exist_ok=True)
    gallery.write_notebooks(folder / "gallery")
    for page in sorted(folder.rglob("*.md")):
        text = _LIST.sub(lambda found: LISTS[found[1]](), page.read_text("utf-8"))
        text = _PLOT.sub(lambda found: f"{found[1][3:]}assets/plots/", text)
        page.write_text(with_formulas(_SKIP.sub("", text)), "utf-8")


def build(folder: Path) -> None:
    """Assemble and build; raise SystemExit with what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    assemble(folder / "docs")
    shutil.copy(DOCS / "zensical.toml", folder)
    shutil.rmtree(folder / "site", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(DOCS / "tools")},  # for the extension of griffe
        capture_output=True,
        text=True,
        check=False,
    )
    told = _COLOUR.sub("", done.stdout + done.stderr).partition("Traceback")[0]
    if done.returncode or "arning" in told:
        raise SystemExit(f"{told}\nthe pages are in {folder / 'docs'}")
    for page in sorted((folder / "site").rglob("*.html")):
        local(page, folder / "site")
    if faults := list(loads(folder / "site")):
        raise SystemExit("\n".join(faults))


def local(page: Path, site: Path) -> None:
    """Let a page take the stand-in for a worker from the site, not from the network."""
    up = "../" * (len(page.relative_to(site).parts) - 1)
    shim = f'<script src="{up}assets/frame-worker.js"></script>'
    page.write_text(_SHIM.sub(shim, page.read_text("utf-8")), "utf-8")


def loads(site: Path) -> Iterator[str]:
    """Yield what pages and styles would load from elsewhere."""
    for page in sorted(site.rglob("*.html")):
        yield from (f"{page}: {found}" for found in _LOADED.findall(page.read_text("utf-8")))
    for style in sorted(site.rglob("*.css")):
        text = style.read_text("utf-8")
        yield from (f"{style}: {found}" for found in re.findall(r"url\(.?https?://[^)]*", text))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    build(target)
    sys.stdout.write(f"the site is in {target / 'site'}\n")
