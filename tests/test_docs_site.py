"""The site: built strictly, complete, self-contained, and fit to be read and searched."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import memlab
from memlab import registry
from memlab.commands import output

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
TOOLS = DOCS / "tools"


def python(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=180
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a build: `docs`, the pages as they were built, and `site`."""
    folder = tmp_path_factory.mktemp("built")
    done = python(TOOLS / "build.py", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize("package", ["griffe", "latex2mathml", "nbformat", "zensical"])
def test_a_build_without_its_extra_says_how_to_get_it(package, tmp_path):
    code = f"import sys, runpy; sys.modules[{package!r}] = None; sys.path[:0] = [{str(TOOLS)!r}]; "
    code += f"sys.argv = ['build', {str(tmp_path)!r}]; "
    done = python("-c", f"{code}runpy.run_path({str(TOOLS / 'build.py')!r}, run_name='__main__')")
    assert (done.returncode, done.stderr) == (
        1,
        (
            f"the site needs {package}, which is not installed; expected the extra 'docs'; "
            'run in the clone: pip install -e ".[docs]"\n'
        ),
    )


def sections(built, page):
    """Return the sections of a page by their heading."""
    text = (built / "docs" / f"{page}.md").read_text("utf-8")
    found = re.split(r"^#{2,3} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


@pytest.mark.parametrize("name", sorted(registry.METRICS))
def test_every_metric_has_its_formula_default_direction_and_source(built, name):
    text = sections(built, "reference/metrics")[name]
    assert text.count("<math") == 1
    assert re.search(r"^- a failed read: (scores|is left out)", text, re.MULTILINE)
    assert re.search(r"^- better: (higher|lower)$", text, re.MULTILINE)
    assert re.search(r"^- definition: .{10,}", text, re.MULTILINE)
    assert "\nSource: " in text


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("strategies", registry.STRATEGIES),
        (
            "models",
            {**registry.MODELS, **registry.INDEXES, **registry.POLICIES, **registry.GRAPHS},
        ),
        ("datasets", registry.DATASETS),
    ],
)
def test_every_component_has_its_section(built, page, names):
    found = sections(built, f"reference/{page}")
    assert set(names) <= set(found)
    assert all(f"{name}(" in found[name] for name in names)


def test_every_command_and_exit_code_is_listed(built):
    found = sections(built, "reference/commands")
    told = python("-m", "memlab", "--help").stdout
    commands = re.findall(r"^    (\w+)\s", told, re.MULTILINE)
    assert len(commands) > 4
    headings = {title.split()[1] for title in found if title.startswith("memlab ")}
    assert set(commands) == headings
    codes = {v for k, v in vars(output).items() if k.isupper() and type(v) is int}
    listed = re.findall(r"^\| `(\d+)` \|", found["Exit codes"], re.MULTILINE)
    assert sorted(map(int, listed)) == sorted(codes)


def test_every_public_name_is_described(built):
    page = (built / "site" / "reference" / "python.html").read_text("utf-8")
    for name in memlab.__all__:
        thing = getattr(memlab, name)
        assert f'id="{thing.__module__}.{thing.__qualname__}"' in page, name


def test_every_page_stands_in_the_navigation(built):
    config = tomllib.loads((DOCS / "zensical.toml").read_text("utf-8"))
    listed = re.findall(r"'([\w/-]+\.md)'", repr(config["project"]["nav"]))
    pages = [p.relative_to(built / "docs").as_posix() for p in (built / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(pages)
    notebooks = {p.stem for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert notebooks == {Path(p).stem for p in pages if p.startswith("gallery/")} - {"index"}


class Links(HTMLParser):
    """Collects what a page links to, what it loads, and its ids."""

    def __init__(self):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given.get("href", ""))
        self.loaded += [given["src"]] if given.get("src") else []


def read(page):
    found = Links()
    found.feed(page.read_text("utf-8"))
    return found


def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(built):
    site = built / "site"
    pages = {page: read(page) for page in sorted(site.rglob("*.html"))}
    assert len(pages) > 25
    for page, found in pages.items():
        for link in [*found.links, *found.loaded]:
            path, anchor = urldefrag(unquote(link))
            outside = re.match(r"https?://|data:|mailto:", path)
            assert not (outside and link in found.loaded and not path.startswith("data:")), link
            if outside or page.name == "404.html":
                continue
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page.name}: {link}"
            if anchor and target in pages and target != page:
                assert anchor in pages[target].ids, f"{page.name}: {link}"


def test_a_page_that_loads_something_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<img alt="" src="https://example.org/a.png">', "utf-8")
    (tmp_path / "b.html").write_text('<a href="https://example.org">a link</a>', "utf-8")
    (tmp_path / "c.css").write_text("a { background: url('http://example.org/b.png'); }", "utf-8")
    code = "import build, pathlib, sys; print(*build.loads(pathlib.Path(sys.argv[1])), sep='\\n')"
    done = python("-c", code, tmp_path, cwd=TOOLS)
    names = [Path(line.split(": ")[0]).name for line in done.stdout.splitlines()]
    assert names == ["a.html", "c.css"], done.stderr


def test_an_unknown_list_and_a_broken_link_end_the_build(tmp_path):
    copy = tmp_path / "project"
    for name in ("docs", "datasets", "notebooks", "experiments/plots"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.jsonl"))
    (copy / "docs" / "reference" / "python.md").write_text("# Python\n", "utf-8")  # it takes long
    page = copy / "docs" / "concepts" / "data.md"
    text = page.read_text("utf-8")
    page.write_text(f"{text}\n[nowhere](nowhere.md)\n", "utf-8")
    broken = python("docs/tools/build.py", tmp_path / "one", cwd=copy)
    assert broken.returncode == 1
    assert "page does not exist" in broken.stderr
    page.write_text(f"{text}\n<!-- generate: nothing -->\n", "utf-8")
    unknown = python("docs/tools/build.py", tmp_path / "two", cwd=copy)
    assert unknown.returncode == 1
    assert "KeyError: 'nothing'" in unknown.stderr


def test_the_search_index_knows_metrics_commands_and_chinese(built):
    items = json.loads((built / "site" / "search.json").read_text("utf-8"))["items"]
    titles = {item["title"] for item in items}
    assert set(registry.METRICS) <= titles
    assert {"memlab compare", "中文快速上手"} <= titles


def test_the_examples_of_the_tools_hold():
    for tool in sorted(TOOLS.glob("*.py")):
        done = python("-m", "doctest", tool.name, cwd=TOOLS)
        assert done.returncode == 0, done.stdout


def test_every_fence_is_run_or_says_why_not():
    known = {"python", "sh", "text", "toml", "json", "jsonl", "yaml", "math"}
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        text = page.read_text("utf-8")
        assert set(re.findall(r"^```([\w-]+)", text, re.MULTILINE)) <= known, page.name
        assert text.count("```") % 2 == 0, page.name
        assert "# doctest: +SKIP" not in text, page.name
        skips = re.findall(r"<!-- skip: (?:next|start)(.*?)-->", text)
        assert all(re.fullmatch(r' ".{20,}" ', reason) for reason in skips), page.name


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium is installed")
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    """A page that fails the test if it says or asks for anything it should not."""
    opened, faults = browser.new_page(), []
    opened.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    local = ("file:", "data:", "about:")
    opened.on("request", lambda r: None if r.url.startswith(local) else faults.append(r.url))
    yield opened
    opened.close()
    assert not faults


@pytest.mark.parametrize(
    ("width", "pages"), [(400, "*/*.html"), (1280, "reference/*.html"), (1280, "*/0*.html")]
)
def test_no_page_is_wider_than_the_window(built, page, width, pages):
    page.set_viewport_size({"width": width, "height": 900})
    root = "document.documentElement"
    paths = sorted((built / "site").glob(pages))
    assert paths
    for path in paths:
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        over = page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
        assert over <= 0, f"{path.name} is {over} px too wide at {width}"


@pytest.mark.parametrize("words", ["sign flip", "对话"])
def test_search_works_from_a_file(built, page, words):
    page.goto((built / "site" / "concepts" / "data.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    found = page.get_by_text(re.compile(r"^\d+ results?$"))
    found.wait_for(timeout=20_000)
    assert int(found.inner_text().split()[0]) > 0
