"""Which data may go into a bundle, and where they lie in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.digests import canonical_json
from memlab.errors import ConfigError, Faults
from memlab.paper.contents import DATA
from memlab.spec import PATHS

OPEN = frozenset(
    "0bsd apache-2.0 bsd-2-clause bsd-3-clause cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 "
    "cc-pddc cc0-1.0 isc mit odbl-1.0 odc-by-1.0 pddl-1.0 unlicense".split()
)
"""SPDX names of licences under which anybody may pass the data on, for any purpose."""
MOST_DATA = 64 * 1024**2
"""Data of more bytes are not small: they belong into an archive of their own."""

Tables = Sequence[Mapping[str, Any]]


def tables(options: Any) -> Tables:  # noqa: ANN401
    """Return the data set tables of a spec: one, several, or none for data made in Python."""
    return options if isinstance(options, list) else [options] if options else []


def places(options: Any) -> list[dict[str, str]]:  # noqa: ANN401
    """Return for each data set where its files lie in a bundle: option -> `data/<name>`.

    Names that two data sets share get the number of their data set before them.
    """
    given = [
        {key: Path(table[key]).name for key in PATHS if key in table} for table in tables(options)
    ]
    names = [name for one in given for name in one.values()]
    return [
        {
            key: f"{DATA}{name}" if names.count(name) == 1 else f"{DATA}{number}/{key}/{name}"
            for key, name in one.items()
        }
        for number, one in enumerate(given, 1)
    ]


def moved(text: str, options: Any) -> str:  # noqa: ANN401
    """Return a spec whose data lie in the bundle's folder `data/`, not where they lay here.

    Raises:
        ConfigError: a path that does not stand in the spec as memlab writes it.
    """
    lines = text.split("\n")
    heads = [i for i, line in enumerate(lines) if line in ("[dataset]", "[[dataset]]")]
    for table, wanted, head in zip(tables(options), places(options), heads, strict=False):
        for key, place in wanted.items():
            old = f"{key} = {_quoted(table[key])}"
            if old not in lines[head:]:
                raise ConfigError(f"spec.toml has no line {old!r}", "the spec of a run, unchanged")
            lines[lines.index(old, head)] = f"{key} = {_quoted(place)}"
    return "\n".join(lines)


def shared(cards: Mapping[str, Mapping[str, Any]], found: Mapping[str, Path]) -> dict[str, Path]:
    """Return the files of the data, by their place in the bundle.

    Args:
        cards: what is known of each data set.
        found: where the files or folders of the data lie here, by their place in the bundle.

    Raises:
        Faults: a licence that does not allow it, or is not known; too many bytes.
    """
    faults = [
        f"the licence of {name!r} is {card.get('licence') or 'not stated'!s}: its data are not "
        f"passed on; expected one of {', '.join(sorted(OPEN))}, in its card; without the data, "
        "a bundle holds their hash and card"
        for name, card in cards.items()
        if str(card.get("licence", "")).casefold() not in OPEN
    ]
    files = {} if faults else dict(_files(found))
    size = sum(path.stat().st_size for path in files.values())
    if size > MOST_DATA:
        faults.append(f"the data have {size:,} bytes; expected at most {MOST_DATA:,}")
    if faults:
        raise Faults(faults, "the data cannot go into the bundle")
    return files


def _files(found: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    for place, path in found.items():
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink())
            yield from ((f"{place}/{p.relative_to(path).as_posix()}", p) for p in inside)
        else:
            yield place, path


def _quoted(text: str) -> str:
    return canonical_json(text).replace("\x7f", "\\u007f")
