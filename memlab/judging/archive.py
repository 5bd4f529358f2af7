"""Turns that were said long ago: in a temporary file, read back a block at a time."""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import IO, Any, NamedTuple

from memlab.errors import RunError
from memlab.types import Turn

BLOCK = 64
"""Turns that are written, and read back, at once."""

_OPEN = 256
_Stored = tuple[str, str, str, Any]
_NO_META: Mapping[str, Any] = {}


class Line(NamedTuple):
    """What a judgement needs of a turn; of its meta, the caption alone."""

    id: str
    text: str
    speaker: str
    meta: Mapping[str, Any]


class Archive:
    """A growing list of turns of which few are held: 8 bytes for every 64 turns."""

    def __init__(self) -> None:
        self._size = 0
        self._starts = array("Q")
        self._file: IO[bytes] | None = None
        self._blocks: dict[int, list[_Stored]] = {}

    def __len__(self) -> int:
        return self._size

    def extend(self, turns: Iterable[Turn]) -> None:
        """Add turns; their number must be a multiple of `BLOCK`.

        Raises:
            RunError: the temporary file cannot be written.
        """
        lines = ((t.id, t.text, t.speaker, t.meta.get("caption")) for t in turns)
        try:
            file = self._opened()
            file.seek(0, os.SEEK_END)
            while block := list(islice(lines, BLOCK)):
                self._starts.append(file.tell())
                pickle.dump(block, file)
                self._size += len(block)
            file.flush()
        except OSError as error:
            raise RunError(
                f"the texts of a long conversation cannot be put away: {error}",
                "room in the folder for temporary files",
                "set TMPDIR to a folder with room",
            ) from error

    def __getitem__(self, row: int) -> Line:
        block, at = divmod(row, BLOCK)
        name, text, speaker, caption = self._block(block)[at]
        return Line(name, text, speaker, _NO_META if caption is None else {"caption": caption})

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the archive
            weakref.finalize(self, self._file.close)
        return self._file

    def _block(self, block: int) -> list[_Stored]:
        found = self._blocks.get(block)
        if found is None:
            if len(self._blocks) >= _OPEN:
                self._blocks.clear()
            file = self._opened()
            file.seek(self._starts[block])
            # Nobody else can write to this file: it has no name.
            found = self._blocks[block] = pickle.load(file)  # noqa: S301
        return found
