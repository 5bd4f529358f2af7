"""What goes into the page whole: JSON in a script element, pictures as data URIs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")
# Inside a script element only these could end it, open a comment, or end a line of JavaScript.
_UNSAFE = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:  # noqa: ANN401
    r"""Return JSON that can stand inside a script element, whatever texts it holds.

    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.translate(_UNSAFE))


def data_uri(content: bytes, kind: str) -> str:
    """Return bytes as the address of an image."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def csp_hash(text: str) -> str:
    """Return the source of a Content-Security-Policy that allows this script or style alone."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
