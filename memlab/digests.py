"""Canonical text and hashes of values and files, and names that are safe in paths."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path


def canonical_json(value: object) -> str:
    """Return strict JSON with sorted keys and no spaces: equal values, equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(*values: object) -> str:
    """Return the sha256 (hex) of the canonical JSON of `values`."""
    return hashlib.sha256(canonical_json(list(values)).encode()).hexdigest()


def file_digest(*paths: Path) -> str:
    """Return the sha256 (hex) over the bytes of the files, in the order given."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.read_bytes())
    return sha.hexdigest()


def slug(name: str) -> str:
    """Return `name` as a safe, readable part of a file name; distinct names stay distinct.

    Letters, their marks and digits of every script are kept.

    >>> slug("locomo-lexical"), slug("a/b"), slug("中文对话")
    ('locomo-lexical', 'a-b-1693b0cf', '中文对话')
    """
    plain = unicodedata.normalize("NFC", name)  # some file systems take other forms for the same
    safe = "".join(
        ch if ch in "-_." or unicodedata.category(ch)[0] in "LMN" else "-" for ch in plain
    )
    safe = safe.strip(".-")[:60].encode()[:180].decode(errors="ignore")  # a name has 255 bytes
    return safe if safe == name and safe else f"{safe or 'run'}-{digest(name)[:8]}"
