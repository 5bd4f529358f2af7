"""Whether two runs are the same run: the hash of code and objects that memlab does not provide.

It is the same in every process and for every hash seed. What code consists of is
`memlab.livecode`'s matter, what objects hold `memlab.objects`', their files
`memlab.sourcefiles`'.
"""

from __future__ import annotations

from collections.abc import Iterable

from memlab.digests import digest
from memlab.walk import Walk


def fingerprint(memories: Iterable[object]) -> str:
    """Return the hash of what stands behind memories and is not memlab's; "" if nothing does.

    It covers the live code of classes and functions, what they close over, the objects given
    as parameters, the files they come from with all files of the user that these import, and
    the versions of installed packages. A memory may be a mapping of memories.

    Raises:
        ConfigError: an array that cannot be read.
    """
    walk = Walk()
    digests = [walk.digest(memory) for memory in memories]
    return digest(digests, walk.files.hashes()) if walk.foreign else ""


def content(value: object) -> str:
    """Return a sha256 (hex) of a value that is the same in every process."""
    return Walk().digest(value)
