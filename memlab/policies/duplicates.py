"""Which turns say the same: those with the same words, whatever their case, width and spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memlab.naming import component
from memlab.text import _CJK
from memlab.types import Turn

_BESIDE_CJK = re.compile(f"(?<=[{_CJK}]) | (?=[{_CJK}])")


@component
class ExactDuplicates:
    """Take turns for duplicates whose texts differ in case, width of characters and spaces alone.

    Spaces beside a Chinese character mean nothing, others are one. `speakers` keeps turns of
    different speakers apart: who says yes matters. A text without a character has no duplicate.

    >>> from memlab.types import utc
    >>> turn = Turn(id="1", text="我喜欢 ＴＥＡ！", time=utc("2024-05-08"))
    >>> ExactDuplicates(speakers=False).keys(turn)
    ['我喜欢tea!']
    """

    speakers: bool = True

    def keys(self, turn: Turn) -> Sequence[str]:
        """Return one key, or none for an empty text."""
        folded = unicodedata.normalize("NFKC", turn.text).casefold()
        text = _BESIDE_CJK.sub("", " ".join(folded.split()))
        who = f"{turn.role}\n{turn.speaker}\n" if self.speakers else ""
        return [who + text] if text else []
