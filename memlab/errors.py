"""Typed errors: each says what was found, what was expected, and what to do."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path


class MemlabError(Exception):
    """Base of every error memlab raises on purpose."""

    def __init__(self, found: str, expected: str = "", fix: str = "") -> None:
        self.found, self.expected, self.fix = found, expected, fix
        parts = [found, expected and f"expected {expected}", fix]
        super().__init__("; ".join(part for part in parts if part))

    def __reduce__(self) -> tuple[type[MemlabError], tuple[str, str, str]]:
        return type(self), (self.found, self.expected, self.fix)


class ConfigError(MemlabError):
    """A name, key, value or call that cannot work."""


class DataError(MemlabError):
    """Data that breaks the documented format."""


class ContractError(MemlabError):
    """A strategy that does not keep the contract of `Memory`."""


class RunError(MemlabError):
    """A run folder that cannot be written, read or resumed."""


class ModelError(MemlabError):
    """A model or model service that cannot be loaded, or whose answer cannot be used."""


class CoverageWarning(UserWarning):
    """Some evidence did not survive loading, so no strategy can reach all of it."""


class DownloadError(MemlabError):
    """A file that cannot be fetched, or is not what its list promises."""


class TruncationWarning(UserWarning):
    """Texts were longer than an embedder reads."""


class MissingExtra(MemlabError, ImportError):  # noqa: N818 - it names what is missing
    """An optional dependency that is not installed."""

    @classmethod
    def of(cls, feature: str, extra: str) -> MissingExtra:
        """Name the feature and the pip line that brings it."""
        return cls(
            f"{feature} needs packages that are not installed",
            f"the extra '{extra}'",
            f'run in a clone: pip install -e ".[{extra}]" (else: pip install "memlab[{extra}]")',
        )


class Faults(ConfigError):  # noqa: N818 - it holds several errors
    """Several faults, told at once; by default those found before anything costly was done."""

    def __init__(self, faults: Sequence[MemlabError | str], head: str = "") -> None:
        self.faults = tuple(str(fault) for fault in faults)
        self.head = head or f"{len(self.faults)} fault(s) found, nothing was run"
        listed = "\n".join(f"  {n}. {fault}" for n, fault in enumerate(self.faults, 1))
        super().__init__(f"{self.head}:\n{listed}")

    def __reduce__(self) -> tuple[type[Faults], tuple[tuple[str, ...], str]]:  # type: ignore[override]
        return type(self), (self.faults, self.head)


def as_utf8(error: Exception) -> str:
    """Return what to do about a file that is in another encoding; "" for another error."""
    return "save it as UTF-8" if isinstance(error, UnicodeDecodeError) else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a misspelt `name`: the nearest known names, or all of them."""
    names = sorted(known)
    lower = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(f"'{lower[n]}'" for n in near) + "?"
    return "known: " + ", ".join(names)


def fault_text(fault: BaseException) -> str:
    """Return an error, and the line of the caller's code it comes from, as plain text."""
    own = Path(__file__).parent
    frames = traceback.extract_tb(fault.__traceback__)
    places = [f for f in frames if own not in Path(f.filename).parents]
    where = f" ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    text = f"{type(fault).__name__}: {fault}{where}"
    return text.encode("utf-8", "backslashreplace").decode()
