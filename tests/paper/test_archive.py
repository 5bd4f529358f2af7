"""Archives: equal contents, equal bytes; hostile ones are refused before anything is unpacked."""

import io
import os
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import DataError, Faults, MemlabError
from memlab.paper.archive import extract, repacked, sha256, write_archive

NAMES = st.from_regex(r"[a-z0-9_]{1,8}(/[a-z0-9_.]{1,8}[a-z0-9])?", fullmatch=True)
CONTENTS = st.dictionaries(NAMES, st.binary(max_size=300), min_size=1, max_size=5).filter(
    lambda held: not any(f"{a}/" in b for a in held for b in held)  # a file is no folder
)


def everything(name):
    return True


def zipped(path, *members, comment=b""):
    """Write an archive of (name or ZipInfo, content) as it stands, right or wrong."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for given, content in members:
            info = given if isinstance(given, zipfile.ZipInfo) else plain(given)
            archive.writestr(info, content)
        archive.comment = comment
    return path


def plain(name, *, mode=stat.S_IFREG | 0o644, **changed):
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr, info.compress_type = 3, mode << 16, zipfile.ZIP_DEFLATED
    for field, value in changed.items():
        setattr(info, field, value)
    return info


@given(CONTENTS)
@settings(max_examples=30)
def test_what_was_packed_comes_out_and_packs_the_same_again(tmp_path_factory, contents):
    folder = tmp_path_factory.mktemp("packed")
    write_archive(contents, folder / "a.zip")
    write_archive(dict(reversed(contents.items())), folder / "b.zip")
    assert (folder / "a.zip").read_bytes() == (folder / "b.zip").read_bytes()
    (folder / "out").mkdir()
    hashes = extract(folder / "a.zip", folder / "out", everything)
    assert {name: (folder / "out" / name).read_bytes() for name in hashes} == contents
    assert repacked(hashes, folder / "out", folder / "again.zip") == sha256(folder / "a.zip")


def test_neither_time_nor_mode_nor_owner_of_a_file_enters(tmp_path):
    file = tmp_path / "x"
    file.write_text("same")
    write_archive({"x": file}, tmp_path / "a.zip")
    os.utime(file, (1, 1))
    file.chmod(0o600)
    write_archive({"x": b"same"}, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../x", "leads out of the folder"),
        ("a/../../x", "leads out of the folder"),
        ("a//x", "leads out of the folder"),
        ("./x", "leads out of the folder"),
        ("/etc/passwd", "is an absolute path"),
        ("C:/x", "is an absolute path, or one of another system"),
        ("a\\..\\x", "is an absolute path, or one of another system"),
        ("a/", "is a folder"),
        ("x\n", "has a name that cannot be shown"),
        ("x" * 201, "has a name that cannot be shown"),
    ],
)
def test_names_that_lead_elsewhere(tmp_path, name, fault):
    path = zipped(tmp_path / "a.zip", (plain(name), b"evil"))
    (tmp_path / "out").mkdir()
    with pytest.raises(Faults, match=r"refused, nothing was unpacked") as told:
        extract(path, tmp_path / "out", everything)
    assert fault in str(told.value)
    assert list((tmp_path / "out").iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip", "out"]


@pytest.mark.parametrize(
    ("info", "fault"),
    [
        (plain("x", mode=stat.S_IFLNK | 0o777), "is a symbolic link"),
        (plain("x", mode=stat.S_IFREG | 0o755), "has attributes"),
        (plain("x", create_system=0), "has attributes"),
        (plain("x", date_time=(2024, 5, 1, 0, 0, 0)), "has attributes"),
        (plain("x", comment=b"hello"), "has attributes"),
        (plain("x", extra=b"\xfe\xca\x00\x00"), "has attributes"),
        (plain("x", compress_type=zipfile.ZIP_STORED), "is packed in another way"),
        (plain("x", compress_type=zipfile.ZIP_BZIP2), "is packed in another way"),
        (plain("x", compress_type=zipfile.ZIP_LZMA), "is packed in another way"),
    ],
)
def test_members_that_a_bundle_does_not_have(tmp_path, info, fault):
    path = zipped(tmp_path / "a.zip", (info, b"/etc/passwd"))
    with pytest.raises(Faults, match=fault):
        extract(path, tmp_path, everything)


def test_an_archive_that_was_packed_again_is_told_in_one_line(tmp_path):
    later = (2024, 5, 1, 0, 0, 0)
    members = [(plain(name, date_time=later), b"1") for name in "abc"]
    path = zipped(tmp_path / "a.zip", *members, (".DS_Store", b"2"))
    with pytest.raises(Faults) as told:
        extract(path, tmp_path, lambda name: name in "abc")
    assert told.value.faults == (
        "'.DS_Store' is no part of a bundle",
        (
            "repacked by another program: 'a' has attributes that a bundle does not give, "
            "and 2 more; take the file as `memlab bundle` wrote it"
        ),
    )


def test_several_faults_are_told_at_once(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zipped(tmp_path / "a.zip", ("b", b"1"), ("a", b"2"), ("../c", b"3"), ("b", b"4"))
    with pytest.raises(Faults) as told:
        extract(path, tmp_path, lambda name: name != "b")
    assert told.value.faults == (
        "'b' is no part of a bundle",
        "'a' stands out of order",
        "'../c' leads out of the folder",
        "'b' is there twice",
    )


def test_names_that_differ_in_case_alone_are_one(tmp_path):
    path = zipped(tmp_path / "a.zip", ("A", b"1"), ("a", b"2"))
    with pytest.raises(Faults, match="'a' is there twice"):
        extract(path, tmp_path, everything)


def test_an_encrypted_member(tmp_path):
    raw = bytearray(zipped(tmp_path / "a.zip", ("x", b"1")).read_bytes())
    for mark, at in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        raw[raw.index(mark) + at] |= 1
    (tmp_path / "a.zip").write_bytes(raw)
    with pytest.raises(Faults, match="is encrypted"):
        extract(tmp_path / "a.zip", tmp_path, everything)


def test_a_small_file_that_unpacks_into_a_large_one(tmp_path):
    path = zipped(tmp_path / "a.zip", ("x", b"\0" * 3_000_000), ("y", b"\0" * 3_000_000))
    assert path.stat().st_size < 10_000
    with pytest.raises(Faults, match="6,000,000 bytes unpacked; expected at most 5,000,000"):
        extract(path, tmp_path / "none", everything, most_bytes=5_000_000)


def test_a_member_that_is_longer_than_it_says_does_not_fill_the_disk(tmp_path):
    raw = bytearray(zipped(tmp_path / "a.zip", ("x", b"\0" * 3_000_000)).read_bytes())
    for mark, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        struct.pack_into("<L", raw, raw.index(mark) + at, 100)  # its stated size
    (tmp_path / "a.zip").write_bytes(raw)
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="damaged: Bad CRC"):
        extract(tmp_path / "a.zip", tmp_path / "out", everything, most_bytes=1000)
    assert (tmp_path / "out" / "x").stat().st_size <= 100


def test_too_many_members(tmp_path):
    path = zipped(tmp_path / "a.zip", *((f"{i:04}", b"") for i in range(1001)))
    with pytest.raises(DataError, match="up to 1000 files"):
        extract(path, tmp_path, everything)


@pytest.mark.parametrize("where", ["before", "after", "comment", "cut"])
def test_anything_around_the_archive(tmp_path, where):
    comment = b"hello" if where == "comment" else b""
    raw = zipped(tmp_path / "a.zip", ("x", b"1"), comment=comment).read_bytes()
    changed = {"before": b"MZ" + raw, "after": raw + b"!", "comment": raw, "cut": raw[:-1]}[where]
    (tmp_path / "a.zip").write_bytes(changed)
    with pytest.raises(DataError, match=r"does not end as a ZIP|does not fit the rest"):
        extract(tmp_path / "a.zip", tmp_path, everything)


@pytest.mark.parametrize("raw", [b"", b"PK", b"hello" * 100, b"PK\5\6" + b"\0" * 17])
def test_files_that_are_no_archive(tmp_path, raw):
    (tmp_path / "a.zip").write_bytes(raw)
    with pytest.raises(DataError):
        extract(tmp_path / "a.zip", tmp_path, everything)


def test_a_file_in_the_place_of_a_folder(tmp_path):
    path = zipped(tmp_path / "a.zip", ("a", b"1"), ("a/b", b"2"))
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="cannot be unpacked"):
        extract(path, tmp_path / "out", everything)


@given(st.data())
@settings(max_examples=300)
def test_broken_archives_are_refused_and_never_crash(tmp_path_factory, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(plain("a"), b"some text " * 20)
        archive.writestr(plain("b/c"), b"\0\1\2\3" * 20)
    raw = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("broken")
    (folder / "a.zip").write_bytes(raw)
    (folder / "out").mkdir()
    try:
        hashes = extract(folder / "a.zip", folder / "out", everything)
    except MemlabError:
        return
    assert set(hashes) == {
        p.relative_to(folder / "out").as_posix() for p in (folder / "out").rglob("*") if p.is_file()
    }
