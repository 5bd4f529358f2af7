"""Parameters read back from their text, or are refused; the text is the same in every process."""

import enum
import functools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memlab.errors import ConfigError
from memlab.fingerprint import fingerprint
from memlab.history import TurnMemory
from memlab.naming import spell, strategy
from memlab.parsing import parse
from memlab.strategies import Window


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


def clean(text):
    return text.strip()


@strategy
class Kept(TurnMemory):
    value: object = None


@pytest.mark.parametrize(
    "value",
    [
        set(),
        frozenset(),
        {"b", "a"},
        frozenset({"b", "a"}),
        {frozenset({1}): [set(), {1.5: (frozenset(),)}]},
        Path("a/b"),
        {"where": [Path("a'b"), Path()]},
        Mode.FAST,
        [Mode.SLOW, Mode.FAST],
        clean,
        {clean: (clean, None)},
        float("-inf"),
    ],
    ids=str,
)
def test_what_reads_back_is_equal_and_the_same_run(value):
    memory = Kept(value=value)
    again = parse(repr(memory))
    assert (again.value, type(again.value)) == (value, type(value))
    assert again == memory
    assert fingerprint([again]) == fingerprint([memory])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (functools.partial(clean, "x"), "functools.partial"),
        (re.compile("a" * 300), "a" * 300),
        (np.arange(3000), "shape=(3000,)"),
        (pd.DataFrame({"a": [1]}), "DataFrame"),
        (lambda text: text, "<lambda>#"),
        (Window(turns=2).reset, "Window(turns=2).reset"),
        (object(), "builtins:object()"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_does_not_read_back_is_refused_and_has_no_address(value, shown):
    text = repr(Kept(value=value))
    assert shown in text
    assert "0x" not in text
    with pytest.raises(ConfigError):
        parse(text)


def test_a_name_is_called_only_if_it_makes_a_plain_value():
    for text in ("Kept(value=set(1, 2))", "Path(name='x')", "Kept(value=list((1,)))"):
        with pytest.raises(ConfigError):
            parse(text)
    with pytest.raises(ConfigError, match="cannot read"):
        parse("Path(3)")


def test_equality_is_that_of_the_texts():
    assert Window(turns=5) != Window(turns=5.0)
    assert Window(turns=5) == Window(turns=np.int64(5))
    assert Kept(value=np.arange(3000)) == Kept(value=np.arange(3000))
    assert Kept(value=np.arange(3000)) != Kept(value=np.arange(3000.0))
    changed = np.arange(3000)
    changed[1500] = 0
    assert Kept(value=changed) != Kept(value=np.arange(3000))


def made(n):
    return lambda text: text[:n]


def test_functions_that_share_a_name_are_told_apart():
    assert spell(made(1)) == spell(made(2))
    assert Kept(value=made(1)) == Kept(value=made(1))
    assert len({Kept(value=made(1)), Kept(value=made(2)), Kept(value=lambda text: "")}) == 3


def test_a_parameter_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ConfigError, match="holds itself"):
        repr(Kept(value=loop))


def test_a_proxy_is_not_asked():
    class Proxy:
        __slots__ = ()

        def __getattr__(self, name):
            raise RuntimeError("outside of a request")

        __class__ = property(lambda self: self.anything)

    assert "Proxy()" in spell(Proxy())
