"""`memlab bundle` and `memlab verify`: output and exit codes."""

import json

from memlab.cli import main
from memlab.paper.archive import sha256


def test_bundle_and_verify(made, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["bundle", str(made.path)]) == 0
    told = capsys.readouterr()
    archive = tmp_path / f"{made.path.name}.zip"
    assert f"sha256: {sha256(archive)}" in told.out
    assert "publish the sha256" in told.err
    assert main(["verify", str(archive), "--rerun"]) == 0
    assert "all as stated" in capsys.readouterr().out
    assert main(["bundle", str(made.path), "-o", "b.zip", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": "b.zip",
        "sha256": sha256(archive),
        "bytes": archive.stat().st_size,
    }


def test_faults_exit_2_and_are_listed(forged, files, tmp_path, capsys):
    path = forged(summary__csv=files["summary.csv"].replace(b"bm25", b"bm52"))
    assert main(["verify", str(path), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"file", "sha256", "run", "ok", "faults", "notes"}
    assert found["ok"] is False
    assert any("'bm52'" in fault for fault in found["faults"])
    assert main(["verify", str(path)]) == 2
    assert "  fault: summary.csv: " in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "gone.zip")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["verify", str(path), "--max-bytes", "1000"]) == 2
    assert "expected at most 1,000" in capsys.readouterr().out


def test_what_cannot_be_bundled_exits_2(tmp_path, capsys):
    assert main(["bundle", str(tmp_path)]) == 2
    assert "the folder of a finished run" in capsys.readouterr().err
