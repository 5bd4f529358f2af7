"""A whole data set: what is shown, who is asked, what is printed, and what lies where."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from types import SimpleNamespace

import pytest

from memlab.cli import main
from memlab.errors import ConfigError, DownloadError
from memlab.fetching.fetch import fetch
from memlab.fetching.places import cache_folder

BODY = b'{"turns": ["hello", "\xe4\xbd\xa0\xe5\xa5\xbd"]}' * 100
SHA = hashlib.sha256(BODY).hexdigest()

CARD = """
title = "Toy: three files"
licence = "CC-BY-NC-4.0"
citation = "Someone: Toy. 2024."
source = "https://example.org/toy"
"""
LIST = """
base = "{base}/"
default = ["small"]
note = "Nothing but turns."
files = [
  {{ part = "small", url = "file.json", path = "a/one.json", bytes = {size}, sha256 = "{sha}" }},
  {{ part = "small", url = "file.json?2", path = "two.json", licence = "MIT" }},
  {{ part = "large", url = "file.json?3", path = "three.json", bytes = {size} }},
]
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def toy(site, tmp_path, monkeypatch):
    """A list that names the server, and its folder in the cache."""
    site.body = BODY
    shelf = tmp_path / "shelf"
    (shelf / "files").mkdir(parents=True)
    (shelf / "toy.toml").write_text(CARD)
    (shelf / "files" / "toy.toml").write_text(
        LIST.format(base=site.base, size=len(BODY), sha=SHA), "utf-8"
    )
    for module in ("reading.cards", "fetching.filelists"):
        monkeypatch.setattr(f"memlab.{module}.PLACES", (shelf,))
    monkeypatch.setenv("MEMLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "data" / "toy"


def test_the_parts_named_by_the_list_go_to_the_cache(toy, site):
    told = []
    fetched = fetch("toy", yes=True, tell=told.append)
    assert fetched.folder == toy
    assert fetched.files == (toy / "a/one.json", toy / "two.json")
    assert [path.read_bytes() for path in fetched.files] == [BODY, BODY]
    assert fetched.fresh == 2
    # The list knows no sha256 of the second file.
    assert fetched.unchecked == {"two.json": SHA}
    assert (len(site.log), len(told)) == (2, 1)
    again = fetch("toy", tell=told.append)
    assert (again.fresh, again.files) == (0, fetched.files)
    assert (len(site.log), len(told)) == (2, 1)


def test_licence_and_size_are_shown_before_the_question(toy, site):
    told = []

    def ask(question):
        assert len(told) == 1
        assert site.log == []
        return True

    fetch("toy", ask=ask, tell=told.append)
    # 3,000 bytes of the first file, an unknown number of the second.
    assert len(BODY) == 3000
    assert told[0].splitlines() == [
        "Toy: three files",
        "  licence:  CC-BY-NC-4.0; MIT",
        "  citation: Someone: Toy. 2024.",
        "  source:   https://example.org/toy",
        "  note:     Nothing but turns.",
        "  size:     3 kB and 1 file(s) of unknown size",
        "  checked:  1 of 2 files have a known sha256",
        f"  into:     {toy}",
    ]


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "yess\n"])
def test_a_refusal_at_the_terminal_fetches_nothing(toy, site, answer, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(["data", "fetch", "toy"]) == 2
    out, err = capsys.readouterr()
    assert "licence:  CC-BY-NC-4.0" in err
    assert "Fetch it under these terms? [y/N]" in err
    assert "'toy' was not fetched: you did not agree" in err
    assert (out, site.log, toy.exists()) == ("", [], False)


@pytest.mark.parametrize("answer", ["y\n", "Yes\n"])
def test_consent_at_the_terminal(toy, answer, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(["data", "fetch", "toy"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"2 file(s) fetched, 0 already there, in {toy}",
        "no published sha256 to check these against; as they came:",
        f"  {SHA}  two.json",
        "load with:",
        f'  ml.load("toy", path="{toy}/a/one.json")',
        f'  ml.load("toy", path="{toy}/two.json")',
    ]


@pytest.mark.parametrize("stdin", [io.StringIO("y\n"), None])
def test_without_a_terminal_the_line_to_type_is_named(toy, site, stdin, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["data", "fetch", "toy", "--to", "my data", "--parts", "large"]) == 2
    err = capsys.readouterr().err
    assert "licence:  CC-BY-NC-4.0" in err
    assert "type: memlab data fetch toy --parts large --to 'my data' --yes" in err
    assert site.log == []


def test_to_and_parts_and_json(toy, tmp_path, capsys):
    folder = tmp_path / "here"
    argv = ["data", "fetch", "toy", "--yes", "--parts", "large", "--to", str(folder), "--json"]
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out) == {
        "name": "toy",
        "folder": str(folder),
        "files": [str(folder / "three.json")],
        "fetched": 1,
        "unchecked": {"three.json": SHA},
        "load": [str(folder / "three.json")],
    }
    assert not toy.exists()
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out)["fetched"] == 0


def test_a_list_may_name_what_the_loader_takes(toy, tmp_path):
    path = tmp_path / "shelf" / "files" / "toy.toml"
    path.write_text('load = "."\n' + path.read_text("utf-8"), "utf-8")
    assert fetch("toy", yes=True).load == (toy,)


def test_names_and_parts_that_do_not_exist(toy, site):
    with pytest.raises(ConfigError, match="nothing is known to fetch for 'tyo'; did you mean"):
        fetch("tyo", yes=True)
    with pytest.raises(ConfigError, match="toy has no part 'smal'; did you mean 'small'"):
        fetch("toy", parts=["smal"], yes=True)
    with pytest.raises(ConfigError, match="nothing is known"):
        fetch("../toy", yes=True)
    assert site.log == []


def test_no_space_is_seen_before_the_question(toy, site, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=10))
    with pytest.raises(DownloadError, match="10 bytes free; expected 3,000 bytes"):
        fetch("toy", ask=lambda question: pytest.fail("asked"))
    assert (site.log, toy.exists()) == ([], False)


def test_a_stopped_command_says_so_and_goes_on(toy, site, monkeypatch, capsys):
    plain = "memlab.fetching.download.chunks"

    def stop(response, url, limit):
        yield response.read(1000)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(plain, stop)
        assert main(["data", "fetch", "toy", "--yes"]) == 130
    assert "interrupted; the same command goes on" in capsys.readouterr().err
    assert main(["data", "fetch", "toy", "--yes"]) == 0
    assert site.ranges_asked() == [None, "bytes=1000-", None]
    assert (toy / "a/one.json").read_bytes() == BODY


def test_a_failure_exits_2_and_keeps_what_is_whole(toy, site, capsys):
    site.tag = None
    site.refusals = [404]
    assert main(["data", "fetch", "toy", "--yes"]) == 2
    assert "was refused: 404" in capsys.readouterr().err
    assert main(["data", "fetch", "toy", "--yes"]) == 0


def test_two_at_once_fetch_each_file_once(toy, site):
    site.gate = threading.Event()
    told, results = [], {}
    begun = threading.Event()

    def first():
        results["first"] = fetch("toy", ask=lambda _: True, tell=lambda _: None)

    def tell(line):
        told.append(line)
        if "another process" in line:
            site.gate.set()

    site.log = Announced(begun)
    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(20)
    results["second"] = fetch("toy", yes=True, tell=tell)
    thread.join(20)
    assert "waiting for it" in told[1]
    assert (results["first"].fresh, results["second"].fresh) == (2, 0)
    assert len(site.log) == 2


class Announced(list):
    """A log that tells when the first request has come."""

    def __init__(self, event):
        super().__init__()
        self.event = event

    def append(self, entry):
        super().append(entry)
        self.event.set()


def test_progress_is_for_terminals(toy, monkeypatch, capsys):
    fetch("toy", yes=True, tell=lambda _: None)
    assert capsys.readouterr().err == ""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    fetch("toy", parts=["large"], yes=True, tell=lambda _: None)
    assert "three.json" in screen.getvalue()


def test_list_shows_what_can_be_fetched(toy, capsys):
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # 3,000 bytes twice; the columns are as wide as their widest cell.
    size = "6 kB and 1 file(s) of unknown size"
    assert lines == [
        f"name  files  {'size':<{len(size)}}  licence",
        f"toy   3      {size}  CC-BY-NC-4.0",
        "parts of toy: small, large",
    ]
    assert main(["data", "list", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row == {
        "name": "toy",
        "title": "Toy: three files",
        "files": 3,
        "bytes": 6000,
        "unknown_sizes": 1,
        "unknown_sha256": 2,
        "licence": "CC-BY-NC-4.0",
        "parts": ["small", "large"],
        "default": ["small"],
    }


def test_the_cache_moves_with_its_variable(monkeypatch, tmp_path):
    assert cache_folder().name == "cache"
    monkeypatch.delenv("MEMLAB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().name == "memlab"
