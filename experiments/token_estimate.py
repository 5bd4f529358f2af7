"""Fit the two rates of the token estimate to cl100k_base, and report its error.

python experiments/token_estimate.py LOCOMO_JSON MEMDAILY_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

from memlab.text import _HAS_CJK
from memlab.tokens import BPE, Estimate


def english(path: Path) -> list[str]:
    conversations = [sample["conversation"] for sample in json.loads(path.read_text("utf-8"))]
    return [
        turn["text"]
        for conversation in conversations
        for value in conversation.values()
        if isinstance(value, list)
        for turn in value
    ]


def chinese(folder: Path) -> list[str]:
    return [
        message["message"]
        for file in sorted(folder.glob("*.json"))
        for record in json.loads(file.read_text("utf-8"))
        for message in record["message_list"]
    ]


def features(texts: list[str]) -> np.ndarray:
    wide = np.array([len(_HAS_CJK.findall(text)) for text in texts])
    return np.stack([wide, np.array([len(t) for t in texts]) - wide], axis=1).astype(float)


def main(locomo: Path, memdaily: Path) -> None:
    counter, estimate = BPE(), Estimate()
    samples = {"English": english(locomo), "Chinese": chinese(memdaily)}
    texts = [text for sample in samples.values() for text in sample]
    counts = np.array([counter.count(text) for text in texts], dtype=float)
    rates, *_ = np.linalg.lstsq(features(texts), counts, rcond=None)
    print(f"fitted rates: {rates[0]:.3f} per CJK character, {rates[1]:.3f} per other")
    for name, sample in samples.items():
        true = np.array([counter.count(text) for text in sample], dtype=float)
        guess = np.array([estimate.count(text) for text in sample], dtype=float)
        error = np.abs(guess - true).sum() / true.sum()
        print(f"{name}: n={len(sample)} bias {guess.sum() / true.sum() - 1:+.3f} error {error:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
