"""The published figures of LoCoMo retrieval, from the committed experiment.

Stemmed BM25 on the text form of the paper (arXiv 2402.17753), raw labels compared verbatim,
fractional turn recall over all 1,986 questions: 55.4 / 63.5 / 72.2 / 76.8; unstemmed
52.1 / 59.1 / 67.4 / 71.4; with the session's date 57.5 / 65.5 / 73.6 / 78.8.
"""

from pathlib import Path

import pytest

from memlab.config import read_config
from memlab.runner import evaluate

ROOT = Path(__file__).resolve().parent.parent.parent
PUBLISHED = {
    "bm25 stemmed": (55.4, 63.5, 72.2, 76.8),
    "bm25 unstemmed": (52.1, 59.1, 67.4, 71.4),
    "bm25 stemmed, dated": (57.5, 65.5, 73.6, 78.8),
}


@pytest.fixture(scope="module")
def official(locomo_path):
    config = read_config(ROOT / "experiments" / "locomo-official.toml")
    config |= {"out": None, "dataset": config["dataset"] | {"path": str(locomo_path)}}
    return evaluate(**config)


@pytest.mark.parametrize("label", PUBLISHED)
def test_the_official_protocol_gives_the_published_recall(official, label):
    summary = official.summary().set_index("strategy")
    names = [repr(metric) for metric in official.metrics]
    assert [summary.loc[label, f"{name} n"] for name in names] == [1986] * 4
    found = [100 * summary.loc[label, name] for name in names]
    assert found == pytest.approx(PUBLISHED[label], abs=0.5)
    assert found[:1] == pytest.approx(PUBLISHED[label][:1], abs=0.1)


def test_raw_labels_hold_ids_that_can_never_be_hit(official):
    # 9 of 2,815 references match no turn, as the list of defects has it.
    assert official.manifest["dataset"]["dangling"] == 9
