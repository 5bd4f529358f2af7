"""Snippets of the documents run as they stand, in order, in a new folder for each document.

A fence with a title is a file of that name. `python` is run, `>>>` examples are compared; `sh` is
run and must succeed; `text` after either must be what they printed ("…" stands for anything);
`toml`, `json`, `jsonl` and `yaml` must be readable. What cannot be run here says why:
`<!-- skip: next "why" -->`.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, DocTestRunner, OutputChecker
from pathlib import Path
from typing import Any

from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer
from sybil.parsers.markdown.skip import SkipParser

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE
INFO = re.compile(r'(?P<language>[\w-]+)(?: title="(?P<title>[^"]+)")?[^\n]*\n')
PLAIN = re.compile(r"memlab [^|&;<>$`\\]*")

collect_ignore = ["docs/tools"]

PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md"]


def fences(document: Document) -> Iterator[Region]:
    """Yield the fences of a document."""
    for region in RawFencedCodeBlockLexer(INFO)(document):
        region.parsed = region.lexemes
        region.evaluator = evaluate
        yield region


def evaluate(example: Example) -> str | None:
    """Run or read a fence; return what is wrong with it."""
    language, title = example.parsed["language"], example.parsed["title"]
    source = str(example.parsed["source"])
    if title:
        path = Path(title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    if language == "text":
        return compared(example.namespace, source)
    if language == "python" and title:
        compile(source, title, "exec")
        return None
    example.namespace["printed"] = HANDLERS[language](source, example.namespace)
    return None


def python(source: str, namespace: dict[str, Any]) -> str:
    """Run code and return what it printed; examples with `>>>` are compared."""
    if source.lstrip().startswith(">>>"):
        runner, found = DocTestRunner(optionflags=FLAGS), io.StringIO()
        test = DocTestParser().get_doctest(source, namespace, "example", "page", 0)
        failed = runner.run(test, out=found.write, clear_globs=False).failed
        namespace.update(test.globs)
        if failed:
            raise AssertionError(found.getvalue())
        return ""
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, "page", "exec"), namespace)
    return printed.getvalue()


def shell(source: str, _: dict[str, Any]) -> str:
    """Run commands and return what they printed; plain memlab ones in this process."""
    lines = [line for line in source.splitlines() if line.strip() and not line.startswith("#")]
    if all(PLAIN.fullmatch(line) for line in lines):
        return "".join(map(command, lines))
    done = subprocess.run(
        ["bash", "-euc", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def command(line: str) -> str:
    """Run one memlab command in this process."""
    from memlab.cli import main

    path, printed = list(sys.path), io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            code = main([w for word in shlex.split(line, comments=True)[1:] for w in expand(word)])
    finally:
        sys.path[:] = path
    if code:
        raise AssertionError(f"exit code {code}\n{printed.getvalue()}")
    return printed.getvalue()


def expand(word: str) -> list[str]:
    """Return the files that a word with a star stands for, as a shell does."""
    found = sorted(map(str, Path().glob(word))) if "*" in word else []
    return found or [word]


def compared(namespace: dict[str, Any], wanted: str) -> str | None:
    """Compare what the fence before printed with what the page says."""
    got = namespace.pop("printed", None)
    if not got:
        return "nothing was printed before this fence"
    wanted, got = (re.sub("…", "...", text) for text in (wanted, got))
    if OutputChecker().check_output(wanted, got, FLAGS):
        return None
    return f"expected:\n{wanted}\ngot:\n{got}"


def read(parse: Callable[[str], object]) -> Callable[[str, dict[str, Any]], str]:
    """Return a handler that only reads."""

    def handler(source: str, _: dict[str, Any]) -> str:
        parse(source)
        return ""

    return handler


def _yaml(source: str) -> object:
    import yaml  # type: ignore[import-untyped]

    return yaml.safe_load(source)


HANDLERS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "python": python,
    "sh": shell,
    "toml": read(tomllib.loads),
    "json": read(json.loads),
    "jsonl": read(lambda text: [json.loads(line) for line in text.splitlines()]),
    "yaml": read(_yaml),
    "math": read(str.strip),
    "latex": read(str.strip),
}


def enter(namespace: dict[str, Any]) -> None:
    """Give a document a folder and a vector cache of its own."""
    folder = tempfile.TemporaryDirectory(prefix="memlab-docs-")
    inside = chdir(folder.name)
    inside.__enter__()
    before = os.environ.get("MEMLAB_CACHE")
    os.environ["MEMLAB_CACHE"] = str(Path(folder.name) / ".cache")
    namespace["leave"] = (folder, inside, before, list(sys.path))
    sys.path.insert(0, folder.name)  # as in an interpreter that was started there


def leave(namespace: dict[str, Any]) -> None:
    """Put back what `enter` changed."""
    folder, inside, before, sys.path[:] = namespace["leave"]
    forget(folder.name)
    inside.__exit__(None, None, None)
    os.environ.pop("MEMLAB_CACHE")
    if before is not None:
        os.environ["MEMLAB_CACHE"] = before
    folder.cleanup()


def forget(folder: str) -> None:
    """Drop the modules that were imported from a folder."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]


pytest_collect_file = Sybil(
    parsers=[fences, SkipParser()], patterns=PAGES, setup=enter, teardown=leave
).pytest()
