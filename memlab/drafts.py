"""Files that are whole or not there: written beside their place, and moved when done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from memlab.errors import DataError


@contextlib.contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """Give a draft to write; it takes the place of `path` if the block ends well.

    Whatever goes wrong, no draft is left behind.

    Raises:
        DataError: the draft or the file cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")  # one writer each, no user's file
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror}", "a file in a folder to write in"
        ) from error
    finally:
        with contextlib.suppress(OSError):  # what went wrong is told already
            draft.unlink()
