"""What is measured beside every benchmark: the reference, and how long others had the processor.

Right before and after it, so that the speed of the machine may drift.
"""

from pathlib import Path
from time import perf_counter_ns

import pytest

from memlab.reference import timed, typical


def waited():
    """Nanoseconds that this process was ready to run and did not; 0 where no system tells."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1])
    except (OSError, IndexError):
        return 0


@pytest.fixture(autouse=True)
def reference(request):
    if "benchmark" not in request.fixturenames:
        yield
        return
    benchmark = request.getfixturevalue("benchmark")
    before, begin, ready = timed(10), perf_counter_ns(), waited()
    yield
    share = (waited() - ready) / (perf_counter_ns() - begin)
    benchmark.extra_info["waited"] = round(share, 3)
    benchmark.extra_info["reference ns"] = typical(before, timed(10))
