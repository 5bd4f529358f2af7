"""Imports point down only, and nobody inside the package imports the root package."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "memlab"

# Left to right inside a layer: a file imports only what stands before it.
LAYERS = """
digests errors origins types checking imports registry values parsing sourcefiles livecode \
objects walk fingerprint spelling naming
drafts hashed ids bins checks column content curve evidence fetching/places fetching/web \
judging/items judging/archive judging/dialogue latency protocols rankings reading/captions \
reading/cards reading/documents reading/jsonfile reading/jsonstream reading/lines reading/people \
reading/references stats text topk trec encoding/embedding encoding/local encoding/remote \
fetching/filelists judging/rare reading/consistency reading/sources scoreboard scoring tokens \
giveaway portrait encoding/cacherows encoding/vectors fetching/fetchable fetching/partial \
judging/shingles reading/citations reading/published reading/rows run encoding/cachefile \
fetching/download history judging/claims judging/tally reading/beir fetching/fetch \
judging/echoes reading/runfile judging/verdicts scores judging/transcript synthetic/draw \
synthetic/spec synthetic/forms synthetic/lexicon synthetic/values synthetic/asks \
synthetic/ledger synthetic/noise synthetic/layout synthetic/profiles synthetic/derive \
synthetic/export synthetic/speech synthetic/world synthetic/stage synthetic/reserve \
synthetic/plan synthetic/facts synthetic/filler synthetic/rivals synthetic/recall \
synthetic/traps synthetic/abilities synthetic/questions synthetic/long synthetic/talk \
synthetic/examine synthetic/events synthetic/conversation
strategies/ indexes/ models/ metrics/ datasets/
figures/fonts figures/style figures/scales figures/lines figures/curves figures/picture \
figures/forgetting figures/scaling
recording folder splits spec plan config rundata costs failures tables dials scaling render \
plots results
holding manifest prepare replay runner
catalogue samples commands/output commands/running commands/showing commands/data cli contract \
__main__ testing
""".strip().splitlines()
ORDER = {name: (level, i) for level, row in enumerate(LAYERS) for i, name in enumerate(row.split())}


PARTS = {"strategies", "indexes", "models", "metrics", "datasets"}


def modules():
    return [p for p in sorted(ROOT.rglob("*.py")) if p.name != "__init__.py"]


def named(parts):
    """Return the name of a module in LAYERS; the files of a folder of parts share one."""
    return f"{parts[0]}/" if parts[0] in PARTS else "/".join(parts)


def place(path):
    return named(path.relative_to(ROOT).with_suffix("").parts)


def imported(path):
    """Return the memlab modules a file imports at run time, TYPE_CHECKING blocks left out."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "memlab":
            assert node.level == 0
            bare = node.module == "memlab"
            found.update([f"memlab.{a.name}" for a in node.names] if bare else [node.module])
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.split(".")[0] == "memlab")
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    here = ORDER[place(path)]
    for module in imported(path):
        assert module != "memlab", "name the module, not the package"
        target = named(module.split(".")[1:])
        if place(path) == target and target.endswith("/"):
            pytest.fail(f"{path.name} imports its sibling {module}")
        assert ORDER[target] < here, f"{path.name} imports {module}, which stands above it"


def test_every_module_has_a_place():
    assert {place(p) for p in modules()} == set(ORDER)


def test_no_package_in_the_data_folder():
    assert not (ROOT.parent / "datasets" / "__init__.py").exists()
