"""Which files of which data set are public, and where: the lists `datasets/files/NAME.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from memlab.errors import ConfigError, suggest
from memlab.reading.cards import PLACES, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file at its publisher's: `bytes` and `sha256` where known, `path` in the folder here.

    `part` names the choice it belongs to; `licence` is its own where it differs from the
    card's.
    """

    url: str
    path: str
    bytes: int | None = None
    sha256: str = ""
    part: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileList:
    """The files of a data set; `default` are the parts fetched when none is named.

    `load` is what its loader takes as path, seen from the folder; "" means each file alone.
    """

    name: str
    files: tuple[Remote, ...]
    default: tuple[str, ...] = ()
    load: str = ""
    note: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that can be named, in the list's order."""
        return tuple(dict.fromkeys(file.part for file in self.files if file.part))

    def choose(self, parts: Sequence[str] = ()) -> tuple[Remote, ...]:
        """Return the files of the parts, or of the default ones.

        Raises:
            ConfigError: there is no such part.
        """
        for part in parts:
            if part not in self.parts:
                hint = suggest(part, self.parts) if self.parts else "fetch it whole"
                raise ConfigError(f"{self.name} has no part {part!r}", "", hint)
        wanted = tuple(parts) or self.default
        return tuple(file for file in self.files if not wanted or file.part in wanted)


def names() -> list[str]:
    """Return the data sets that can be fetched."""
    return sorted({path.stem for place in PLACES for path in (place / "files").glob("*.toml")})


def file_list(name: str) -> FileList:
    """Return the list of a data set; a `url` in it is relative to `base`.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in names():
        raise ConfigError(f"nothing is known to fetch for {name!r}", "", suggest(name, names()))
    with sample(f"files/{name}.toml").open("rb") as file:
        data = tomllib.load(file)
    base = data.pop("base", "")
    files = [
        Remote(**{"path": entry["url"], **entry, "url": urljoin(base, entry["url"])})
        for entry in data.pop("files")
    ]
    default = tuple(data.pop("default", ()))
    return FileList(name=name, files=tuple(files), default=default, **data)
