"""Fonts that hold Chinese, Japanese and Korean characters, found among those installed."""

from __future__ import annotations

import re

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text

# In order of preference; matplotlib knows a collection by the name of its first face.
FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "Heiti TC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Sarasa Gothic SC",
    "LXGW WenKai",
    "Droid Sans Fallback",
    "Noto Serif CJK SC",
    "Noto Serif CJK JP",
    "SimSun",
    "AR PL UMing CN",
    "Arial Unicode MS",
)
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U00020000-\U0003ffff]"
)
INSTALL = (
    "no font with Chinese, Japanese and Korean characters is installed, so some labels show as "
    "boxes; install one, such as Noto Sans CJK (Debian, Ubuntu: apt install fonts-noto-cjk; "
    "Fedora: dnf install google-noto-sans-cjk-fonts; macOS: brew install "
    "font-noto-sans-cjk-sc), then start Python anew; if matplotlib still does not see it, "
    "delete the fontlist files in matplotlib.get_cachedir()"
)


def cjk_font() -> str | None:
    """Return the best installed font family for wide characters; None if there is none."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((family for family in FAMILIES if family in installed), None)


def set_fonts(figure: Figure) -> bool:
    """Let the texts of a figure fall back to a font with their characters; False without one."""
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    wide = [text for text in texts if _WIDE.search(text.get_text())]
    family = cjk_font() if wide else None
    for text in wide if family is not None else ():
        text.set_fontfamily(["DejaVu Sans", str(family)])
    return not wide or family is not None
