"""JUnit XML of a check, for the test reports of CI services."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from memlab.gate.changes import Lost
from memlab.gate.contrast import BLIND, REGRESSION, Contrast

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(name: str, contrasts: Sequence[Contrast], lost: Sequence[Lost], *, measured: bool) -> str:
    """Return a suite with a case per contrast, skipped where it cannot be judged.

    What was lost fails, a case each; a run that measured nothing is an error.
    """
    suite = ElementTree.Element("testsuite")
    for one in contrasts:
        at = "" if one.budget is None else f" at {one.budget} tokens"
        case = _case(suite, f"{one.part}.{one.strategy}", f"{one.measure}{at}")
        if one.verdict == REGRESSION:
            _add(case, "failure", _told(one), REGRESSION)
        elif one.verdict == BLIND:
            _add(case, "skipped", BLIND)
        else:
            ElementTree.SubElement(case, "system-out").text = _clean(_told(one))
    for i, gone in enumerate(lost, 1):
        case = _case(suite, f"lost.{gone.strategy or 'run'}", f"{gone.kind} {i}")
        _add(case, "failure", gone.text, gone.kind)
    if not measured:
        _add(_case(suite, "gate", "measured"), "error", "nothing was measured", "nothing")
    counts = {kind: len(suite.findall(f"*/{kind}")) for kind in ("failure", "error", "skipped")}
    suite.attrib |= {"name": _clean(name), "tests": str(len(suite)), "time": "0"}
    suite.attrib |= {"failures": str(counts["failure"]), "errors": str(counts["error"])}
    suite.attrib |= {"skipped": str(counts["skipped"])}
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _told(one: Contrast) -> str:
    return (
        f"baseline {one.baseline:.4g}, run {one.run:.4g}, change {one.change:+.4g} "
        f"[{one.low:.4g}, {one.high:.4g}], limit {one.limit:g}, p adjusted {one.adjusted:.3g}, "
        f"n {one.n}, conversations {one.clusters}, worse {one.worse}, "
        f"found from {one.detectable:.3g}: {one.verdict}"
    )


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    given = {"classname": _clean(group), "name": _clean(name), "time": "0"}
    return ElementTree.SubElement(suite, "testcase", given)


def _add(case: ElementTree.Element, tag: str, text: str, kind: str = "") -> None:
    given = {"message": _clean(text)} | ({"type": kind} if kind else {})
    ElementTree.SubElement(case, tag, given)


def _clean(text: str) -> str:
    """Replace what XML 1.0 cannot hold, escaped or not."""
    return _NO_XML.sub("\ufffd", text)
