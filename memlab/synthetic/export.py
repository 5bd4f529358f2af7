"""A conversation's world, ledger and text as plain values, for tables and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.lexicon import Language
from memlab.synthetic.values import Value, write


def row_json(row: Row, people: Mapping[str, Person], words: Sequence[Language]) -> dict[str, Any]:
    """Return a statement as JSON values; key and value are written in each language."""

    def written(value: Value | None) -> dict[str, str] | None:
        return {w.code: write(value, w) for w in words} if value is not None else None

    person = people[row.subject]
    return {
        "turn": row.turn,
        "needs": row.needs or None,
        "said_at": row.said_at.isoformat(),
        "said_by": row.said_by,
        "owner": row.owner,
        "subject": person.name,
        "relation": person.relation or None,
        "fact": row.fact,
        "feeling": row.feeling,
        "key": written(row.key),
        "value": written(row.value),
        "negated": row.negated,
        "hinted": row.hinted,
        "authority": row.authority,
        "valid_from": row.valid_from.isoformat(),
        "valid_until": row.valid_until.isoformat() if row.valid_until else None,
        "forgotten": row.forgotten,
    }


def row_text(row: Row, people: Mapping[str, Person], words: Language) -> str:
    """Return a statement in one line, as it stands beside its turn.

    >>> from memlab.synthetic.lexicon import language
    >>> from datetime import UTC, datetime
    >>> mia = Person("u0", "Mia", "f", "u0")
    >>> row = Row(id="f3", owner="user1", subject="u0", fact="home_city", value=Value("city", 0),
    ...           position=3, turn="t3", said_at=datetime(2024, 1, 9, tzinfo=UTC), said_by="u0")
    >>> row_text(row, {"u0": mia}, language("en"))
    'Mia · home_city = Lisbon'
    """
    key = f"[{write(row.key, words)}]" if row.key is not None else ""
    marks = {
        "not so": row.negated,
        "implied": row.hinted,
        "felt": row.feeling,
        "hearsay": row.authority < 1,
        f"on {row.day}": row.group == "event" and not row.feeling,
        f"since {row.day}": row.group == "state" and row.day is not None,
        f"until {row.valid_until}": row.valid_until is not None,
        "deleted": row.forgotten,
    }
    noted = ", ".join(text for text, holds in marks.items() if holds)
    said = f"{people[row.subject].name} · {row.fact}{key} = {write(row.value, words)}"
    return f"{said} ({noted})" if noted else said
