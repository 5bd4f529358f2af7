"""A run as one archive that a reviewer can check, score again and run again."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlab.config import read_config
from memlab.drafts import drafted
from memlab.errors import ConfigError, Faults, RunError
from memlab.folder import Folder
from memlab.paper.archive import sha256, write_archive
from memlab.paper.contents import (
    ABOUT,
    RUN,
    SUMS,
    TEXTS,
    about,
    dataset_card,
    definitions,
    packages,
    sums,
)
from memlab.paper.guide import guide
from memlab.paper.sharing import moved, places, shared, tables
from memlab.paper.verify import verify
from memlab.results import Results
from memlab.rundata import RunData


def bundle(
    run: str | Path | RunData, path: str | Path | None = None, *, with_data: bool = False
) -> Path:
    """Write a run into a hashed archive and return its path.

    The same run, bundled again in the same environment, gives the same bytes. The archive is
    verified before it takes its place. Paths of the data in the spec become `data/<name>`.

    Args:
        run: a run folder, or results that lie in one.
        path: of the archive; by default `<name>-<hash8>.zip` where you are.
        with_data: put in the data, and the texts that strategies derived from them, where
            the licence in their card allows anybody to pass them on; otherwise hash and card.

    Raises:
        ConfigError: results that were never written, or data made in Python `with_data`.
        RunError: not the folder of a finished run.
        Faults: a licence that is not open, or a summary that does not follow from the records.
        DataError: the archive cannot be written.

    >>> import memlab as ml, tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     results = ml.evaluate(["Window(turns=2)"], "quickstart", ["MRR()"], out=here)
    ...     print(ml.verify(ml.bundle(results, f"{here}/mine.zip")).ok)
    True
    """
    folder = _folder(run)
    results = Results.load(folder)
    target = Path(path) if path is not None else Path(f"{folder.resolve().name}.zip")
    made = _contents(folder, results, with_data=with_data)
    made[SUMS] = sums({name: _digest(value) for name, value in made.items()})
    with drafted(target) as draft:
        write_archive(made, draft)
        found = verify(draft)
        if found.faults:
            version = results.manifest["packages"]["memlab"]
            head = f"the run does not pass its own check (it was made by memlab {version})"
            raise Faults(found.faults, head)
    return target


def _folder(run: str | Path | RunData) -> Path:
    path = run.path if isinstance(run, RunData) else Path(run)
    if path is None:
        raise ConfigError("these results lie in no folder", "a run folder", "evaluate(…, out=…)")
    lacking = [name for name in RUN if not (path / name).is_file()]
    if lacking or not Folder(path).complete:
        raise RunError(f"{path} lacks {', '.join(lacking)}", "the folder of a finished run")
    return path


def _contents(folder: Path, results: Results, *, with_data: bool) -> dict[str, bytes | Path]:
    options, spec = _spec(folder)
    wanted = places(options)
    files = {
        f"{n} {key}" if len(wanted) > 1 else key: place
        for n, one in enumerate(wanted, 1)
        for key, place in one.items()
    }
    manifest = results.manifest
    made: dict[str, bytes | Path] = {name: folder / name for name in RUN}
    made |= {
        "spec.toml": spec.encode(),
        "README.md": guide(results, files, with_data=with_data),
        "definitions.md": definitions(manifest),
        "packages.txt": packages(manifest),
        "dataset.json": dataset_card(manifest, files),
        ABOUT: about(manifest, with_data=with_data),
    }
    return made | (_data(folder, results, options, wanted) if with_data else {})


def _spec(folder: Path) -> tuple[Any, str]:
    """Return the data set tables of a spec, and its text with the data in the bundle's folder."""
    text = (folder / "spec.toml").read_text("utf-8")
    options = tomllib.loads(text).get("dataset") or {}
    return options, moved(text, options)


def _data(
    folder: Path,
    results: Results,
    options: Any,  # noqa: ANN401
    wanted: list[dict[str, str]],
) -> dict[str, bytes | Path]:
    """Return the files of the data and the derived texts, where the licence allows it."""
    if not options:
        raise ConfigError(
            "the data of this run were made in Python",
            "a data set that loads from files",
            "write it with memlab.datasets.jsonl.dump and run on that file",
        )
    names = [table["name"] for table in tables(options)]
    card = results.dataset.card
    cards: Mapping[str, Any] = {names[0]: card} if len(names) == 1 else card
    here = tables(read_config(folder / "spec.toml")["dataset"])
    found = {
        place: Path(table[key])
        for table, one in zip(here, wanted, strict=True)
        for key, place in one.items()
    }
    texts = folder / TEXTS
    files: dict[str, bytes | Path] = dict(shared(cards, found))
    return files | ({TEXTS: texts} if texts.is_file() else {})


def _digest(value: bytes | Path) -> str:
    return sha256(value) if isinstance(value, Path) else hashlib.sha256(value).hexdigest()
