"""Kinds of memory: every registered strategy is tagged, and the tables show it."""

import pytest

import memlab as ml
from memlab.catalogue import catalogue
from memlab.errors import ConfigError
from memlab.naming import strategy
from memlab.registry import STRATEGIES, load_target
from memlab.strategies import NoMemory
from memlab.taxonomy import CHOICES, Tags, kinds, tags_of

LABELS = {"window": "Window(turns=5)", "bm25": "BM25()"}


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_registered_strategy_is_tagged(name):
    found = tags_of(load_target(STRATEGIES[name]))
    assert found is not None
    assert all(value in CHOICES[tag] for tag, value in found._asdict().items())


def test_the_tables_of_a_run_show_the_tags(tmp_path):
    made = ml.evaluate(LABELS, "quickstart", ["MRR()"], budget=50, out=tmp_path)
    table = ml.Results.load(made.path).summary().set_index("strategy")
    assert list(table.loc["bm25", list(CHOICES)]) == [
        "long-term",
        "in-memory",
        "dialogue",
        "exact match",
    ]
    line = "window: short-term, in-memory, dialogue, recency; bm25: long-term, in-memory"
    assert line in repr(made)
    assert line in made._repr_html_()


def test_the_list_of_strategies_shows_the_tags():
    (row,) = (row for row in catalogue("strategies") if row["name"] == "Vector")
    assert (row["storage"], row["access"]) == ("vector index", "semantic")


@strategy
class Untagged(NoMemory):
    """A memory of somebody who knows nothing of tags."""

    taxonomy = None


def test_a_strategy_without_tags_is_left_out():
    made = ml.evaluate({"own": Untagged(), **LABELS}, "quickstart", ["MRR()"], budget=50)
    assert set(kinds(made.manifest)) == set(LABELS)
    assert made.summary()["duration"].isna().tolist() == [True, False, False]


def test_wrong_tags_are_told():
    class Odd:
        taxonomy = Tags("long term", "in-memory", "dialogue", "recency")

    class Short:
        taxonomy = ("long-term",)

    with pytest.raises(ConfigError, match=r"(?s)duration 'long term'.*did you mean 'long-term'"):
        tags_of(Odd())
    with pytest.raises(ConfigError, match="Tags"):
        tags_of(Short())

    class Nameless:
        taxonomy = Tags(None, "in-memory", "dialogue", "recency")

    with pytest.raises(ConfigError, match="duration None in a taxonomy"):
        tags_of(Nameless())
