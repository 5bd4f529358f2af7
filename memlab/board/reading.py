"""Files of claims, `experiments/hypotheses/Hnn.toml`: read strictly, before anything is run."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from memlab.board.claims import Check, Claim, Workload
from memlab.board.contrast import Contrast
from memlab.board.evidence import FAMILY
from memlab.board.needs import FORM, absent, named
from memlab.board.peak import Peak
from memlab.board.reversal import Reversal
from memlab.board.scored import Scene
from memlab.board.strict import Table
from memlab.config import PARAMETERS
from memlab.digests import digest
from memlab.errors import ConfigError, Faults, MemlabError, as_utf8, suggest
from memlab.parsing import parse
from memlab.registry import COMPONENTS, DATASETS
from memlab.spec import PATHS, repository_root
from memlab.synthetic.spec import DialogueSpec

KINDS: dict[str, Callable[[Table, Scene], Check]] = {
    "contrast": Contrast.read,
    "peak": Peak.read,
    "reversal": Reversal.read,
}
_EXPERIMENT = ("strategies", "dataset", "budget", "tokenizer", "seed")
_NO_DIALS = ("name", "title", "limit")
_ID = re.compile(r"H\d\d")
_LETTERS = re.compile(r"[A-Za-z0-9]+")


def read_claims(folder: Path, ids: Iterable[str] = ()) -> list[Claim]:
    """Read the claims of a folder, or some of them, in the order of their ids.

    Raises:
        Faults: everything that is wrong with the files, all at once; no such folder or claim.
    """
    files = {path.stem: path for path in sorted(folder.glob("H*.toml"))}
    if not files:
        raise ConfigError(
            f"no claims in {folder}",
            "a folder of files Hnn.toml",
            "run it in a clone of memlab's repository, or name the folder: --files DIR",
        )
    unknown = [one for one in ids if one not in files]
    if unknown:
        raise Faults([ConfigError(f"no claim {one!r}", "", suggest(one, files)) for one in unknown])
    chosen = sorted(set(ids)) or list(files)
    faults: list[MemlabError] = []
    claims = [_claim(files[one], faults) for one in chosen]
    if faults:
        raise Faults(faults)
    return [claim for claim in claims if claim is not None]


def _claim(path: Path, faults: list[MemlabError]) -> Claim | None:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        faults.append(ConfigError(f"{path.name} is not TOML: {error}", "", as_utf8(error)))
        return None
    table = Table(data, path.name, faults)
    found = table.text("id")
    if found != path.stem or not _ID.fullmatch(found):
        table.fault(f"id = {found!r}", f"the name of the file, {path.stem!r}")
    claim = table.text("claim")
    needs = _needs(table)
    root = repository_root(path)
    workloads = tuple(_workload(one, found, needs, root) for one in table.tables("workloads"))
    note = table.text("note", "")
    table.close()
    tests = sum(check.tested for workload in workloads for check in workload.checks)
    if tests > FAMILY:
        table.fault(f"{tests} tests", f"at most {FAMILY} of a claim, so that Holm suits them")
    names = [workload.name for workload in workloads]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        table.fault(f"two workloads are named {name!r}", "a name each")
    return Claim(found, claim, needs, workloads, _decides(data), note)


def _decides(data: Mapping[str, Any]) -> str:
    """Return the hash of a file without what is only told."""
    if not isinstance(data.get("workloads"), list):
        return ""
    kept = [{k: v for k, v in one.items() if k != "why"} for one in data["workloads"]]
    return digest(data.get("id"), data.get("needs"), _finite(kept))[:12]


def _finite(value: Any) -> Any:  # noqa: ANN401
    """Return TOML values with infinities, which JSON lacks, as texts."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _workload(table: Table, claim: str, needs: tuple[str, ...], root: Path) -> Workload:
    name, why = table.text("name"), table.text("why")
    own = _needs(table)
    experiment = _experiment(table.table("experiment"), (*needs, *own), root)
    labels = tuple(experiment["strategies"])
    future = tuple(need.partition(".")[0] for need in (*needs, *own))
    several = isinstance(experiment["dataset"], list)
    scene = Scene(labels, _budgets(table, experiment.get("budget", 4000)), future, several)
    checks = []
    for one in table.tables("checks"):
        kind = one.choice("kind", KINDS, "contrast")
        if kind:
            checks.append(KINDS[kind](one, scene))
            one.close()
    table.close()
    metrics = [check.scored.metric for check in checks if check.scored.metric]
    experiment["metrics"] = list(dict.fromkeys(metrics)) or ["Recall()"]
    experiment["name"] = "-".join([claim, *_LETTERS.findall(name)]).lower()
    return Workload(name, why, own, experiment, tuple(checks))


def _needs(table: Table) -> tuple[str, ...]:
    found = table.texts("needs", ())
    for need in found:
        if not FORM.fullmatch(need):
            table.fault(f"needs {need!r}", "Name, Name.parameter, memlab.module or module:Name")
    return found


def _experiment(table: Table, needs: tuple[str, ...], root: Path) -> dict[str, Any]:
    """Return evaluate's parameters; its strategies are parsed once all their names exist."""
    found: dict[str, Any] = {"strategies": table.mapping("strategies")}
    future = absent(needs)
    for label, spelt in found["strategies"].items():
        _check_strategy(table, label, spelt, needs, may_fail=bool(future))
    given = table.value("dataset")
    found["dataset"] = given if isinstance(given, list) else [given]
    found["dataset"] = [_dataset(table, one, root) for one in found["dataset"]]
    if not isinstance(given, list):
        found["dataset"] = found["dataset"][0]
    for key in PARAMETERS:
        if key in _EXPERIMENT and key in table and key not in found:
            found[key] = table.value(key)
    table.close()
    return found


def _check_strategy(
    table: Table, label: str, spelt: object, needs: tuple[str, ...], *, may_fail: bool
) -> None:
    if not isinstance(spelt, str):
        table.fault(f"strategy {label!r} = {spelt!r:.40}", "the repr of a strategy")
        return
    unknown = [name for name in named(spelt) if name not in COMPONENTS]
    for name in unknown:
        if name not in {need.partition(".")[0] for need in needs}:
            hint = suggest(name, COMPONENTS)
            table.fault(f"strategy {label!r}: unknown name {name!r}", "a name in needs", hint)
    if unknown or may_fail:
        return
    try:
        parse(spelt)
    except MemlabError as error:
        table.fault(f"strategy {label!r}: {error}")


def _dataset(table: Table, given: object, root: Path) -> dict[str, Any]:
    if not isinstance(given, Mapping) or given.get("name") not in DATASETS:
        name = given.get("name") if isinstance(given, Mapping) else given
        hint = suggest(name, DATASETS) if isinstance(name, str) else ""
        table.fault(f"dataset = {given!r:.60}", "a table with the name of a data set", hint)
        return {}
    if given["name"] == "synthetic" and not {"profile", "path"} & set(given):
        try:
            DialogueSpec.of({k: v for k, v in given.items() if k not in _NO_DIALS})
        except Faults as several:
            for one in several.faults:
                table.fault(f"dataset: {one}")
    paths = {key: str(root / given[key]) for key in PATHS if isinstance(given.get(key), str)}
    return {**given, **paths}


def _budgets(table: Table, given: Any) -> tuple[int | None, ...]:  # noqa: ANN401
    listed = given if isinstance(given, list) else [given]
    wrong = [one for one in listed if one != "none" and type(one) is not int]
    if wrong or not listed:
        table.fault(f"budget = {given!r}", 'tokens, "none", or a list of these')
        return (None,)
    return tuple(None if one == "none" else one for one in listed)
