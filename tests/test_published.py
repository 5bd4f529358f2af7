"""Values from the literature beside what was measured."""

import pytest

import memlab as ml
from memlab.config import read_config
from memlab.errors import ConfigError, Faults
from memlab.published import Published, read_published
from memlab.render import grid_by

PAPER = {"label": "Paper", "source": "A. Author (2024)", "values": {"Recall(k = 5)": 0.604}}


def run(*published, dataset="quickstart", **more):
    strategies = {"bm25": "BM25()"}
    return ml.evaluate(strategies, dataset, ["Recall(k=5)", "MRR()"], published=published, **more)


def test_a_row_beside_the_measured_ones():
    text = repr(run(PAPER))
    [row] = [line for line in text.splitlines() if line.startswith("Paper (published)")]
    assert row.split()[2:] == ["0.604", *["–"] * 7]
    assert "published, not measured here: Paper: A. Author (2024)" in text


def test_nothing_measured_depends_on_it():
    assert run(PAPER).manifest["hash8"] == run().manifest["hash8"]
    assert "published" not in repr(run())


def test_a_category_has_its_row_in_the_table_by_category():
    results = run(PAPER | {"category": "update"})
    assert "(published)" not in repr(results).split("±:")[0]
    one = grid_by(run(), "category")[1][0][0]
    _, rows = grid_by(run(PAPER | {"category": one}), "category")
    assert [row for row in rows if row[0] == one][-1] == [
        one,
        "Paper (published)",
        "0.604",
        "–",
        "–",
    ]
    assert str(rows).count("(published)") == 1


def test_a_data_set_of_several_has_its_cell():
    both = [{"name": "quickstart"}, {"name": "synthetic", "conversations": 2}]
    text = repr(run(PAPER | {"dataset": "synthetic-en"}, dataset=both))
    [row] = [line for line in text.splitlines() if line.startswith("Paper (published)")]
    assert row.split()[2:] == ["–", "0.604", "–"]


def test_the_run_folder_keeps_it(tmp_path):
    results = run(PAPER, out=tmp_path)
    folder = tmp_path / f"quickstart-{results.manifest['hash8']}"
    assert "Paper (published)" in repr(ml.Results.load(folder))
    assert read_config(folder / "spec.toml")["published"] == [
        {"label": "Paper", "source": "A. Author (2024)", "values": {"Recall(k=5)": 0.604}}
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("x", "a list of tables"),
        ([1], "a table with label"),
        ([PAPER | {"lable": 1}], "unknown key 'lable'"),
        ([{"label": "x", "source": "", "values": {"MRR()": 1}}], "source=''"),
        ([PAPER | {"values": {}}], "values="),
        ([PAPER | {"values": {"MRR()": "high"}}], "a finite number"),
        ([PAPER | {"values": {"MMR()": 0.1}}], "MMR"),
    ],
)
def test_faults_are_told_before_anything_is_run(given, message):
    with pytest.raises(ConfigError, match=message):
        read_published(given)
    with pytest.raises(Faults, match=message):
        ml.evaluate({"bm25": "BM25()"}, "quickstart", ["MRR()"], published=given)


def test_published_values_are_taken_as_they_are():
    one = Published("P", "s", {"MRR()": 0.5}, category="x")
    assert read_published([one]) == (one,)
    assert one.table() == {"label": "P", "source": "s", "values": {"MRR()": 0.5}, "category": "x"}
