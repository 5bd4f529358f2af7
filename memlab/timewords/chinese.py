"""Dates and times in Chinese: the table of patterns, without their context."""

from __future__ import annotations

import re

import memlab.timewords.chinese_dates as means
from memlab.timewords.chinese_words import NUMBER, VAGUE
from memlab.timewords.found import Maker, Rule

_YEAR = r"(?<![0-9])(?P<y>(?:19|20)[0-9]{2}|[一二][〇零○一二三四五六七八九]{3})\s*年"
_REL = r"(?P<r>大前|前|去|今|本|明|后)年"
_Y = rf"(?:(?:{_YEAR}|{_REL})\s*的?\s*)"
_NO_Y = r"(?P<y>)(?P<r>)(?<![0-9第每年])"
_M = rf"(?P<m>{NUMBER})\s*月份?"
_D = rf"(?P<d>{NUMBER})\s*[日号]"
_TO = rf"(?:\s*(?:到|至|-|–|—|~|～)\s*(?P<e>{NUMBER})\s*[日号])?"
_WHICH = r"(?P<w>(?:上+|下+)一?个?|这个?|本|这一)"
_DAYS = "一二三四五六日天"
_UNITS = rf"周末|(?:周|星期|礼拜)(?![{_DAYS}])|月(?![亮饼球初中底末])"
_ALONE = r"(?<![一两二三四五六七八九十几每半整首0-9个全])"


def _rule(pattern: str, maker: Maker, *, fixed: bool = False, partial: bool = False) -> Rule:
    return Rule(re.compile(pattern), maker, fixed, partial)


RULES = (
    _rule(_Y + _M + _D + _TO, means.a_date),
    _rule(_NO_Y + _M + _D + _TO, means.a_date, partial=True),
    _rule(rf"{_Y}{_M}(?!{_D.replace('?P<d>', '?:')})", means.month),
    _rule(rf"{_NO_Y}{_M}(?!\s*[0-9])", means.month, partial=True),
    _rule(rf"{_Y}(?P<s>[春夏秋冬])[天季]", means.a_season),
    _rule(rf"(?P<y>)(?P<r>){_WHICH}(?P<s>[春夏秋冬])[天季]", means.a_season),
    _rule(rf"{_YEAR}(?P<r>)", means.year, fixed=True),
    _rule(rf"(?P<y>)(?<![0-9一二两三四五六七八九十几多]){_REL}", means.year),
    _rule(
        r"(?<![0-9./v-])(?P<y>(?:19|20)[0-9]{2})(?P<s>[-/.])(?P<m>[0-9]{1,2})(?P=s)"
        r"(?P<d>[0-9]{1,2})(?![0-9]|[./-][0-9])",
        means.numeric,
        fixed=True,
    ),
    _rule(rf"{_WHICH}月{_D}", means.day_of_month),
    _rule(rf"{_WHICH}(?P<u>{_UNITS})", means.which),
    _rule(rf"{_WHICH}(?:周|星期|礼拜)(?P<k>[{_DAYS}])(?!度)", means.which_weekday),
    _rule(
        rf"(?P<w>){_ALONE}(?:周|星期|礼拜)(?P<k>[一二三四五六日]|(?<=期)天|(?<=拜)天)(?![次个天回遍年度])",
        means.which_weekday,
    ),
    _rule(rf"{_ALONE}周末", means.the_weekend),
    _rule(
        r"(?P<r>大前|前|昨|今|明|大后|后)(?:天|日(?![本期常子记头])|(?<=[昨今明])(?=[早晚](?![餐饭会安])))",
        means.near_day,
    ),
    _rule(
        rf"(?<![0-9第])(?:(?P<n>{NUMBER}|半)|{VAGUE})\s*[个多]?"
        r"(?P<u>天|日|周|星期|礼拜|(?<=个)月|年|小时|钟头|分钟)[之以]?(?P<p>前|后)(?![面天台年])",
        means.ago,
    ),
    _rule(r"前[几两][天日]|这几天", means.few_days),
    _rule(
        rf"(?:最近|过去|近)的?(?P<n>{NUMBER})个?(?P<u>天|日|周|星期|礼拜|(?<=个)月|年)(?![纪级])",
        means.lately,
    ),
    _rule(r"(?<![0-9])(?P<n>(?:(?:19|20)[0-9]0|[0-9]0))年代", means.decade, fixed=True),
)
