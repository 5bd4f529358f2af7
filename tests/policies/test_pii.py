"""Personal data by their form, in English and Chinese."""

import pytest

from memlab.errors import ConfigError
from memlab.policies import SensitiveDetector


@pytest.mark.parametrize(
    ("text", "left", "kind"),
    [
        ("邮箱test@example.com", "邮箱[邮箱]", "email"),
        ("电话13812345678", "电话[手机号]", "mobile"),
        ("打+86 138-1234-5678吧", "打[手机号]吧", "mobile"),
        ("Write to a.b+c@mail.example.org.", "Write to [email].", "email"),
        ("Call (555) 123-4567 now", "Call [phone] now", "phone"),
        ("Call +1 555.123.4567 now", "Call [phone] now", "phone"),
        ("Card 4111-1111-1111-1111", "Card [card]", "card"),
        ("卡号4111111111111111，谢谢", "卡号[卡号]，谢谢", "card"),
        ("身份证11010519491231002X。", "身份证[证件号]。", "resident id"),
        ("SSN 123-45-6789", "SSN [social security]", "social security"),
    ],
)
def test_it_is_found(text, left, kind):
    assert SensitiveDetector().redact(text) == (left, {kind: 1})


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # Luhn: 31 instead of 30
        "110105194912310021",  # the check digit is X; as a card Luhn gives 58
        "a@b.c|d",
        "order 1381234567890",  # 13 digits, Luhn 48
        "v1.38.12345678",
        "12812345678",  # no mobile begins with 12
        "at 10:30 on 2024-05-08, for 1,500,000",
        "BX-2074",
        "",
    ],
)
def test_it_is_left_alone(text):
    assert SensitiveDetector().redact(text) == (text, {})


def test_kinds_may_be_chosen():
    text = "a@b.org, 13812345678, c@d.org"
    mail = SensitiveDetector(kinds=("email",))
    assert mail.redact(text) == ("[email], 13812345678, [email]", {"email": 2})
    with pytest.raises(ConfigError, match="did you mean 'email'"):
        SensitiveDetector(kinds=("emails",)).check()


def test_what_was_redacted_stays_as_it_is():
    once, _ = SensitiveDetector().redact("张三，邮箱a@b.org，电话13812345678")
    assert once == "张三，邮箱[邮箱]，电话[手机号]"
    assert SensitiveDetector().redact(once) == (once, {})
