"""Opening an address: https, or plain http inside this machine, and nothing else."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import IO, Any
from urllib.parse import urlsplit

from memlab.errors import DownloadError

CHUNK = 1 << 16
TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as broken."""

_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))


class Broken(Exception):  # noqa: N818 - it ends a try, it is not an error yet
    """A try that ended early and may be repeated."""


class OutOfRange(Broken):
    """The server's file ends before the byte that was asked for."""


def check_url(url: str, origin: str = "") -> None:
    """Let https pass, and plain http inside this machine.

    Raises:
        DownloadError: any other address, or (as a redirect of `origin`) one that leaves https.
    """
    secure = urlsplit(url).scheme == "https"
    if not (secure or (_local(url) and (not origin or _local(origin)))):
        raise DownloadError(
            f"{url} is not fetched" + (f" (redirected from {origin})" if origin else ""),
            "an https address",
            "fetch the file by other means and give its path",
        )


def open_url(url: str, headers: Mapping[str, str]) -> Any:  # noqa: ANN401
    """Return the open response of a GET.

    Raises:
        Broken: what may pass: no connection, a busy server.
        DownloadError: what will not: refused, moved, not trusted, not https.
    """
    check_url(url)
    sent = {"User-Agent": "memlab", "Accept-Encoding": "identity", **headers}
    request = urllib.request.Request(url, headers=sent)  # noqa: S310 - check_url let it pass
    try:
        return _opener(url).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise _refusal(url, error.code, error.reason) from None
    except (OSError, http.client.HTTPException) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            found = f"{url} cannot be trusted: {cause.verify_message}"
            raise DownloadError(found, "a valid certificate") from error
        raise Broken(f"no connection: {_words(cause)}") from error


def chunks(response: Any, url: str, limit: int | None) -> Iterator[bytes]:  # noqa: ANN401
    """Yield a body in pieces; `limit` is the number of bytes it may have.

    Raises:
        Broken: the connection ended early.
        DownloadError: more came than `limit`.
    """
    size = 0
    while True:
        chunk, broken = _read(response)
        size += len(chunk)
        if limit is not None and size > limit:
            raise DownloadError(f"{url} does not end where it should", f"{limit:,} bytes")
        if chunk:
            yield chunk
        if broken:
            raise Broken(f"the connection broke: {broken}")
        if not chunk:
            return


def _read(response: Any) -> tuple[bytes, str]:  # noqa: ANN401
    """Return the next bytes, and what went wrong after them."""
    try:
        return response.read(CHUNK), ""
    except http.client.IncompleteRead as error:
        return error.partial, _words(error)
    except (OSError, http.client.HTTPException) as error:
        return b"", _words(error)


def _refusal(url: str, code: int, reason: str) -> Exception:
    if code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        return OutOfRange("the server's file is shorter than what came")
    if code in _PASSING:
        return Broken(f"the server answered {code} {reason}")
    fix = "the file may have moved: its card in datasets/ names the source"
    return DownloadError(f"{url} was refused: {code} {reason}", "", fix)


def _local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def _words(error: object) -> str:
    return str(error) or type(error).__name__


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Return an opener that knows http(s) alone: no file:, ftp: or data:."""
    opener = urllib.request.OpenerDirector()
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
    ]
    if not _local(url):
        handlers.append(urllib.request.ProxyHandler())
    for handler in handlers:
        opener.add_handler(handler)
    return opener


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow the redirects that `check_url` lets pass."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,  # noqa: ANN401
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the next request."""
        try:
            check_url(newurl, req.full_url)
        except DownloadError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)
