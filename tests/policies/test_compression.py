"""When messages are compressed, and which of them stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.models import ExtractiveSummarizer
from memlab.policies import CompressOnThreshold
from memlab.policies.compression import LABELS, label
from memlab.protocols import Passage
from memlab.tokens import tokenizer
from memlab.types import Turn, utc

BPE = tokenizer()


def messages(*roles, text="Boat {} left Oslo at noon.", call=None):
    return [
        Turn(
            id=f"t{i}",
            text=text.format(i),
            time=utc("2024-05-08"),
            role=role,
            meta={} if call is None or i not in call else {"call": "c"},
        )
        for i, role in enumerate(roles)
    ]


def compress(said, earlier=(), tokens=100, policy=None):
    policy = policy or CompressOnThreshold()
    return policy.compress(said, earlier, ExtractiveSummarizer(), tokens, BPE)


class Wordy:
    """Says more than it may."""

    def summarize(self, passages, tokens, counter):
        return [Passage("tea " * 2 * tokens, passages[0].sources)]


def test_the_threshold_is_four_fifths_of_the_limit():
    # .8 x 32000 = 25600: more than that is too much.
    assert not CompressOnThreshold().due(25_600, 32_000)
    assert CompressOnThreshold().due(25_601, 32_000)
    assert CompressOnThreshold(share=0.5).due(51, 100)


@pytest.mark.parametrize("count", range(5))
def test_four_messages_change_nothing(count):
    said = messages(*["user"] * count)
    assert CompressOnThreshold().split(said).old == ()
    earlier = [Passage("Ann likes tea.", ("t99",))]
    assert compress(said, earlier) == (earlier, said)


def test_all_but_the_last_four_become_one_summary():
    said = messages(*["user", "assistant"] * 4)
    summary, kept = compress(said)
    assert [one.id for one in kept] == ["t4", "t5", "t6", "t7"]
    assert [source for one in summary for source in one.sources] == ["t0", "t1", "t2", "t3"]


def test_the_earlier_summary_is_carried_on():
    first, kept = compress(messages(*["user"] * 8))
    more = [*kept, *messages(*["user"] * 12)[8:]]
    second, kept = compress(more, first, tokens=200)
    assert [source for one in second for source in one.sources] == [f"t{i}" for i in range(8)]
    assert [one.id for one in kept] == ["t8", "t9", "t10", "t11"]


def test_system_messages_are_pinned():
    said = messages("system", "user", "user", "system", *["user"] * 4)
    split = CompressOnThreshold().split(said)
    assert split.old == (1, 2)
    assert split.kept == (0, 3, 4, 5, 6, 7)
    assert CompressOnThreshold().split(messages(*["system"] * 9)).old == ()


def test_a_call_and_its_result_stay_together():
    said = messages("user", "assistant", "tool", *["user"] * 3, call={1, 2})
    # Six messages: the last four would begin with the result, so its call stays as well.
    assert CompressOnThreshold().split(said).old == (0,)
    summary, _ = compress(said, policy=CompressOnThreshold(keep=3))
    assert summary[-1].sources == ("t1", "t2")


def test_the_summary_keeps_to_its_tokens():
    summary, _ = compress(messages(*["user"] * 30), tokens=60)
    assert 0 < sum(BPE.count(one.text) for one in summary) <= 60
    with pytest.raises(ContractError, match="at most 60"):
        CompressOnThreshold().compress(messages(*["user"] * 9), [], Wordy(), 60, BPE)


def test_labels_stand_in_the_language_of_the_summary():
    assert LABELS == {"zh": "[历史摘要] ", "en": "[History summary] "}
    assert label("Ann moved to Oslo.") == "[History summary] "
    assert label("王芳搬到了奥斯陆。") == "[历史摘要] "


@given(st.lists(st.sampled_from(["user", "system", "assistant"]), max_size=12), st.integers(0, 6))
def test_every_message_is_old_or_kept(roles, keep):
    said = messages(*roles)
    old, kept = CompressOnThreshold(keep=keep).split(said)
    assert sorted([*old, *kept]) == list(range(len(said)))
    assert all(said[i].role != "system" for i in old)
    free = [i for i in kept if said[i].role != "system"]
    assert len(free) == min(keep, sum(role != "system" for role in roles))


@pytest.mark.parametrize("fault", [{"keep": -1}, {"share": 2.0}])
def test_faults_are_told(fault):
    with pytest.raises(ConfigError, match=next(iter(fault))):
        CompressOnThreshold(**fault).check()
