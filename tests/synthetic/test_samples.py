"""The committed samples are what their dials give, byte by byte, and as their card says."""

import hashlib
import tomllib
from pathlib import Path

import pytest

from memlab import cli
from memlab.datasets.jsonl import check

FOLDER = Path(__file__).resolve().parents[2] / "datasets"
CARD = tomllib.loads((FOLDER / "synthetic.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", ["en", "zh", "mixed"])
def test_a_sample_is_made_again_byte_by_byte(language, tmp_path):
    made = {kind: tmp_path / f"{language}{kind}" for kind in (".jsonl", ".ledger.jsonl")}
    spec = FOLDER / "synthetic" / f"{language}.toml"
    arguments = ["data", "make", str(spec), "-o", str(made[".jsonl"])]
    assert cli.main([*arguments, "--ledger", str(made[".ledger.jsonl"])]) == 0
    for path in made.values():
        assert path.read_bytes() == (FOLDER / "synthetic" / path.name).read_bytes()


def test_the_card_knows_every_file():
    files = {f"synthetic/{p.name}": p for p in (FOLDER / "synthetic").glob("*.jsonl")}
    hashes = {n: hashlib.sha256(p.read_bytes()).hexdigest() for n, p in files.items()}
    assert CARD["sha256"] == hashes


@pytest.mark.parametrize("language", ["en", "zh", "mixed"])
def test_a_sample_has_no_fault(language):
    assert check(FOLDER / "synthetic" / f"{language}.jsonl") == []


def test_a_profile_can_be_made_and_a_bad_spec_is_refused(tmp_path, capsys):
    out = tmp_path / "chat.jsonl"
    assert cli.main(["data", "make", "chat", "-o", str(out), "--json"]) == 0
    assert check(out) == []
    assert '"probes": 1100' in capsys.readouterr().out
    bad = tmp_path / "bad.toml"
    bad.write_text("turnz = 3\noverlap = 7\n", encoding="utf-8")
    assert cli.main(["data", "make", str(bad), "-o", str(out)]) == 2
    assert "turnz" in capsys.readouterr().err
    bad.write_text("overlap = 7\nusers = 0\n", encoding="utf-8")
    assert cli.main(["data", "make", str(bad), "-o", str(out)]) == 2
    told = capsys.readouterr().err
    assert "overlap=7" in told
    assert "users=0" in told
    assert cli.main(["data", "make", str(tmp_path / "absent.toml"), "-o", str(out)]) == 2


def test_no_file_is_written_over(tmp_path, capsys):
    spec = tmp_path / "spec.toml"
    text = "conversations = 1\nturns = 80\nsessions = 4\nprobes = 15\n"
    spec.write_text(text, encoding="utf-8")
    out = tmp_path / "a.jsonl"
    assert cli.main(["data", "make", str(spec), "-o", str(out), "--ledger", str(out)]) == 2
    assert cli.main(["data", "make", str(spec), "-o", str(spec)]) == 2
    assert "the same file" in capsys.readouterr().err
    assert spec.read_text(encoding="utf-8") == text
    folder = tmp_path / "folder"
    folder.mkdir()
    assert cli.main(["data", "make", str(spec), "-o", str(out), "--ledger", str(folder)]) == 2
    assert cli.main(["data", "make", str(spec), "-o", str(spec / "x.jsonl")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "spec.toml"]


def test_a_misspelt_profile_is_told_which_there_are(tmp_path, capsys):
    assert cli.main(["data", "make", "chatt", "-o", str(tmp_path / "a.jsonl")]) == 2
    assert "chat, assistant" in capsys.readouterr().err
