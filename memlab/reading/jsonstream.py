"""Reading a JSON array record by record, so that a file of any size fits in memory."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memlab.errors import DataError, as_utf8

_CHUNK = 1 << 20
_SPACE = " \t\n\r"
_SLACK = 16
"""A literal, a number or an escape that the buffer's end cuts off is shorter than this."""


class Piece(NamedTuple):
    """One record, and where its bytes lie in the file."""

    value: Any
    offset: int
    length: int
    sha256: str


class JsonRecords:
    """The members of the JSON array that a file holds; a file of one object has one member.

    `chunk` is the number of bytes read at a time; no more than two records, or two chunks,
    are held at once. Iterating twice reads the file twice.
    """

    def __init__(self, path: Path, chunk: int = _CHUNK) -> None:
        self.path, self.chunk = path, chunk
        self.sha256 = ""

    def __iter__(self) -> Iterator[Piece]:
        """Yield the records; when it ends, or is closed, `sha256` is that of the whole file.

        Raises:
            DataError: the file cannot be read, or is no such JSON.
        """
        try:
            with self.path.open("rb") as file:
                reader = _Reader(file, self.path, self.chunk)
                try:
                    yield from reader.records()
                except GeneratorExit:
                    self.sha256 = reader.finish()
                    raise
                self.sha256 = reader.finish()
        except OSError as error:
            raise DataError(
                f"{self.path} cannot be read: {error.strerror}", "a file of the published data"
            ) from error


def read_piece(path: Path, offset: int, length: int, sha256: str) -> Any:  # noqa: ANN401
    """Return a record that was read before.

    Raises:
        DataError: the file is gone, or has changed since.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            raw = file.read(length)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise DataError(f"{path} has changed since it was loaded", "the same file", "load it again")
    return json.loads(raw)


class _Reader:
    """A window of text over the file; `done` counts the bytes before the window."""

    def __init__(self, file: Any, path: Path, chunk: int) -> None:  # noqa: ANN401
        self.file, self.path, self.chunk = file, path, chunk
        self.sha = hashlib.sha256()
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.json = json.JSONDecoder()
        self.text, self.done, self.ended = "", 0, False

    def records(self) -> Iterator[Piece]:
        opening = self._next_sign()
        if opening == "{":
            yield self._record(0)
        elif opening == "[":
            self._drop(1)
            yield from self._members()
        else:
            raise self._broken(f"begins with {opening!r}", "a list of records, or one of them")
        if rest := self._next_sign():
            raise self._broken(f"goes on with {rest!r}", "the end of the file")

    def _members(self) -> Iterator[Piece]:
        number = 0
        if self._next_sign() == "]":
            self._drop(1)
            return
        while True:
            self._next_sign()
            yield self._record(number)
            number += 1
            sign = self._next_sign()
            if sign not in (",", "]"):
                raise self._broken(f"has {sign!r} after record {number - 1}", "',' or ']'")
            self._drop(1)
            if sign == "]":
                return

    def finish(self) -> str:
        """Return the sha256 of the file, reading what is left of it."""
        while raw := self.file.read(_CHUNK):
            self.sha.update(raw)
        return self.sha.hexdigest()

    def _record(self, number: int) -> Piece:
        wanted = self.chunk
        while True:
            try:
                value, end = self.json.raw_decode(self.text)
            except json.JSONDecodeError as error:
                if self.ended or not self._unfinished(error):
                    raise self._broken(f"is broken in record {number}: {error.msg}") from error
            except (ValueError, RecursionError) as error:
                raise self._broken(f"cannot be read in record {number}: {error}") from error
            else:
                if end < len(self.text) or self.ended:
                    raw = self.text[:end].encode()
                    piece = Piece(value, self.done, len(raw), hashlib.sha256(raw).hexdigest())
                    self.text, self.done = self.text[end:], self.done + len(raw)
                    return piece
            # Twice as much each time: a long record is parsed a few times, not once a chunk.
            self._more(wanted)
            wanted *= 2

    def _unfinished(self, error: json.JSONDecodeError) -> bool:
        """Tell whether more of the file could mend the error."""
        return error.msg.startswith("Unterminated string") or error.pos > len(self.text) - _SLACK

    def _next_sign(self) -> str:
        """Drop white space and return the sign after it; "" at the end of the file."""
        while True:
            kept = self.text.lstrip(_SPACE)
            self._drop(len(self.text) - len(kept))
            if kept or self.ended:
                return kept[:1]
            self._more(self.chunk)

    def _drop(self, signs: int) -> None:
        """Leave out ASCII signs at the beginning of the window."""
        self.text, self.done = self.text[signs:], self.done + signs

    def _more(self, size: int) -> None:
        raw = self.file.read(size)
        self.sha.update(raw)
        self.ended = not raw
        try:
            self.text += self.decoder.decode(raw, final=self.ended)
        except UnicodeDecodeError as error:
            raise self._broken(f"is not UTF-8: {error.reason}", "JSON", as_utf8(error)) from error

    def _broken(self, what: str, expected: str = "", fix: str = "") -> DataError:
        return DataError(f"{self.path} {what} (at byte {self.done} or behind it)", expected, fix)
