"""What gives its speaker away in few words, codes and names, and what anybody might say."""

from __future__ import annotations

import re
import unicodedata

from memlab.text import STOP_WORDS, has_cjk, sentences

# The words of greetings, thanks and small talk, the frames that summaries are put into, and
# the calendar: a run of them is said by many, and each of them alone by everybody.
_EVERYDAY = frozenset(
    """
    about absolutely after again also always am any anything awesome back because been before
    best better bye can congrats congratulations cool could couldn course days definitely
    didn doesn doing don done each else enjoy even ever every everyone everything fantastic far
    feel few find first fun get getting glad go goes going gonna good goodbye got great guess had
    hadn happy hasn haven having hear hello help here hey hi hope if im into isn just keep kind
    know last let like little ll look looking looks lot lots love luck made make makes making many
    maybe me mean more most much must need never new next nice no not nothing now off oh ok okay
    one only other others out over people please pretty put re really right said same say says see
    seems shall should shouldn some someone something soon sorry sound sounds still such sure take
    tell than thank thanks then there these thing things think those though thought time times
    today together tomorrow tonight too totally tried try trying two until up us ve very wait want
    wanted wasn way well went were weren won wonderful work world worries wouldn wow yeah year
    years yep yes yesterday yet yo

    according added answer asked assistant chat context conversation conversations currently
    described details dialogue discussed example expressed fact facts finally following
    generally history including information item items known list memories memory mentioned
    message messages mostly note noted notes previous previously question recall recent recently
    remember remembers replied session sessions shared shares speaker speakers stated states
    summary talked talking talks told topic turn turns user users

    january february march april june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
    mon tue wed thu fri sat sun morning afternoon evening night noon midnight week weeks weekend
    month months hour hours minute minutes
    """.split()
)
_EVERYDAY_CJK = frozenset(
    """
    喜欢 知道 觉得 感觉 认为 时候 今天 明天 昨天 现在 以后 以前 最近 早上 上午 中午 下午 晚上
    周末 下周 上周 今年 去年 明年 谢谢 感谢 你好 您好 再见 没事 当然 可能 应该 需要 希望 真的
    非常 特别 不错 加油 哈哈 嘻嘻 用户 助手 对话 总结 摘要 记忆 信息 问题 回答 提到 表示 说过
    聊天 朋友 一下 一起 一个 一些 一直 所以 因为 如果 然后 已经 还有 为什 什么 怎么 这样 那样
    样子 东西 事情 工作 时间 地方 地点 生日 电话 号码 公司 内容
    """.split()
)
# Particles, pronouns, copulas: a bigram with one of them is grammar, or the seam of two words.
_PARTICLES = frozenset(
    "的了呀吗呢吧啊哦嗯哈嘛啦哟着过得地么你我他她它您们咱是在有和与跟也都就不没很太还又再而但或把被给对从到让"
    "这那哪谁什怎会能要想说可以之其个些好"
)

_CODE = re.compile(r"[a-z0-9]+(?:[-_./@:#][a-z0-9]+)*")
_CJK_CODE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{2}[-_#][0-9]+")
_PARTED = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20)\d\d(?:[-/.]\d\d?){1,2}(?:t\d.*)?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2}")
_CLOCK = re.compile(r"\d\d?[:.]\d\d(?:[:.]\d\d)?(?:am|pm|z)?")
_MEASURE = re.compile(r"\d+[a-z]{1,3}")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")


def everyday(token: str) -> bool:
    """Tell whether a token (`memlab.text.words`) is one that anybody might say.

    >>> [everyday(token) for token in ("thanks", "locker", "觉得", "咖啡")]
    [True, False, True, False]
    """
    if not has_cjk(token):
        return token in STOP_WORDS or token in _EVERYDAY or len(token) == 1
    return token in _EVERYDAY_CJK or any(sign in _PARTICLES for sign in token)


def codes(text: str) -> frozenset[str]:
    """Return what looks like a code, without its separators.

    A code has a letter and a digit, or four digits in a row. A date, a time, a year, a measure
    and a number of thousands is none.

    >>> sorted(codes("Room BX-2074, PIN 4711, since 2019-05-01, 10:30, 30km, 5000, 2024."))
    ['4711', 'bx2074']
    >>> sorted(codes("暗号是斑马-42，密码8321。"))
    ['8321', '斑马42']
    """
    if not _DIGIT.search(text):
        return frozenset()
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = [code for code in _CODE.findall(plain) if _is_code(code)]
    found += _CJK_CODE.findall(plain)
    return frozenset("".join(_PARTED.findall(code)) for code in found)


def _is_code(code: str) -> bool:
    if not _DIGIT.search(code) or any(form.fullmatch(code) for form in (_DATE, _CLOCK, _MEASURE)):
        return False
    if any(sign.isalpha() for sign in code):
        return len(code) > 4
    number = max(re.split("[^0-9]", code), key=len)
    year = len(number) == 4 and number[:2] in ("19", "20")
    return len(number) > 3 and not year and not number.endswith("00")


def names(text: str) -> frozenset[str]:
    """Return the capitalised Latin words that begin no sentence, case-folded.

    >>> sorted(names("Yesterday my cat Biscuit met Rex. They fought on Monday."))
    ['biscuit', 'rex']
    """
    if text.islower():
        return frozenset()
    found = (
        word[0]
        for sentence in sentences(unicodedata.normalize("NFKC", text))
        for word in _LATIN.finditer(sentence)
        if _PARTED.search(sentence, 0, word.start())
    )
    return frozenset(word.casefold() for word in found if _capital(word))


def capitals(text: str) -> frozenset[str]:
    """Return all capitalised Latin words, case-folded."""
    found = _LATIN.findall(unicodedata.normalize("NFKC", text))
    return frozenset(word.casefold() for word in found if _capital(word))


def _capital(word: str) -> bool:
    return len(word) > 2 and word.istitle() and not everyday(word.casefold())
