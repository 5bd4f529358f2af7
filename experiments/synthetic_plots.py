"""Draw the curves of the README from finished runs.

    memlab run experiments/forgetting.toml && memlab run experiments/scaling.toml
    python experiments/synthetic_plots.py results/forgetting-… results/scaling-…

Pictures go to experiments/plots/.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import memlab as ml

FOLDER = Path(__file__).with_name("plots")


def main() -> None:
    """Draw four pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forgetting", type=Path, help="a run of forgetting.toml")
    parser.add_argument("scaling", type=Path, help="a run of scaling.toml")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    results = ml.Results.load(given.forgetting)
    pictures = {
        "forgetting": results.plot.forgetting("Recall()"),
        "overlap": results.plot.forgetting("Recall(k=10)", by="overlap"),
        "updates": results.plot.forgetting("MRR()", by="updates"),
        "scaling": ml.Results.load(given.scaling).plot.scaling("Recall(k=10)"),
    }
    for name, picture in pictures.items():
        picture.savefig(
            FOLDER / f"{name}.png", dpi=110, bbox_inches="tight", metadata={"Software": None}
        )


if __name__ == "__main__":
    main()
