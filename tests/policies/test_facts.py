"""Facts of turns: who said them, which replace which, what they look like."""

from datetime import UTC, datetime

import pytest

from memlab.errors import ConfigError
from memlab.policies import PatternFacts
from memlab.protocols import Fact
from memlab.types import Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)


def facts(text, extractor=None, **more):
    extractor = extractor or PatternFacts()
    return extractor.facts(Turn(id="t1", text=text, time=NOW, **more))


def test_a_fact_has_predicate_object_text_source_and_slot():
    assert facts("我叫张三，我喜欢 Python") == [
        Fact("name", "张三", "我叫张三", "t1", "user/name"),
        Fact("like", "Python", "我喜欢 Python", "t1", "user/attitude:python"),
    ]


def test_two_clauses():
    found = [(f.predicate, f.object) for f in facts("我叫张三，我喜欢 Python")]
    assert found == [("name", "张三"), ("like", "Python")]


def test_an_attribute_keeps_its_value():
    assert [(f.predicate, f.object) for f in facts("我的名字是张三")] == [("名字", "张三")]


@pytest.mark.parametrize("text", ["我叫什么？", "我应该选择哪个？"])
def test_questions_give_nothing(text):
    assert facts(text) == []


def test_the_same_attribute_has_one_slot_in_both_forms():
    slots = [facts(text)[0].slot for text in ("我叫张三", "我的名字是李四", "My name is Ann")]
    assert slots == ["user/name"] * 3


def test_a_liking_and_its_denial_share_a_slot_others_do_not():
    like, dislike, other = (
        facts(text)[0].slot for text in ("I like tea.", "I don't like tea.", "I like milk.")
    )
    assert like == dislike != other


def test_what_is_said_of_a_person_stands_beside_the_rest():
    one, two = (facts(t)[0].slot for t in ("My boss Ann is from Oslo.", "My boss Ann is a vet."))
    assert one != two


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I decided to move to Bergen.", "Decision: I decided to move to Bergen"),
        ("我决定用 Rust。", "决策: 我决定用 Rust"),
    ],
)
def test_a_decision_is_labelled_in_its_language(text, shown):
    assert [f.text for f in facts(text)] == [shown]


def test_only_the_users_words_are_facts_unless_others_are_named():
    assert facts("我叫小助手", role="assistant") == []
    both = PatternFacts(roles=("user", "assistant"))
    (fact,) = facts("I like tea.", both, role="assistant", speaker="Bob")
    assert fact.text == "Bob: I like tea"
    assert fact.slot == "Bob/attitude:tea"


def test_the_original_drops_predicates_and_takes_questions():
    original = PatternFacts(original=True)
    assert [(f.predicate, f.text) for f in facts("我叫什么？", original)] == [("", "什么？")]
    decided = facts("我应该选择哪个？", original)
    assert [f.text for f in decided] == ["决策: 我应该选择哪个？"]


def test_rejected_facts_are_counted_by_reason():
    extractor = PatternFacts()
    extractor.reset()
    facts("I don't live in Oslo. Do I like tea? I like tea.", extractor)
    assert extractor.stats() == {
        "facts rejected": 2,
        "facts rejected: negation": 1,
        "facts rejected: question": 1,
    }


def test_unknown_roles_and_switches_are_told():
    with pytest.raises(ConfigError, match="'users'"):
        PatternFacts(roles=("users",)).reset()
    with pytest.raises(ConfigError, match="original"):
        PatternFacts(original="yes").reset()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_precision_and_recall_are_above_those_of_the_original(language):
    # The gold: what the ledger of synthetic dialogues says that the user stated in a turn.
    found = {flag: measured(language, PatternFacts(original=flag)) for flag in (False, True)}
    assert found[False][0] > found[True][0] + 0.15
    assert found[False][1] > found[True][1] + 0.1


def measured(language, extractor):
    import memlab as ml
    from memlab.text import normal

    spec = ml.DialogueSpec(
        conversations=4,
        turns=200,
        sessions=10,
        probes=40,
        users=1,
        abilities={"single_fact": 1, "preference": 1},
        contacts=0,
        language=language,
        seed=901,
    )
    right = told = hits = rows = 0
    for talk in ml.generate(spec):
        ledger = talk.ledger()
        for turn in talk:
            if not isinstance(turn, Turn) or turn.role != "user":
                continue
            gold = [normal(v).strip() for v in ledger.loc[ledger["turn"] == turn.id, "value"]]
            texts = [normal(fact.text) for fact in extractor.facts(turn)]
            told += len(texts)
            right += sum(any(value in text for value in gold) for text in texts)
            rows += len(gold)
            hits += sum(any(value in text for text in texts) for value in gold)
    return right / told, hits / rows
