"""The cards and samples of the data sets, in a checkout or inside an installed wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from memlab.errors import DataError

_HERE = Path(__file__).resolve().parent.parent
PLACES = (_HERE / "_samples", _HERE.parent / "datasets")


def sample(filename: str) -> Path:
    """Return the path of a file that memlab ships with its data sets.

    Raises:
        DataError: the file is in neither place.
    """
    for place in PLACES:
        if (place / filename).is_file():
            return place / filename
    raise DataError(
        f"{filename!r} is missing from this installation",
        "a file of the folder datasets/ or of the wheel",
        "install memlab again, or work in a complete clone",
    )


def card(name: str) -> dict[str, Any]:
    """Return the card of a data set: title, source, licence, citation, sha256 of its file."""
    with sample(f"{name}.toml").open("rb") as file:
        return tomllib.load(file)
