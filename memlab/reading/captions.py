"""What a turn with an image says, by an explicit policy."""

from __future__ import annotations

IMAGES = ("text", "caption", "text+caption")
"""Its words, the caption in place of them, or both; no choice removes a turn."""


def captioned(words: str, caption: str, images: str) -> tuple[str, dict[str, str]]:
    """Return the text of a turn, and its meta: `caption`, and `words` where the text differs.

    >>> captioned("Look!", "a red kayak", "text+caption")
    ('Look! [photo: a red kayak]', {'caption': 'a red kayak', 'words': 'Look!'})
    """
    if not caption:
        return words, {}
    text = words
    if images == "caption":
        text = caption
    elif images == "text+caption":
        text = f"{words} [photo: {caption}]".lstrip()
    meta = {"caption": caption, "words": words if text != words else ""}
    return text, {key: value for key, value in meta.items() if value}
