"""The words of memlab: turns, probes, events, items, records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, NoReturn


class Frozen(dict[str, Any]):
    """A dict that cannot be changed: what one strategy sees, every other sees as well."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the meta of a turn or a probe cannot be changed; make a new one")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)

    def __deepcopy__(self, memo: object) -> Frozen:
        return self


def _frozen(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return Frozen({key: _frozen(member) for key, member in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


Role = Literal["user", "assistant", "system", "tool"]
Meta = Mapping[str, Any]


def utc(moment: datetime | str) -> datetime:
    """Return `moment` as an aware UTC datetime; a naive one is declared UTC.

    >>> utc("2024-01-01T01:00:00+02:00").isoformat()
    '2023-12-31T23:00:00+00:00'
    """
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _tidy(self: Event | Query, tuples: tuple[str, ...] = ()) -> None:
    """Bring a frozen event to its canonical types: UTC times and tuples."""
    object.__setattr__(self, "time", utc(self.time))
    for name in tuples:
        object.__setattr__(self, name, tuple(getattr(self, name)))
    meta = getattr(self, "meta", None)
    if meta is not None and not isinstance(meta, Frozen):
        object.__setattr__(self, "meta", _frozen(meta))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation; its id is unique inside the conversation.

    `user` is the owner of the turn: no other user may ever get it back. `imputed` marks a
    time that the data does not state. A tool call and its results share `meta["call"]`.
    `speaker` is a name; without one it is the role.
    """

    id: str
    text: str
    time: datetime
    session: str = "1"
    speaker: str = ""
    role: Role = "user"
    user: str = ""
    imputed: bool = False
    meta: Meta = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _tidy(self)
        if not self.speaker:
            object.__setattr__(self, "speaker", self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question asked at a moment of the dialogue, with what is known about its answer.

    `evidence` are the turns that answer it, `stale` those whose fact has been superseded,
    `forbidden` those that were deleted or belong to somebody else.
    """

    id: str
    text: str
    time: datetime
    user: str = ""
    category: str = ""
    evidence: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    answerable: bool = True
    meta: Meta = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _tidy(self, ("evidence", "answers", "stale", "forbidden"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd:
    """The end of a session; strategies may consolidate."""

    session: str
    time: datetime

    def __post_init__(self) -> None:
        _tidy(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """A request of `user` to delete turns; they must never come back."""

    turn_ids: tuple[str, ...]
    user: str
    time: datetime

    def __post_init__(self) -> None:
        _tidy(self, ("turn_ids",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """The passing of time without a word; strategies may decay or expire."""

    time: datetime

    def __post_init__(self) -> None:
        _tidy(self)


Event = Turn | Probe | SessionEnd | Forget | Tick


@dataclass(frozen=True, slots=True)
class Conversation:
    """Events in time order. `events` may be any object that can be walked repeatedly."""

    id: str
    events: Iterable[Event]
    meta: Meta = field(default_factory=dict, hash=False)

    def turns(self) -> Iterator[Turn]:
        """Yield the turns in order."""
        return (event for event in self.events if isinstance(event, Turn))

    def probes(self) -> Iterator[Probe]:
        """Yield the probes in order."""
        return (event for event in self.events if isinstance(event, Probe))


Action = Literal["repaired", "reported", "dropped"]


class Defect(NamedTuple):
    """One fault of a data set and what was done about it."""

    kind: str
    where: str
    found: str
    action: Action


@dataclass(frozen=True, slots=True)
class Dataset:
    """Conversations with their origin.

    `options` is the `[dataset]` table that loads it again (empty for data made in Python),
    `card` what is known of its source, `vectors` files of precomputed embeddings.
    """

    name: str
    conversations: tuple[Conversation, ...]
    options: Meta = field(default_factory=dict, hash=False)
    card: Meta = field(default_factory=dict, hash=False)
    defects: tuple[Defect, ...] = ()
    sha256: str = ""
    vectors: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.conversations)

    def __iter__(self) -> Iterator[Conversation]:
        return iter(self.conversations)

    def take(self, count: int) -> Dataset:
        """Return the data set cut to its first `count` conversations."""
        kept = self.conversations[: max(0, count)]
        again = "name" in self.options  # joined data sets do not load again by a table
        options = {**self.options, "limit": len(kept)} if again else {}
        return replace(self, conversations=kept, options=options)

    def defect_counts(self) -> dict[str, dict[str, int]]:
        """Return the number of defects by action and kind."""
        counts: dict[str, dict[str, int]] = {}
        for defect in self.defects:
            kinds = counts.setdefault(defect.action, {})
            kinds[defect.kind] = kinds.get(defect.kind, 0) + 1
        return counts

    def report(self) -> str:
        """Return the defects by what was done and kind, each with its first place."""
        first: dict[tuple[str, str], Defect] = {}
        for defect in self.defects:
            first.setdefault((defect.action, defect.kind), defect)
        lines = [repr(self)]
        for action, kinds in self.defect_counts().items():
            for kind, count in kinds.items():
                _, where, found, _ = first[action, kind]
                lines.append(f"{count:>6} {action}: {kind}, as {where}: {found}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        turns = sum(1 for c in self for _ in c.turns())
        probes = sum(1 for c in self for _ in c.probes())
        counts = (f"{sum(k.values())} {action}" for action, k in self.defect_counts().items())
        return (
            f"<{self.name}: {len(self)} conversations, {turns} turns, {probes} probes; "
            f"defects: {', '.join(counts) or 'none'}>"
        )


@dataclass(frozen=True, slots=True)
class Query:
    """What a strategy sees of a probe."""

    text: str
    time: datetime
    user: str = ""

    def __post_init__(self) -> None:
        _tidy(self)


@dataclass(frozen=True, slots=True)
class Item:
    """What a strategy returns: a text, the turns it comes from, and its kind.

    Kinds: `turn` (the whole text of its one source), `excerpt` (a part of it), and derived
    ones such as `summary`, `fact`, `triple`, `page`.
    """

    text: str
    sources: tuple[str, ...] = ()
    kind: str = "turn"
    score: float = 0.0

    @classmethod
    def of(cls, turn: Turn, score: float = 0.0) -> Item:
        """Make the item that carries a whole turn."""
        return cls(turn.text, (turn.id,), "turn", score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row of results: strategy × conversation × probe × budget.

    `ranked` are turn ids, one rank each: an item of one turn has one rank, a derived item
    one for every source it claims; `rejected` are the ranks whose claim was not borne out.
    `ranked_sessions` and `evidence_sessions` number the sessions of the conversation.
    """

    strategy: str
    conversation: str
    probe: str
    budget: int | None
    dataset: str = ""
    user: str = ""
    category: str = ""
    answerable: bool = True
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    evidence_sessions: tuple[int, ...] = ()
    candidates: int = 0
    candidate_sessions: int = 0
    ranked: tuple[str, ...] = ()
    ranked_sessions: tuple[int, ...] = ()
    rejected: tuple[int, ...] = ()
    measurable: bool = True
    items: int = 0
    tokens: int = 0
    cut: bool = False
    verdicts: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    dials: Meta = field(default_factory=dict, hash=False)
    error: str | None = None
