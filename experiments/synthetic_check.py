"""Examine synthetic dialogues independently of their generator.

    python experiments/synthetic_check.py [--probes 5000] [--language en|zh|mixed|all]
        [--profile default|chat|assistant|all] [--seed 0] [--show 40] [--set DIAL=VALUE ...]

The examiner (tests/synthetic/examiner) reads the dialogue, the ledger rows and what each probe
claims, and works out dates, values, persons and answers anew. Printed are the share of probes it
confirms, the counts by category and kind, and every disagreement with its reason. The exit code
is 1 below 99.5 %.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "synthetic"))

from examiner.scene import Scene
from examiner.verdict import Verdict, judge
from examiner.words import shipped

from memlab.synthetic.conversation import generate
from memlab.synthetic.profiles import profile
from memlab.synthetic.spec import DialogueSpec

LANGUAGES = ("en", "zh", "mixed")
PROFILES = ("default", "chat", "assistant")
WANTED = 0.995
LONGEST = 400
"""Characters shown of a reason."""


def examine(spec: DialogueSpec) -> Verdict:
    """Judge the conversations of a spec, one after the other."""
    verdict = Verdict()
    for talk in generate(spec):
        scene = Scene.of(talk.id, shipped(), talk, talk.rows(), talk.people)
        verdict.add(judge(scene))
    return verdict


def spec_of(name: str, **dials: object) -> DialogueSpec:
    """Return the dials of a profile, or the default ones, with others in their place."""
    return (DialogueSpec() if name == "default" else profile(name)).with_(**dials)


def kind_of(reason: str) -> str:
    """Return a reason without what is particular, to count it."""
    _, _, plain = reason.partition(" ")
    plain = re.sub(r"^q\d+ (\S+: )", "", plain)
    plain = re.sub(r"row \S+ \(\S+: (['\"]).*?\1\): ", "row: ", plain)
    plain = re.sub(r"(?s)question (['\"]).*?\1", "question", plain)
    plain = re.sub(r"(?s)'[^']*'|\"[^\"]*\"|\[[^]]*\]|\([^)]*\)|\b[a-z]*\d[\w.-]*", "…", plain)
    return re.sub(r"(?s): .*(?:…|$)", ": …", plain, count=1)[:80]


def shortened(reason: str) -> str:
    """Return a reason with long quotations cut in the middle; what is wrong stands at its end."""
    if len(reason) <= LONGEST:
        return reason
    return f"{reason[: LONGEST // 2]} … {reason[-LONGEST // 2 :]}"


def show(verdict: Verdict, most: int) -> None:
    """Print a verdict: shares by category and kind, and the disagreements."""
    print(f"  confirmed {verdict.confirmed.total()} of {verdict.examined.total()} probes", end="")
    print(f" = {verdict.share:.2%}; {verdict.rows} rows, {verdict.turns} turns")
    for kind, total in sorted(verdict.examined.items()):
        print(f"    {' / '.join(kind):<30} {verdict.confirmed[kind]:>6} of {total:>6}")
    named = [f"{name}: {reason}" for name, reasons in verdict.probes.items() for reason in reasons]
    _list("disagreements on probes", named, most)
    _list("beside the probes", verdict.beside, most)


def _list(title: str, found: list[str], most: int) -> None:
    """Print disagreements by kind, the most frequent kind first, with examples of each."""
    kinds: dict[str, list[str]] = {}
    for reason in found:
        kinds.setdefault(kind_of(reason), []).append(reason)
    print(f"  {title}: {len(found)}")
    for kind, reasons in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"    {len(reasons):>6} × {kind}")
        for reason in reasons[:most]:
            print(f"           {shortened(reason)}")


def main() -> int:
    """Examine every language and profile asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--probes", type=int, default=5000)
    parser.add_argument("--language", choices=(*LANGUAGES, "all"), default="all")
    parser.add_argument("--profile", choices=(*PROFILES, "all"), default="all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=8, help="examples of each kind of reason")
    parser.add_argument("--set", nargs="*", default=[], metavar="DIAL=VALUE")
    given = parser.parse_args()
    languages = LANGUAGES if given.language == "all" else (given.language,)
    profiles = PROFILES if given.profile == "all" else (given.profile,)
    dials = tomllib.loads("\n".join(given.set)) | {"seed": given.seed}
    share = -(-given.probes // (len(languages) * len(profiles)))
    total = Verdict()
    for name in profiles:
        for language in languages:
            spec = spec_of(name, **{**dials, "language": language})
            spec = spec.with_(conversations=max(1, -(-share // spec.probes)))
            print(f"{name}, {language}: {spec.conversations} conversations, {spec.version}")
            found = examine(spec)
            show(found, given.show)
            total.add(found)
    print(f"confirmed {total.confirmed.total()} of {total.examined.total()}: {total.share:.3%}")
    return int(not total.share >= WANTED)


if __name__ == "__main__":
    sys.exit(main())
