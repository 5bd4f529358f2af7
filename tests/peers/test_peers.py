"""`memlab bench peers`: ratios, what both returned, what is left out, the table, the command."""

import json
import socket
from itertools import cycle

import pytest

from memlab.cli import main
from memlab.commands.peering import sizes_of
from memlab.errors import ConfigError
from memlab.peers import listed, measuring
from memlab.peers.listed import PEERS
from memlab.peers.measuring import Skipped, Timing, shared, timed
from memlab.peers.offline import offline
from memlab.peers.own import Own
from memlab.peers.peer import Peer
from memlab.peers.table import as_frame, as_json, as_text
from memlab.peers.texts import messages, questions

TIMING = Timing("p", "Window(turns=2)", 100, 30.0, 1.5, 0.2, 0.4, 40.0, 40.0, 1.0)


class Last:
    """The newest messages, kept as a list."""

    def __init__(self, count=4):
        self.texts, self.count = [], count

    def write(self, message):
        self.texts.append(message.text)

    def read(self, question):
        return self.texts[: -self.count - 1 : -1]


def peer(make=lambda vectors, count: Last(), **changes):
    return Peer("fake", "numpy", make, "Window(turns=4)")._replace(**changes)


def test_a_ratio_is_peer_over_memlab():
    assert TIMING.write_ratio == 20.0  # 30 µs over 1.5 µs
    assert TIMING.read_ratio == 0.5  # 0.2 ms over 0.4 ms


def test_texts_are_the_same_in_every_run_and_differ_among_themselves():
    assert messages(50) == messages(50)
    assert len({one.text for one in messages(2000)}) == 2000
    assert {len(question.split()) for question in questions(9)} == {6}


@pytest.mark.parametrize(
    ("found", "kept", "share"),
    [([], [], 1.0), (["a"], [], 0.0), (["a", "b", "c"], ["c", "b", "d"], 0.5)],
)
def test_share_of_equal_texts(found, kept, share):
    assert shared(found, kept) == share  # b and c of a, b, c and d


def spending(monkeypatch, *nanoseconds):
    """Let calls take scripted times, in turn."""
    spent = cycle(nanoseconds)
    monkeypatch.setattr(measuring, "_spent", lambda call: (call(), next(spent)))


def test_medians_of_peer_and_own_are_kept_apart(monkeypatch):
    spending(monkeypatch, 8_000, 2_000)
    (one,) = timed([peer()], [20])
    assert (one.write_us, one.own_write_us, one.write_ratio) == (8.0, 2.0, 4.0)
    assert (one.read_ms, one.own_read_ms, one.read_ratio) == (0.008, 0.002, 4.0)
    assert (one.same, one.tokens) == (1.0, one.own_tokens)


def test_a_pair_costs_each_of_its_messages_half(monkeypatch):
    spending(monkeypatch, 0, 1_000, 8_000, 1_000)  # a peer that stores at every second message
    (one,) = timed([peer(pairs=True)], [20])
    assert (one.write_us, one.own_write_us) == (4.0, 1.0)


def test_other_texts_are_flagged():
    """The peer's two newest; memlab gets the tokens of two oldest and returns the newest."""

    class Oldest(Last):
        def read(self, question):
            return self.texts[:2]

    (one,) = timed([peer(lambda vectors, count: Oldest())], [20])
    assert one.same == 0.0
    assert "0% !" in as_text([one])
    assert "100%\n" in as_text([TIMING])


def test_memlab_reads_as_many_tokens_as_the_peer():
    texts = [message.text for message in messages(10)]
    own = Own("FullHistory()", texts)
    for number, message in enumerate(messages(10)):
        own.write(own.turn(number, message))
    newest = texts[:-4:-1]
    assert [item.text for item in own.read(own.query("w1"), own.tokens(newest))] == newest


def test_an_index_made_anew_at_each_write_is_not_made_while_filling():
    made = []

    class Rebuilt(Last):
        ready = True

        def write(self, message):
            super().write(message)
            made.append(self.ready)

    list(timed([peer(lambda vectors, count: Rebuilt(), writes=3)], [20]))
    assert made == [False] * 17 + [True] * 3


def test_what_is_left_out_says_why():
    def broken(vectors, count):
        raise ImportError("a wheel is missing")

    found = list(
        timed([peer(package="no-such-memory"), peer(most=10), peer(broken), peer()], [10, 20])
    )
    assert [one for one in found if isinstance(one, Skipped)] == [
        ("fake", 0, 'not installed: pip install "memlab[peers]"'),
        ("fake", 20, "takes minutes beyond 10 messages"),
        ("fake", 10, "failed: ImportError: a wheel is missing"),
        ("fake", 20, "failed: ImportError: a wheel is missing"),
    ]
    assert [one.size for one in found if isinstance(one, Timing)] == [10, 10, 20]
    text = as_text(found)
    assert 'not timed: fake: not installed: pip install "memlab[peers]"' in text
    assert "not timed: fake at 20: takes minutes beyond 10 messages" in text


def test_json_has_ratios_versions_and_the_machine():
    found = as_json([TIMING, Skipped("q", 0, "why")], [peer(package="pytest")])
    (row,) = found["times"]
    assert (row["write_ratio"], row["read_ratio"], row["same"]) == (20.0, 0.5, 1.0)
    assert found["skipped"] == [{"peer": "q", "size": 0, "reason": "why"}]
    assert found["packages"].keys() == {"python", "memlab", "numpy", "pytest"}
    assert found["machine"]["cpus"] >= 1


def test_rows_of_the_picture_are_milliseconds():
    found = as_frame([TIMING]).set_index(["phase", "strategy"])["ms"]
    assert found["write", "p"] == 0.03  # 30 µs
    assert found["read", "memlab Window"] == 0.4


def test_connections_are_refused_and_told():
    with offline() as refused, socket.socket() as one:
        with pytest.raises(OSError, match="no connections here"):
            one.connect(("127.0.0.1", 9))
        with pytest.raises(OSError, match="no connections here"):
            one.connect_ex(("127.0.0.1", 9))
    assert refused == ["('127.0.0.1', 9)"] * 2


@pytest.mark.parametrize("given", ["", "ten", "100,", "8", "101", "100;1000"])
def test_sizes_must_be_even_numbers(given):
    with pytest.raises(ConfigError, match="even numbers"):
        sizes_of(given)


@pytest.mark.parametrize(
    "options",
    [
        ["--plot", "x.png"],
        ["stream", "--sizes", "100"],
        ["peers", "--save"],
        ["peers", "--sizes=1"],
    ],
)
def test_options_of_the_other_benchmarks_are_refused(options, capsys):
    assert main(["bench", *options]) == 2
    assert "peers" in capsys.readouterr().err or "--sizes" in options[-1]


def test_the_command_draws_and_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(listed, "PEERS", (peer(), peer(name="gone", package="no-such-memory")))
    options = ["--sizes", "10,20", "--plot", str(tmp_path / "peers.png")]
    assert main(["bench", "peers", *options]) == 0
    said = capsys.readouterr()
    assert "fake: 20 messages" in said.err
    assert said.out.count("fake  Window") == 2
    assert (tmp_path / "peers.png").read_bytes()[:4] == b"\x89PNG"


def test_nothing_installed_is_nothing_measured(capsys, monkeypatch):
    monkeypatch.setattr(listed, "PEERS", (peer(package="no-such-memory"),))
    assert main(["bench", "peers", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["times"] == []


@pytest.mark.parametrize("one", PEERS, ids=lambda one: one.name)
def test_every_peer_that_is_installed(one):
    """Returns texts it was given; memlab's counterpart, the same number of tokens or less."""
    with offline() as refused:
        (found,) = timed([one], [20])
    if isinstance(found, Skipped):
        assert found.reason.startswith("not installed")
        pytest.skip(found.reason)
    assert found.read_ms > 0 < found.write_us
    assert 0 < found.own_tokens <= found.tokens
    assert found.same > 0.3
    assert refused == []
