"""The words: enough of them, aligned in both languages, and no fact in what is only talk."""

import re
from itertools import chain

import pytest

from memlab.synthetic.forms import Form, possessive, sentence
from memlab.synthetic.lexicon import TOPICS, language
from memlab.text import normal, terms

CODES = ("en", "zh")
GROUPS = "state event set preference procedure lesson advice tool twin".split()
GENERATED = ("@code", "@money", "@clock", "@date", "@count")
SUBJECTS = {"s", "ss", "me"}
STATED = ("change", "hint", "feel", "negated")
# Function words of Chinese questions and statements; bigrams of them say nothing.
FUNCTION = set(
    "我你她他的了在是有什么哪吗呢啊吧都也就还把给和跟对说起这那个多少怎样几时候现一到要用来去"
)


def statements(fact):
    return [*(f for w in fact.wordings for f in w.say), *chain(*(fact.forms[k] for k in STATED))]


def talk(words):
    for lines in words.talk.values():
        yield from lines
    for topic in words.topics.values():
        for lines in topic.values():
            yield from [lines] if isinstance(lines, str) else lines
    for pool in words.slots.values():
        yield from pool
    for name, lines in words.frames.items():
        if name != "switch":
            yield from lines


@pytest.mark.parametrize("code", CODES)
def test_there_are_300_forms_over_25_attributes(code):
    facts = language(code).facts.values()
    assert len(facts) >= 25
    assert len({form.source for fact in facts for form in statements(fact)}) >= 300


def test_both_languages_have_the_same_facts_about_the_same_pools():
    en, zh = (language(code).facts for code in CODES)
    assert set(en) == set(zh)
    for name, fact in en.items():
        mine, theirs = ((f.group, f.topic, f.value, f.key) for f in (fact, zh[name]))
        assert mine == theirs, name


@pytest.mark.parametrize("code", CODES)
def test_every_fact_is_of_a_known_kind(code):
    words = language(code)
    for fact in words.facts.values():
        assert fact.group in GROUPS
        assert fact.topic in TOPICS
        for kind in filter(None, (fact.value, fact.key)):
            assert kind in words.pools or kind in GENERATED, fact.id


@pytest.mark.parametrize("code", CODES)
def test_forms_hold_the_slots_that_they_need_and_no_others(code):
    for fact in language(code).facts.values():
        key = {"k"} if fact.key else set()
        when = {"when"} if fact.group == "event" else set()
        for wording in fact.wordings:
            for form in wording.say:
                assert {"v"} | key | when <= form.slots, form.source
                assert form.slots <= {"v"} | key | when | SUBJECTS | {"do"}, form.source
            for form in (*wording.ask, *fact.forms["oblique"]):
                needed = {"v"} if fact.group == "event" else key
                assert needed <= form.slots <= needed | SUBJECTS | {"do"}, form.source


@pytest.mark.parametrize("code", CODES)
def test_changes_name_the_new_value_and_some_keep_quiet_on_the_old(code):
    for fact in language(code).facts.values():
        for form in fact.forms["change"]:
            assert "v" in form.slots <= {"v", "old", "do"} | SUBJECTS, form.source
        if fact.group == "state":
            assert any("old" not in f.slots for f in fact.forms["change"]), fact.id


@pytest.mark.parametrize("code", CODES)
def test_events_can_be_asked_for_in_every_way(code):
    needed = {"what": "when", "nth": "nth", "feel": "thing", "ask_feel": "thing"}
    for fact in language(code).facts.values():
        if fact.group != "event":
            continue
        assert "{v}" in fact.thing
        assert fact.forms["list"]
        assert fact.forms["count"]
        for kind, slot in needed.items():
            assert fact.forms[kind]
            assert all(slot in form.slots for form in fact.forms[kind]), (fact.id, kind)


@pytest.mark.parametrize("code", CODES)
def test_pools_have_no_value_inside_another(code):
    words = language(code)
    for name, pairs in words.pools.items():
        values = [normal(pair[words.column]) for pair in pairs]
        assert len(set(values)) == len(values), name
        for a in values:
            bare = a if code == "en" else a.strip()
            assert not any(bare in b for b in values if b != a), (name, a)


@pytest.mark.parametrize("code", CODES)
def test_talk_and_forms_state_no_value(code):
    words = language(code)
    lines = [*talk(words), *(f.source for fact in words.facts.values() for f in statements(fact))]
    texts = [normal(re.sub(r"\{[^}]*\}", "|", line)) for line in lines]
    values = {normal(pair[words.column]) for pairs in words.pools.values() for pair in pairs}
    found = [
        (value, text)
        for value in values
        for text in texts
        if (value if code == "en" else value.strip()) in text
    ]
    assert found == []


@pytest.mark.parametrize("code", CODES)
def test_names_are_in_no_other_word(code):
    words = language(code)
    names = [name for name, _ in words.given]
    assert len(set(names)) == len(names)
    for name in names:
        assert not any(name in other for other in names if other != name), name
        spoken = normal(name) if code == "en" else name
        assert not any(spoken in (normal(t) if code == "en" else t) for t in talk(words)), name


@pytest.mark.parametrize("code", CODES)
def test_oblique_questions_share_no_content_word_with_any_statement(code):
    for fact in language(code).facts.values():
        said = set(chain(*(content(form, code) for form in statements(fact))))
        for form in fact.forms["oblique"]:
            assert not said & content(form, code), (form.source, said & content(form, code))


def content(form, code):
    bare = re.sub(r"\{[^}]*\}", " ", form.third)
    return {t for t in terms(bare) if code == "en" or not set(t) <= FUNCTION}


def test_a_form_speaks_in_every_person():
    form = Form.of("{s} [am/is] glad that {s's} {v} suits {me}, {do} {s}", "en")
    assert form.first == "I am glad that my {v} suits me, do I"
    assert form.second == "you are glad that your {v} suits you, do you"
    assert form.third == "{s} is glad that {ss} {v} suits {me}, does {s}"
    assert Form.of("{s's}{v}归{s}", "zh").first == "我的{v}归我"
    assert form.slots == {"s", "ss", "v", "me", "do"}


def test_sentences_begin_and_end():
    assert sentence("is it?", "en") == "Is it?"
    assert sentence("我走了", "zh") == "我走了。"
    assert possessive("思远", "zh") == "思远的"
