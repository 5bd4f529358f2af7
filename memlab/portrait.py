"""The portrait of a data set: the statistics in which synthetic and real dialogues compare."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from memlab.errors import ConfigError
from memlab.giveaway import text_scores, within
from memlab.text import form, terms
from memlab.tokens import DEFAULT
from memlab.tokens import tokenizer as find_tokenizer
from memlab.types import Conversation, Dataset, Probe, Role, Turn

if TYPE_CHECKING:
    import pandas as pd

_QUANTILES = (10, 25, 50, 75, 90)
_COLUMNS = ("statistic", "unit", "mean", *(f"p{q}" for q in _QUANTILES), "n", "note")
_ROLES: tuple[str, ...] = get_args(Role)
_NO_EVIDENCE = "no probe has evidence"

# Statistic -> its unit, and why there may be none.
_PER_DIALOGUE = {
    "turns per conversation": ("turns", "no conversation"),
    "turns per session": ("turns", "no turn"),
}
_PER_PROBE = {
    "question tokens": ("tokens", "no probe"),
    "evidence per probe": ("turns", _NO_EVIDENCE),
    "distance": ("turns", _NO_EVIDENCE),
    "distance share": ("share", _NO_EVIDENCE),
    "evidence position": ("share", _NO_EVIDENCE),
    "overlap": ("share", "no question with terms has evidence"),
}


def describe(dataset: Dataset, *, tokenizer: str = DEFAULT) -> pd.DataFrame:
    """Return the statistics of a data set, one row each: unit, mean, quantiles, n, note.

    - `turns per conversation`, `turns per session`.
    - `turn tokens` and `evidence share` (turns that are evidence of some probe), over all turns
      and by role.
    - `question tokens`, over all probes. Everything below is over probes with evidence, whether
      or not they are answerable.
    - `evidence per probe`; `distance`: turns said between the last evidence turn and the probe,
      `distance share` the same divided by the turns said so far.
    - Over pairs of a probe and one of its evidence turns: `evidence position`, i / n for turn i of
      n; `overlap`, the share of the question's distinct index terms in the turn (with its
      speaker's name); `overlap none`, the share of pairs that have none in common.
    - `text AUC`, `length AUC`: how well the words of a turn (a model fitted on other
      conversations), or its number of tokens, tell evidence from other turns; n conversations.

    Evidence that was not said before its probe is left out and counted in the note, which also
    says why a value is NaN. Shares that are one number have no quantiles.

    Args:
        dataset: what `load` returns; its events are walked three times and not kept.
        tokenizer: `estimate`, or a tiktoken encoding.

    Raises:
        ConfigError: not a data set, or an unknown tokenizer.
    """
    import pandas as pd

    if not isinstance(dataset, Dataset):
        raise ConfigError(f"{type(dataset).__name__} {dataset!r}", "a data set, as of `ml.load`")
    walk = _Walk(find_tokenizer(tokenizer).count)
    for number, talk in enumerate(dataset):
        walk.conversation(number, talk)
    rows = pd.DataFrame([*_rows(walk), *_giveaways(walk, dataset)], columns=list(_COLUMNS))
    return rows.set_index("statistic")


class _Walk:
    """Numbers of the turns and probes walked so far; texts are kept no longer than needed."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count
        self.values = {name: array("d") for name in (*_PER_DIALOGUE, *_PER_PROBE)}
        self.tokens, self.talks = array("q"), array("q")
        self.roles, self.evidence = bytearray(), bytearray()
        self.lost = 0
        self._write = form("speaker")

    def conversation(self, number: int, talk: Conversation) -> None:
        """Walk a conversation twice: for what its probes cite, and for everything else."""
        wanted = {turn for probe in talk.probes() for turn in probe.evidence}
        start, sessions, cited = len(self.tokens), Counter[str](), list[int]()
        said: dict[str, tuple[int, str]] = {}
        for event in talk.events:
            if isinstance(event, Turn):
                if event.id in wanted:
                    said[event.id] = len(self.tokens), self._write(event)
                sessions[event.session] += 1
                self._turn(number, event)
            elif isinstance(event, Probe):
                cited += self._probe(event, said, start)
        turns = len(self.tokens) - start
        self.values["turns per conversation"].append(turns)
        self.values["turns per session"].extend(sessions.values())
        self.values["evidence position"].extend((row - start + 1) / turns for row in cited)

    def _turn(self, number: int, turn: Turn) -> None:
        self.tokens.append(self.count(turn.text))
        self.talks.append(number)
        self.roles.append(_ROLES.index(turn.role))
        self.evidence.append(False)

    def _probe(self, probe: Probe, said: dict[str, tuple[int, str]], start: int) -> list[int]:
        """Take in a probe; return the rows of its evidence."""
        self.values["question tokens"].append(self.count(probe.text))
        named = dict.fromkeys(probe.evidence)
        found = [said[turn] for turn in named if turn in said]
        self.lost += len(named) - len(found)
        rows = [row for row, _ in found]
        if not rows:
            return rows
        distance = len(self.tokens) - 1 - max(rows)
        self.values["evidence per probe"].append(len(rows))
        self.values["distance"].append(distance)
        self.values["distance share"].append(distance / (len(self.tokens) - start))
        asked = set(terms(probe.text))
        for row, text in found:
            self.evidence[row] = True
            if asked:
                self.values["overlap"].append(len(asked.intersection(terms(text))) / len(asked))
        return rows


def _rows(walk: _Walk) -> Iterator[list[Any]]:
    """Yield the rows that are means over turns, probes and pairs."""
    tokens = np.array(walk.tokens, dtype=np.float64)
    evidence = np.array(walk.evidence, dtype=np.float64)
    roles = np.frombuffer(bytes(walk.roles), dtype=np.uint8)
    parts = {"": np.full(len(roles), fill_value=True)}
    parts |= {f": {role}": roles == i for i, role in enumerate(_ROLES) if i in walk.roles}
    for name, (unit, absent) in _PER_DIALOGUE.items():
        yield _row(name, unit, walk.values[name], absent)
    for suffix, inside in parts.items():
        yield _row(f"turn tokens{suffix}", "tokens", tokens[inside], "no turn")
    for suffix, inside in parts.items():
        yield _share(f"evidence share{suffix}", evidence[inside], "no turn")
    lost = f"left out: {walk.lost} evidence ids that name no turn said before their probe"
    notes = {"evidence per probe": lost} if walk.lost else {}
    for name, (unit, absent) in _PER_PROBE.items():
        yield _row(name, unit, walk.values[name], absent, notes.get(name, ""))
    overlap = np.array(walk.values["overlap"])
    yield _share("overlap none", overlap == 0, _PER_PROBE["overlap"][1])


def _giveaways(walk: _Walk, dataset: Dataset) -> Iterator[list[Any]]:
    """Yield the rows that tell how well a turn alone predicts that it is evidence."""
    labels = np.array(walk.evidence, dtype=np.bool_)
    talks = np.array(walk.talks, dtype=np.int64)
    lengths = within(labels, np.array(walk.tokens, dtype=np.float64), talks)
    missing = reason = "no conversation has both evidence and other turns"
    words = np.array([], dtype=np.float64)
    if len(lengths) and talks[0] == talks[-1]:
        reason = "a model needs at least two conversations"
    elif len(lengths):
        reason = "the other conversations hold nothing to learn from"
        texts = (turn.text for talk in dataset for turn in talk.turns())
        words = within(labels, text_scores(texts, labels, talks), talks)
    yield _row("text AUC", "AUC", words, reason)
    yield _row("length AUC", "AUC", lengths, missing)


def _row(
    name: str, unit: str, values: Sequence[float] | NDArray[Any], absent: str, note: str = ""
) -> list[Any]:
    """Return a row of the table; without values its note tells why."""
    numbers = np.array(values, dtype=np.float64)
    if not len(numbers):
        notes = "; ".join(filter(None, (absent, note)))
        return [name, unit, *[np.nan] * (1 + len(_QUANTILES)), 0, notes]
    quantiles = np.quantile(numbers, [q / 100 for q in _QUANTILES]).tolist()
    return [name, unit, float(numbers.mean()), *quantiles, len(numbers), note]


def _share(name: str, hits: NDArray[Any], absent: str) -> list[Any]:
    """Return a row of a share, which is one number without quantiles."""
    row = _row(name, "share", hits, absent)
    return [*row[:3], *[np.nan] * len(_QUANTILES), *row[-2:]]
