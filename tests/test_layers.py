"""Imports point down only, and nobody inside the package imports the root package."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "memlab"

# Left to right inside a layer: a file imports only what stands before it.
LAYERS = """
digests errors taxonomy origins types checking imports registry values parsing sourcefiles \
livecode objects walk fingerprint spelling naming outline progress sweeps
drafts hashed ids bins cells checks column content curve evidence fetching/places fetching/web \
judging/items judging/archive judging/dialogue latency reference protocols rankings \
reading/captions reading/cards reading/documents reading/jsonfile reading/jsonstream \
reading/lines reading/people reading/references inference/clusters inference/strata stats \
inference/sign_flip inference/bootstrap inference/wilcoxon inference/multiple inference/margins \
inference/effects inference/power inference/repeats inference/audit inference/correction text \
topk trec association answertext verdictnames encoding/embedding encoding/passes encoding/local \
encoding/remote fetching/filelists judging/rare reading/consistency reading/sources scoreboard \
scoring tokens giveaway portrait encoding/cacherows encoding/vectors fetching/fetchable \
fetching/partial judging/shingles reading/citations reading/published reading/rows run \
encoding/cachefile fetching/download history judging/claims judging/tally reading/beir \
fetching/fetch judging/echoes reading/runfile judging/verdicts scores judging/transcript \
synthetic/draw synthetic/spec synthetic/forms synthetic/lexicon synthetic/values synthetic/asks \
synthetic/ledger synthetic/noise synthetic/layout synthetic/profiles synthetic/derive \
synthetic/export synthetic/speech synthetic/world synthetic/stage synthetic/reserve \
synthetic/plan synthetic/facts synthetic/filler synthetic/rivals synthetic/recall synthetic/traps \
synthetic/abilities synthetic/questions synthetic/long synthetic/talk synthetic/examine \
synthetic/events synthetic/conversation timewords/spans timewords/found timewords/english_words \
timewords/english_dates timewords/english timewords/english_context timewords/chinese_words \
timewords/chinese_dates timewords/chinese timewords/chinese_context timewords/joining dates \
datewords lexicon keyfacts givennames mentions resolving statements wordgroups walks asking \
windows episodes particulars passages segments folding summarycost windowcost wrapping factbook \
packing condensing sections pages eviction paging pagetable pagestore pageaccess
strategies/ indexes/ models/ metrics/ datasets/ policies/ graphs/
figures/fonts figures/names figures/style figures/scales figures/costs figures/labels \
figures/lines figures/curves figures/picture figures/key figures/pointnames figures/forgetting \
figures/scaling figures/growth figures/peers figures/pareto figures/categories figures/latency \
figures/pairs figures/steps
recording folder derived splits published spec plan config rundata contexts answerrows answers \
judged predicting readers parameters comparability costs counters quotes tokencurves tables \
frontier probewise contrasts remarks comparison comparing failures dials scaling growth timings \
categories captions curveplots render plots results
holding manifest prepare replay runner tracing gate/times gate/snapshot gate/contrast gate/flips \
gate/quality gate/latency gate/changes gate/files gate/tables gate/junit gate/outcome gate/check \
gate/benches repeating paper/contents paper/archive paper/sharing paper/trust paper/guide \
paper/rescoring paper/rerun paper/verify paper/bundle paper/spans paper/facts paper/methods \
reporting/shown reporting/embed reporting/grid reporting/parts reporting/overview \
reporting/compared reporting/counted reporting/about reporting/pictures reporting/failed \
reporting/dialogues reporting/index reporting/browser reporting/content reporting/document \
reporting/page reporting/write board/strict board/evidence board/expectations board/where \
board/needs board/rankwise board/tokenwise board/reordering board/counters board/summarising \
board/measures board/scored board/contrast board/peak board/reversal board/foils board/lexical \
board/claims board/reading board/entries board/measuring board/shown board/page board/board
peers/peer peers/texts peers/own peers/offline peers/langchain peers/llamaindex peers/lexical \
peers/chroma peers/mem0 peers/listed peers/measuring peers/table
catalogue samples commands/output commands/running commands/showing commands/comparing \
commands/checking commands/peering commands/benching commands/reporting commands/hypotheses \
commands/bundling commands/data cli contract __main__ testing
""".strip().splitlines()
ORDER = {name: (level, i) for level, row in enumerate(LAYERS) for i, name in enumerate(row.split())}


PARTS = {"strategies", "indexes", "models", "metrics", "datasets", "policies", "graphs"}


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
