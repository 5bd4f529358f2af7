"""A server on the loopback that does what servers do: cut, move, change, refuse."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class Site:
    """What the server holds and how it behaves; `log` has the headers of each request.

    `cuts` are the body bytes sent to the first requests before the connection is closed,
    `refusals` the statuses that come before any answer.
    """

    body: bytes = b""
    tag: str | None = '"v1"'
    date: str | None = None
    ranges: bool = True
    heeds_tag: bool = True
    length: bool = True
    chunked: bool = False
    coding: str | None = None
    piece: int | None = None
    moved_to: str | None = None
    cuts: list[int] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)
    log: list[dict[str, str]] = field(default_factory=list)
    gate: threading.Event | None = None
    base: str = ""

    @property
    def url(self) -> str:
        return f"{self.base}/file.json"

    def ranges_asked(self) -> list[str | None]:
        return [headers.get("Range") for headers in self.log]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        site = self.server.site
        site.log.append(dict(self.headers))
        self.close_connection = True
        if site.gate is not None:
            site.gate.wait(20)
        if site.refusals:
            return self.bare(site.refusals.pop(0))
        if site.moved_to is not None and self.path != "/file.json":
            return self.bare(302, Location=site.moved_to)
        start = self.start(site)
        if start > len(site.body) or (start == len(site.body) and start):
            return self.bare(416, **{"Content-Range": f"bytes */{len(site.body)}"})
        return self.answer(site, start)

    def start(self, site):
        """Return the first byte to send: 0 unless a range is asked for and may be given."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        stale = site.heeds_tag and condition not in (None, site.tag, site.date)
        return int(asked[1]) if asked and site.ranges and not stale else 0

    def answer(self, site, start):
        body = site.body[start:]
        if site.piece is not None and start:
            body = body[: site.piece]
        end = start + len(body) - 1
        # Decided before the first byte leaves: what a test sets next is for the next request.
        sent = body[: site.cuts.pop(0)] if site.cuts else body
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(site.body)}")
        if site.length and not site.chunked:
            self.send_header("Content-Length", str(len(body)))
        optional = {"ETag": site.tag, "Last-Modified": site.date, "Content-Encoding": site.coding}
        optional["Transfer-Encoding"] = "chunked" if site.chunked else None
        for name, value in optional.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if site.chunked and sent:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent))
        elif sent:
            self.wfile.write(sent)
        if site.chunked and len(sent) == len(body):
            self.wfile.write(b"0\r\n\r\n")

    def bare(self, status, **headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()


@pytest.fixture(scope="module")
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def site(server):
    server.site = Site(base=f"http://127.0.0.1:{server.server_port}")
    return server.site
