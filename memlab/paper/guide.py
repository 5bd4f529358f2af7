"""What a reviewer reads first: what the bundle is and how to check it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memlab.cells import escape_markdown, markdown
from memlab.render import grid
from memlab.results import Results

_FILES = (
    ("spec.toml", "the experiment, as `memlab run` reads it"),
    ("records.jsonl", "for each strategy, probe and budget what was returned: turn ids, tokens"),
    ("latency.json", "times as measured"),
    ("manifest.json", "versions, hashes, seed, counts of what was left out or failed"),
    ("summary.csv", "the table of results, computed from the three above"),
    ("definitions.md", "what the metrics mean"),
    ("dataset.json", "the data set: card, sha256 of its file and of its content"),
    ("packages.txt", "packages with versions, as pip reads them"),
    ("SHA256SUMS", "sha256 of every file, as `sha256sum -c` reads it"),
)


def guide(results: Results, files: Mapping[str, str], *, with_data: bool) -> bytes:
    """Return the README of a bundle, as Markdown; `files` are the data by option."""
    about = results.manifest
    run = f"{about['name']}-{about['hash8']}"
    given = about["dataset"]
    version = about["packages"]["memlab"]
    lines = [
        f"# {escape_markdown(run)}",
        "",
        "A finished run of memlab: what each memory strategy returned for each question,",
        "and the scores that follow from it.",
        "",
        "## Check it",
        "",
        "```sh",
        f"pip install memlab=={version}",
        f"memlab verify {run}.zip            # hashes, and every score computed again",
        f"memlab verify {run}.zip --rerun    # and the run itself, where the data are at hand",
        "```",
        "",
        "`verify` imports no code but memlab's own, unless `--trust` is given.",
        "Exit code 0: all as stated; 2: faults, which are listed.",
        "",
        "## Data",
        "",
        *_data(given, files, with_data),
        "",
        "## Results",
        "",
        markdown(grid(results)),
        "",
        "## Files",
        "",
        *(f"- `{name}`: {what}" for name, what in _FILES),
        "",
    ]
    return "\n".join(lines).encode()


def _data(given: Mapping[str, Any], files: Mapping[str, str], with_data: bool) -> list[str]:
    card = given.get("card") or {}
    cards = {given["name"]: card} if "title" in card or "licence" in card else card
    lines = []
    for name, one in cards.items():
        told = [f"{key}: {one[key]}" for key in ("source", "licence", "citation") if one.get(key)]
        lines.append(f"- {escape_markdown(name)}: {escape_markdown('; '.join(told))}")
    if not files:
        return [*lines, "", _without_files(given)]
    named = ", ".join(f"`{place}`" for place in files.values())
    if with_data:
        return [*lines, "", f"The data are in this bundle: {named}."]
    sha = f" (sha256 {given['sha256']})" if given["sha256"] else ""
    return [
        *lines,
        "",
        f"The data are not in this bundle. To run it again, get them from the source{sha}",
        f"and say where they are: `--data FOLDER` with what `spec.toml` names {named}.",
    ]


def _without_files(given: Mapping[str, Any]) -> str:
    if given["options"]:
        return "The data come with memlab, or are made by it from the options in `spec.toml`."
    return "The data were made in Python and cannot be loaded again; their hash is in the manifest."
