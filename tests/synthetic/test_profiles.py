"""The profiles are frozen, and as like the data they are fitted to as they are said to be."""

import pytest

import memlab as ml
from memlab.content import dataset_digest

# ml.describe of LoCoMo (repaired, ten conversations) and of BEAM (100K, five chats);
# tests/test_portrait.py checks these figures where the data are present.
REAL = {
    "chat": {
        "evidence share": 0.243,
        "distance share": 0.471,
        "evidence position": 0.477,
        "overlap": 0.483,
        "text AUC": 0.796,
        "length AUC": 0.751,
    },
    "assistant": {
        "evidence share": 0.229,
        "evidence share: user": 0.320,
        "evidence share: assistant": 0.138,
        "distance share": 0.497,
        "evidence position": 0.391,
        "overlap": 0.359,
        "text AUC": 0.652,
        "length AUC": 0.389,
    },
}
TOKENS = {"chat": 31.8, "assistant": 548.0}
FROZEN = {"chat": "d5fa5ed5c7dd909f", "assistant": "3efb32096c341689"}


@pytest.fixture(params=REAL, scope="module")
def profile(request):
    return request.param, ml.load("synthetic", profile=request.param)


def test_a_profile_is_frozen(profile):
    name, data = profile
    assert dataset_digest(data)[:16] == FROZEN[name]


def test_its_statistics_are_those_of_the_real_data(profile):
    name, data = profile
    found = ml.describe(data)["mean"]
    for statistic, real in REAL[name].items():
        assert found[statistic] == pytest.approx(real, abs=0.05), statistic
    assert found["turn tokens"] == pytest.approx(TOKENS[name], rel=0.1)
