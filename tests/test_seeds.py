"""What the seed documents ask for: every item is proven by a test or has an owner."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "tests" / "seeds"
OWNERS = {
    "Real data sets",
    "Synthetic dialogues",
    "From numbers to conclusions",
    "Conversational retrieval",
    "Bounded-context memories",
    "Long-term memories",
    "Language models",
    "Real stores",
}
ITEMS = {"S0": 20, "S1": 24, "S2": 35, "S3": 24, "S4": 21}
CONSTANTS = {
    "Decay": 6,
    "Retention": 6,
    "Access effect": 5,
    "Ranking weights": 4,
    "Fusion": 2,
    "Importance cuts": 6,
    "Duplicate": 1,
    "Token estimate": 5,
    "Budgets": 8,
    "Keep recent": 6,
}
FIXTURES, LABELS, HYPOTHESES = 46, 15, 58


def table(name):
    return tomllib.loads((TABLES / f"{name}.toml").read_text(encoding="utf-8"))


def items():
    return [(key, entry) for seed in ITEMS for key, entry in table(seed.lower()).items()]


def number(key):
    return re.fullmatch(r"(S\d-\d+)(-[a-h])?", key).group(1)


def rows():
    """Every entry of every table, under a name to show."""
    named = [*items(), *table("fixtures").items(), *table("hypotheses").items()]
    for kind, entries in {**table("constants"), **table("labels")}.items():
        named += [(f"{kind} {n}", entry) for n, entry in enumerate(entries, 1)]
    return named


ROWS = rows()


@cache
def functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_there_are_124_items():
    numbers = {number(key) for key, _ in items()}
    expected = {f"{seed}-{n}" for seed, last in ITEMS.items() for n in range(1, last + 1)}
    assert numbers == expected
    assert len(numbers) == 124


def test_no_item_is_listed_twice():
    # S3-23 alone has parts, a to h: 123 items + 8 parts.
    keys = [key for key, _ in items()]
    parts = sorted(key for key in keys if key != number(key))
    assert [key for key, n in Counter(keys).items() if n > 1] == []
    assert parts == [f"S3-23-{letter}" for letter in "abcdefgh"]
    assert len(keys) == 131


@pytest.mark.parametrize("seed", ITEMS)
def test_each_file_holds_its_own_seed(seed):
    assert {key.partition("-")[0] for key in table(seed.lower())} == {seed}


def test_the_hypotheses_are_h01_to_h58():
    assert list(table("hypotheses")) == [f"H{n:02}" for n in range(1, HYPOTHESES + 1)]


def test_the_fixtures_and_labels_are_complete():
    assert len(table("fixtures")) == FIXTURES
    labels = table("labels")["label"]
    assert len({(label["zh"], *label["seeds"]) for label in labels}) == LABELS
    assert all(label["zh"] and label["en"] for label in labels)


def test_the_constants_are_complete():
    constants = table("constants")
    assert {row: len(values) for row, values in constants.items()} == CONSTANTS
    for row, values in constants.items():
        assert len({v["value"] for v in values}) == len(values), row


def test_values_name_the_items_they_come_from():
    known = {number(key) for key, _ in items()}
    cited = {key.split(" ")[0] for key in table("fixtures")}
    for entries in {**table("constants"), **table("labels")}.values():
        for entry in entries:
            assert entry["seeds"], entry
            cited.update(entry["seeds"])
    assert cited <= known


@pytest.mark.parametrize(("name", "entry"), ROWS, ids=[name for name, _ in ROWS])
def test_every_entry_is_proven_or_owned(name, entry):
    assert entry["component"]
    assert entry.get("holds") or entry.get("value") or entry.get("zh")
    assert ("proof" in entry) != ("open" in entry), "exactly one of proof and open"
    assert entry.get("open") in {None, *OWNERS}
    assert "partly" not in entry or "open" in entry, "a proof is not partial"
    for proof in [*([entry["proof"]] if "proof" in entry else []), *entry.get("partly", [])]:
        path, _, function = proof.partition("::")
        assert (ROOT / path).is_file(), f"{proof}: no such file"
        assert function.startswith("test_")
        assert function in functions(path), f"{proof}: no such test"


def test_no_entry_has_an_unknown_key():
    known = {"holds", "component", "proof", "open", "partly", "value", "seeds", "zh", "en"}
    assert {key for _, entry in ROWS for key in entry} <= known
