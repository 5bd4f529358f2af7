"""Checks of hyper-parameters, made where the value is used: type, range, choice."""

from __future__ import annotations

import math
from collections.abc import Iterable

from memlab.errors import ConfigError, suggest


def check_whole(name: str, value: object, least: int = 0) -> None:
    """Check a whole number.

    Raises:
        ConfigError: anything but an integer of at least `least`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name}={value!r}", f"a whole number of at least {least}")


def check_number(name: str, value: object, low: float = 0.0, high: float = math.inf) -> None:
    """Check a finite number in [low, high].

    Raises:
        ConfigError: another type, NaN, infinity, or out of range.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(float(value)) or not low <= float(value) <= high:  # type: ignore[arg-type]
        upper = "" if high == math.inf else f" and at most {high:g}"
        raise ConfigError(f"{name}={value!r}", f"a number of at least {low:g}{upper}")


def check_flag(name: str, value: object) -> None:
    """Check a switch.

    Raises:
        ConfigError: anything but True or False.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{name}={value!r}", "True or False")


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Check a named option.

    Raises:
        ConfigError: a value that is not known.
    """
    choices = list(known)
    if not isinstance(value, str) or value not in choices:
        hint = suggest(value, choices) if isinstance(value, str) else ""
        raise ConfigError(f"{name}={value!r}", "one of " + ", ".join(choices), hint)


def check_methods(name: str, value: object, methods: str) -> None:
    """Check a part by what it can do.

    Raises:
        ConfigError: a class, or an object without one of the methods.
    """
    if isinstance(value, type) or not all(
        callable(getattr(value, method, None)) for method in methods.split()
    ):
        wanted = ", ".join(f"{method}()" for method in methods.split())
        raise ConfigError(f"{name}={value!r}", f"an object with {wanted}")
