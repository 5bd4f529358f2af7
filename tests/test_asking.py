"""Whose words a question asks for."""

import pytest

from memlab.asking import asked

PEOPLE = {"Ana": "user", "Mary Ann": "user", "张三": "user", "I": "assistant"}
ROLES = {"user": "user", "assistant": "assistant"}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("When did Ana paint?", {"Ana"}),
        ("when did ANA's cat run off?", {"Ana"}),
        ("What do Ana and Mary Ann share?", {"Ana", "Mary Ann"}),
        ("What does Anabel like?", set()),
        ("张三喜欢什么？", {"张三"}),
    ],
)
def test_speakers_that_a_question_names(question, meant):
    people = {name: role for name, role in PEOPLE.items() if name != "I"}
    assert asked(question, people) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Where did I park my car?", {"user"}),
        ("What did you advise me to eat?", {"user"}),
        ("Which book did you name?", {"assistant"}),
        ("我的车停在哪里？", {"user"}),
        ("你推荐了哪本书？", {"assistant"}),
        ("Which city is the capital?", set()),
        ("What does the user like?", set()),
        ("", set()),
    ],
)
def test_without_a_name_the_person_decides(question, meant):
    assert asked(question, ROLES) == meant


def test_people_with_names_are_meant_by_their_role():
    assert asked("Where did I park?", {"Ana": "user", "Bo": "assistant"}) == {"Ana"}
