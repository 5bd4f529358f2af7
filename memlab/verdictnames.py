"""How the verdicts of readers, judges and audits are named in a record."""

from __future__ import annotations

from collections.abc import Iterable


def given_key(reader: str) -> str:
    """Name the verdict whether a reader answered: 1, 0, or None where none could be compared."""
    return f"answered/{reader}"


def answer_key(reader: str, measure: str) -> str:
    """Name the score of a reader's answer; None where there is none."""
    return f"answer {measure}/{reader}"


def judge_key(judge: str) -> str:
    """Name the verdict of a judge; None where it gave none."""
    return f"judged/{judge}"


def audit_key(judge: str) -> str:
    """Name the verdict of the people who audited a judge; None where they did not look."""
    return f"audited/{judge}"


def names_of(key: str, verdicts: Iterable[str]) -> list[str]:
    """Return the readers or judges that have a verdict of the kind of `key`.

    >>> names_of(judge_key("a"), ["judged/b", "audited/c", "leak"])
    ['b']
    """
    kind = key.partition("/")[0] + "/"
    return sorted({name.removeprefix(kind) for name in verdicts if name.startswith(kind)})
