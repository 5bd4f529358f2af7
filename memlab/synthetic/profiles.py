"""Frozen profiles: dials fitted to measured statistics of real data, and then left alone."""

from __future__ import annotations

from pathlib import Path

from memlab.errors import ConfigError, suggest
from memlab.synthetic.spec import DialogueSpec

FOLDER = Path(__file__).with_name("profiles")
PROFILES = ("chat", "assistant")


def profile(name: str) -> DialogueSpec:
    """Return the dials of a profile: `chat` (LoCoMo) or `assistant` (BEAM).

    Raises:
        ConfigError: an unknown name.
    """
    if name not in PROFILES:
        raise ConfigError(f"unknown profile {name!r}", "", suggest(name, PROFILES))
    return DialogueSpec.read(FOLDER / f"{name}.toml")
