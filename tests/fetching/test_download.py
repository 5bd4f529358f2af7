"""One file, from a server on the loopback that cuts, changes and refuses."""

from __future__ import annotations

import errno
import hashlib
import io
import ssl
import urllib.error
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import DownloadError
from memlab.fetching import web
from memlab.fetching.download import TRIES, download
from memlab.fetching.filelists import Remote

# More than three reads of 64 KiB, no two of them alike.
BODY = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(8000))
SHA = hashlib.sha256(BODY).hexdigest()
CUT = 100_000


@pytest.fixture
def target(tmp_path):
    return tmp_path / "data" / "file.json"


@pytest.fixture
def remote(site):
    site.body = BODY
    return Remote(url=site.url, path="file.json", bytes=len(BODY), sha256=SHA)


@pytest.fixture
def waits():
    return []


@pytest.fixture
def get(remote, target, waits):
    def call(**changes):
        options = {k: changes.pop(k) for k in ("progress", "tries") if k in changes}
        return download(replace(remote, **changes), target, sleep=waits.append, **options)

    return call


def part(target):
    return target.with_name("file.json.part")


def left(target):
    return sorted(path.name for path in target.parent.iterdir())


def stopper(after):
    def progress(done, whole):
        if done >= after:
            raise KeyboardInterrupt

    return progress


def interrupt(get, target, **changes):
    """Stop the first call as Ctrl-C would, and return how many bytes it left."""
    with pytest.raises(KeyboardInterrupt):
        get(progress=stopper(CUT), **changes)
    assert not target.exists()
    return part(target).stat().st_size


def test_a_good_file(get, site, target, waits):
    seen = []
    assert get(progress=lambda done, whole: seen.append((done, whole))) is True
    assert target.read_bytes() == BODY
    assert left(target) == ["file.json"]
    assert (seen[0], seen[-1]) == ((0, len(BODY)), (len(BODY), len(BODY)))
    assert (site.ranges_asked(), waits) == ([None], [])
    assert site.log[0]["Accept-Encoding"] == "identity"


def test_a_second_call_does_nothing(get, site, target):
    get()
    before = target.stat()
    assert get() is False
    assert len(site.log) == 1
    assert target.stat().st_mtime_ns == before.st_mtime_ns


def test_a_wrong_file_that_is_there_is_left_alone(get, site, target):
    target.parent.mkdir()
    target.write_bytes(b"x" * len(BODY))
    with pytest.raises(DownloadError, match=r"is there, but its sha256 is .* move it away"):
        get()
    target.write_bytes(b"mine")
    with pytest.raises(DownloadError, match="it has 4 bytes instead of 256,000"):
        get()
    assert (target.read_bytes(), site.log) == (b"mine", [])


@pytest.mark.parametrize("known", [SHA, ""])
def test_an_interrupted_call_is_continued(get, site, target, known):
    size = interrupt(get, target, sha256=known)
    assert CUT <= size < len(BODY)
    assert get(sha256=known) is True
    assert site.ranges_asked() == [None, f"bytes={size}-"]
    assert site.log[1]["If-Range"] == '"v1"'
    assert target.read_bytes() == BODY
    assert left(target) == ["file.json"]


def test_a_server_without_ranges_sends_all_again(get, site, target):
    site.ranges = False
    size = interrupt(get, target)
    get()
    assert site.ranges_asked() == [None, f"bytes={size}-"]
    assert target.read_bytes() == BODY


def test_a_weak_tag_gives_way_to_the_date(get, site, target):
    site.tag, site.date = 'W/"v1"', "Mon, 01 Jan 2024 00:00:00 GMT"
    interrupt(get, target)
    get()
    assert site.log[1]["If-Range"] == site.date
    assert target.read_bytes() == BODY


def test_without_a_validator_only_a_known_hash_lets_pieces_be_joined(get, site, target):
    site.tag = None
    size = interrupt(get, target)
    get()
    assert site.ranges_asked() == [None, f"bytes={size}-"]
    assert "If-Range" not in site.log[1]
    target.unlink()
    interrupt(get, target, sha256="")
    get(sha256="")
    assert site.ranges_asked()[2:] == [None, None]
    assert target.read_bytes() == BODY


def test_a_changed_file_is_fetched_from_its_start(get, site, target):
    interrupt(get, target, sha256="")
    site.body, site.tag = BODY[::-1], '"v2"'
    get(sha256="")
    assert len(site.log) == 2
    assert target.read_bytes() == BODY[::-1]


def test_a_server_that_does_not_heed_if_range_is_found_out(get, site, target, waits):
    interrupt(get, target, sha256="")
    site.body, site.tag, site.heeds_tag = BODY[::-1], '"v2"', False
    get(sha256="")
    assert (len(site.log), waits) == (3, [1.0])
    assert site.ranges_asked()[2] is None
    assert target.read_bytes() == BODY[::-1]


def test_pieces_that_do_not_fit_are_fetched_once_more(get, site, target, waits):
    # Neither tag nor date: only the hash can tell that the file changed in between.
    site.body, site.tag = BODY[::-1], None
    interrupt(get, target)
    site.body = BODY
    get()
    assert site.ranges_asked()[2] is None
    assert (target.read_bytes(), waits) == (BODY, [1.0])


def test_a_part_of_another_address_is_not_used(get, site, target):
    interrupt(get, target)
    get(url=f"{site.base}/moved/elsewhere.json")
    assert site.ranges_asked() == [None, None]
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("notes", ["", "[]", '{"url": 1}', "\udcff"])
def test_a_part_of_unknown_origin_is_not_used(get, site, target, notes):
    target.parent.mkdir()
    part(target).write_bytes(b"who knows")
    target.with_name("file.json.part.meta").write_bytes(notes.encode("utf-8", "surrogateescape"))
    get()
    assert (site.ranges_asked(), target.read_bytes()) == ([None], BODY)


def test_a_part_longer_than_the_file_is_thrown_away(get, site, target):
    interrupt(get, target, sha256="", bytes=None)
    site.body = BODY[:1000]
    get(sha256="", bytes=None)
    assert site.ranges_asked()[2] is None
    assert target.read_bytes() == BODY[:1000]


def test_a_whole_part_needs_no_request(get, site, target):
    with pytest.raises(KeyboardInterrupt):
        get(progress=stopper(len(BODY)))
    assert get() is True
    assert (len(site.log), target.read_bytes()) == (1, BODY)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_truncated_answer_is_taken_up_again(get, site, target, waits, chunked):
    site.cuts, site.chunked = [70_000, 0, 100_000], chunked
    get()
    # 70,000 came, then nothing, then 100,000 more.
    assert site.ranges_asked() == [None, "bytes=70000-", "bytes=70000-", "bytes=170000-"]
    assert waits == [1.0, 2.0, 4.0]
    assert target.read_bytes() == BODY


def test_tries_come_to_an_end_and_the_next_call_goes_on(get, site, target, waits):
    site.cuts = [1000] * TRIES
    with pytest.raises(DownloadError, match=r"in 5 tries: .* 5,000 of 256,000") as caught:
        get()
    assert "5,000 bytes are kept" in caught.value.fix
    assert "the same command goes on" in caught.value.fix
    assert waits == [1.0, 2.0, 4.0, 8.0]
    get()
    assert site.ranges_asked()[-1] == "bytes=5000-"
    assert target.read_bytes() == BODY


def test_a_server_may_give_less_than_was_asked_for(get, site, target):
    site.cuts, site.piece = [90_000], 100_000
    get()
    assert site.ranges_asked() == [None, "bytes=90000-", "bytes=190000-"]
    assert target.read_bytes() == BODY


def test_a_wrong_hash_leaves_a_bad_file_and_no_other(get, site, target):
    site.body = BODY[::-1]
    with pytest.raises(DownloadError, match=r"sha256 is .* instead of .*file\.json\.bad"):
        get()
    assert left(target) == ["file.json.bad"]
    assert target.with_name("file.json.bad").read_bytes() == BODY[::-1]
    assert len(site.log) == 1
    site.body = BODY
    assert get() is True


def test_another_size_is_refused_before_anything_is_fetched(get, site, target):
    site.body = BODY + b"!"
    with pytest.raises(DownloadError, match="256,001 bytes; expected 256,000 bytes"):
        get()
    assert not target.parent.exists()


def test_a_body_that_does_not_end_is_cut(get, site, target):
    site.body, site.chunked = BODY * 3, True
    with pytest.raises(DownloadError, match="does not end where it should"):
        get()
    assert part(target).stat().st_size <= len(BODY)


def test_a_file_that_could_be_cut_unseen_is_refused(get, site, target):
    site.length = False
    with pytest.raises(DownloadError, match="comes without a size"):
        get(bytes=None)
    site.cuts = [1000]
    get(sha256="")
    assert site.ranges_asked()[2] == "bytes=1000-"
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_refusal_is_final(get, site, target, waits, status):
    site.refusals = [status]
    with pytest.raises(DownloadError, match=f"was refused: {status} .*the file may have moved"):
        get()
    assert (len(site.log), waits, target.parent.exists()) == (1, [], False)


def test_a_busy_server_is_asked_again(get, site, target, waits):
    site.refusals = [503, 429]
    get()
    assert (waits, target.read_bytes()) == ([1.0, 2.0], BODY)


def test_a_busy_server_is_not_asked_for_ever(get, site, waits):
    site.refusals = [503] * 9
    with pytest.raises(DownloadError, match="in 3 tries: the server answered 503"):
        get(tries=3)
    assert len(site.log) == 3


def test_no_server(get, waits):
    with pytest.raises(DownloadError, match=r"in 5 tries: no connection: .*refused"):
        get(url="http://127.0.0.1:9/file.json")
    assert len(waits) == TRIES - 1


def test_a_compressed_answer_is_refused(get, site):
    site.coding = "gzip"
    with pytest.raises(DownloadError, match="came compressed"):
        get()


def test_redirects_keep_the_range(get, site, target):
    site.moved_to = "/file.json"
    moved = f"{site.base}/old.json"
    size = interrupt(get, target, url=moved)
    get(url=moved)
    assert site.ranges_asked() == [None, None, f"bytes={size}-", f"bytes={size}-"]
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://example.org/file.json", "redirected from http://127"),
        ("ftp://example.org/file.json", "redirected from http://127"),
        ("file:///etc/hostname", "refused: 302"),
    ],
)
def test_redirects_that_leave_https_are_refused(get, site, target, waits, address, message):
    site.moved_to = address
    with pytest.raises(DownloadError, match=message):
        get(url=f"{site.base}/old.json")
    assert (len(site.log), waits, target.exists()) == (1, [], False)


def test_a_circle_of_redirects_ends(get, site):
    site.moved_to = "/old.json"
    with pytest.raises(DownloadError, match="refused: 302"):
        get(url=f"{site.base}/old.json")
    assert len(site.log) < 20


@pytest.mark.parametrize(
    "url",
    ["http://example.org/x", "file:///etc/hostname", "ftp://example.org/x", "data:,x", "x.json"],
)
def test_other_addresses_are_refused(get, url):
    with pytest.raises(DownloadError, match="is not fetched; expected an https address"):
        get(url=url)


def test_https_never_becomes_http():
    web.check_url("https://a.example/x", "https://b.example/x")
    with pytest.raises(DownloadError, match="redirected from https"):
        web.check_url("http://127.0.0.1/x", "https://b.example/x")


def test_a_bad_certificate_is_final(get, monkeypatch, waits):
    trouble = ssl.SSLCertVerificationError()
    trouble.verify_message = "self-signed certificate"

    def refuse(request, timeout):
        raise urllib.error.URLError(trouble)

    monkeypatch.setattr(web, "_opener", lambda url: SimpleNamespace(open=refuse))
    with pytest.raises(DownloadError, match="cannot be trusted: self-signed"):
        get()
    assert waits == []


def test_no_space_is_seen_before(get, site, target, monkeypatch):
    asked = []

    def usage(path):
        asked.append(path)
        return SimpleNamespace(free=1000)

    monkeypatch.setattr("shutil.disk_usage", usage)
    with pytest.raises(DownloadError, match="1,000 bytes free; expected 256,000 bytes; free some"):
        get()
    assert asked == [target.parent]
    assert part(target).stat().st_size == 0


def test_space_is_needed_for_what_is_missing_alone(get, site, target, monkeypatch):
    size = interrupt(get, target)
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=len(BODY) - size))
    assert get() is True


class Full(io.FileIO):
    """A disk that is full after so many bytes."""

    room = 150_000

    def write(self, data):
        if self.tell() + len(data) > self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_disk_that_fills_up_keeps_what_came(get, site, target, monkeypatch, waits):
    plain = Path.open

    def opened(path, mode="r", **rest):
        return Full(path, "ab") if mode == "ab" else plain(path, mode, **rest)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opened)
        with pytest.raises(DownloadError, match=r"No space left .*what came is kept"):
            get()
    size = part(target).stat().st_size
    assert 0 < size <= Full.room
    assert waits == []
    get()
    assert site.ranges_asked() == [None, f"bytes={size}-"]
    assert target.read_bytes() == BODY


def test_a_folder_that_cannot_be_made(get, site, target):
    target.parent.write_text("a file where the folder should be")
    with pytest.raises(DownloadError, match=r"cannot be written or read: .*another folder"):
        get()


@settings(max_examples=40)
@given(
    body=st.binary(min_size=1, max_size=3000),
    cuts=st.lists(st.integers(0, 3000), max_size=6),
    ranges=st.booleans(),
    chunked=st.booleans(),
    tag=st.sampled_from(['"v1"', None]),
    known=st.booleans(),
)
def test_whatever_is_cut_the_bytes_are_the_same(
    server, tmp_path_factory, body, cuts, ranges, chunked, tag, known
):
    site = server.site
    site.__dict__.update(body=body, ranges=ranges, chunked=chunked, tag=tag, cuts=list(cuts))
    sha = hashlib.sha256(body).hexdigest() if known else ""
    remote = Remote(url=site.url, path="x", bytes=len(body), sha256=sha)
    target = tmp_path_factory.mktemp("cut") / "x"
    # A try without ranges starts again, so each cut costs one try at most.
    assert download(remote, target, sleep=lambda _: None, tries=len(cuts) + 1)
    assert target.read_bytes() == body
    assert left(target) == ["x"]
