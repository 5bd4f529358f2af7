"""Evidence strings as annotators write them."""

import pytest

from memlab.reading.references import mend

SEVERAL = ("several ids in one string", "repaired")
KNOWN = dict.fromkeys(["D1:1", "D12:2", "D12:3", "D12:5", "D12:6", "D13:1", "D13:4", "session_1#0"])


@pytest.mark.parametrize(
    ("written", "evidence", "faults"),
    [
        ("D12:3-D12:5", ("D12:3", "D12:5"), [("range of ids", "repaired")]),  # D12:4 was removed
        ("D12:3 – 5", ("D12:3", "D12:5"), [("range of ids", "repaired")]),
        ("D12:5 to D12:2", ("D12:2", "D12:3", "D12:5"), [("range of ids", "repaired")]),
        ("D12:6-D13:4", ("D12:6", "D13:1", "D13:4"), [("range of ids", "repaired")]),
        ("(D12:2-D12:3), D13:4", ("D12:2", "D12:3", "D13:4"), [("range of ids", "repaired")]),
        ("D14:1-D14:9", (), [("id of no turn", "dropped")]),
        ("D13:4. D14:4", ("D13:4",), [SEVERAL, ("id of no turn", "dropped")]),
        ("D5:12;D5:16", (), [("id of no turn", "dropped")] * 2),
        ("D12:3;D12:5", ("D12:3", "D12:5"), [SEVERAL]),
        ("D12:3-", ("D12:3",), [("id in other text", "repaired")]),
        ("D9999999999:1", (), [("cut-off id", "dropped")]),
        ("session_1#0", ("session_1#0",), []),
    ],
)  # fmt: skip
def test_ranges_and_lists(written, evidence, faults):
    mended = mend([written], KNOWN)
    assert mended.evidence == evidence
    assert [(kind, action) for kind, _, action in mended.faults] == faults


def test_the_lost_part_is_named():
    assert mend(["D13:4. D14:4"], KNOWN).faults[1] == ("id of no turn", "D14:4", "dropped")


def test_an_id_inside_a_range_counts_once():
    mended = mend(["D12:3", "D12:2-D12:5"], KNOWN)
    assert mended.evidence == ("D12:3", "D12:2", "D12:5")
    assert [kind for kind, *_ in mended.faults] == ["range of ids", "repeated id"]
