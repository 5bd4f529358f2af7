"""A hand-made conversation with its ledger: small enough to know the truth of every probe.

Two users share a store: Ada (a) and Bo (b). Ada's sister is Mia, whose relation is said once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from examiner.scene import Scene
from examiner.words import Words

from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.values import Value
from memlab.types import Event, Forget, Probe, SessionEnd, Turn

WORDS = Words(
    pools={
        "city": (("Lisbon", "里斯本"), ("Ghent", "根特"), ("Porto", "波尔图"), ("Osaka", "大阪")),
        "job": (("a paramedic", "急救员"), ("a notary", "公证员")),
        "door": (("the cellar", "地窖"),),
        "emotion": (("elated", "兴高采烈"),),
        "drink": (("oolong tea", "乌龙茶"), ("soy milk", "豆浆"), ("a flat white", "澳白")),
        "food": (("okra", "秋葵"), ("leeks", "大葱")),
    },
    relations={"sister": ("sister", "妹妹")},
    groups={
        "home_city": "state",
        "job": "state",
        "trip": "event",
        "door_code": "twin",
        "drink": "state",
        "eats": "twin",
    },
)
PEOPLE = {
    "a": Person("a", "Ada", "f", "a"),
    "b": Person("b", "Bo", "m", "b"),
    "a1": Person("a1", "Mia", "f", "a", "sister", True),
}
START = datetime(2024, 5, 1, 9, tzinfo=UTC)  # a Wednesday


def city(n: int) -> Value:
    return Value("city", n)


@dataclass
class Script:
    """Events and rows, said one after the other, a day apart."""

    events: list[Event] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    said: int = 0
    session: int = 0

    @property
    def now(self) -> datetime:
        return START + timedelta(days=self.said)

    def say(
        self, text: str, user: str = "a", role: str = "user", closed: bool = True, **row: Any
    ) -> str:
        """Say a turn; with `fact` and `value` it states a row."""
        name = f"t{self.said}"
        turn = Turn(
            id=name, text=text, time=self.now, session=f"s{self.session}", user=user, role=role
        )
        self.events.append(turn)
        if closed:
            self.events.append(SessionEnd(session=turn.session, time=self.now))
            self.session += 1
        if row:
            defaults = {"subject": user, "said_by": user, "owner": user}
            self.rows.append(
                Row(
                    id=f"r{len(self.rows)}",
                    position=self.said,
                    turn=name,
                    said_at=self.now,
                    **{**defaults, **row},
                )
            )
        self.said += 1
        return name

    def forget(self, *turns: str, user: str = "a") -> None:
        self.events.append(Forget(turn_ids=turns, user=user, time=self.now))

    def ask(self, text: str, category: str, kind: str, user: str = "a", **probe: Any) -> None:
        meta = {"kind": kind, "subject": user, "language": "en", **probe.pop("meta", {})}
        name = f"q{sum(isinstance(e, Probe) for e in self.events)}"
        asked = Probe(
            id=name, text=text, time=self.now, user=user, category=category, meta=meta, **probe
        )
        self.events.append(asked)

    def scene(self) -> Scene:
        return Scene.of("mini", WORDS, self.events, self.rows, PEOPLE)


def script() -> Script:
    """Return the conversation with probes of eleven categories, all of them right."""
    s = Script()
    lives = {"fact": "home_city"}
    until = {"valid_until": date(2024, 5, 7)}
    first = s.say("By the way, I live in Lisbon.", **lives, **until, value=city(0))  # Wed 1 May
    s.say("Lovely, thanks for telling me.", role="assistant")
    rel = s.say(
        "Mia is my sister.",
        fact="relation",
        value=Value("name", 0, "Mia"),
        key=Value("relation", 0, "sister"),
        group="relation",
    )
    mia = s.say(
        "I spoke to Mia. She works as a notary.", fact="job", value=Value("job", 1), subject="a1"
    )
    tale = {"fact": "trip", "group": "event"}
    ghent = s.say("I went to Ghent last Friday.", **tale, value=city(1), day=date(2024, 5, 3))
    porto = s.say("Yesterday I saw Porto.", **tale, value=city(2), day=date(2024, 5, 5))
    s.ask("Where does my sister earn a living?", "multi_hop", "current",
          evidence=(rel, mia), answers=("notary",),
          meta={"subject": "a1", "fact": "job", "via": "sister"})  # fmt: skip
    s.ask("Which cities have I visited?", "aggregation", "list",
          evidence=(ghent, porto), answers=("Ghent, Porto",), meta={"fact": "trip"})  # fmt: skip
    s.ask("How many trips did I make?", "aggregation", "count",
          evidence=(ghent, porto), answers=("2", "two"), meta={"fact": "trip"})  # fmt: skip
    s.ask("When was I in Ghent?", "temporal", "when", evidence=(ghent,),
          answers=("3 May 2024", "May 3"), meta={"fact": "trip", "args": ["Ghent"]})  # fmt: skip
    s.ask("Which city did I visit 2 days ago?", "temporal", "relative", evidence=(porto,),
          answers=("Porto",), meta={"fact": "trip", "as_of": "2024-05-05"})  # fmt: skip
    s.ask("Which came first, Ghent or Porto? What was my first trip?", "temporal", "order",
          evidence=(ghent, porto), answers=("Ghent",),
          meta={"fact": "trip", "args": ["Ghent", "Porto"]})  # fmt: skip
    s.ask("Which city did I visit last?", "temporal", "nth", evidence=(ghent, porto),
          answers=("Porto",), meta={"fact": "trip", "nth": -1})  # fmt: skip
    s.ask("How many days ago was I in Ghent?", "temporal", "ago", evidence=(ghent,),
          answers=("4", "four"), meta={"fact": "trip", "args": ["Ghent"]})  # fmt: skip
    osaka = s.say("I moved: my home is in Osaka now.", **lives, value=city(3))  # Tue 7 May
    s.ask("Where do I live?", "update", "current", evidence=(osaka,), stale=(first,),
          answers=("Osaka",), meta={"fact": "home_city"})  # fmt: skip
    s.ask("Where did I live on 2 May?", "update", "past", evidence=(first,),
          answers=("Lisbon",), meta={"fact": "home_city", "as_of": "2024-05-02"})  # fmt: skip
    s.ask("Where have I lived, in turn?", "update", "history", evidence=(first, osaka),
          answers=("Lisbon, Osaka",), meta={"fact": "home_city"})  # fmt: skip
    tea = s.say("I mostly drink oolong tea.", fact="drink", value=Value("drink", 0), forgotten_at=8)
    s.say("Please delete what I told you about drinks.")
    s.forget(tea)
    s.ask("What do I drink?", "deletion", "deleted", forbidden=(tea,), answerable=False,
          meta={"fact": "drink"})  # fmt: skip
    s.say("What do you do for a living?", role="assistant", closed=False)
    job = s.say("A paramedic, actually.", fact="job", value=Value("job", 0), needs=f"t{s.said - 1}")
    s.ask("What is my job?", "single_fact", "current", evidence=(f"t{s.said - 2}", job),
          answers=("paramedic",), meta={"fact": "job"})  # fmt: skip
    theirs = s.say("I drink soy milk.", user="b", fact="drink", value=Value("drink", 1))
    s.ask("What do I drink?", "isolation", "foreign", forbidden=(theirs,), answerable=False,
          meta={"fact": "drink"})  # fmt: skip
    s.ask("What do I drink?", "isolation", "own", user="b", evidence=(theirs,),
          answers=("soy milk",), forbidden=(tea,), meta={"fact": "drink"})  # fmt: skip
    flat = s.say("These days I drink a flat white.", fact="drink", value=Value("drink", 2))
    s.ask("What do I drink?", "deletion", "restated", evidence=(flat,), answers=("flat white",),
          forbidden=(tea,), meta={"fact": "drink"})  # fmt: skip
    twin = {"fact": "eats", "group": "twin"}
    okra = s.say("I can eat okra.", **twin, value=Value("food", 0))
    leeks = s.say("I cannot eat leeks.", **twin, value=Value("food", 1), negated=True)
    s.ask("What can I eat?", "near_duplicate", "current", evidence=(okra,),
          answers=("okra",), meta={"fact": "eats"})  # fmt: skip
    s.ask("What can't I eat?", "near_duplicate", "negated", evidence=(leeks,),
          answers=("leeks",), meta={"fact": "eats"})  # fmt: skip
    felt = s.say("I was elated about the trip to Ghent.", **tale, value=Value("emotion", 0),
                 key=city(1), feeling=True)  # fmt: skip
    s.ask("How did I feel about Ghent?", "emotion", "feeling", evidence=(felt,),
          answers=("elated",), meta={"fact": "trip", "key": "Ghent"})  # fmt: skip
    return s


def changed(events: list[Event], name: str, **fields: Any) -> None:
    """Replace fields of the probe or the turn of that id."""
    for i, event in enumerate(events):
        if isinstance(event, Probe | Turn) and event.id == name:
            events[i] = replace(event, **fields)
            return
    raise LookupError(name)
