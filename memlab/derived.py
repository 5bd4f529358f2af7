"""The texts of a run that are no whole turns, read back from its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memlab.errors import RunError
from memlab.folder import TEXTS
from memlab.judging.items import CARRIED


def read_texts(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of `texts.jsonl`: for each read its items that are no whole turns.

    Raises:
        RunError: the file is missing, as it is where only the summary of a run was kept, or
            damaged.
    """
    path = folder / TEXTS
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            found = [json.loads(line) for line in file]
        if not all(map(_is_entry, found)):
            raise ValueError("a line that is not one read with its items")
    except (OSError, ValueError, RecursionError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = "it is not there" if missing else f"{type(error).__name__}: {error}"
        raise RunError(
            f"cannot read {path}: {why}",
            "the derived texts of the run, which stay where it was made",
            "run its spec.toml again with --fresh",
        ) from error
    return found


def _is_entry(line: object) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("items"), list):
        return False
    named = all(isinstance(line.get(name), str) for name in ("strategy", "conversation", "probe"))
    return named and "budget" in line and all(map(_is_item, line["items"]))


def _is_item(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("sources"), list):
        return False
    texts = all(isinstance(item.get(name), str) for name in ("kind", "text"))
    sources = item["sources"]
    one = item.get("kind") not in CARRIED or len(sources) == 1
    return texts and one and all(isinstance(source, str) for source in sources)
