"""The tables of a report: numbers that sort, denominators, no mixture of data sets."""

import math
import re

import pytest

from memlab.cells import latex, markdown
from memlab.errors import ConfigError
from memlab.reporting.about import definitions, facts, licences, notes, strategies
from memlab.reporting.compared import compared, probability
from memlab.reporting.counted import counted
from memlab.reporting.grid import Cell, estimated, limit, number
from memlab.reporting.overview import by_field, overview
from memlab.reporting.parts import parts
from memlab.stats import Estimate
from memlab.tables import estimate


def rows(grid):
    """Return the rows as dicts from heading to cell."""
    return [{c.name: cell for c, cell in zip(grid.columns, row, strict=True)} for row in grid.rows]


def test_cells_carry_what_they_are_sorted_by():
    assert number(1234.5, 1) == ("1,234.5", 1234.5, "", "")
    assert number(-0.25, 2).text == "−0.25"
    assert number(math.nan).text == "–"
    assert math.isnan(number(math.nan).key)
    assert limit(None) == limit(math.nan) == ("none", math.inf, "", "")
    assert limit(4000.0).text == "4,000"
    # Half of 0.4 … 0.6 is 0.1; of fewer than six clusters there is no interval to show.
    found = Estimate(0.5, 0.4, 0.6, 20, 8, 0, 0.05, descriptive=False)
    assert estimated(found).plain == "0.500 ±0.100"
    assert estimated(found._replace(descriptive=True)).plain == "0.500"
    assert Cell("a\0b").plain == "a\\x00b"


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "1"), (0.0312, "0.031"), (0.00098, "1e-03"), (2e-5, "2e-05")]
)
def test_p_values_have_two_digits_or_a_power_of_ten(p, text):
    assert probability(p) == Cell(text, p)


def test_the_overview_says_what_the_results_say(run):
    table = rows(overview(run))
    summary = run.summary().set_index("strategy")
    assert [row["strategy"].text for row in table] == list(summary.index)
    for row in table:
        told = summary.loc[row["strategy"].text]
        assert row["MRR()"].key == told["MRR()"]
        assert row["n"].key == told["Recall(k=5) n"]
        assert row["tokens"].key == told["tokens_read"]
        assert row["read ms"].key == told["read_ms_p50"]


def test_a_joined_run_has_a_line_for_each_data_set_and_their_mean(joined):
    table = rows(overview(joined))
    assert len(table) == 2 * 2 * 3  # strategies, budgets, two data sets and their macro-average
    for at in range(0, 12, 3):
        english, chinese, macro = table[at : at + 3]
        assert [r["data set"].text for r in (english, chinese, macro)] == [
            "english",
            "中文",
            "macro",
        ]
        mean = (english["Recall(k=5)"].key + chinese["Recall(k=5)"].key) / 2
        assert macro["Recall(k=5)"].key == pytest.approx(mean)
        assert math.isnan(macro["read ms"].key)
        assert macro["n"].key == english["n"].key + chinese["n"].key
    names = [name for name, _ in parts(joined)]
    assert names == ["english", "中文"]
    assert sum(len(part.records) for _, part in parts(joined)) == len(joined.records)
    split = rows(by_field(joined, "category"))
    assert {row["data set"].text for row in split} == set(names)


def test_by_a_field(run):
    table = rows(by_field(run, "category"))
    told = run.by("category").set_index(["category", "strategy"])
    for row in table:
        mean = told.loc[(row["category"].text, row["strategy"].text), "MRR()"]
        assert row["MRR()"].key == mean
    # Nothing is asked of the probes that cannot be answered.
    assert "abstention" not in {row["category"].text for row in table}
    assert {r["category"].text for r in table} < set(run.field("category"))


def test_ranges_of_a_dial_sort_by_size_and_not_by_text(run):
    table = rows(by_field(run, "distance"))
    values = dict.fromkeys(row["distance"].text for row in table)
    keys = [row["distance"].key for row in table]
    assert len(values) == 5
    assert sorted(set(keys)) == [0, 1, 2, 3, 4]
    lower = [float(re.match(r"[\d.]+", text)[0]) for text in values]
    assert lower == sorted(lower)
    with pytest.raises(ConfigError, match="no record has a field"):
        by_field(run, "distanse")


def test_the_comparison_keeps_every_line_and_its_verdict(run):
    made = run.compare("last 10")
    table = rows(compared(made))
    frame = made.table
    assert [row["verdict"].text for row in table] == list(frame["verdict"])
    assert [row["difference"].key for row in table] == list(frame["difference"])
    assert "budget" not in table[0]  # the run has one
    first, told = table[0], frame.iloc[0]
    assert first["wins"].text == f"{told['wins']}/{told['ties']}/{told['losses']}"
    assert first["difference"].faint.startswith("[")
    marks = {row["verdict"].text: row["verdict"].mark for row in table}
    assert all(m == ("open" if v not in ("better", "worse") else v) for v, m in marks.items())


def test_three_conversations_are_descriptive_and_show_no_interval(joined):
    table = rows(compared(joined.compare("窗口", by="dataset"), "by data set"))
    assert {row["verdict"].text for row in table} <= {"descriptive", "identical", "no pairs"}
    assert all(not row["difference"].faint for row in table if row["verdict"].text == "descriptive")
    assert {row["data set"].text for row in table} == {"english", "中文"}
    assert {row["budget"].text for row in table} == {"60", "none"}


def test_counts_add_up_to_the_probes(run, joined):
    for results in (run, joined):
        per_group = {name: len(p.records) // len(p.groups) for name, p in parts(results)}
        for row in rows(counted(results)):
            told = sum(row[n].key for n in ("n", "excluded", "unanswerable", "unmeasurable"))
            name = row["data set"].text if "data set" in row else next(iter(per_group))
            assert told == per_group[name]
    assert {row["strategy"].text for row in rows(counted(run))} == {"all 3"}


def test_strategies_whose_counts_differ_have_lines_of_their_own(run):
    records = [
        run.records[i] if run.records[i].strategy != "bm25" else _failed(run.records[i])
        for i in range(len(run.records))
    ]
    changed = run.changed(records, run.metrics, run.manifest)
    recall = [row for row in rows(counted(changed)) if row["metric"].text == "Recall(k=5)"]
    assert [row["strategy"].text for row in recall] == ["no memory, last 10", "bm25"]
    assert recall[1]["failed"].key == recall[1]["n"].key == 82


def _failed(record):
    from dataclasses import replace

    return replace(record, error="RuntimeError: no")


def test_what_must_be_known_of_the_run(run, joined):
    told = dict(facts(run))
    assert told["seed"] == "0"
    assert told["sha256 of the content"] == run.manifest["resolved"]["data"]
    assert told["hash of the run"] == run.manifest["hash8"]
    assert told["licence"] == "CC0-1.0"
    assert "probes" in told
    assert [row[0].text for row in strategies(run).rows] == ["no memory", "last 10", "bm25"]
    assert [row[0].text for row in definitions(run).rows] == ["Recall(k=5)", "MRR()", "StaleHit()"]
    assert [row[2].text for row in definitions(run).rows] == ["higher", "higher", "lower"]
    assert licences(joined) == ["english: CC0-1.0", "中文: CC0-1.0"]
    assert any(note.startswith("macro:") for note in notes(joined))
    assert not any("last table" in note for note in notes(joined))


def test_markdown_and_latex_have_every_cell(run):
    grid = overview(run)
    assert grid.left == 1
    assert markdown(grid.cells, left=grid.left).count("\n") == 1 + len(grid.rows)
    assert latex(grid.cells, left=grid.left).count(r"\\") == 1 + len(grid.rows)


def test_means_are_those_of_estimate(joined):
    ((_, english), _) = parts(joined)
    group, at = next(iter(english.groups.items()))
    first = rows(overview(joined))[0]
    assert (first["strategy"].text, first["budget"].text) == (group[0], str(group[1]))
    assert first["MRR()"].key == estimate(english, english.metrics[1], at).mean
