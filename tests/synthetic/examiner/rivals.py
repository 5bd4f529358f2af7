"""Questions that a reader could answer from another kind of fact about the same person.

Read off the meaning of the words, not off the lexicon: somebody who lives in Lisbon and in
Ashgrove may be found in either when asked "Where do you live?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from examiner.meaning import Question
from examiner.text import fold
from examiner.values import written
from memlab.synthetic.ledger import Row

_PLACE = re.compile(
    r"\bwhere\b.*\b(?:live|lived|home|based?|reside|flat|return|place)\b|\bplace\b|住哪|住在哪儿|家在哪"
)
_PLACED = re.compile(
    r"city|town|district|neighbourhood|quarter|corner|map|城|区|一带|地段|哪一片|街"
)
_MEAL = re.compile(r"\bfood\b|\bdinner\b|\bmenu\b|\bmeal\b|吃什么")
_NAMED_MEAL = re.compile(r"cuisine|nation|cooking|restaurant|\bout for\b|dish|菜系|口味|哪种菜|馆")
_WATCH = re.compile(r"\bwatch(?:ing)?\b")
_WATCHED = re.compile("movie|film|cinema|series|show")
_BARRED = re.compile(r"\bnot eat\b|not allow|不能吃|不可以吃|忌口里有|东西.*忌？|不接受|不能接受")
_FOOD = re.compile("peanut|shellfish|sesame|kiwi|soya|walnut|egg|strawberr|gluten|mustard|cashew")
RIVALS = (
    ("home_city", "district", _PLACE, _PLACED),
    ("district", "home_city", _PLACE, _PLACED),
    ("cuisine", "dish", _MEAL, _NAMED_MEAL),
    ("film_genre", "series", _WATCH, _WATCHED),
    ("eats", "allergy", _BARRED, None),
)


def rivals(text: str, question: Question, known: Sequence[Row]) -> Iterator[str]:
    """Yield the rows of other facts that answer the words of a question as well."""
    said = fold(text)
    for fact, other, fits, but in RIVALS:
        if question.fact != fact or not fits.search(said) or (but and but.search(said)):
            continue
        rows = [r for r in known if r.fact == other and r.subject == question.subject]
        if other == "allergy":
            rows = [r for r in rows if _FOOD.search(written(r.value, question.words)[0])]
        if rows:
            yield f"is answered by {other} as well: {[row.id for row in rows]}"
