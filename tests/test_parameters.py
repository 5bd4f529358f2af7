"""What differs between strategies of one class is a column, of fresh and of loaded runs."""

import pandas as pd
import pytest

import memlab as ml
from memlab import registry
from memlab.models import Hashing
from memlab.parameters import TAKEN
from memlab.registry import STRATEGIES, load_target
from memlab.strategies import BM25, Hybrid, TokenWindow, Vector, Window

SAMPLE = ml.load("quickstart").take(2)
IDS = [talk.id for talk in SAMPLE]


def run(strategies, out=None):
    return ml.evaluate(strategies, SAMPLE, ["Recall(k=5)"], budget=[50, 200], out=out)


def listed(frame):
    """Return a frame as lists, NaN as None."""
    return frame.astype(object).where(frame.notna(), None).to_dict("list")


def test_columns_of_a_fresh_and_of_a_loaded_run(tmp_path):
    strategies = {
        **ml.grid(BM25, k1=[0.9, 1.5], name="bm25 {k1}"),
        **ml.grid(Window, turns=[5, 10], name="last {turns}"),
        "tokens": TokenWindow(),
    }
    fresh = run(strategies, out=tmp_path)
    loaded = ml.Results.load(fresh.path, dataset=SAMPLE)
    for results in (fresh, loaded):
        assert listed(results.parameters) == {
            "strategy": ["bm25 0.9", "bm25 1.5", "last 5", "last 10", "tokens"],
            "k1": [0.9, 1.5, None, None, None],  # 1.5 is a default, and told all the same
            "turns": [None, None, 5, 10, None],
        }
        summary = results.summary()
        assert list(summary.columns)[:4] == ["strategy", "budget", "k1", "turns"]
        assert listed(summary[summary["budget"] == 50][["strategy", "k1", "turns"]]) == listed(
            results.parameters
        )
        rows = results.rows
        assert set(rows.loc[rows["strategy"] == "last 5", "turns"]) == {5}
        assert rows.loc[rows["strategy"] == "bm25 0.9", "k1"].eq(0.9).all()
        assert rows.loc[rows["strategy"] == "tokens", ["k1", "turns"]].isna().all(axis=None)
    written = pd.read_csv(fresh.path / "summary.csv")
    assert list(written["turns"].dropna()) == [5, 5, 10, 10]


def test_a_value_is_shown_of_every_strategy_that_has_the_parameter():
    strategies = {**ml.grid(BM25, form=["text", "dated"]), "v": Vector(embedder=Hashing())}
    assert listed(run(strategies).parameters)["form"] == ["text", "dated", "speaker"]


def test_parts_have_dotted_names_and_other_classes_their_name():
    strategies = {
        **ml.grid(Vector(embedder=Hashing()), **{"embedder.dimension": [64, 128]}),
        "hybrid": Hybrid(legs=(BM25(), Vector(embedder=Hashing())), weights=(0.5, 0.5)),
        "other": Hybrid(legs=(BM25(b=0.4), Vector(embedder=Hashing())), weights=(0.4, 0.6)),
        "three": Hybrid(legs=(BM25(), BM25(), BM25(b=0.1)), weights=(1.0, 1.0, 1.0)),
    }
    assert listed(run(strategies).parameters) == {
        "strategy": list(strategies),
        "embedder.dimension": [64, 128, None, None, None],
        "legs": [None, None, "(BM25, Vector)", "(BM25, Vector)", "(BM25, BM25, BM25)"],
        "weights": [None, None, "(0.5, 0.5)", "(0.4, 0.6)", "(1.0, 1.0, 1.0)"],
        "legs.0.b": [None, None, 0.75, 0.4, 0.75],
    }


def test_a_strategy_for_each_conversation_gives_each_record_its_own():
    by_talk = {"tuned": {IDS[0]: Window(turns=1), IDS[1]: Window(turns=8)}, "w": Window(turns=8)}
    results = run(by_talk)
    assert listed(results.parameters) == {
        "strategy": ["tuned", "tuned", "w"],
        "conversation": [*IDS, None],
        "turns": [1, 8, 8],
    }
    rows = results.rows
    tuned = rows[rows["strategy"] == "tuned"].groupby("conversation", sort=False)["turns"]
    assert listed(tuned.agg(["min", "max"])) == {"min": [1, 8], "max": [1, 8]}
    assert listed(results.summary())["turns"] == [None, None, 8, 8]  # not one value: none


def test_no_column_is_shadowed():
    results = run(ml.grid(TokenWindow, tokens=[50, 100]))
    rows = results.rows
    assert listed(results.parameters)["strategy.tokens"] == [50, 100]
    assert list(rows["tokens"]) == [record.tokens for record in results.records]
    assert set(rows["strategy.tokens"]) == {50, 100}


def test_a_dial_of_the_data_keeps_its_column():
    @ml.strategy
    class Far(Window):
        distance: int = 1

    results = run({"near": Far(), "far": Far(distance=2)})
    assert {record.dials.get("distance") for record in results.records} > {5.0}
    assert list(results.rows["distance"].dropna()) == [
        record.dials["distance"] for record in results.records if "distance" in record.dials
    ]
    assert listed(results.parameters)["strategy.distance"] == [1, 2]


def test_nothing_that_differs_gives_no_column():
    results = run({"a": Window(), "b": BM25(), "c": Window(turns=None)})
    assert list(results.parameters.columns) == ["strategy"]


def test_the_columns_of_the_tables_are_all_taken():
    results = run({"a": Window()})
    metric = {name for name in results.summary().columns if name.startswith("Recall(k=5)")}
    dials = {dial for record in results.records for dial in record.dials}
    shown = {*results.summary().columns, *results.rows.columns}
    assert shown - metric - dials == TAKEN


def test_loading_imports_no_class_that_a_run_names(tmp_path, monkeypatch):
    results = run(ml.grid(Window, turns=[5, 10]), out=tmp_path)
    manifest = results.path / "manifest.json"
    manifest.write_text(
        manifest.read_text("utf-8").replace("Window(", "not.there:Window("), "utf-8"
    )
    loaded = ml.Results.load(results.path)
    assert listed(loaded.parameters)["turns"] == [5, 10]


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_full_text_of_every_strategy_can_be_taken_apart(name):
    from memlab.naming import fields, spell
    from memlab.outline import outline

    memory = load_target(registry.STRATEGIES[name])()
    assert set(fields(memory)) <= set(outline(spell(memory, full=True)))
