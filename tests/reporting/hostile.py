"""A run whose every text tries to break out of the page."""

from datetime import UTC, datetime, timedelta

from memlab.registry import load_target
from memlab.types import Conversation, Dataset, Probe, Turn

BAD = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>"
TEXTS = (
    f"</script>{BAD}",
    f"<!--<script>{BAD}",
    "\"'><svg onload=window.hacked=3> &amp; ]]> ${window.hacked=4} {{ 7*7 }}",
    "null \0 escape \x1b bell \x07 line \u2028 paragraph \u2029 lone \ud800 end",
    "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd \u2066unclosed",
    "javascript:window.hacked=5",
    "long " + "x" * 100_000,
    "咖啡 <b>粗体</b>",
)
LABELS = (f"{BAD} window", '" onmouseover="window.hacked=6', "l" * 5000, "失败 <i>")


class Raises:
    """Fail every read with an error that contains HTML."""

    def reset(self):
        """Forget everything."""

    def write(self, turn):
        """Take a turn."""

    def read(self, query, budget):
        """Fail."""
        raise RuntimeError(f'{BAD}\0\u2028 & "quoted"')


def dataset():
    """Return one conversation whose ids, names, texts, answers and categories are hostile."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [
        Turn(
            id=f"{BAD}{i}",
            text=text,
            time=start + timedelta(minutes=i),
            session=f"{BAD} session {i // 3}",
            speaker=BAD,
            user="u",
        )
        for i, text in enumerate(TEXTS)
    ]
    probes = [
        Probe(
            id=f"{BAD} probe {i}",
            text=f"{text[:300]} ?",
            time=start + timedelta(hours=1 + i),
            user="u",
            category=f"{BAD}{i % 2}",
            evidence=(turns[0].id,),
            stale=(turns[1].id,),
            forbidden=(turns[2].id,),
            answers=(BAD, "\0"),
        )
        for i, text in enumerate(TEXTS)
    ]
    card = {"licence": BAD, "title": BAD, "citation": "\u202e"}
    talk = Conversation(id=f"{BAD} talk", events=(*turns, *probes))
    return Dataset(name=BAD, conversations=(talk,), card=card)


def strategies():
    """Return strategies under hostile names; the last one fails."""
    kinds = ("Window(turns=3)", "BM25()", "NoMemory()")
    made = dict(zip(LABELS, kinds, strict=False))
    return made | {LABELS[3]: Raises()}


def run():
    """Return the results of the hostile run."""
    evaluate = load_target("memlab.runner:evaluate")
    return evaluate(strategies(), dataset(), ["Recall(k=2)", "StaleHit()"], budget=[50, None])
