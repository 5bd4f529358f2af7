"""Chinese words of time: numbers, weekdays, seasons, parts of the day, relative years."""

from __future__ import annotations

import re

DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "○": 0}
NUMBER = r"(?:[0-9]{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
VAGUE = "(?:几|数|好几)"
WEEKDAYS = {**{c: i for i, c in enumerate("一二三四五六")}, "日": 6, "天": 6}
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
PARTS = {
    "凌晨": "early",
    "半夜": "early",
    "清晨": "morning",
    "早上": "morning",
    "早晨": "morning",
    "早": "morning",
    "上午": "morning",
    "中午": "noon",
    "下午": "afternoon",
    "傍晚": "dusk",
    "晚上": "evening",
    "夜里": "evening",
    "夜晚": "evening",
    "深夜": "evening",
    "晚": "evening",
}
YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month"} | {
    "年": "year",
    "小时": "hour",
    "钟头": "hour",
    "分钟": "minute",
    "周末": "weekend",
}
WIDE = str.maketrans("０１２３４５６７８９．／：－～", "0123456789./:-~")
"""Full-width digits and signs, one for one, so that places in the text stay the same."""
TRIGGER = re.compile(
    "[0-9一二三四五六七八九十〇两][年月日号天周]|[今明昨前后去]年|[今明昨前后]天|[今昨明][早晚]|"
    "周|星期|礼拜|个月|上月|下月|本月|[几数半十]年|[几数]天|[天日月年]前|[天日月年]后|小时|分钟|年代|"
    "[春夏秋冬][天季]|[0-9]{4}[-/.]"
)


def number_of(text: str) -> int:
    """Return a number below 1000 by its digits or its characters.

    >>> number_of("二十三"), number_of("十"), number_of("12"), number_of("两")
    (23, 10, 12, 2)
    """
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return DIGITS[text]
    return 10 * (DIGITS[tens] if tens else 1) + (DIGITS[ones] if ones else 0)


def year_of(text: str) -> int:
    """Return a year by its four digits: 2023, 二〇二三.

    >>> year_of("二〇二三")
    2023
    """
    return int(text) if text.isdigit() else int("".join(str(DIGITS[c]) for c in text))
