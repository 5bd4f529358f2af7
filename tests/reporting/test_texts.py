"""Texts of others: visible, of bounded length, safe inside a script element."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.reporting.embed import csp_hash, data_uri, script_json
from memlab.reporting.shown import language, visible

ANY = st.text(alphabet=st.characters(exclude_categories=()))  # lone surrogates too


@given(ANY)
def test_no_control_character_is_left(text):
    shown = visible(text, None)
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in shown)
    shown.encode("utf-8")


@given(ANY, st.integers(1, 30))
def test_a_text_is_cut_and_the_rest_is_counted(text, most):
    shown = visible(text, most)
    if len(text) <= most:
        assert shown == visible(text, None)
    else:
        assert shown == visible(text[:most], None) + f"… ({len(text) - most:,} more characters)"


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("咖啡", "zh"),
        ("ｶﾌｪ カフェ", "ja"),
        ("커피", "ko"),
        ("coffee", ""),
        ("", ""),
        ("a 咖", "zh"),
    ],
)
def test_language_by_script(text, tag):
    assert language(text) == tag


@given(
    st.recursive(ANY | st.integers() | st.none(), lambda c: st.lists(c) | st.dictionaries(ANY, c))
)
def test_json_for_a_script_element_is_read_back_and_cannot_end_it(value):
    text = script_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)
    text.encode("utf-8")


def test_addresses_and_hashes():
    # base64 of the bytes 0, 1, 2 is AAEC; sha256 of nothing is e3b0c442…, in base64 47DEQpj8….
    assert data_uri(b"\0\1\2", "image/png") == "data:image/png;base64,AAEC"
    assert csp_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
