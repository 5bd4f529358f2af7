"""Strict reading of TOML tables: types, unknown keys and missing ones, all faults at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memlab.errors import ConfigError, MemlabError, suggest

_MISSING: Any = object()
_KINDS: dict[str, tuple[type, ...]] = {
    "a text": (str,),
    "a number": (int, float),
    "a table": (dict,),
    "a list": (list,),
}


class Table:
    """A TOML table that is read key by key; `close` tells which keys nobody asked for.

    `place` says where it stands; faults are collected in a list that tables share.
    """

    def __init__(self, data: Mapping[str, Any], place: str, faults: list[MemlabError]) -> None:
        self._data = data
        self.place = place
        self.faults = faults
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def fault(self, found: str, expected: str = "", fix: str = "") -> None:
        """Note a fault of this table."""
        self.faults.append(ConfigError(f"{self.place}: {found}", expected, fix))

    def text(self, key: str, default: str = _MISSING) -> str:
        """Return a text."""
        found: str = self._taken(key, "a text", default)
        return found

    def number(self, key: str, default: float | None = _MISSING) -> float | None:
        """Return a number, booleans excepted."""
        found: float | None = self._taken(key, "a number", default)
        return found

    def choice(self, key: str, known: Iterable[str], default: str = _MISSING) -> str:
        """Return one of the known texts."""
        choices = list(known)
        found = self.text(key, default)
        if found and found not in choices:
            self.fault(
                f"{key} = {found!r}", "one of " + ", ".join(choices), suggest(found, choices)
            )
            return ""
        return found

    def texts(self, key: str, default: tuple[str, ...] = _MISSING) -> tuple[str, ...]:
        """Return a list of texts."""
        found = self._taken(key, "a list", default)
        wrong = [one for one in found or () if not isinstance(one, str)]
        if wrong:
            self.fault(f"{key} holds {wrong[0]!r}", "texts only")
        return tuple(one for one in found or () if isinstance(one, str))

    def mapping(self, key: str, default: dict[str, Any] = _MISSING) -> dict[str, Any]:
        """Return a table as it is."""
        return dict(self._taken(key, "a table", default) or {})

    def value(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        """Return whatever stands there; its reader checks it."""
        self._known.append(key)
        return self._data.get(key, default)

    def table(self, key: str) -> Table:
        """Return a table inside this one, to be read key by key."""
        return Table(self.mapping(key), f"{self.place}, {key}", self.faults)

    def tables(self, key: str) -> Iterator[Table]:
        """Yield the tables of a list, at least one, named by their `name` or number."""
        listed = self._taken(key, "a list", _MISSING)
        if listed == []:
            self.fault(f"{key} is empty", "at least one")
        for number, data in enumerate(listed or (), 1):
            if not isinstance(data, dict):
                self.fault(f"{key} {number} is {data!r:.40}", "a table")
                continue
            name = data.get("name", number)
            yield Table(data, f"{self.place}, {key} {name}", self.faults)

    def close(self) -> None:
        """Note the keys that nothing reads."""
        for key in self._data:
            if key not in self._known:
                self.fault(f"unknown key {key!r}", "", suggest(key, set(self._known)))

    def _taken(self, key: str, kind: str, default: Any) -> Any:  # noqa: ANN401
        self._known.append(key)
        if key not in self._data:
            if default is _MISSING:
                self.fault(f"no {key!r}", kind)
                return "" if kind == "a text" else None
            return default
        found = self._data[key]
        if not isinstance(found, _KINDS[kind]) or isinstance(found, bool):
            self.fault(f"{key} = {found!r:.60}", kind)
            return "" if kind == "a text" else None
        return found
