"""The reference is timed right before and after every benchmark, so that machines may drift."""

import pytest

from memlab.reference import timed, typical


@pytest.fixture(autouse=True)
def reference(request):
    if "benchmark" not in request.fixturenames:
        yield
        return
    benchmark = request.getfixturevalue("benchmark")
    before = timed(10)
    yield
    benchmark.extra_info["reference ns"] = typical(before, timed(10))
