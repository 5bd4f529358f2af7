"""The dials of the synthetic dialogues: one frozen description, also as TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memlab.digests import digest
from memlab.errors import ConfigError, DataError, Faults, MemlabError, as_utf8, suggest
from memlab.types import Frozen

VERSION = 2
"""Raised whenever the same dials would give other dialogues."""

ABILITIES = (
    "single_fact",
    "multi_hop",
    "aggregation",
    "temporal",
    "update",
    "contradiction",
    "preference",
    "procedure",
    "assistant",
    "tool",
    "emotion",
    "abstention",
    "deletion",
    "isolation",
    "near_duplicate",
)
CHOICES = {
    "language": ("en", "zh", "mixed"),
    "style": ("assistant", "chat"),
    "messages": ("short", "long"),
    "timing": ("session", "spread", "end"),
    "distance": ("log", "uniform"),
}
SHARES = (
    "overlap overlap_spread facts advice contacts updates brief echo ellipsis pronouns "
    "hearsay typos code_switching"
).split()
_MOST, _CENTURY = 100_000_000, 36_500
_LEAST = {"conversations": 1, "turns": 8, "sessions": 1, "days": 1, "users": 1, "probes": 0}


@dataclass(frozen=True, kw_only=True)
class DialogueSpec:
    """What decides a synthetic data set; the same spec gives the same bytes everywhere.

    Equal seeds give equal plans in every language: data sets that are to be independent of each
    other need seeds of their own.

    Size, for each conversation: `conversations` of `turns` messages in `sessions` over `days`,
    by `users` of one store, with `probes` questions.

    Form: `language` (en, zh, mixed), `style` (a user and an assistant, or a chat of two people),
    `messages` (short or long).

    Questions: `abilities` weighs the categories (those not named get none; where only zeros are
    given, all others get one); `timing` asks them after a session, anywhere (spread) or at the
    end; `distance` from the last evidence turn to the question is uniform in its logarithm, or
    uniform; `overlap` is the wished share of a question's terms that occur in its evidence,
    drawn within `overlap_spread` of it. Each question takes the wording nearest to its wish;
    what came out is its dial `overlap`.

    Facts: `facts` is the share of people's turns that state any, asked for or not, and `advice`
    how often an assistant gives a tip that nobody asks for later; `contacts` the share of
    questions on people who do not speak themselves, where the ability leaves it open;
    `same_attribute` is how many facts of the kind asked for are told of other people (of a key:
    how often it is mentioned), and `same_person` how many other facts of the person, for each
    question, as far as there is room; `updates` the share of asked states that changed before;
    `hearsay` the share of unasked facts on others that are passed on from somebody; `set_size`
    the most facts that one question gathers.

    Language: `echo` is how often the turns around a fact are on its topic; `ellipsis` how often
    a single fact is a bare answer to the question before it (then both turns are evidence);
    `pronouns` how often another person is named in the sentence before; `details` the sentences
    that follow a fact, at most three; `brief` the share of the other turns that only react;
    `typos` and `code_switching` the shares of the sentences of small talk that have them. Long
    messages have a form of their own: of this paragraph they know `echo` and `pronouns`.
    """

    conversations: int = 8
    turns: int = 600
    sessions: int = 30
    days: int = 180
    users: int = 2
    probes: int = 60
    language: str = "en"
    style: str = "assistant"
    messages: str = "short"
    abilities: Mapping[str, float] = field(
        default_factory=lambda: dict.fromkeys(ABILITIES, 1.0), hash=False
    )
    timing: str = "session"
    distance: str = "log"
    overlap: float = 0.4
    overlap_spread: float = 0.4
    facts: float = 0.6
    advice: float = 0.1
    contacts: float = 0.35
    same_attribute: float = 2.0
    same_person: float = 1.0
    updates: float = 0.3
    hearsay: float = 0.1
    set_size: int = 4
    echo: float = 0.5
    ellipsis: float = 0.1
    pronouns: float = 0.3
    details: float = 1.0
    brief: float = 0.3
    typos: float = 0.02
    code_switching: float = 0.02
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "abilities", _weighed(self.abilities))
        faults = list(_faults(self))
        if faults:
            raise Faults(faults, f"{len(faults)} fault(s) in the spec of synthetic dialogues")
        ordered = {a: float(self.abilities[a]) for a in ABILITIES if self.abilities.get(a)}
        object.__setattr__(self, "abilities", Frozen(ordered))
        for name in (*SHARES, "same_attribute", "same_person", "details"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> DialogueSpec:
        """Make a spec of a mapping, as read from TOML.

        Raises:
            Faults: unknown keys and values out of range, all at once.
        """
        if not isinstance(options, Mapping):
            raise ConfigError(f"dials {options!r}", "a mapping dial -> value")
        known = [f.name for f in fields(cls)]
        unknown = [key for key in options if key not in known]
        faults: list[MemlabError | str] = [
            ConfigError(f"unknown dial {k!r}", "", suggest(str(k), known)) for k in unknown
        ]
        try:
            made = cls(**{k: v for k, v in options.items() if k not in unknown})
        except Faults as several:
            faults += several.faults
        if faults:
            raise Faults(faults, f"{len(faults)} fault(s) in the spec of synthetic dialogues")
        return made

    @classmethod
    def read(cls, path: str | Path) -> DialogueSpec:
        """Read a spec from a TOML file.

        Raises:
            DataError: the file is missing or is not TOML.
            Faults: what is wrong with its keys and values.
        """
        try:
            with Path(path).open("rb") as file:
                return cls.of(tomllib.load(file))
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}", "a TOML file") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            fix = as_utf8(error)
            raise DataError(f"{path} is not TOML: {error}", "a TOML file of dials", fix) from error

    def with_(self, **dials: Any) -> DialogueSpec:  # noqa: ANN401
        """Return the spec with other values of some dials."""
        unknown = [key for key in dials if key not in asdict(self)]
        return self.of({**asdict(self), **dials}) if unknown else replace(self, **dials)

    def to_toml(self) -> str:
        """Return the spec as TOML, every dial spelled out."""
        values = asdict(self)
        table = values.pop("abilities")
        lines = [f"{k} = {v!r}".replace("'", '"') for k, v in values.items()]
        return (
            "\n".join([*lines, "", "[abilities]", *(f"{k} = {v}" for k, v in table.items())]) + "\n"
        )

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages that are spoken."""
        return ("en", "zh") if self.language == "mixed" else (self.language,)

    @property
    def version(self) -> str:
        """The hash of the dials and of the generator's version: the version of the data."""
        return digest({"generator": VERSION, **asdict(self)})[:12]


def _weighed(abilities: Any) -> Any:  # noqa: ANN401 - it may be anything yet
    """Return the weights of abilities; where only zeros are given, all others have one."""
    left_out = isinstance(abilities, Mapping) and abilities and set(abilities) <= set(ABILITIES)
    if left_out and all(_is_number(w) and w == 0 for w in abilities.values()):
        return {name: 1.0 for name in ABILITIES if name not in abilities}
    return abilities


def _faults(spec: DialogueSpec) -> Iterator[ConfigError]:
    yield from _wrong_numbers(spec)
    for name, allowed in CHOICES.items():
        value = getattr(spec, name)
        if value not in allowed:
            yield ConfigError(f"{name}={value!r}", f"one of {', '.join(allowed)}")
    given: object = spec.abilities
    if not isinstance(given, Mapping):
        yield ConfigError(f"abilities={given!r}", "a mapping ability -> weight")
        return
    for name, weight in given.items():
        if name not in ABILITIES:
            yield ConfigError(f"unknown ability {name!r}", "", suggest(str(name), ABILITIES))
        elif not _is_number(weight) or not 0 <= weight <= 1e6:
            yield ConfigError(f"abilities: {name} = {weight!r}", "a weight from 0 to 1,000,000")
    yield from _misfits(spec)


def _wrong_numbers(spec: DialogueSpec) -> Iterator[ConfigError]:
    for name, least in {**_LEAST, "set_size": 2}.items():
        value = getattr(spec, name)
        if not _whole(value) or not least <= value <= _MOST:
            yield ConfigError(f"{name}={value!r}", f"a whole number from {least} to {_MOST:,}")
    if _whole(spec.days) and spec.days > _CENTURY:
        yield ConfigError(f"days={spec.days}", f"at most {_CENTURY:,}")
    if not isinstance(spec.seed, int) or isinstance(spec.seed, bool):
        yield ConfigError(f"seed={spec.seed!r}", "a whole number")
    for name in SHARES:
        value = getattr(spec, name)
        if not _is_number(value) or not 0 <= value <= 1:
            yield ConfigError(f"{name}={value!r}", "a share, from 0 to 1")
    for name in ("same_attribute", "same_person", "details"):
        most = 3 if name == "details" else 10
        value = getattr(spec, name)
        if not _is_number(value) or not 0 <= value <= most:
            yield ConfigError(f"{name}={value!r}", f"a number from 0 to {most}")


def _misfits(spec: DialogueSpec) -> Iterator[ConfigError]:
    """Yield dials that contradict each other."""
    asked = [name for name, weight in spec.abilities.items() if _is_number(weight) and weight > 0]
    if _whole(spec.probes) and spec.probes > 0 and not asked:
        yield ConfigError("every ability has weight 0", "at least one above 0")
    if "isolation" in asked and spec.users == 1:
        yield ConfigError("isolation with users=1", "at least 2 users", "or weight isolation 0")
    if spec.style == "chat":
        if _whole(spec.users) and spec.users > 1:
            yield ConfigError(
                f"style='chat' with users={spec.users}", "users=1: one pair of people"
            )
        yield from (
            ConfigError(f"style='chat' with the ability {name!r}", "an assistant", "weigh it 0")
            for name in ("tool", "isolation")
            if name in asked
        )
    if _whole(spec.users) and _whole(spec.sessions) and spec.users > spec.sessions:
        yield ConfigError(
            f"{spec.users} users in {spec.sessions} sessions", "at least one session for each user"
        )
    if _whole(spec.turns) and _whole(spec.sessions):
        if spec.turns < 4 * spec.sessions:
            yield ConfigError(
                f"{spec.turns} turns in {spec.sessions} sessions", "at least 4 turns a session"
            )
        if _whole(spec.probes) and 2 * spec.probes > spec.turns:
            yield ConfigError(
                f"{spec.probes} probes on {spec.turns} turns", "at least 2 turns for each probe"
            )


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
