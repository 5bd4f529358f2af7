"""Random draws that are the same on every machine and in every version of Python."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TypeVar

T = TypeVar("T")
_CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN, traps=[])


class Draw:
    """A generator of its own, seeded by names.

    Only `random.Random.random` is used, whose sequence Python guarantees; its other methods may
    change between versions.

    >>> Draw(0, "people").pick(["Ada", "Bo", "Cy"]) == Draw(0, "people").pick(["Ada", "Bo", "Cy"])
    True
    """

    def __init__(self, *names: str | int) -> None:
        text = "\x1f".join(map(str, names)).encode()
        seed = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
        self.unit = random.Random(seed).random  # noqa: S311 - nothing secret is drawn
        """Draw a float of [0, 1)."""

    def below(self, bound: int) -> int:
        """Draw a whole number of [0, bound)."""
        return int(self.unit() * bound)

    def between(self, low: int, high: int) -> int:
        """Draw a whole number of [low, high]."""
        return low + int(self.unit() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """Draw True with probability `share`."""
        return self.unit() < share

    def pick(self, options: Sequence[T]) -> T:
        """Draw one of `options`."""
        return options[int(self.unit() * len(options))]

    def several(self, options: Sequence[T], count: int) -> list[T]:
        """Draw `count` different members of `options`, or all of them where there are fewer."""
        if count >= len(options):
            return self.shuffled(options)
        places: dict[int, None] = {}
        while len(places) < count:
            places[self.below(len(options))] = None
        return [options[place] for place in places]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Draw a key with probability proportional to its weight."""
        left = self.unit() * math.fsum(weights.values())
        *others, last = weights
        for key in others:
            left -= weights[key]
            if left < 0:
                return key
        return last

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return `options` in a random order."""
        mixed = list(options)
        for last in range(len(mixed) - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def log_uniform(self, high: int) -> int:
        """Draw a whole number of [1, high], its logarithm uniform.

        Decimal arithmetic is exact in the same way everywhere; the C library's `exp` is not.
        """
        top = _CONTEXT.ln(Decimal(high + 1))
        return min(high, int(_CONTEXT.exp(_CONTEXT.multiply(Decimal(self.unit()), top))))


def quota(weights: Mapping[str, float], total: int) -> list[str]:
    """Return `total` names in proportion to their weights (largest remainders), in order.

    >>> quota({"a": 1, "b": 2}, 4)
    ['a', 'b', 'b', 'b']
    """
    whole = math.fsum(weights.values())  # `sum` rounds differently from Python 3.12 on
    exact = {name: total * weight / whole for name, weight in weights.items()}
    counts = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in by_rest[: total - sum(counts.values())]:
        counts[name] += 1
    return [name for name, count in counts.items() for _ in range(count)]
