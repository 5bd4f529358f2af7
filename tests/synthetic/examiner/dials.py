"""Whether the dials of a probe are those of its place in the dialogue."""

from __future__ import annotations

from collections.abc import Iterator

from examiner.scene import Asked, Scene
from memlab.text import terms


def dial_faults(scene: Scene, asked: Asked) -> Iterator[str]:
    """Yield the dials that differ from those of the place: turns before, turns since evidence."""
    probe, meta = asked.probe, asked.probe.meta
    places = [scene.place[turn] for turn in probe.evidence if turn in scene.place]
    wanted: dict[str, float] = {"history": asked.said}
    if places:
        wanted["distance"] = asked.said - 1 - max(places)
        wanted["overlap"] = shared(scene, asked)
    for name, figure in wanted.items():
        if name in meta and abs(float(meta[name]) - figure) > 1e-3:
            yield f"dial {name} = {meta[name]}, counted {figure}"


def shared(scene: Scene, asked: Asked) -> float:
    """Return the share of a question's terms in an evidence turn, the mean over these turns."""
    said = [scene.turns[turn] for turn in asked.probe.evidence if turn in scene.turns]
    asks = set(terms(asked.probe.text))
    parts = [len(asks.intersection(terms(f"{t.speaker}: {t.text}"))) for t in said]
    return sum(parts) / (len(asks) * len(said)) if asks and said else 0.0
