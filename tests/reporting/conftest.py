"""Runs to report on, and a browser that visits reports and lets no request out."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from memlab.reporting.write import report
from memlab.runner import evaluate

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
STRATEGIES = {"no memory": "NoMemory()", "last 10": "Window(turns=10)", "bm25": "BM25()"}
METRICS = ["Recall(k=5)", "MRR()", "StaleHit()"]


@pytest.fixture(scope="session")
def run():
    """The sample under three strategies."""
    return evaluate(STRATEGIES, "quickstart", METRICS, budget=200)


@pytest.fixture(scope="session")
def joined():
    """Two data sets in one run, at two budgets, without pictures of interest."""
    data = [
        {"name": "synthetic", "title": title, "language": language, **dials}
        for title, language in (("english", "en"), ("中文", "zh"))
        for dials in [{"conversations": 3, "turns": 40, "sessions": 4, "probes": 8, "days": 20}]
    ]
    return evaluate({"窗口": "Window(turns=4)", "bm25": "BM25()"}, data, METRICS, budget=[60, None])


@pytest.fixture(scope="session")
def page_of_run(run, tmp_path_factory):
    """The report of the sample."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(run, path, "last 10")
    return path


@pytest.fixture
def plain(monkeypatch):
    """Leave the pictures out, which take most of the time: other tests draw them."""
    monkeypatch.setattr("memlab.reporting.content.pictures", lambda results: ([], []))


@pytest.fixture(scope="session")
def page_of_joined(joined, tmp_path_factory):
    """The report of the joined run, without pictures."""
    path = tmp_path_factory.mktemp("joined") / "report.html"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memlab.reporting.content.pictures", lambda results: ([], []))
        report(joined, path, "bm25")
    return path


@pytest.fixture(scope="module")
def browser():
    """Chromium, once for each file of tests."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt install chromium)")
    with driver.sync_playwright() as started:
        made = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def visit(browser):
    """Return a function that opens a file; what the page says and asks for is kept and checked."""
    contexts, faults = [], []

    def opened(path, fragment="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        uri = path.resolve().as_uri()

        def watched(route):
            if route.request.url.partition("#")[0] != uri:
                faults.append(f"request: {route.request.url[:200]}")
                route.abort()
            else:
                route.continue_()

        page.route(lambda url: not url.startswith("data:"), watched)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        page.goto(uri + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults
