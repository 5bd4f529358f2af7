"""What is kept for one question, so that no two questions are about the same fact."""

from __future__ import annotations

from memlab.synthetic.lexicon import FactType
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.stage import NoRoom, Stage
from memlab.synthetic.values import Value

OWN, SHARED = "own", "shared"


class Reserve(Stage):
    """Facts, values and keys that questions are about, or must not be answered by.

    `taken` tells whether a fact of a subject is a question's own or shared by several;
    `keys` are those asked about; `baits` facts of a store, or single values, that are told of
    the wrong person and of nobody else.
    """

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        super().__init__(spec, number)
        self.taken: dict[tuple[str, str], str] = {}
        self.baits: set[tuple[str, str, Value | None]] = set()
        self.keys: dict[str, list[Value]] = {}
        self._given: dict[tuple[str, str], list[Value]] = {}

    def fresh(self, subject: str, *groups: str) -> FactType:
        """Reserve and return a fact type that nothing is said of yet for a subject.

        Raises:
            NoRoom: there is none.
        """
        free = [
            f
            for f in self.facts.values()
            if f.group in groups and (subject, f.id) not in self.taken
        ]
        if not free:
            raise NoRoom
        fact = self.draw.pick(free)
        self.reserve(subject, fact.id)
        return fact

    def reserve(self, subject: str, fact: str) -> None:
        """Keep a fact of a subject for one question.

        Raises:
            NoRoom: it is reserved already.
        """
        if (subject, fact) in self.taken:
            raise NoRoom
        self.taken[subject, fact] = OWN
        self.undoing.append(lambda: self.taken.pop((subject, fact)))

    def shared(self, subject: str) -> FactType:
        """Return an event type of a subject of which each value is a matter of its own.

        "When did I visit Lisbon" and "when did I visit Malta" can be asked side by side; how
        many cities I visited can not.

        Raises:
            NoRoom: there is none.
        """
        free = [
            f
            for f in self.facts.values()
            if f.group == "event" and self.taken.get((subject, f.id)) != OWN
        ]
        if not free:
            raise NoRoom
        fact = self.draw.pick(free)
        self._share(subject, fact.id)
        return fact

    def _share(self, subject: str, fact: str) -> None:
        if (subject, fact) not in self.taken:
            self.taken[subject, fact] = SHARED
            self.undoing.append(lambda: self.taken.pop((subject, fact)))

    def new_value(self, subject: str, fact: FactType, position: int) -> Value:
        """Return a value that nothing was planned with for this subject.

        Raises:
            NoRoom: all are used.
        """
        used = self._given.setdefault((subject, fact.id), [])
        value = self.other(fact.value, position, used)
        self._use(used, value)
        return value

    def _use(self, used: list[Value], value: Value) -> None:
        used.append(value)
        self.undoing.append(lambda: used.remove(value))

    def new_key(self, fact: FactType, position: int) -> Value:
        """Return a key of a fact type that no other question is about.

        Raises:
            NoRoom: all are used.
        """
        used = self.keys.setdefault(fact.id, [])
        key = self.other(fact.key, position, used)
        self._use(used, key)
        return key

    def never(self, subject: str, fact: str, value: Value) -> None:
        """See to it that a value is never told of a subject.

        Raises:
            NoRoom: it is told already.
        """
        used = self._given.setdefault((subject, fact), [])
        if value in used:
            raise NoRoom
        self._use(used, value)
        self._share(subject, fact)

    def bait(self, subject: str, fact: str, value: Value | None) -> None:
        """Keep a fact, or one value of it, of everybody for a question on the wrong person."""
        bait = (self.store(subject), fact, value)
        if bait not in self.baits:
            self.baits.add(bait)
            self.undoing.append(lambda: self.baits.discard(bait))
