"""Questions made to stand alone, offline, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from memlab.datewords import dates_meant
from memlab.naming import component
from memlab.resolving import ellipsis_of, with_names
from memlab.text import has_cjk
from memlab.types import Query, Turn
from memlab.wordgroups import spellings, synonyms, translations


@component
class QueryRewriter:
    """Resolve pronouns, ellipsis and relative dates of a question, and widen its words.

    `pronouns` puts the person named last in the place of he, she, 他, 她, where the question
    names nobody itself; `ellipsis` adds the asker's last full message to "And when?", 那他呢？;
    both look at the turns of the last session within `hours` of the question. `dates` adds the
    days, months or years that relative words mean on the dialogue's clock ("last Friday",
    上个月), as turns are dated. `spelling` adds British and American spellings, `synonyms`
    everyday synonyms, `translation` the usual words of the other language, where the turns
    before the question are in it.

    Nothing is removed but a resolved pronoun, and a question that stands alone stays as it is.

    >>> from memlab.types import utc
    >>> query = Query("What did I lose yesterday?", utc("2024-05-08"))
    >>> QueryRewriter().rewrite(query, []).text
    'What did I lose yesterday? 7 May 2024'
    """

    pronouns: bool = True
    ellipsis: bool = True
    dates: bool = True
    spelling: bool = True
    synonyms: bool = False
    translation: bool = True
    hours: float = 24.0

    def rewrite(self, query: Query, tail: Sequence[Turn]) -> Query:
        """Return the question as it would be asked without the turns before it."""
        near = self._near(query, tail)
        text = with_names(query.text, near) if self.pronouns else query.text
        more = [ellipsis_of(query.text, near)] if self.ellipsis else []
        if self.dates:
            more += dates_meant(query.text, query.time)
        if self.spelling:
            more += spellings(text)
        if self.synonyms:
            more += synonyms(text)
        if self.translation and any(has_cjk(t.text) != has_cjk(text) for t in tail):
            more += translations(text)
        whole = " ".join([text, *filter(None, more)])
        return query if whole == query.text else replace(query, text=whole)

    def _near(self, query: Query, tail: Sequence[Turn]) -> list[Turn]:
        limit = query.time - timedelta(hours=self.hours)
        return [t for t in tail if t.session == tail[-1].session and t.time >= limit]
