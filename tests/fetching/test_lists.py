"""The lists that memlab ships: pinned, safe, licensed, and true of the files at hand."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from memlab.fetching.filelists import file_list, names
from memlab.fetching.partial import fault
from memlab.reading.cards import card
from memlab.registry import DATASETS

KNOWN = ["beam", "locomo", "longmemeval", "memdaily", "realtalk"]


def test_names():
    assert names() == KNOWN


@pytest.mark.parametrize("name", KNOWN)
def test_a_list_is_pinned_and_stays_in_its_folder(name):
    listing = file_list(name)
    paths = [file.path for file in listing.files]
    assert len(set(paths)) == len(paths) == len({file.url for file in listing.files})
    assert set(listing.default) <= set(listing.parts)
    for file in listing.files:
        assert re.match(r"https://[a-z.]+/.*/[0-9a-f]{40}/", file.url), file.url
        path = PurePosixPath(file.path)
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert re.fullmatch(r"([0-9a-f]{64})?", file.sha256)
        assert file.bytes is None or file.bytes > 0
        assert bool(file.part) == bool(listing.parts)


@pytest.mark.parametrize("name", KNOWN)
def test_a_list_has_a_card_and_a_loader(name):
    about = card(name)
    assert all(about[key] for key in ("title", "licence", "citation", "source"))
    assert name in DATASETS


def test_numbers_of_files():
    # 26 files of MemDaily, ten chats of REALTALK, twenty of BEAM with two files each.
    counts = {name: len(file_list(name).files) for name in KNOWN}
    assert counts == {"beam": 40, "locomo": 1, "longmemeval": 3, "memdaily": 26, "realtalk": 10}
    assert len(file_list("beam").choose()) == 10
    assert [f.path for f in file_list("longmemeval").choose()] == ["longmemeval_s_cleaned.json"]


def test_lists_agree_with_the_cards():
    (file,) = file_list("locomo").files
    about = card("locomo")
    assert (file.bytes, file.sha256) == (about["bytes"], about["sha256"])
    assert about["revision"] in file.url
    for name in ("beam", "longmemeval", "realtalk"):
        known = {f.path: f.sha256 for f in file_list(name).files if f.sha256}
        assert known == card(name)["files"]
    for name in ("beam", "longmemeval", "memdaily", "realtalk"):
        assert all(card(name)["revision"] in file.url for file in file_list(name).files)


@pytest.mark.parametrize("name", ["locomo", "beam"])
def test_lists_are_true_of_the_files_at_hand(data, name):
    for file in file_list(name).choose():
        path = data / name / file.path
        if not path.is_file():
            pytest.skip(f"{file.path} is not at hand")
        assert fault(path, file) == ""
