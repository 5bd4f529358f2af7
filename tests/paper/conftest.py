"""A small finished run, its bundle, and archives made by hand."""

import zipfile

import pytest

import memlab as ml

STRATEGIES = {"last 3": "Window(turns=3)", "bm25": "BM25()"}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The results of a finished run in a folder."""
    out = tmp_path_factory.mktemp("results")
    return ml.evaluate(
        STRATEGIES,
        "quickstart",
        ["Recall(k=5)", "StaleHit()"],
        budget=[60, 200],
        name="toy",
        out=out,
    )


@pytest.fixture(scope="session")
def archive(made, tmp_path_factory):
    """Its bundle."""
    return ml.bundle(made, tmp_path_factory.mktemp("bundles") / "toy.zip")


@pytest.fixture(scope="session")
def files(archive):
    """The files of the bundle by name."""
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def forged(files, tmp_path):
    """Return a function that writes the bundle with files changed, its hashes made to fit."""
    from memlab.paper.archive import write_archive
    from memlab.paper.contents import SUMS, sums

    def make(fit=True, **changed):
        import hashlib

        held = {**files, **{name.replace("__", "."): value for name, value in changed.items()}}
        held = {name: value for name, value in held.items() if value is not None}
        if fit:
            held.pop(SUMS)
            held[SUMS] = sums({n: hashlib.sha256(v).hexdigest() for n, v in held.items()})
        path = tmp_path / "forged.zip"
        write_archive(held, path)
        return path

    return make
