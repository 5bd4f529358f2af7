"""Whether a given name is usually a woman's or a man's: everyday names, English and Chinese."""

from __future__ import annotations

_WOMEN = """
Abigail Alice Alicia Alison Amanda Amber Amelia Amy Ana Andrea Angela Anna Anne Audrey Barbara
Bella Betty Beth Brenda Brittany Camila Carla Carol Caroline Catherine Charlotte Cheryl Chloe
Christina Christine Clara Claire Cynthia Danielle Debbie Deborah Diana Diane Donna Dorothy Elena
Eleanor Elizabeth Ella Ellen Emily Emma Eva Evelyn Fiona Gina Gloria Grace Hannah Harper Heather
Helen Isabel Isabella Jane Janet Janice Jennifer Jenny Jessica Joan Joanna Jolene Joyce Judith Judy
Julia Julie Karen Kate Katherine Kathleen Katie Kelly Kimberly Laura Lauren Leah Lily Linda Lisa
Lucy Luna Madison Margaret Maria Marie Martha Mary Megan Melanie Melissa Mia Michelle Molly Monica
Nancy Natalie Nicole Nina Nora Olivia Pamela Patricia Penelope Rachel Rebecca Rosa Rose Ruth
Samantha Sandra Sara Sarah Sharon Sofia Sophia Sophie Stephanie Susan Tara Teresa Tina Vanessa
Victoria Violet Virginia Zoe
"""
_MEN = """
Aaron Adam Alan Albert Alexander Andrew Anthony Arthur Benjamin Bob Brandon Brian Bruce Calvin
Carl Carlos Charles Christian Christopher Daniel Dave David Dennis Derek Diego Donald Douglas Dylan
Edward Eric Ethan Eugene Evan Frank Gabriel Gary George Gerald Gregory Harold Harry Henry Hugo Ian
Isaac Jack Jacob James Jason Jeffrey Jeremy Jerry Jim Joe John Jon Jonathan Jose Joseph Joshua Juan
Justin Keith Kenneth Kevin Kyle Larry Lawrence Leo Liam Lucas Luis Luke Marco Mark Martin Mason
Matthew Max Michael Miguel Mike Nate Nathan Nicholas Noah Oliver Oscar Otto Patrick Paul Peter
Philip Ralph Raymond Richard Robert Roger Ronald Roy Ryan Samuel Scott Sean Stephen Steven Stuart
Theodore Thomas Tim Timothy Tom Tyler Victor Vincent Walter Wayne William Zachary
"""
_GENDERS = dict.fromkeys(_WOMEN.split(), "f") | dict.fromkeys(_MEN.split(), "m")
_WOMEN_ZH = "芳婷静丽娜敏娟艳萍玲霞梅兰莉颖雯倩琳怡婉欣莹洁妍琪珊茹媛蕾薇露瑶"
_MEN_ZH = "伟强军磊刚勇杰涛斌超鹏辉浩轩龙飞峰健豪栋毅诚铭凯"


def gender_of_name(name: str) -> str:
    """Return "f", "m", or "" where a name is not listed or may be either.

    Of a Chinese name the last character decides.

    >>> gender_of_name("Caroline"), gender_of_name("Bob Miller"), gender_of_name("李婷")
    ('f', 'm', 'f')
    >>> gender_of_name("Robin")
    ''
    """
    last = name[-1:]
    if last and (last in _WOMEN_ZH or last in _MEN_ZH):
        return "f" if last in _WOMEN_ZH else "m"
    return _GENDERS.get(name.partition(" ")[0], "")
