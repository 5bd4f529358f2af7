"""Published data in several files: their hashes, their defects, the odd values in them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from memlab.checking import check_flag
from memlab.digests import file_digest
from memlab.errors import DataError
from memlab.reading.cards import card
from memlab.reading.jsonfile import read_json
from memlab.types import Action, Conversation, Dataset, Defect, Event, SessionEnd, Turn


class Source:
    """The files of a data set as they are read, and what was wrong with them.

    The table `files` of the card maps names to the sha256 of the published files.
    """

    def __init__(self, name: str, path: str | Path, *, strict: bool) -> None:
        check_flag("strict", strict)
        self.name, self.path, self.strict = name, Path(path), strict
        self.card = card(name)
        self.known: dict[str, str] = self.card.pop("files")
        self.defects: list[Defect] = []
        self._read: list[Path] = []
        self._ids: set[str] = set()

    def note(self, kind: str, where: str, found: object, action: Action) -> None:
        """Report a defect; what was found is cut and made printable."""
        text = found if isinstance(found, str) else shown(found)
        self.defects.append(Defect(kind, printable(where), printable(text)[:200], action))

    def own(self, name: str, where: str) -> str:
        """Return an id of its own for a conversation; a repeated one is reported."""
        fresh = free(name, self._ids)
        if fresh != name:
            self.note("repeated conversation id", where, name, "repaired")
        self._ids.add(fresh)
        return fresh

    def asked(self, seen: dict[str, str], text: str, where: str) -> None:
        """Report a question that was asked before; `seen` maps texts to their first place."""
        first = seen.setdefault(text, where)
        if first != where:
            self.note("repeated question", where, f"same text as {first}", "reported")

    def words(self, said: object, where: str) -> str:
        """Return an answer as text; a number is reported, anything else gives no text."""
        if isinstance(said, int) and not isinstance(said, bool):
            self.note("number as answer", where, said, "repaired")
            return str(said)
        return printable(said) if isinstance(said, str) and said.strip() else ""

    def read(self, path: Path, name: str) -> Any:  # noqa: ANN401
        """Return the JSON value of a file; one that is not as published is reported."""
        value, sha256 = read_json(path)
        self._read.append(path)
        if self.known.get(name) != sha256:
            self.note("unknown file", name, f"sha256 {sha256}", "reported")
        return value

    def dataset(self, talks: Iterable[Conversation], **described: object) -> Dataset:
        """Return the data set; its sha256 covers the bytes of the files in reading order.

        Raises:
            DataError: there is no conversation; with `strict`, any defect.
        """
        kept = tuple(talks)
        listed = "\n".join(f"  {d.kind} at {d.where}: {d.found} ({d.action})" for d in self.defects)
        if not kept:
            raise DataError(
                f"{self.path} has no conversation that can be read",
                f"files of {self.name} as published",
                f"{len(self.defects)} defects:\n{listed}" if listed else "",
            )
        if self.strict and self.defects:
            raise DataError(
                f"{len(self.defects)} defects in {self.path}:\n{listed}", "", "use strict=False"
            )
        try:
            sha256 = file_digest(*self._read)
        except OSError as error:
            raise DataError(f"{error.filename} cannot be read: {error.strerror}") from error
        card_ = {**self.card, **described}
        return Dataset(self.name, kept, card=card_, defects=tuple(self.defects), sha256=sha256)


def sessions(turns: Iterable[Turn]) -> list[Event]:
    """Return turns in their order, each run of one session closed by its end."""
    events: list[Event] = []
    last: Turn | None = None
    for turn in turns:
        if last is not None and last.session != turn.session:
            events.append(SessionEnd(session=last.session, time=last.time))
        events.append(turn)
        last = turn
    if last is not None:
        events.append(SessionEnd(session=last.session, time=last.time))
    return events


def printable(text: str) -> str:
    """Return a text that any file can hold: half a surrogate pair becomes U+FFFD.

    >>> printable("a" + chr(0xD800))
    'a\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def shown(value: object) -> str:
    """Return the repr of a value from a file, cut to 80 characters."""
    try:
        return f"{value!r:.80}"
    except (RecursionError, ValueError):
        return f"a value of type {type(value).__name__} that is too large to show"


def name_of(value: object) -> str | None:
    """Return an id of a file as text; None if it is neither a number nor a text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return printable(value.strip())
    return None


def free(name: str, taken: Container[str]) -> str:
    """Return the name, or the first of `name~2`, `name~3`, … that is not taken.

    >>> free("7", {"7": 0, "7~2": 1})
    '7~3'
    """
    number, fresh = 1, name
    while fresh in taken:
        number += 1
        fresh = f"{name}~{number}"
    return fresh
