"""Reading published JSON files whose shape cannot be trusted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from memlab.errors import DataError, as_utf8


def read_json(path: Path) -> tuple[Any, str]:
    """Return the JSON value of a file and the sha256 of its bytes."""
    try:
        data = path.read_bytes()
        return json.loads(data.decode("utf-8")), hashlib.sha256(data).hexdigest()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}",
            "a file of the published data",
            "datasets/README.md says where each comes from",
        ) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DataError(f"{path} is broken JSON at {where}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        raise DataError(f"{path} is not readable JSON: {error}", "JSON", as_utf8(error)) from error


_KINDS = {str: "text", int: "a whole number", list: "a list", dict: "an object"}


def get(thing: object, key: str, kind: type | tuple[type, ...], where: str) -> Any:  # noqa: ANN401
    """Return `thing[key]` if it is of that kind."""
    value = thing.get(key) if isinstance(thing, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise DataError(
            f"{where} has {value!r:.80} as '{key}'",
            " or ".join(_KINDS[k] for k in kinds),
            "the shape of the published file",
        )
    return value
