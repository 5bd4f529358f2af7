"""What is in a bundle: the files of the run, and what explains them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution, version
from typing import Any

from memlab.cells import Cells, markdown

SUMS = "SHA256SUMS"
ABOUT = "bundle.json"
RUN = ("spec.toml", "records.jsonl", "latency.json", "manifest.json", "summary.csv")
EXPLAINED = ("README.md", "definitions.md", "packages.txt", "dataset.json", ABOUT)
DATA = "data/"
TEXTS = "texts.jsonl"
FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_known(name: str) -> bool:
    """Tell whether a bundle may have a file of that name."""
    return name in (*RUN, *EXPLAINED, SUMS, TEXTS) or name.startswith(DATA)


def sums(hashes: Mapping[str, str]) -> bytes:
    """Return a list of sha256 as the tool `sha256sum -c` reads it."""
    return "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes)).encode()


def read_sums(text: str) -> dict[str, str] | None:
    """Return sha256 by name; None where a line is of another form, or a name stands twice."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        sha, gap, name = line[:64], line[64:66], line[66:]
        if not re.fullmatch("[0-9a-f]{64}", sha) or gap != "  " or not name or name in found:
            return None
        found[name] = sha
    return found


def about(manifest: Mapping[str, Any], *, with_data: bool) -> bytes:
    """Return what the bundle is, for programs."""
    return as_json(
        {
            "format": FORMAT,
            "run": f"{manifest['name']}-{manifest['hash8']}",
            "made_by": f"memlab {version('memlab')}",
            "zlib": zlib.ZLIB_RUNTIME_VERSION,
            "with_data": with_data,
        }
    )


def dataset_card(manifest: Mapping[str, Any], files: Mapping[str, str]) -> bytes:
    """Return which data the run was made on; `files` are places in the bundle by option."""
    given = manifest["dataset"]
    return as_json(
        {
            "name": given["name"],
            "sha256_of_file": given["sha256"],
            "sha256_of_content": manifest["resolved"]["data"],
            "options": given["options"],
            "files": dict(files),
            "conversations": given["conversations"],
            "card": given["card"],
        }
    )


def as_json(value: object) -> bytes:
    """Return a value as readable JSON with sorted keys."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return f"{text}\n".encode()


def definitions(manifest: Mapping[str, Any]) -> bytes:
    """Return what the metrics of the run mean, as Markdown."""
    rows = []
    for name, about_it in manifest["definitions"].items():
        failed = about_it.get("failed_read_scores")
        scores = "left out" if failed is None else f"{failed:g}"
        higher = {True: "higher", False: "lower"}.get(about_it.get("higher_is_better"), "–")
        rows.append([name, str(about_it.get("definition", "")), higher, scores])
    table: Cells = (["metric", "definition", "better", "a failed read"], rows)
    rule = f"Evidence: {manifest['evidence_rule']}."
    return f"# Definitions\n\n{markdown(table, left=4)}\n\n{rule}\n".encode()


def packages(manifest: Mapping[str, Any]) -> bytes:
    """Return what memlab needs and the run used, as pip reads it: versions of the run first.

    A version that the run did not record is the one installed where the bundle was made.
    """
    used = {name: _public(found) for name, found in manifest["packages"].items() if found}
    here = {name: found for name in _needed("memlab") if (found := _version(name))}
    known = {_canonical(name) for name in used}
    lines = [f"{name}=={used[name]}" for name in sorted(used)]
    more = [f"{name}=={here[name]}" for name in sorted(here) if _canonical(name) not in known]
    head = f"# Python {manifest['python']}. What the run recorded:"
    text = [head, *lines, "# Installed where the bundle was made:", *more]
    return "\n".join([*text, ""]).encode()


def _needed(package: str) -> Iterable[str]:
    """Return the packages that an installed one needs, and those that they need."""
    waiting, seen = [package], {_canonical(package): package}
    while waiting:
        try:
            needs = distribution(waiting.pop()).requires or []
        except PackageNotFoundError:
            continue
        for text in needs:
            name = _NAME.match(text)
            if name and "extra ==" not in text and _canonical(name[0]) not in seen:
                seen[_canonical(name[0])] = name[0]
                waiting.append(name[0])
    return seen.values()


def _version(package: str) -> str | None:
    try:
        return _public(version(package))
    except PackageNotFoundError:
        return None


def _public(found: str) -> str:
    """Return a version without its local part, such as +cpu, which pip cannot find."""
    return found.partition("+")[0]


def _canonical(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()
