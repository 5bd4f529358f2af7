"""The page as a file: nothing in it can fetch or run, and it says what it means."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from memlab.errors import RunError
from memlab.reporting import page as pages
from memlab.reporting.content import gather
from memlab.reporting.embed import csp_hash
from memlab.reporting.page import as_html
from memlab.results import Results
from memlab.runner import evaluate


class Elements(HTMLParser):
    """Collects start tags with their attributes, and the texts of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.raw = [], {"script": [], "style": []}
        self._inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._inside = tag if tag in self.raw else None

    def handle_data(self, data):
        if self._inside:
            self.raw[self._inside].append(data)

    def handle_endtag(self, tag):
        self._inside = None


@pytest.fixture(scope="module")
def text(page_of_run):
    return page_of_run.read_text("utf-8")


@pytest.fixture(scope="module")
def elements(text):
    return Elements(text)


def test_only_its_own_style_and_script_are_allowed(elements):
    (policy,) = [
        a["content"]
        for tag, a in elements.found
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    (style,), *_ = (elements.raw["style"],)
    scripts = [a for tag, a in elements.found if tag == "script"]
    program = elements.raw["script"][-1]
    assert rules["style-src"] == csp_hash(style)
    assert rules["script-src"] == csp_hash(program)
    assert [a for a in scripts if a.get("type") != "application/json"] == [{}]


def test_no_address_leads_out_and_no_attribute_runs(elements):
    for tag, attributes in elements.found:
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        for name in ("src", "href", "action", "srcset", "poster", "data"):
            value = attributes.get(name, "#")
            assert value.startswith(("#", "data:image/")), (tag, name, value[:80])
    assert not {"link", "iframe", "object", "embed", "base"} & {tag for tag, _ in elements.found}
    for style in elements.raw["style"]:
        assert "url(" not in style
        assert "@import" not in style


def test_it_is_semantic(elements):
    tags = [tag for tag, _ in elements.found]
    for tag in ("header", "nav", "main", "footer", "h1"):
        assert tags.count(tag) == 1
    heads = [a for tag, a in elements.found if tag == "th"]
    assert {a.get("scope") for a in heads} == {"col", "row"}
    assert all(a.get("alt") for tag, a in elements.found if tag == "img")
    ids = [a["id"] for _, a in elements.found if "id" in a]
    assert len(ids) == len(set(ids))
    anchors = {a["href"][1:] for tag, a in elements.found if tag == "a"}
    assert anchors <= set(ids)
    assert ("html", {"lang": "en"}) in elements.found


def test_the_page_names_no_place_of_this_machine(text, run, tmp_path):
    assert str(tmp_path.parent) not in text
    assert "/home/" not in text


def test_every_class_and_id_that_scripts_look_for_is_there(text):
    styles = pages._asset("page.css")
    for name in ("found", "missed", "stale", "forbidden", "wrong"):
        assert f".badge.{name}" in styles or name == "wrong"
        assert f".marked.{name}" in styles
    wanted = set(re.findall(r'getElementById\("([^"]+)"\)', pages._script()))
    assert wanted
    assert all(f'id="{name}"' in text for name in wanted)


def test_our_scripts_and_styles_cannot_end_their_elements():
    for name in ("page.css", *pages._SCRIPTS):
        assert "</" not in pages._asset(name)
        assert "<!--" not in pages._asset(name)


def test_without_the_data_the_report_works_and_says_why(run, plain):
    alone = Results(run.records, run.facts, run.latencies, run.manifest, run.metrics)
    with pytest.raises(RunError, match="made in Python"):
        alone.dataset  # noqa: B018
    content = gather(alone, None, ("category",), 50, "", rich=True)
    assert content.browser is None
    assert any(
        "no failure browser" in line and "give it: Results.load" in line
        for line in content.left_out
    )
    assert any("no comparison: no baseline" in line for line in content.left_out)
    html = as_html(content)
    assert 'id="failures"' not in html
    assert "application/json" not in html
    assert "no failure browser" in html


def test_data_that_are_gone_are_told_without_the_folders_of_the_machine(tmp_path, plain):
    talk = '{"type":"turn","conversation":"c","id":"t","text":"x","time":"2024-01-01T09:00"}'
    ask = '{"type":"probe","conversation":"c","id":"p","text":"x?","time":"2024-01-02T09:00"'
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{talk}\n{ask},"evidence":["t"]}}\n')
    options = {"name": "jsonl", "path": str(path)}
    done = evaluate({"a": "Window()"}, [options], ["MRR()"], out=tmp_path, name="r")
    path.unlink()
    content = gather(Results.load(done.path), None, (), 50, "", rich=True)
    assert content.browser is None
    (told,) = [line for line in content.left_out if "no failure browser" in line]
    assert "mine.jsonl" in told
    assert str(tmp_path) not in as_html(content)


def test_a_run_without_records(run, plain):
    nothing = Results([], [], [], run.manifest, run.metrics)
    content = gather(nothing, None, (), 50, "", rich=True)
    assert content.tables[0].rows == ()
    assert "0 probes in 8 conversations" in as_html(content)


def test_a_run_on_which_every_read_failed(run):
    records = [replace(r, error="RuntimeError: no", ranked=(), tokens=0) for r in run.records]
    changed = run.changed(records, run.metrics, run.manifest)
    content = gather(changed, "bm25", ("category",), 50, "", rich=True)
    assert content.browser.total == len(records)
    assert content.browser.shown == 50
    assert "RuntimeError: no" in as_html(content)


def test_one_strategy_and_one_value_are_told(run, plain):
    records = [r for r in run.records if r.strategy == "bm25" and r.category == "update"]
    changed = run.changed(records, run.metrics, run.manifest)
    content = gather(changed, "bm25", ("category",), 0, "", rich=False)
    assert content.left_out == (
        "no comparison: the run has one strategy",
        "no table by category: the probes that are scored have one value of it",
    )
    requested = gather(changed, "bm25", (), 0, "", rich=True)
    assert any("left out on request" in line for line in requested.left_out)
