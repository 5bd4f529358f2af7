"""Imports point down only, and nobody inside the package imports the root package."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "memlab"

# Left to right inside a layer: a file imports only what stands before it.
LAYERS = """
digests errors origins types checking imports registry values parsing sourcefiles livecode \
objects walk fingerprint spelling naming
captions cards checks column content curve documents evidence items jsonfile jsonstream \
latency lines people places protocols published rankings references stats text topk trec web \
beir consistency embedding encoding filelists rare remote scoreboard scoring sources tokens \
cacherows citations fetchable partial rows run runfile shingles vectors cachefile claims \
download history scores echoes fetch verdicts transcript
strategies/ indexes/ models/ metrics/ datasets/
costs failures recording splits folder spec tables plan render config results
holding manifest prepare replay runner
catalogue samples cli contract __main__ testing
""".strip().splitlines()
ORDER = {name: (level, i) for level, row in enumerate(LAYERS) for i, name in enumerate(row.split())}


def modules():
    return [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


def place(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0] + "/" if len(parts) > 1 else parts[0]


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
            names = [node.module] if node.module != "memlab" else []
            names += [f"memlab.{a.name}" for a in node.names] if node.module == "memlab" else []
            found.update(names)
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.split(".")[0] == "memlab")
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    here = ORDER[place(path)]
    for module in imported(path):
        assert module != "memlab", "name the module, not the package"
        target = module.split(".")[1]
        target += "/" if (ROOT / target).is_dir() else ""
        if (own := place(path)) == target and own.endswith("/"):
            pytest.fail(f"{path.name} imports its sibling {module}")
        assert ORDER[target] < here, f"{path.name} imports {module}, which stands above it"


def test_every_module_has_a_place():
    assert {place(p) for p in modules()} == set(ORDER)


def test_no_package_in_the_data_folder():
    assert not (ROOT.parent / "datasets" / "__init__.py").exists()
