"""Values from the literature that stand in a table beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memlab.errors import ConfigError, suggest
from memlab.naming import spell
from memlab.scoring import as_metric


class Published(NamedTuple):
    """Values that others report, by the repr of the metric they are values of.

    `category` and `dataset` limit them to a part of the probes; empty is all of them.
    """

    label: str
    source: str
    values: Mapping[str, float]
    category: str = ""
    dataset: str = ""

    def table(self) -> dict[str, Any]:
        """Return the `[[published]]` table that reads back as this, defaults left out."""
        return {key: value for key, value in self._asdict().items() if value}

    def fits(self, field: str, value: str) -> bool:
        """Tell whether these are of the probes whose `field` is `value`; of all, without one."""
        own = {"category": self.category, "dataset": self.dataset}
        other = [own[name] for name in own if name != field]
        return own.get(field, "") == value and not any(other)


def read_published(given: Any) -> tuple[Published, ...]:  # noqa: ANN401
    """Return published values from `[[published]]` tables, metrics in their own spelling.

    >>> read_published([{"label": "X", "source": "a paper", "values": {"Recall(k = 5)": 0.6}}])
    (Published(label='X', source='a paper', values={'Recall(k=5)': 0.6}, category='', dataset=''),)

    Raises:
        ConfigError: no list of tables, a key that is missing, unknown or of another type.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ConfigError(f"published={given!r:.80}", "a list of tables")
    return tuple(_read(table) for table in given)


def _read(table: Any) -> Published:  # noqa: ANN401
    if isinstance(table, Published):
        return table
    known = Published._fields
    if not isinstance(table, Mapping):
        raise ConfigError(f"published {table!r:.80}", f"a table with {', '.join(known[:3])}")
    for key in table:
        if key not in known:
            raise ConfigError(f"published has an unknown key {key!r}", "", suggest(str(key), known))
    texts = {key: table.get(key, "") for key in known if key != "values"}
    for key, text in texts.items():
        if not isinstance(text, str) or (key in known[:2] and not text.strip()):
            raise ConfigError(f"published {key}={text!r}", "text")
    values = table.get("values")
    if not isinstance(values, Mapping) or not values:
        raise ConfigError(
            f"published values={values!r:.80}", 'a table such as {"Recall(k=5)" = 0.6}'
        )
    return Published(values=dict(_numbers(values)), **texts)


def _numbers(values: Mapping[Any, Any]) -> Iterator[tuple[str, float]]:
    for metric, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise ConfigError(f"published {metric} = {value!r}", "a finite number")
        yield spell(as_metric(metric)), float(value)
