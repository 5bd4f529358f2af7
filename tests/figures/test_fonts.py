"""Chinese labels: drawn with an installed font, or a warning that says what to install."""

import warnings

import pytest

from memlab.figures import fonts

METRIC = "Recall(k=1)"
NAMES = ("滑动窗口", "向量检索（全角）")


def test_chinese_labels_have_their_glyphs(make, tmp_path):
    if fonts.cjk_font() is None:
        pytest.skip("no CJK font is installed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for suffix in ("png", "pdf", "svg"):
            figure = make(NAMES, name="合成对话", datasets=("甲", "乙")).plot.forgetting(METRIC)
            path = tmp_path / f"a.{suffix}"
            figure.savefig(path)
            assert path.stat().st_size > 1000


@pytest.mark.parametrize("labels", [NAMES, ("a", "b")])
def test_without_a_font_it_says_once_what_to_install(make, monkeypatch, labels):
    monkeypatch.setattr(fonts, "FAMILIES", ())
    title = "data" if labels is NAMES else "数据"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(labels, name=title).plot.forgetting(METRIC)
    told = [w for w in caught if "fonts-noto-cjk" in str(w.message)]
    assert len(told) == 1
    assert told[0].filename == __file__


def test_labels_that_need_no_such_font_ask_for_none(make, monkeypatch):
    monkeypatch.setattr(fonts, "FAMILIES", ())
    figure = make(["naïve café", "β=½ · ≥"]).plot.forgetting(METRIC)
    assert figure.axes
