"""The people of a conversation: who speaks, and whom they know."""

from __future__ import annotations

from memlab.synthetic.draw import Draw
from memlab.synthetic.ledger import Person
from memlab.synthetic.lexicon import Language
from memlab.synthetic.spec import DialogueSpec

_DISCREET = 4
"""People of each speaker whose relation is said once only."""


def people(spec: DialogueSpec, number: int, words: tuple[Language, ...]) -> dict[str, Person]:
    """Return the people of a conversation by id: speakers first, then whom they know.

    Enough of them that no two questions need ask for the same fact of the same person.
    """
    draw = Draw(spec.seed, number, "people")
    speakers = spec.users if spec.style == "assistant" else 2
    each = max(8, -(-spec.probes * 3 // (20 * speakers)))
    names = _Names(draw, words, full=speakers * (each + 1) > len(words[0].given) // 2)
    found: dict[str, Person] = {}
    for speaker in range(speakers):
        name, gender = names.next(None)
        found[f"u{speaker}"] = Person(f"u{speaker}", name, gender, f"u{speaker}")
    for speaker in range(speakers):
        relations = _relations(draw, words[0])
        for i in range(each):
            relation = relations[i] if i < len(relations) else ""
            wanted = words[0].relations[relation][1] if relation else None
            name, gender = names.next(wanted)
            key = f"u{speaker}p{i}"
            found[key] = Person(key, name, gender, f"u{speaker}", relation, i < _DISCREET)
    return found


def _relations(draw: Draw, words: Language) -> list[str]:
    """Return relations in random order, none of which is worded like another."""
    worded: dict[str, str] = {}
    for relation in draw.shuffled(list(words.relations)):
        worded.setdefault(words.relations[relation][0], relation)
    return list(worded.values())


class _Names:
    """Deals names, none twice; `full` ones have a family name."""

    def __init__(self, draw: Draw, words: tuple[Language, ...], *, full: bool) -> None:
        self._draw, self._words, self._full = draw, words, full
        self._used: set[str] = set()

    def next(self, gender: str | None) -> tuple[str, str]:
        """Return a new name and its gender."""
        tries = 0
        while True:
            tries += 1
            words = self._draw.pick(self._words)
            name, sex = self._draw.pick(words.given)
            full = self._whole(name, words, families=1 + tries // 40)
            if gender in (None, sex) and full not in self._used:
                self._used.add(full)
                return full, sex

    def _whole(self, name: str, words: Language, families: int) -> str:
        """Return a name with a family name, or with more of them where names run short."""
        if not self._full:
            return name
        family = [self._draw.pick(words.family) for _ in range(families)]
        return "".join([*family, name]) if words.code == "zh" else " ".join([name, *family])
