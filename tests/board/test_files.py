"""The claims that come with memlab: every one is there, readable, and says what it lacks."""

import tomllib
import warnings
from pathlib import Path

import pytest

import memlab as ml
from memlab.board.entries import read_entries
from memlab.board.measuring import missing, not_at_hand
from memlab.board.needs import absent, named
from memlab.board.reading import read_claims
from memlab.parsing import parse
from memlab.registry import COMPONENTS, STRATEGIES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments" / "hypotheses"
CLAIMS = read_claims(FOLDER)
SEEDS = tomllib.loads((ROOT / "tests" / "seeds" / "hypotheses.toml").read_text("utf-8"))
ENTRIES = read_entries(ROOT / "results" / "hypotheses.json")
WORKLOADS = [(claim, workload) for claim in CLAIMS for workload in claim.workloads]
NAMES = [f"{claim.id}, {workload.name}" for claim, workload in WORKLOADS]


def test_every_claim_is_named_once():
    assert [claim.id for claim in CLAIMS] == list(SEEDS)
    assert len({claim.claim for claim in CLAIMS}) == len(CLAIMS) == 58


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_has_two_workloads_that_differ(claim):
    assert len(claim.workloads) >= 2
    runs = [(w.experiment["dataset"], w.experiment["strategies"]) for w in claim.workloads]
    assert all(runs.count(run) == 1 or _differ_in_checks(claim) for run in runs)
    assert claim.claim.endswith(".")
    assert all(workload.why.endswith((".", "?")) for workload in claim.workloads)


def _differ_in_checks(claim):
    titles = [tuple(check.title for check in workload.checks) for workload in claim.workloads]
    return len(set(titles)) == len(titles)


@pytest.mark.parametrize(("claim", "workload"), WORKLOADS, ids=NAMES)
def test_what_is_used_is_registered_or_named_as_missing(claim, workload):
    needs = (*claim.needs, *workload.needs)
    lacking = missing(claim, workload)
    for spelt in workload.experiment["strategies"].values():
        unknown = [name for name in named(spelt) if name not in COMPONENTS]
        assert {name for name in unknown if f"memlab has no {name} yet" not in lacking} == set()
        if not lacking:
            assert repr(parse(spelt)), "it is measurable, so it must be readable"
    for name in {need.partition(".")[0] for need in needs}:
        used = any(name in spelt for spelt in workload.experiment["strategies"].values())
        spelt_elsewhere = any(
            name in spelt for w in claim.workloads for spelt in w.experiment["strategies"].values()
        )
        metrics = any(name in check.scored.metric for check in workload.checks)
        apart = name in ("synthetic", "memlab")
        assert used or spelt_elsewhere or metrics or apart, f"{name} is needed, but for what?"


def test_what_is_missing_is_missing():
    # The sentence of the board names what the registry does not have.
    told = {why for claim, workload in WORKLOADS for why in missing(claim, workload)}
    assert all(why.startswith(("memlab has no ", "memlab's ", "synthetic dial")) for why in told)
    assert absent(["BM25", "Vector", "Hybrid", "Window"]) == ()


def sizes(workload):
    """Return the data sets of a workload, cut to one conversation each."""
    given = workload.experiment["dataset"]
    for table in given if isinstance(given, list) else [given]:
        yield table | ({"conversations": 1} if table["name"] == "synthetic" else {"limit": 1})


@pytest.mark.parametrize(("claim", "workload"), WORKLOADS[::3], ids=NAMES[::3])
def test_a_workload_loads(claim, workload):
    if why := not_at_hand(workload):
        pytest.skip(why)
    for table in sizes(workload):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = ml.load(**table)
        assert sum(1 for talk in data for _ in talk.probes()) > 0


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_is_measured_as_its_file_stands(claim):
    if all(missing(claim, workload) for workload in claim.workloads):
        assert claim.id not in ENTRIES, "a verdict on what cannot be measured"
        return
    entry = ENTRIES[claim.id]
    assert entry.digest == claim.digest, f"memlab hypotheses {claim.id} --run"
    named_there = [measured.workload for measured in entry.workloads]
    assert named_there == [w.name for w in claim.workloads if not missing(claim, w)]
    for measured in entry.workloads:
        for check in measured.checks:
            assert check.n > 0
            assert check.effect is not None


def test_the_page_of_the_docs_is_up_to_date():
    made = ml.hypotheses(files=FOLDER, out=ROOT / "results").to_markdown()
    page = (ROOT / "docs" / "hypotheses.md").read_text("utf-8")
    assert made == page, "memlab hypotheses --markdown > docs/hypotheses.md"


def test_every_strategy_is_tested_for_leaks():
    first = next(claim for claim in CLAIMS if claim.id == "H53").workloads[0]
    used = {name for spelt in first.experiment["strategies"].values() for name in named(spelt)}
    assert set(STRATEGIES) <= used, "add it to experiments/hypotheses/H53.toml"
