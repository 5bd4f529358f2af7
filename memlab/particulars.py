"""What a sentence says exactly, names, numbers, dates, titles; and what is only small talk."""

from __future__ import annotations

import re

from memlab.givennames import gender_of_name
from memlab.judging.rare import everyday, names
from memlab.mentions import people
from memlab.text import has_cjk, words

_CALENDAR = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|"
    r"august|september|october|november|december|tomorrow|yesterday|"
    r"(?:last|next|this)\s+(?:week|weekend|month|year|spring|summer|autumn|fall|winter)|\w+\s+ago)"
    r"\b|[明昨前后]天|[今明去前后]年|[上下本这][个]?(?:周|星期|月|礼拜)[一二三四五六日天末]?|(?:周|星期)[一二三四五六日天]",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"[零一二两三四五六七八九十百千万亿半]+[个年月日号点岁元块只本次天周位台辆件间套公斤米里楼层]|"
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"hundred|thousand|million|half)\b",
    re.IGNORECASE,
)
_TITLE = re.compile('《[^》]+》|「[^」]+」|“[^”]+”|"[^"]+"')
_SOCIAL = re.compile(
    r"\b(?:hi|hey|hello|bye|goodbye|thanks|thank you|thx|congrats|congratulations|wow|sorry|"
    r"welcome|take care|good (?:morning|night|evening|luck)|nice to|great to|sounds|haha+|lol)\b|"
    "你好|您好|谢谢|感谢|再见|拜拜|早上好|早安|晚安|不客气|没关系|辛苦|恭喜|哈哈|对不起|不好意思|没问题",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?:,\s*|^\W*(?:hey|hi|hello|wow|thanks|yeah|oh|ok|okay|sure)\b[,!]?\s+)"
    r"((?-i:[A-Z])[a-z]+)(?=\s*(?:[!.?,…]|$))",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:ha(?:ha)+|lol|agree|hmm+|aww?|yay|ooh|thx|exactly|indeed|agreed|alright|perfect|excellent|"
    r"amazing|hear|later|night|care|morning|evening|welcome|worry)\b|"
    "早安|晚安|拜拜|不客气|没关系|辛苦|恭喜|对不起|不好意思|没问题|好的|收到|明白|嗯+|哈+|回头见|祝你",
    re.IGNORECASE,
)


def particulars(sentence: str) -> frozenset[str]:
    """Return what a sentence says exactly: numbers, codes, names, dates, titles in quotes.

    Somebody who is only called by name is none.

    >>> sorted(particulars("Thanks, Bob!"))
    []
    >>> sorted(particulars("Ana paid 420 euros in Oslo last week."))
    ['420', 'ana', 'last week', 'oslo']
    >>> sorted(particulars("王芳在昨天读了《流畅的Python》。"))
    ['python', '《流畅的python》', '昨天', '王芳']
    """
    found = [word for word in words(sentence) if any(sign.isdigit() for sign in word)]
    for pattern in (_CALENDAR, _COUNTED, _TITLE):
        found += [match[0].casefold() for match in pattern.finditer(sentence)]
    return frozenset([*found, *_named(sentence)])


def _named(sentence: str) -> list[str]:
    called = {name.casefold() for name in _CALLED.findall(sentence) if gender_of_name(name)}
    found = sorted(names(sentence) - called)
    first = re.match(r"\W*([A-Z][a-z]+)\b(?!\s*[,!])", sentence)
    if first is not None and gender_of_name(first[1]):
        found.append(first[1].casefold())
    if has_cjk(sentence):
        plain = _SOCIAL.sub(" ", sentence)  # 谢 is a surname as well
        found += [one.name for one in people(plain) if not one.name.startswith("我")]
    return found


def is_small_talk(sentence: str) -> bool:
    """Tell whether a sentence greets, thanks or agrees and says nothing else.

    >>> [is_small_talk(s) for s in ("Hey Ana, good to see you!", "Thanks, see you on Friday.")]
    [True, False]
    >>> [is_small_talk(s) for s in ("早上好！", "好的，没问题。", "我住在奥斯陆。", "!!")]
    [True, True, False, True]
    """
    bare = _CALLED.sub(" ", sentence)
    if particulars(bare):
        return False
    return all(map(everyday, words(_FILLER.sub(" ", _SOCIAL.sub(" ", bare)))))
