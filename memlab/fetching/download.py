"""Downloading one file: resumed where it broke off, verified before it gets its name."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from memlab.errors import DownloadError
from memlab.fetching.filelists import Remote
from memlab.fetching.partial import Part, check_space, fault, present
from memlab.fetching.web import Broken, OutOfRange, check_url, chunks, open_url

TRIES = 5

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are here, and the whole size where it is known."""

_PARTIAL_CONTENT = 206
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


def download(
    remote: Remote,
    target: Path,
    *,
    progress: Progress = lambda _done, _whole: None,
    sleep: Callable[[float], None] = time.sleep,
    tries: int = TRIES,
) -> bool:
    """Fetch a file to `target`, going on from what an earlier call left; False if it is there.

    It stands under its name only when size and sha256 are those of the list (where known). A
    connection that breaks off is taken up again after 1, 2, 4, … seconds, `tries` times in all.

    Raises:
        DownloadError: address, server, content or disk do not allow it; `<target>.part` is
            kept for the next call, a whole file with a wrong sha256 as `<target>.bad`.
    """
    check_url(remote.url)
    if present(target, remote):
        return False
    part = Part(target)
    reason = ""
    for trial in range(tries):
        if trial:
            sleep(2.0 ** (trial - 1))
        try:
            _try(remote, part, progress)
        except Broken as broken:
            reason = str(broken)
        else:
            part.finish()
            return True
    raise DownloadError(
        f"{remote.url} could not be fetched in {tries} tries: {reason}",
        "",
        f"{part.size():,} bytes are kept in {part.path}; the same command goes on from there",
    )


def _try(remote: Remote, part: Part, progress: Progress) -> None:
    """Fetch what is missing, once."""
    validator = part.validator(remote.url)
    # Without a validator only the sha256 can tell that two pieces belong together.
    start = part.size() if validator or (validator is not None and remote.sha256) else 0
    if not start or start != remote.bytes:
        start = _request(remote, part, start, validator or "", progress)
    if not (trouble := fault(part.path, remote)):
        return
    if start:
        part.discard()
        raise Broken(f"the pieces did not fit together: {trouble}")
    raise DownloadError(
        f"{remote.url} is not the file of the list: {trouble}",
        "the published file",
        f"what came is kept as {part.set_aside()}; its publisher may have changed it",
    )


def _request(remote: Remote, part: Part, start: int, validator: str, progress: Progress) -> int:
    """Fetch the bytes from `start` on, and return from where they really came."""
    headers = {"Range": f"bytes={start}-"} if start else {}
    if start and validator:
        headers["If-Range"] = validator
    try:
        response = open_url(remote.url, headers)
    except OutOfRange:
        part.discard()
        raise
    with closing(response):
        begun, whole = _begin(response, remote, part, start)
        left = None if whole is None else whole - begun
        check_space(part.target.parent, left or 0)
        progress(begun, whole)
        part.append(chunks(response, remote.url, left), lambda done: progress(done, whole))
    if whole is not None and part.size() < whole:
        raise Broken(f"the connection ended after {part.size():,} of {whole:,} bytes")
    return begun


def _begin(response: Any, remote: Remote, part: Part, start: int) -> tuple[int, int | None]:  # noqa: ANN401
    """Return from which byte on the answer goes, and the size of the whole file.

    A part that cannot be continued is begun again.
    """
    headers = response.headers
    if headers.get("Content-Encoding", "identity") != "identity":
        raise DownloadError(f"{remote.url} came compressed", "the plain file")
    sent = _validator(headers)
    if response.status != _PARTIAL_CONTENT:
        length = str(headers.get("Content-Length") or "")
        whole = _whole(int(length) if length.isdecimal() else None, response, remote)
        part.begin(remote.url, sent)
        return 0, whole
    given = _RANGE.match(headers.get("Content-Range") or "")
    if not given or int(given[1]) != start or sent not in ("", part.validator(remote.url)):
        part.discard()
        raise Broken("the server's file changed between two pieces")
    return start, _whole(int(given[2]) if given[2] != "*" else None, response, remote)


def _validator(headers: Any) -> str:  # noqa: ANN401
    """Return the entity tag, or the date of the file where the tag is missing or weak."""
    tag = str(headers.get("ETag") or "")
    return tag if tag.startswith('"') else str(headers.get("Last-Modified") or "")


def _whole(told: int | None, response: Any, remote: Remote) -> int | None:  # noqa: ANN401
    """Return the size of the whole file, from what the server told or from the list.

    Raises:
        DownloadError: the two differ, or the file could be cut short without a sign.
    """
    if told is None and not (response.chunked or remote.bytes):
        raise DownloadError(f"{remote.url} comes without a size", "a size, told or in the list")
    if told is not None and remote.bytes not in (None, told):
        raise DownloadError(
            f"{remote.url} has {told:,} bytes",
            f"{remote.bytes:,} bytes, as in the list",
            "its publisher has changed it; nothing was fetched",
        )
    return remote.bytes if told is None else told
