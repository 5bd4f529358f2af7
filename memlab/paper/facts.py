"""What a methods section must say of a run, sentence by sentence, from the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memlab.naming import spell
from memlab.paper.spans import Block, Code, Sentence
from memlab.rankings import Rankings
from memlab.render import shown_metrics
from memlab.results import Results
from memlab.scoring import definition, tally
from memlab.tables import datasets


def data(results: Results) -> Block:
    """Return what the data are: names, sizes, hashes, licence, defects."""
    about = results.manifest
    given, sentences = about["dataset"], list[Sentence]()
    first = next(iter(results.groups.values()), ())
    talks = {results.records[i].conversation for i in first}
    answerable = sum(results.records[i].answerable for i in first)
    evident = sum(bool(results.records[i].evidence) for i in first)
    sentences.append(
        [
            f"{_number(first, 'question')} in {_number(talks, 'conversation')} of the data set ",
            Code(given["name"]),
            f" ({answerable} answerable, {evident} with labelled evidence; sha256 of the content ",
            Code(about["resolved"]["data"]),
            ").",
        ]
    )
    sentences += _cards(given)
    options = {k: v for k, v in given["options"].items() if k not in ("name", "datasets")}
    if options:
        told = ", ".join(f"{key}={value}" for key, value in sorted(options.items()))
        sentences.append(["Loaded with ", Code(told), "."])
    defects = {action: sum(kinds.values()) for action, kinds in given["defects"].items()}
    if defects:
        counted = ", ".join(f"{count} {action}" for action, count in sorted(defects.items()))
        sentences.append([f"Defects of the published data: {counted}."])
    if about.get("coverage"):
        sentences.append([f"Coverage: {about['coverage']}."])
    return "Data", sentences, []


def _cards(given: Mapping[str, Any]) -> Iterator[Sentence]:
    card = given.get("card") or {}
    nested = [one for one in card.values() if isinstance(one, Mapping) and "licence" in one]
    for one in [card, *nested]:
        told = [str(one[key]) for key in ("title", "citation") if one.get(key)]
        if told:
            licence = f" (licence: {one['licence']})" if one.get("licence") else ""
            yield [f"{'; '.join(text.rstrip('.') for text in told)}{licence}."]


def protocol(results: Results) -> Block:
    """Return how the run was made, and the versions of what made it."""
    about = results.manifest
    resolved, git = about["resolved"], about.get("git") or {}
    limits = [b for b in resolved["budget"] if b is not None]
    budget = f"at most {' or '.join(map(str, limits))} tokens" if limits else ""
    free = "any number of tokens" if None in resolved["budget"] else ""
    commit = f", commit {git['commit'][:12]}" if git.get("commit") else ""
    dirty = " with local changes" if git.get("dirty") else ""
    version = about["packages"]["memlab"]
    sentences: list[Sentence] = [
        [
            "Every conversation was replayed turn by turn through every strategy with memlab ",
            f"{version}{commit}{dirty}, run ",
            Code(f"{about['name']}-{about['hash8']}"),
            f", seed {resolved['seed']}; a read returned ",
            f"{' or '.join(filter(None, (budget, free)))}, counted with ",
            Code(resolved["tokenizer"]),
            ".",
        ],
        [f"Evidence: {about['evidence_rule']}."],
    ]
    if about["learns_on_read"]:
        learning = ", ".join(about["learns_on_read"])
        sentences.append([f"These strategies learn on read, so the order matters: {learning}."])
    packages = {k: v for k, v in about["packages"].items() if v and k != "memlab"}
    listed = ", ".join(f"{name} {found}" for name, found in packages.items())
    sentences.append([f"Python {about['python']}; {listed}."])
    return "Protocol", sentences, []


def strategies(results: Results) -> Block:
    """Return every strategy with all its parameters."""
    items: list[Sentence] = []
    for label in results.manifest["resolved"]["order"]:
        spelt = results.manifest["resolved"]["strategies"][label]
        kinds = list(dict.fromkeys(spelt.values())) if isinstance(spelt, Mapping) else [spelt]
        more = f" and {len(kinds) - 1} more, chosen by conversation" if len(kinds) > 1 else ""
        items.append([f"{label}: ", Code(kinds[0]), f"{more}"])
    return "Strategies", [["With all parameters:"]], items


def metrics(results: Results) -> Block:
    """Return every metric: definition, denominator, what was left out and flagged."""
    items: list[Sentence] = []
    for metric in shown_metrics(results):
        about = definition(metric)
        way = {True: "higher is better", False: "lower is better"}
        told = [str(about["definition"]), way.get(bool(about.get("higher_is_better")), "")]
        told = told if "higher_is_better" in about else told[:1]
        if "failed_read_scores" in about:
            failed = about["failed_read_scores"]
            scores = "is left out" if failed is None else f"scores {failed:g}"
            told.append(f"a failed read {scores}")
        counts = [tally(metric, rankings) for rankings in _by_group(results)]
        items.append([Code(spell(metric)), f": {'; '.join([*told, *_counted(counts)])}."])
    return "Metrics", [["Definitions, denominators and what was left out:"]], items


def _by_group(results: Results) -> Iterator[Rankings]:
    return (Rankings.of(results.records[i] for i in at) for at in results.groups.values())


def _counted(counts: Sequence[Any]) -> Iterator[str]:
    """Yield counts; a range where strategies differ."""
    texts = {
        "n": "n = {}",
        "unanswerable": "{} unanswerable questions left out",
        "excluded": "{} without what it asks about left out",
        "unmeasurable": "{} without a value",
        "failed": "{} failed reads",
        "trivial": "{} trivial (k takes in every candidate)",
        "budget_bound": "{} cut by the budget before rank k",
    }
    for name, text in texts.items():
        values = sorted({getattr(count, name) for count in counts})
        if values and (name == "n" or values[-1]):
            yield text.format(" to ".join(map(str, dict.fromkeys((values[0], values[-1])))))


def failures(results: Results) -> Block | None:
    """Return how many reads failed, by strategy; None if none did."""
    failed = Counter(record.strategy for record in results.records if record.error is not None)
    if not failed:
        return None
    told = "; ".join(f"{label}: {count}" for label, count in failed.items())
    return "Failures", [[f"Failed reads, of {len(results.records)} in all: {told}."]], []


def readers(results: Results) -> Block | None:
    """Return what answers and judgements were added; None if there are none."""
    sentences: list[Sentence] = []
    for kind, source in (("answers", "reader"), ("judgements", "judge")):
        for name, counts in results.manifest.get(kind, {}).items():
            told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
            named = f"{source} {name!r}" if name else f"a {source}"
            sentences.append([f"{kind.capitalize()} of {named}: {told}."])
    return ("Answers", sentences, []) if sentences else None


def several(results: Results) -> bool:
    """Tell whether the run is on several data sets."""
    return len(datasets(results)) > 1


def _number(things: Any, name: str) -> str:  # noqa: ANN401
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
