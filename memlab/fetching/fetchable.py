"""What can be fetched, and what one must know before agreeing to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memlab.fetching.filelists import FileList, Remote, file_list, names
from memlab.reading.cards import card


def fetchable() -> list[dict[str, Any]]:
    """Return what can be fetched: name, title, files, bytes (of those known), licence, parts."""
    rows = []
    for name in names():
        listing, about = file_list(name), card(name)
        sizes = [file.bytes for file in listing.files]
        rows.append(
            {
                "name": name,
                "title": about["title"],
                "files": len(sizes),
                "bytes": sum(size or 0 for size in sizes),
                "unknown_sizes": sizes.count(None),
                "unknown_sha256": sum(not file.sha256 for file in listing.files),
                "licence": about["licence"],
                "parts": list(listing.parts),
                "default": list(listing.default),
            }
        )
    return rows


def fetchable_text() -> str:
    """Return `fetchable()` as a table."""
    rows = [
        (row["name"], str(row["files"]), _sizes(file_list(row["name"]).files), row["licence"])
        for row in fetchable()
    ]
    rows.insert(0, ("name", "files", "size", "licence"))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [
        "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    parts = [(row["name"], row["parts"]) for row in fetchable() if row["parts"]]
    return "\n".join(lines + [f"parts of {name}: {', '.join(p)}" for name, p in parts])


def notice(listing: FileList, missing: Sequence[Remote], folder: Path) -> str:
    """Return what the user must know before agreeing."""
    about = card(listing.name)
    own = dict.fromkeys(file.licence for file in missing if file.licence)
    checked = sum(bool(file.sha256) for file in missing)
    rows = {
        "licence": "; ".join([about["licence"], *own]),
        "citation": about["citation"],
        "source": about["source"],
        "note": listing.note,
        "size": _sizes(missing),
        "checked": f"{checked} of {len(missing)} files have a known sha256",
        "into": str(folder),
    }
    lines = [f"  {key + ':':<10}{value}" for key, value in rows.items() if value]
    return "\n".join([about["title"], *lines])


def _sizes(files: Sequence[Remote]) -> str:
    known = sum(file.bytes or 0 for file in files)
    unknown = sum(file.bytes is None for file in files)
    parts = [_size(known)] if known else []
    parts += [f"{unknown} file(s) of unknown size"] if unknown else []
    return " and ".join(parts)


def _size(count: float) -> str:
    """Return bytes as a person reads them.

    >>> _size(2_805_274)
    '2.81 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
