"""JUnit XML: well formed whatever the labels are, with counts that add up."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from memlab.gate.changes import Lost
from memlab.gate.contrast import BLIND, REGRESSION, WITHIN, Contrast
from memlab.gate.junit import junit


def contrast(verdict=WITHIN, **given):
    known = {
        "part": "quality", "strategy": "s", "budget": 100, "measure": "MRR()", "baseline": 0.5,
        "run": 0.25, "change": -0.25, "low": -0.5, "high": 0.0, "limit": 0.01, "n": 4,
        "clusters": 2, "worse": 1, "adjusted": 0.001, "detectable": 0.1,
    }  # fmt: skip
    return Contrast(**known | given, verdict=verdict)


def suite(*arguments, measured=True):
    (found,) = ElementTree.fromstring(junit("run", *arguments, measured=measured))
    return found


def test_every_kind_of_case():
    given = [contrast(), contrast(REGRESSION), contrast(BLIND, budget=None)]
    lost = [Lost("metric", "", None, "MRR() is not in the run"), Lost("failure", "s", 1, "no")]
    found = suite(given, lost, measured=False)
    counts = {name: found.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "3", "errors": "1", "skipped": "1"}
    first, second, third, *rest = found
    assert (first.get("classname"), first.get("name")) == ("quality.s", "MRR() at 100 tokens")
    assert third.get("name") == "MRR()"
    assert "change -0.25 [-0.5, 0]" in second.find("failure").get("message")
    assert "found from 0.1" in first.find("system-out").text
    assert [case.get("classname") for case in rest] == ["lost.run", "lost.s", "gate"]


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_label_gives_xml(label, text):
    found = suite([contrast(REGRESSION, strategy=label, measure=text)], [Lost("x", label, 1, text)])
    assert len(found) == 2
