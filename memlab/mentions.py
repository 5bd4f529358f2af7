"""People named in a dialogue, most recent last, and the pronouns that may mean them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memlab.givennames import gender_of_name
from memlab.text import has_cjk
from memlab.types import Turn

_HER = "sister mother mom mum mommy wife girlfriend aunt daughter grandmother grandma niece".split()
_HIS = "brother father dad daddy husband boyfriend uncle son grandfather grandpa nephew".split()
_ANY = "boss friend cousin colleague neighbour neighbor teacher doctor partner roommate".split()
_KIN = re.compile(
    rf"\b(?:my|our)\s+(?:\w+\s+)?({'|'.join([*_HER, *_HIS, *_ANY])})\b", re.IGNORECASE
)
_HER_ZH = (
    "妈妈 母亲 姐姐 妹妹 奶奶 外婆 姑姑 阿姨 妻子 老婆 女朋友 女儿 表姐 表妹 婶婶 舅妈"
).split()
_HIS_ZH = ("爸爸 父亲 哥哥 弟弟 爷爷 外公 叔叔 舅舅 丈夫 老公 男朋友 儿子 表哥 表弟 姑父").split()
_ANY_ZH = "老板 上司 领导 同事 下属 邻居 朋友 同学 老师 室友 医生".split()
_KIN_ZH = re.compile("我的?(?:" + "|".join([*_HER_ZH, *_HIS_ZH, *_ANY_ZH]) + ")")
_GENDER = dict.fromkeys([*_HER, *_HER_ZH], "f") | dict.fromkeys([*_HIS, *_HIS_ZH], "m")

_NAME = re.compile(r"(?<![\w'’-])([A-Z][a-z]+(?:[ -][A-Z][a-z]+)?)(?!\w)")
_PLACE = re.compile(r"\b(?:in|at|near|the|a|an|of|visit|visited|for|called)\s+$", re.IGNORECASE)
_NO_NAME = frozenset(
    (
        "I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April "
        "May June July August September October November December English Chinese French German "
        "Spanish Christmas Easter Thanksgiving Halloween God Mr Mrs Ms Dr OK Okay Hey Hi Hello"
    ).split()
)
_STARTERS = frozenset(
    (
        "It This That These Those There Here He She They We You What Who Which Where When Why How "
        "Everything Everybody Everyone Nothing Nobody Something Somebody Someone Anything Anybody "
        "One Another Other Others Each Both All Most Some Many My Our Your His Her Its Their The A "
        "An Mum Mom Dad Work Life Time Today Yesterday Tomorrow Yes No Well Sounds Thanks"
    ).split()
)
_ACTS = re.compile(
    r"['’]s\s|\s+(?:works?|worked|lives?|lived|moved|said|says|went|goes|took|"
    r"takes|got|gets|bought|sold|left|became|uses?|used|drives?|carries|holds|switched|started|"
    r"stopped|joined|likes?|loves?|wants?|plays?|told|asked)\b"
)
_SURNAMES = (
    "王李张刘陈杨赵吴徐孙朱胡郭林罗郑梁谢宋唐韩冯邓曹彭萧田董袁潘蒋蔡杜苏魏吕沈姚卢姜崔谭陆汪范"
)
_NAME_ZH = re.compile(
    f"(?<![一两几每这那])[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?"
    "(?=[的说在是和跟去要想也很都有把给让会就从来，。？！、：；\\s]|$)"
)
_WORDS_ZH = frozenset("张开 宋体 唐朝 唐代 田里 陆续 苏打 林里 范围 谢谢 罗列 孙子 孙女".split())
_SAYS = re.compile(r"\b(he|him|his|she|her|hers)\b|([他她])", re.IGNORECASE)
_ROLES = frozenset(("user", "assistant", "system", "tool"))


class Mention(NamedTuple):
    """A person named: where in the text, by what name, and "f", "m" or "" for not known."""

    at: int
    name: str
    gender: str = ""


def people(text: str, known: Iterable[str] = ()) -> list[Mention]:
    """Return the people that a text names, in its order; `known` are names of speakers.

    English: capitalised words that follow no "in", "at" or "the", at the beginning of a sentence
    only listed names and what acts like one ("Zoltan moved"), and kin ("my sister"). Chinese:
    usual surnames with one or two characters, and kin.

    >>> [m.name for m in people("Yesterday I met Ana in Paris, and my brother called.")]
    ['Ana', 'my brother']
    >>> people("我姐姐和李雷去了海边")
    [Mention(at=0, name='我姐姐', gender='f'), Mention(at=4, name='李雷', gender='')]
    """
    found: dict[int, Mention] = {}
    for mention in (*(_chinese(text) if has_cjk(text) else ()), *_english(text, set(known))):
        found[mention.at] = mention
    return [found[at] for at in sorted(found)]


def _chinese(text: str) -> Iterator[Mention]:
    for match in _NAME_ZH.finditer(text):
        if match[0] not in _WORDS_ZH:
            yield Mention(match.start(), match[0])
    for match in _KIN_ZH.finditer(text):
        kin = match[0].removeprefix("我").removeprefix("的")
        yield Mention(match.start(), match[0], _GENDER.get(kin, ""))


def _english(text: str, known: set[str]) -> Iterator[Mention]:
    for match in _NAME.finditer(text):
        name = match[1]
        if name in known or _names_somebody(text, match.start(), match.end(), name):
            yield Mention(match.start(), name)
    for match in _KIN.finditer(text):
        if re.match(r"\s+[A-Z]", text[match.end() : match.end() + 3]) is None:  # my aunt Esther
            yield Mention(match.start(), match[0], _GENDER.get(match[1].lower(), ""))
    for name in sorted(known - _ROLES):
        if (at := text.find(name)) >= 0:
            yield Mention(at, name)


def _names_somebody(text: str, at: int, end: int, name: str) -> bool:
    words = set(re.split("[ -]", name))
    if words & _NO_NAME or _PLACE.search(text[max(0, at - 12) : at]):
        return False
    before = text[max(0, at - 8) : at].rstrip("\"'“‘( ")
    if before and before[-1] not in ".!?…:\n":
        return True
    listed = gender_of_name(name) != ""
    return not words & _STARTERS and (listed or _ACTS.match(text, end) is not None)


def recent(turns: Iterable[Turn]) -> list[Mention]:
    """Return the people of a dialogue by their last mention, the latest last.

    Speakers count as named by their own turns. Of a name that is not listed, the gender is that
    of the first "he" or "she" after it in its turn, before another name, unless it is a call.
    """
    last: dict[str, Mention] = {}
    genders: dict[str, str] = {}
    turns = list(turns)
    known = {turn.speaker for turn in turns} - _ROLES
    for order, turn in enumerate(turns):
        named = people(turn.text, known)
        ends = [*(mention.at for mention in named[1:]), len(turn.text)]
        for here, end in zip(named, ends, strict=False):
            if here.name not in genders:
                genders[here.name] = _gender(here, turn.text, end)
        for mention in (*([Mention(0, turn.speaker)] if turn.speaker in known else []), *named):
            last.pop(mention.name, None)
            last[mention.name] = mention._replace(at=order)
    return [m._replace(gender=m.gender or genders.get(m.name) or _known(m)) for m in last.values()]


def _known(mention: Mention) -> str:
    return mention.gender or gender_of_name(mention.name)


def _gender(mention: Mention, text: str, end: int) -> str:
    if _known(mention):
        return _known(mention)
    after = mention.at + len(mention.name)
    said = None if text[after : after + 1] in "!,?.！，？。" else _SAYS.search(text, after, end)
    return gender_of(said[0]) if said else ""


def gender_of(pronoun: str) -> str:
    """Return "f" for she and her, "m" for he and his, "" for others.

    >>> gender_of("Her"), gender_of("他"), gender_of("they")
    ('f', 'm', '')
    """
    word = pronoun.lower()
    return (
        "f"
        if word in ("she", "her", "hers", "她")
        else ("m" if word in ("he", "him", "his", "他") else "")
    )
