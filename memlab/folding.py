"""The base of memories that fold their older turns into summaries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from memlab.checking import check_choice, check_methods, check_whole
from memlab.history import MOST, TurnMemory
from memlab.passages import LEADS, check_summary, passage_of
from memlab.protocols import Held, Passage, Summarizer
from memlab.segments import Line, Segment, State, whole_groups
from memlab.types import Item, Query, Turn

_COUNTED = (
    "turns summarised",
    "summaries written",
    "summaries remade",
    "tokens summarised",
    "tokens reread",
    "summary tokens written",
)


class SummaryMemory(TurnMemory):
    """Base of memories that keep new turns whole and older ones in summaries, per user.

    A subclass says how many of the oldest whole turns are due (`due`), how many tokens a summary
    may have (`limit`), and when a summary takes in no more (`full`). A turn is put into a summary
    once. A summary is given to the summarizer again beside new turns, never the turns in it: these
    stay in the history, from which it is made again if one of them is deleted.

    A read returns the whole turns, newest first, a tool call with its results, then the passages
    of the summaries, newest first. If not even the newest turn fits, a part of it comes back.
    """

    every: int
    form: str
    summarizer: Summarizer

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: every below 1, a form that is none, a summarizer that is none.
        """
        check_whole("every", self.every, least=1)
        check_choice("form", self.form, LEADS)
        check_methods("summarizer", self.summarizer, "summarize")
        getattr(self.summarizer, "check", lambda: None)()
        super().reset()
        self._states: dict[str, State] = {}
        self._counts = dict.fromkeys(_COUNTED, 0)

    def due(self, state: State) -> int:
        """Return how many of the oldest whole turns go into a summary now."""
        raise NotImplementedError

    def limit(self, segment: Segment) -> int:
        """Return how many tokens the summary of a segment may have."""
        raise NotImplementedError

    def full(self, segment: Segment) -> bool:
        """Tell whether a segment takes in no more turns."""
        del segment
        return False

    def write(self, turn: Turn) -> None:
        """Keep a turn; fold older ones into a summary if that is due."""
        self._take(turn.user, self.history.add(turn))

    def _take(self, user: str, row: int) -> None:
        state = self._states.setdefault(user, State())
        state.whole.append(row)
        state.tokens += self.history.tokens[row]
        while (wanted := self.due(state)) > 0:
            count = whole_groups(self.history, state.whole, wanted)
            if count == 0:
                return
            self._fold(state, state.whole[:count])

    def _fold(self, state: State, rows: list[int]) -> None:
        """Take the oldest whole rows into the last summary, or begin one."""
        del state.whole[: len(rows)]
        if not state.segments or self.full(state.segments[-1]):
            state.segments.append(Segment())
        segment, tokens = state.segments[-1], sum(self.history.tokens[row] for row in rows)
        segment.rows += rows
        segment.tokens += tokens
        state.tokens -= tokens
        new = list(self._passages(rows))
        given = [*(line.passage for line in segment.lines), *new]
        counter, most = self.run.counter, self.limit(segment)
        made = self.summarizer.summarize(given, most, counter) if given else []
        check_summary(made, given, most, counter)
        self._counts["turns summarised"] += len(rows)
        self._counts["summaries written"] += 1
        self._counts["tokens summarised"] += sum(counter.count(one.text) for one in new)
        self._counts["tokens reread"] += sum(line.tokens for line in segment.lines)
        segment.lines = [Line.of(passage, counter.count) for passage in made]
        self._counts["summary tokens written"] += sum(line.tokens for line in segment.lines)

    def _passages(self, rows: Sequence[int]) -> Iterator[Passage]:
        """Yield the turns of rows as passages; a result without its call may not be told."""
        chosen, done = set(rows), set[int]()
        for row in rows:
            if row in done:
                continue
            group = [r for r in self.history.group(row) if r in chosen or self._calls(r)]
            done.update(group)
            turns = [self.history[r] for r in group]
            if any(turn.text.strip() for turn in turns):
                yield passage_of(turns, self.form)

    def _calls(self, row: int) -> bool:
        return self.history[row].role != "tool"

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return whole turns, newest first, then what the summaries say, newest first."""
        if budget == 0 or query.user not in self._states:
            return []
        items: list[Item] = []
        left = 0 if budget is None else budget
        for group, tokens in self._ranked(self._states[query.user]):
            left -= 0 if budget is None else tokens
            if left < 0 or (budget is None and len(items) + len(group) > MOST):
                break
            items.extend(group)
        return items or self._excerpt(query.user, budget)

    def _ranked(self, state: State) -> Iterator[tuple[list[Item], int]]:
        """Yield what goes together, and its tokens."""
        seen = set[int]()
        for row in reversed(state.whole):
            if row in seen:
                continue
            group = self.history.group(row)
            seen.update(group)
            tokens = sum(self.history.tokens[r] for r in group)
            yield [Item.of(self.history[r]) for r in group], tokens
        for segment in reversed(state.segments):
            for line in reversed(segment.lines):
                yield [line.item], line.tokens

    def _excerpt(self, user: str, budget: int | None) -> list[Item]:
        whole = self._states[user].whole
        if budget is None or not whole or "call" in self.history[whole[-1]].meta:
            return []
        turn = self.history[whole[-1]]
        text = self.run.counter.truncate(turn.text, budget)
        return [Item(text, (turn.id,), "excerpt")] if text else []

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user; make the summaries again from the first that held one."""
        gone = set(self.history.forget(turn_ids, user))
        if not gone:
            return
        state = self._states[user]
        held = [i for i, segment in enumerate(state.segments) if gone.intersection(segment.rows)]
        first = held[0] if held else len(state.segments)
        again = [row for segment in state.segments[first:] for row in segment.rows]
        keep = [row for row in (*again, *state.whole) if row not in gone]
        self._counts["summaries remade"] += len(state.segments) - first
        self._states[user] = State(state.segments[:first])
        for row in keep:
            self._take(user, row)

    def dropped(self, user: str = "") -> list[str]:
        """Return the turns of a user that are in no summary and not whole any more, in order."""
        found = []
        for segment in self._states.get(user, State()).segments:
            carried = segment.sources()
            ids = (self.history[row].id for row in segment.rows)
            found += [turn_id for turn_id in ids if turn_id not in carried]
        return found

    def stats(self) -> dict[str, int | float]:
        """Return what was summarised so far, by turns and tokens, and what is held now."""
        states = self._states.values()
        folded = sum(len(part.rows) for state in states for part in state.segments)
        lost = sum(len(self.dropped(user)) for user in self._states)
        now = {"turns in summaries": folded - lost, "turns dropped": lost}
        return {**self._counts, **now, "turns whole": sum(len(state.whole) for state in states)}

    def held(self) -> Iterator[Held]:
        """Yield the summaries and the whole turns; the originals that remake them do not count."""
        times = {turn.id: turn.time for turn in self.history.live()}
        for state in self._states.values():
            for segment in state.segments:
                for line in segment.lines:
                    last = max(times[source] for source in line.item.sources)
                    yield Held("summary", line.item.text, last)
            for row in state.whole:
                yield Held("turn", self.history[row].text, self.history[row].time)

    def save(self, path: Path) -> None:
        """Write turns, summaries and counters into the folder `path`."""
        super().save(path)
        states = {user: state.to_json(self.history) for user, state in self._states.items()}
        plain = {"counts": self._counts, "users": states}
        (path / "summaries.json").write_text(json.dumps(plain, ensure_ascii=False), "utf-8")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote; nothing is summarised again."""
        self.reset()
        rows = {turn.id: self.history.add(turn) for turn in self.read_turns(path)}
        plain = json.loads((path / "summaries.json").read_text("utf-8"))
        self._counts.update(plain["counts"])
        for user, state in plain["users"].items():
            self._states[user] = State.from_json(state, self.history, rows)
