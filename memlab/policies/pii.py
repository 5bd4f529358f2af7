"""Personal data that show by their form: addresses, numbers of phones, cards and persons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from memlab.checking import check_choice
from memlab.naming import component
from memlab.text import has_cjk

_LUHN = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)

# Look-arounds on ASCII: to \b a Chinese character beside a letter or a digit is no boundary.
_FREE, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_PATTERNS = {
    "email": r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}" + _END,
    "resident id": _FREE + r"[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"\d{3}[\dXx]" + _END,
    "mobile": r"(?<![A-Za-z0-9])(?:(?:\+|00)86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}" + _END,
    "card": _FREE + r"\d(?:[ -]?\d){12,18}" + _END,
    "social security": r"(?<![A-Za-z0-9-])\d{3}-\d{2}-\d{4}(?![A-Za-z0-9-])",
    "phone": r"(?<![A-Za-z0-9+-])(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}" + _END,
}
_SHOWN = {
    "email": "邮箱",
    "resident id": "证件号",
    "card": "卡号",
    "mobile": "手机号",
    "social security": "社会安全号",
    "phone": "电话",
}


def luhn(number: str) -> bool:
    """Tell whether the digits of a card number add up (ISO/IEC 7812-1).

    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(character) for character in number if character.isdigit()]
    odd, even = digits[::-2], digits[-2::-2]
    return (sum(odd) + sum(_LUHN[digit] for digit in even)) % 10 == 0


def resident(number: str) -> bool:
    """Tell whether the last character of a resident id fits the others (GB 11643-1999).

    >>> resident("11010519491231002X"), resident("110105194912310021")
    (True, False)
    """
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()


_CHECKED: dict[str, Callable[[str], bool]] = {"card": luhn, "resident id": resident}


@component
class SensitiveDetector:
    """Find e-mail addresses, phone, card and resident numbers, and put their kind in their place.

    Card numbers of 13 to 19 digits must pass Luhn's check, Chinese resident ids that of their last
    character, so that other long numbers stay. Chinese mobile numbers begin with 13 to 19, with or
    without +86; North American ones have ten digits in groups. `kinds` chooses among `email`,
    `resident id`, `mobile`, `card`, `social security` and `phone`; in a Chinese text the kind is
    told in Chinese.

    >>> SensitiveDetector().redact("电话13812345678")
    ('电话[手机号]', {'mobile': 1})
    """

    kinds: tuple[str, ...] = tuple(_PATTERNS)

    def check(self) -> None:
        """Make sure of the fields.

        Raises:
            ConfigError: an unknown kind.
        """
        for kind in self.kinds:
            check_choice("kinds", kind, _PATTERNS)

    def redact(self, text: str) -> tuple[str, Mapping[str, int]]:
        """Return the text with `[kind]` in the place of each find, and the finds by kind."""
        found: Counter[str] = Counter()
        chinese = has_cjk(text)
        for kind, pattern in _COMPILED.items():
            if kind not in self.kinds:
                continue
            holds = _CHECKED.get(kind)

            def put(match: re.Match[str], kind: str = kind, holds: _Check = holds) -> str:
                if holds is not None and not holds(match[0]):
                    return match[0]
                found[kind] += 1
                return f"[{_SHOWN[kind] if chinese else kind}]"

            text = pattern.sub(put, text)
        return text, dict(found)


_Check = Callable[[str], bool] | None
_COMPILED = {kind: re.compile(pattern, re.ASCII) for kind, pattern in _PATTERNS.items()}
