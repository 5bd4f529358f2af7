"""Verifying: every changed byte is found, nothing is trusted, and a rerun gives the same bytes."""

import json
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memlab as ml
from memlab.digests import digest
from memlab.errors import DataError
from memlab.paper.trust import foreign
from memlab.results import Results


def faults(archive, **given):
    return "\n".join(ml.verify(archive, **given).faults)


def test_a_bundle_is_as_stated_and_runs_again(archive, made):
    found = ml.verify(archive, rerun=True)
    assert found.ok
    assert found.run == made.path.name
    assert found.notes[:2] == (
        "10 files have the sha256 that SHA256SUMS lists",
        f"{len(made.records)} records give the scores of summary.csv to 1e-12",
    )
    lines = (made.path / "records.jsonl").read_bytes().count(b"\n")
    assert found.notes[-1] == f"run again: {lines} lines of records are the same, byte by byte"
    assert str(found).startswith(f"{archive}: {made.path.name}: all as stated\nsha256 ")


@given(st.data())
@settings(max_examples=60)
def test_any_changed_byte_of_the_archive_is_found(archive, tmp_path_factory, data):
    raw = bytearray(archive.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("changed") / "a.zip"
    path.write_bytes(raw)
    found = ml.verify(path)
    assert not found.ok, place
    assert found.sha256 != ml.verify(archive).sha256


def test_every_byte_of_the_frame_counts(archive, tmp_path):
    """The first header, the whole directory and the end: a byte at a time."""
    whole = archive.read_bytes()
    directory = whole.index(b"PK\1\2")
    step = 7 if len(whole) - directory > 400 else 1
    for place in [*range(30), *range(directory, len(whole), step), len(whole) - 1]:
        raw = bytearray(whole)
        raw[place] ^= 1
        (tmp_path / "a.zip").write_bytes(raw)
        assert not ml.verify(tmp_path / "a.zip").ok, place


def test_a_name_that_is_no_utf_8_is_a_fault(archive, tmp_path):
    raw = bytearray(archive.read_bytes())
    entry = raw.index(b"PK\1\2")
    raw[entry + 9] |= 0x08  # the flag that says the name is UTF-8
    raw[entry + 46] = 0xFF
    (tmp_path / "a.zip").write_bytes(raw)
    assert "is damaged: 'utf-8' codec" in faults(tmp_path / "a.zip")


@pytest.mark.parametrize("key", ["name", "hash8", "resolved", "metrics", "strategies"])
def test_a_manifest_that_lacks_a_key_is_a_fault(forged, files, key):
    about = json.loads(files["manifest.json"])
    del about[key]
    told = faults(forged(manifest__json=json.dumps(about).encode()))
    assert "cannot be scored again: " in told
    assert key in told


@pytest.mark.parametrize("changed", ["records__jsonl", "manifest__json", "latency__json"])
def test_faults_name_no_folder_that_is_gone(forged, changed):
    told = faults(forged(**{changed: b"{"}), rerun=True)
    assert told.startswith(f"cannot be scored again: cannot read {changed.replace('__', '.')}: ")


def test_faults_of_a_rerun_name_no_folder_that_is_gone(forged, files):
    spec = files["spec.toml"].replace(b'"quickstart"', b'"jsonl"\npath = "data/x.jsonl"')
    extra = {"spec__toml": spec, "data/x__jsonl": b"\xb2\xe8"}
    told = "  1. data/x.jsonl, line 1: byte 1 is not UTF-8; save it as UTF-8\n"
    assert told in faults(forged(**extra), rerun=True)


@pytest.mark.parametrize("key", ["budget", "tokenizer", "seed"])
def test_a_manifest_that_lacks_a_resolved_key_is_a_fault(forged, files, key):
    about = json.loads(files["manifest.json"])
    del about["resolved"][key]
    about["hash8"] = digest(about["resolved"])[:8]
    told = faults(forged(manifest__json=json.dumps(about).encode()))
    assert told.startswith(f"cannot be scored again: manifest.json lacks resolved.{key}; ")


@pytest.mark.parametrize("name", ["records.jsonl", "spec.toml", "README.md", "SHA256SUMS"])
def test_missing_files_are_named(forged, name):
    found = ml.verify(forged(fit=False, **{name.replace(".", "__"): None}))
    assert f"{name} is missing" in found.faults
    if name != "SHA256SUMS":
        assert f"{name} is listed, not there" in found.faults


def test_changed_files_without_and_with_fitting_hashes(forged, files):
    worse = files["summary.csv"].replace(b"0.7682", b"0.8682")
    assert worse != files["summary.csv"]
    changed = ml.verify(forged(fit=False, summary__csv=worse))
    assert changed.faults[0] == "summary.csv: sha256 differs from SHA256SUMS"
    assert "the records give 0.768" in changed.faults[1]
    (fault,) = ml.verify(forged(summary__csv=worse)).faults
    assert re.match(r"summary\.csv: 'bm25', budget 200, Recall\(k=5\): '0\.8682", fault)


@pytest.mark.parametrize(("factor", "ok"), [(1 + 1e-14, True), (1 + 1e-11, False)])
def test_scores_are_compared_to_1e_12(forged, files, factor, ok):
    header, *rows = [line.split(",") for line in files["summary.csv"].decode().splitlines()]
    at = header.index("tokens_read")
    rows[0][at] = repr(float(rows[0][at]) * factor)
    text = "\n".join(",".join(row) for row in (header, *rows)) + "\n"
    assert ml.verify(forged(summary__csv=text.encode())).ok is ok


@pytest.mark.parametrize(
    ("column", "ok"),
    [("read_ms_p95", True), ("Recall(k=5)", False), ("StaleHit() n", False), ("failed", False)],
)
def test_a_table_may_lack_what_later_versions_add_but_no_score(forged, files, column, ok):
    header, *rows = [line.split(",") for line in files["summary.csv"].decode().splitlines()]
    at = header.index(column)
    lines = (",".join(row[:at] + row[at + 1 :]) for row in (header, *rows))
    found = ml.verify(forged(summary__csv=("\n".join(lines) + "\n").encode()))
    assert found.ok is ok
    told = found.notes if ok else found.faults
    assert any(f"summary.csv has no {column}" in t or f"no column {column!r}" in t for t in told)


def test_changed_records_change_the_scores(forged, files):
    lines = files["records.jsonl"].decode().splitlines()
    found = (i for i, line in enumerate(lines) if '"strategy":"bm25"' in line)
    at = next(i for i in found if '"evidence":["1.3"]' in lines[i])  # which bm25 finds
    record = json.loads(lines[at])
    record["evidence"] = ["nonsense"]
    lines[at] = json.dumps(record)
    told = faults(forged(records__jsonl=("\n".join(lines) + "\n").encode()))
    assert "summary.csv: 'bm25'" in told
    lost = faults(forged(records__jsonl=("\n".join(lines[:at] + lines[at + 1 :]) + "\n").encode()))
    assert "expected equally many" in lost


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"hash8": "', '"hash8": "0', "manifest.json: hash8 is '0"),
        ('"seed": 0', '"seed": 1', "manifest.json: hash8 is"),
        ('"unanswerable": 17', '"unanswerable": 7', "the counts of"),
        ('"BM25()"', '"BM25(k1=2.0)"', "spec.toml: strategies is"),
        ('"name": "toy"', '"name": "boy"', "bundle.json tells of another run than boy-"),
    ],
)
def test_a_changed_manifest(forged, files, old, new, fault):
    text = files["manifest.json"].decode()
    assert old in text
    assert fault in faults(forged(manifest__json=text.replace(old, new).encode()))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (b"seed = 0", b"seed = 1", "spec.toml: seed is 1; the manifest says 0"),
        (b'"BM25()"', b'"BM25(k1=2.0)"', "spec.toml: strategies is"),
        (b"[60, 200]", b"[60]", "spec.toml: budget is [60]"),
        (b"name", b"name = ", "spec.toml is not TOML"),
    ],
)
def test_a_changed_spec(forged, files, old, new, fault):
    assert old in files["spec.toml"]
    assert fault in faults(forged(spec__toml=files["spec.toml"].replace(old, new)))


@pytest.mark.parametrize(
    "changed",
    [
        {"manifest__json": b"{}"},
        {"manifest__json": b"[" * 100_000},
        {"manifest__json": b'{"metrics": 7, "resolved": [], "hash8": null}'},
        {"records__jsonl": b'{"strategy": 1}\n'},
        {"records__jsonl": b"\xff"},
        {"records__jsonl": b""},
        {"latency__json": b'{"units": [1]}'},
        {"summary__csv": b""},
        {"summary__csv": b'"'},
        {"bundle__json": b"7"},
        {"SHA256SUMS": b"no sums"},
    ],
)
def test_whatever_the_files_hold_is_a_fault_and_no_crash(forged, changed):
    assert not ml.verify(forged(fit="SHA256SUMS" not in changed, **changed)).ok


def test_a_file_that_is_no_part_of_a_bundle(forged):
    found = ml.verify(forged(evil__py=b"print('hello')"))
    assert found.faults == ("'evil.py' is no part of a bundle",)
    assert found.run == ""


def test_files_that_are_not_there_or_no_archive(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        ml.verify(tmp_path / "gone.zip")
    (tmp_path / "a.zip").write_bytes(b"hello")
    assert "does not end as a ZIP file" in faults(tmp_path / "a.zip")


def test_another_zlib_is_noted_and_no_fault(forged, files):
    other = files["bundle.json"].replace(b'"zlib": "', b'"zlib": "9.')
    path = forged(bundle__json=other)
    raw = path.read_bytes()
    assert ml.verify(path).notes[0] == "10 files have the sha256 that SHA256SUMS lists"
    assert ml.verify(path).ok  # it packs alike all the same
    import zipfile

    with zipfile.ZipFile(path) as packed:
        members = [(info, packed.read(info)) for info in packed.infolist()]
    with zipfile.ZipFile(path, "w", compresslevel=1) as packed:
        for info, content in members:
            packed.writestr(info, content, compresslevel=1)
    assert path.read_bytes() != raw
    found = ml.verify(path)
    assert found.ok
    assert any("packed by another zlib (9." in note for note in found.notes)


EVIL = """
from memlab.strategies import NoMemory
import pathlib
pathlib.Path({mark!r}).touch()
class Evil(NoMemory):
    pass
def metric(rankings):
    return [0.5] * len(rankings)
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """A bundle whose strategy and metric are somebody's own, and the mark their import leaves."""
    mark = tmp_path / "imported"
    (tmp_path / "evil_module.py").write_text(EVIL.format(mark=str(mark)))
    monkeypatch.syspath_prepend(tmp_path)
    made = ml.evaluate(
        {"evil": "evil_module:Evil()", "w": "Window(turns=2)"},
        "quickstart",
        ["MRR()", "evil_module:metric"],
        out=tmp_path / "runs",
    )
    with pytest.warns(UserWarning, match="not memlab's own"):
        archive = ml.bundle(made, tmp_path / "a.zip")
    sys.modules.pop("evil_module")
    mark.unlink()
    return archive, mark


def test_nothing_that_is_not_memlabs_own_is_imported_without_consent(theirs):
    archive, mark = theirs
    found = ml.verify(archive)
    assert found.ok
    assert any("not scored again: not memlab's own" in note for note in found.notes)
    refused = ml.verify(archive, rerun=True)
    (fault,) = refused.faults
    assert fault.startswith("not run again: strategy 'evil' names evil_module, Evil, which is not")
    assert not mark.exists()
    trusted = ml.verify(archive, rerun=True, trust=True)
    assert trusted.faults == ()
    assert mark.exists()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("BM25(k1=1.2, b=0.5)", []),
        ("Hybrid(legs=(BM25(), Vector(embedder=MiniLM())), weights=(0.5, -inf))", []),
        ("Window(turns=None)", []),
        ("Vector(embedder=SentenceTransformer(name='x/y'))", ["SentenceTransformer"]),
        ("Vector(embedder=OpenAIEmbedder(base_url='http://x'))", ["OpenAIEmbedder"]),
        ("os:system(command='x')", ["os", "system"]),
        ("__import__('os')", ["__import__"]),
        ("BM25(b=Path('/etc'))", ["Path"]),
        ("ＯpenAIEmbedder()", ["ＯpenAIEmbedder"]),
        ("(lambda: 0)()", ["lambda"]),
        ("BM25(", ["BM25("]),
        ("BM25(b='", ["BM25(b='"]),
    ],
)
def test_what_counts_as_memlabs_own(text, names):
    assert foreign(text) == names


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.jsonl", "data/../../x", "data\\..\\x", "elsewhere/x"]
)
def test_a_spec_cannot_read_files_outside_of_its_bundle(forged, files, path):
    spec = files["spec.toml"].replace(
        b'name = "quickstart"', f'name = "jsonl"\npath = {json.dumps(path)}'.encode()
    )
    told = ml.verify(forged(spec__toml=spec), rerun=True, trust=True).faults
    assert told == (f"spec.toml: the data set has path={path!r}; expected data/…",)


def test_a_rerun_that_gives_other_records_is_told(forged, files, made):
    """The records of last 3 are passed off as those of bm25; table and counts are made to fit."""
    lines = [json.loads(line) for line in files["records.jsonl"].decode().splitlines()]
    copied = [line for line in lines if named(line) == "last 3"]
    lines = [*copied, *(renamed(line) for line in copied)]
    records = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    folder = made.path.parent / "forged"
    folder.mkdir()
    for name in ("manifest.json", "latency.json"):
        (folder / name).write_bytes(files[name])
    (folder / "records.jsonl").write_text(records)
    claimed = Results.load(folder)
    manifest = claimed.manifest | {"counts": claimed.counts()}
    archive = forged(
        records__jsonl=records.encode(),
        manifest__json=json.dumps(manifest).encode(),
        summary__csv=claimed.summary().to_csv(index=False, lineterminator="\n").encode(),
    )
    assert ml.verify(archive).ok  # it is whole and agrees with itself
    found = ml.verify(archive, rerun=True)
    assert re.search(r"run again: \d+ lines of records\.jsonl differ", "\n".join(found.faults))


def named(line):
    return (line.get("closes") or line)["strategy"]


def renamed(line):
    if "closes" in line:
        return line | {"closes": line["closes"] | {"strategy": "bm25"}}
    return line | {"strategy": "bm25"}


def test_data_that_are_not_in_the_bundle_are_looked_for(tmp_path):
    source = ml.load("synthetic", conversations=1, turns=60, sessions=3, probes=10)
    from memlab.datasets.jsonl import dump

    path = tmp_path / "mine.jsonl"
    dump(source, path)
    made = ml.evaluate(["BM25()"], {"name": "jsonl", "path": path}, ["MRR()"], out=tmp_path / "r")
    archive = ml.bundle(made, tmp_path / "a.zip")
    told = "not run again: data/mine.jsonl is not at hand; "
    told += "name the file or its folder: --data PATH (in Python data=PATH)"
    assert ml.verify(archive, rerun=True).faults == (told,)
    assert ml.verify(archive, rerun=True, data=tmp_path / "r").faults == (told,)
    assert ml.verify(archive, rerun=True, data=tmp_path).ok
    assert ml.verify(archive, rerun=True, data=path).ok
    text = path.read_text("utf-8")
    path.write_text(text.replace(" the ", " a "), "utf-8")
    assert "run again: other data than in the manifest" in faults(archive, rerun=True, data=path)
