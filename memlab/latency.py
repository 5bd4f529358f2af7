"""Latencies of millions of calls in a few kilobytes: a histogram with logarithmic buckets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

AGES = ("under 1 day", "1-7 days", "7-30 days", "30-90 days", "90 days and more")
"""How memory use is shown by age."""

_STEPS = 16
"""Buckets per power of two: a value is known to within 1/32 of itself."""


class Histogram:
    """Counts nanoseconds in buckets; percentiles are exact to about 3 %."""

    def __init__(self, buckets: Mapping[int, int] | None = None, total: int = 0) -> None:
        self.buckets: dict[int, int] = dict(buckets or {})
        self.total = total

    def add(self, nanoseconds: int) -> None:
        """Count one call."""
        shift = nanoseconds.bit_length() - 5
        bucket = nanoseconds if shift <= 0 else (shift * _STEPS) + (nanoseconds >> shift)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + 1
        self.total += nanoseconds

    @property
    def count(self) -> int:
        """The number of calls."""
        return sum(self.buckets.values())

    def mean(self) -> float:
        """Return the exact mean in nanoseconds; NaN without calls."""
        return self.total / self.count if self.buckets else float("nan")

    def quantile(self, q: float) -> float:
        """Return the q-quantile in nanoseconds (nearest rank, bucket middle); NaN if empty."""
        wanted = q * self.count
        seen = 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= wanted:
                return _middle(bucket)
        return float("nan")

    def distribution(self) -> tuple[list[float], list[int]]:
        """Return the middles of the buckets, rising, and the calls in each."""
        ordered = sorted(self.buckets.items())
        return [_middle(bucket) for bucket, _ in ordered], [n for _, n in ordered]

    def merge(self, others: Iterable[Histogram]) -> Histogram:
        """Return a histogram of these calls and those of `others`."""
        merged = Histogram(self.buckets, self.total)
        for other in others:
            for bucket, n in other.buckets.items():
                merged.buckets[bucket] = merged.buckets.get(bucket, 0) + n
            merged.total += other.total
        return merged

    def to_json(self) -> dict[str, object]:
        """Return a JSON-ready form."""
        return {"total": self.total, "buckets": sorted(self.buckets.items())}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Histogram:
        """Read back what `to_json` wrote."""
        pairs = data["buckets"]
        total = data["total"]
        if not isinstance(pairs, list) or not isinstance(total, int):
            return cls()
        return cls({int(b): int(n) for b, n in pairs}, total)


def _middle(bucket: int) -> float:
    if bucket < 2 * _STEPS:
        return float(bucket)
    shift = bucket // _STEPS - 1
    return ((bucket - shift * _STEPS) + 0.5) * (1 << shift)
