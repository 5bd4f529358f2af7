"""Whether the text of a turn says what its ledger row claims."""

from __future__ import annotations

import re
from collections.abc import Iterator

from examiner.days import named
from examiner.mentions import without_values
from examiner.scene import Scene
from examiner.text import FIRST, SECOND, THIRD, denies, fold, holds, sentence_around, spans
from examiner.values import names, written
from memlab.synthetic.ledger import Person, Row
from memlab.types import Turn

OPEN_GROUPS = {"procedure", "lesson", "advice", "tool", "twin"}
"""Groups whose statements may leave the person out, being about their key."""
AFFIRMED = re.compile(r"\b(?:can|eats?|fine|safe|handles?|copes?)\b|可以|能|吃|不忌|接受")
SECOND_HAND = re.compile(
    r"\b(?:told me|tell(?:s|ing)? me|overheard|heard|rumou?r|gossip|according to a|word has it|"
    r"claim(?:s|ed)?|insists?|swears?|swore|apparently|second-hand,|seems to think|"
    r"group chat|picked up on|grapevine|supposedly|i'm told)\b"
    r"|听(?:说|来|见|到|人[说讲提聊])|人告诉我|(?<!数)据说|据传|道听途说|小道|八卦|风声|谁传|都传|都在传|"
    r"(?:人|邻居|同学|师傅|朋友|老板|大妈|大爷|阿姨)(?:跟我|告诉我|在那儿|都)?(?:说|讲|传)"
)
"""How one passes on what one does not know oneself."""


def row_faults(scene: Scene, row: Row) -> Iterator[str]:
    """Yield what the turns of a row fail to say."""
    turn = scene.turns.get(row.turn)
    if turn is None or (row.needs and row.needs not in scene.turns):
        yield f"row {row.id}: its turn is missing"
        return
    for reason in (
        *_place(scene, row, turn),
        *_content(scene, row, turn),
        *_subject(scene, row, turn),
        *_day(scene, row, turn),
        *_polarity(scene, row, turn),
        *_source(scene, row, turn),
        *_bare(scene, row, turn),
    ):
        yield f"row {row.id} ({row.turn}: {turn.text!r}): {reason}"


def clause(scene: Scene, row: Row, turn: Turn) -> str:
    """Return the sentence that holds the value; the whole turn if none does."""
    found = spans(turn.text, written(row.value, scene.words))
    if not found:
        return turn.text
    left, right = sentence_around(turn.text, *found[0])
    return turn.text[left:right]


def _place(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    if scene.place[row.turn] != row.position:
        yield f"stands at {scene.place[row.turn]}, not {row.position}"
    if turn.time != row.said_at:
        yield f"was said at {turn.time}, not {row.said_at}"
    if turn.user != row.owner:
        yield f"belongs to {turn.user!r}, not {row.owner!r}"
    if not _says(scene, row.said_by, turn):
        yield f"was said by {turn.speaker!r}, not {row.said_by!r}"
    wanted = {"tool": "tool"}.get(row.group)
    if wanted and turn.role != wanted:
        yield f"is a tool result said by the {turn.role}"
    group = scene.words.groups.get(row.fact, row.group)
    if group != row.group:
        yield f"{row.fact} is of group {group}, not {row.group}"


def _says(scene: Scene, person: str, turn: Turn) -> bool:
    """Tell whether a turn is somebody's; where speakers have no names the user is its owner."""
    speaker = scene.people.get(person)
    if turn.speaker != turn.role:
        return speaker is not None and turn.speaker in names(speaker.name, scene.words)
    if turn.role == "user":
        return scene.asker(turn.user) == person
    return person not in scene.people


def _content(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    forms = written(row.value, scene.words)
    if not holds(turn.text, forms):
        yield f"does not hold the value {forms[:2]}"
    if row.key is not None and not holds(scene.text(row), written(row.key, scene.words)):
        yield f"does not hold the key {written(row.key, scene.words)[:2]}"


def _subject(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    person = scene.people.get(row.subject)
    if person is None:
        yield f"its subject {row.subject!r} is nobody"
    elif row.fact == "relation":
        if not FIRST.search(fold(scene.text(row))):
            yield "a relation without 'my'"
    elif row.said_by == row.subject:
        yield from _first_person(scene, row, turn)
    elif row.group not in OPEN_GROUPS or row.key is None:
        yield from _third_person(scene, row, turn, person)
    elif row.said_by in scene.people and row.group != "advice":
        said = fold(clause(scene, row, turn))
        if not _mentioned(scene, row, person) and FIRST.search(said):
            yield f"speaks of the speaker, not of {person.name}"


def _first_person(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    open_form = row.group in OPEN_GROUPS and row.key is not None
    asked = row.needs and SECOND.search(fold(scene.turns[row.needs].text))
    if not (open_form or asked or FIRST.search(fold(clause(scene, row, turn)))):
        yield "the speaker does not speak of themselves"


def _mentioned(scene: Scene, row: Row, person: Person) -> bool:
    return holds(scene.text(row), names(person.name, scene.words))


def _third_person(scene: Scene, row: Row, turn: Turn, person: Person) -> Iterator[str]:
    """The name, or a pronoun behind it, or "my sister" where that is allowed."""
    own = clause(scene, row, turn)
    if row.needs and _mentioned(scene, row, person):
        return
    if holds(own, names(person.name, scene.words)):
        return
    relation = scene.words.relations.get(person.relation, ())
    if not person.discreet and holds(own, relation) and FIRST.search(fold(own)):
        return
    if not _mentioned(scene, row, person):
        yield f"{person.name} cannot be told from the text"
        return
    yield from _pronoun(scene, turn, own, person)


def _pronoun(scene: Scene, turn: Turn, own: str, person: Person) -> Iterator[str]:
    other = "m" if person.gender == "f" else "f"
    said = fold(without_values(own, scene.words))  # there is a "he" (他) in Tagalog (他加禄语)
    if not THIRD[person.gender].search(said):
        yield f"the sentence of the value has neither {person.name} nor a pronoun for them"
    if THIRD[other].search(said):
        yield f"the pronoun is not that of {person.name}"
    before = turn.text[: turn.text.find(own)]
    latest = max(
        (
            (found[-1][0], p.id)
            for p in scene.people.values()
            if p.gender == person.gender and (found := spans(before, names(p.name, scene.words)))
        ),
        default=(0, person.id),
    )
    if latest[1] != person.id:
        yield f"the pronoun refers to {latest[1]}, not to {person.id}"


def _day(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    """A day other than that of the message must be named, and may not be contradicted."""
    today = turn.time.date()
    if row.day is None:
        if row.group == "event" and not row.feeling:
            yield "an event without a day"
        return
    if row.day > today:
        yield f"{row.day} lies in the future of {today}"
    if row.fact == "relation" or row.feeling:
        return
    days = named(clause(scene, row, turn), today) or named(turn.text, today)
    if not days and row.needs:
        days = named(scene.turns[row.needs].text, scene.turns[row.needs].time.date())
    if row.day not in {d.day for d in days} and (days or row.day != today):
        phrases = [f"{turn.text[d.start : d.end]} = {d.day}" for d in days]
        yield f"should name {row.day} (said {today:%a %Y-%m-%d}), names {phrases}"
    elif len({d.day for d in days}) > 1:
        yield f"names several days: {sorted({str(d.day) for d in days})}"


def _polarity(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    if row.group != "twin" or row.key is not None:
        return
    denied = _denied(scene, row, turn)
    if denied != row.negated:
        yield f"is {'denied' if denied else 'affirmed'} in the text, not in the ledger"


def _denied(scene: Scene, row: Row, turn: Turn) -> bool:
    """Read the part between commas that holds the value, else what follows, else the sentence."""
    said = fold(clause(scene, row, turn))
    found = spans(said, written(row.value, scene.words))
    if found:
        left = max(said.rfind(mark, 0, found[0][0]) for mark in ",，:：") + 1
        right = min((i for mark in ",，" if (i := said.find(mark, found[0][1])) > 0), default=None)
        for part in (said[left:right], said[left:]):
            if denies(part):
                return True
            if AFFIRMED.search(part):
                return False
    return denies(said)


def _source(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    """Hearsay must sound like it, or nobody could rank it below what is known; nothing else may."""
    said = fold(clause(scene, row, turn))
    if row.authority < 1.0 and not SECOND_HAND.search(said):
        yield "hearsay that does not say so"
    if row.authority == 1.0 and SECOND_HAND.search(said):
        yield "sounds like hearsay"


def _bare(scene: Scene, row: Row, turn: Turn) -> Iterator[str]:
    """A bare answer needs the question right before it, which does not hold the value."""
    if not row.needs:
        return
    question = scene.turns[row.needs]
    if scene.place[row.needs] != row.position - 1 or question.session != turn.session:
        yield f"its question {row.needs} does not stand right before it"
    if holds(question.text, written(row.value, scene.words)):
        yield "its question already holds the value"
    rest = clause(scene, row, turn)
    for start, end in reversed(spans(rest, written(row.value, scene.words))):
        rest = rest[:start] + rest[end:]
    if len(re.findall(r"[a-z']+|[\u3400-\u9fff]", fold(rest))) > 12:
        yield "is no bare answer: it may be understood without its question"
    if not re.search("[?？]", question.text):
        yield f"its question {row.needs} asks nothing"
