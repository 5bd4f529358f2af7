"""Tables of texts: escaping for each format."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.cells import html, latex, markdown, plain

HOSTILE = ["<script>", "a|b", "50 %", "a_b", "[x](http://e.org)", "\\end{tabular}", "日本", "a\nb"]


def test_wide_letters_keep_columns_in_line():
    lines = plain((["name", "n"], [["中文", "1"], ["ab", "22"]])).splitlines()
    assert lines == ["name   n", "中文   1", "ab    22"]


def test_html_shows_what_it_is_given():
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.cells, self.tags = [], set()

        def handle_starttag(self, tag, attrs):
            self.tags.add(tag)
            if tag in ("td", "th"):
                self.cells.append("")

        def handle_data(self, data):
            self.cells[-1] += data

    reader = Reader()
    reader.feed(html((HOSTILE, [HOSTILE])))
    assert reader.cells == HOSTILE * 2
    assert reader.tags == {"table", "thead", "tbody", "tr", "td", "th"}


@given(st.lists(st.text(), min_size=2, max_size=2))
def test_a_markdown_row_has_as_many_cells_as_its_header(row):
    line = markdown((["a", "b"], [row])).split("\n")[2]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


def test_latex_leaves_no_letter_that_means_something():
    body = latex((["head"], [[text] for text in HOSTILE]))
    assert r"\textless{}script\textgreater{}" in body
    assert r"50 \%" in body
    assert r"a\_b" in body
    assert body.count(r"\end{tabular}") == 1
    assert "a b" in body


@pytest.mark.parametrize("left", [0, 1, 2])
def test_alignment(left):
    cells = (["a", "b"], [["1", "2"]])
    assert markdown(cells, left).splitlines()[1].count("---:") == 2 - left
    assert ("{" + "l" * left + "r" * (2 - left) + "}") in latex(cells, left)


def test_a_caption_makes_a_floating_table():
    made = latex((["a"], [["1"]]), caption="50 % of x_1")
    assert made.startswith("\\begin{table}\n\\centering\n\\caption{50 \\% of x\\_1}\n")
    assert made.endswith("\\end{tabular}\n\\end{table}")


@pytest.mark.parametrize("label", ["[x] y", "*", "[2pt]"])
def test_no_label_is_taken_for_an_option_of_the_line_above(label):
    r"""After `\\\\`, `\midrule` and `\toprule` LaTeX reads `[…]` and `*` as their options."""
    made = latex(([label, "n"], [[label, "1"], [label, "2"]]))
    starts = [line for line in made.splitlines() if line.endswith(r"\\")]
    assert len(starts) == 3
    assert all(line.startswith("{}" + label) for line in starts)


def test_entities_are_shown_as_they_are_written():
    cells = (["a"], [["&lt;b&gt; &#60; R&D"]])
    assert r"&amp;lt;b&amp;gt; &amp;\#60; R&D" in markdown(cells)


def test_a_row_in_plain_text_is_one_line_without_control_characters():
    text = plain((["name", "n"], [["a\nb\tc", "1"], ["\x1b[31mred", "2"]]))
    assert text.splitlines() == ["name      n", "a b c     1", "\ufffd[31mred  2"]


def test_marks_that_take_no_column_take_none():
    lines = plain((["name", "n"], [["e\u0301\ufe0f", "1"], ["ab", "2"]])).splitlines()
    assert lines == ["name  n", "e\u0301\ufe0f     1", "ab    2"]
