"""Dialogues, names and errors that try to break out of the page show as text."""

import hostile
import pytest

from memlab.reporting.write import report


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The report of the hostile run, under a hostile title."""
    place = tmp_path_factory.mktemp("hostile") / "report.html"
    report(hostile.run(), place, hostile.LABELS[0], title=hostile.BAD)
    return place


def test_nothing_of_it_runs(path, visit):
    page = visit(path)
    page.mouse.move(100, 300)
    items = page.locator("#failure-list button")
    for at in range(0, items.count(), 3):
        items.nth(at).click()
        page.get_by_role("button", name="Open all").click()
    assert page.evaluate("window.hacked") is None
    made = "img:not(.card img), svg, script:not([type]), [onload], [onerror], [onmouseover]"
    assert page.locator(made).count() == 1  # the page's own script
    assert page.locator("b, i").count() == 0


def test_all_of_it_is_legible_text(path, visit):
    page = visit(path)
    assert page.title() == page.locator("h1").inner_text() == hostile.BAD
    labels = page.locator("#table-results tbody th").all_inner_texts()
    assert labels[0] == hostile.LABELS[0]
    assert labels[2] == hostile.LABELS[1]
    assert labels[4].endswith("(4,700 more characters)")
    assert (
        page.locator("#table-results tbody th bdi[lang=zh]").all_inner_texts() == ["失败 <i>"] * 2
    )
    page.locator("#failure-list button").first.click()
    article = page.locator("#failure")
    page.get_by_role("button", name="Open all").click()
    said = article.locator("li.turn .said").all_text_contents()
    assert said[:3] == list(hostile.TEXTS[:3])
    assert said[3] == (
        "null \\x00 escape \\x1b bell \\x07 line \u2028 paragraph \u2029 lone \\ud800 end"
    )
    assert said[4:6] == list(hostile.TEXTS[4:6])
    assert said[6].endswith("(94,005 more characters)")  # "long " and 100,000, of which 6,000
    assert said[7] == hostile.TEXTS[7]
    assert article.locator("li.turn .said[dir=auto]").count() == len(said)
    assert hostile.BAD in article.locator(".facts code").inner_text()


def test_it_stays_inside_a_narrow_screen(path, visit):
    page = visit(path, viewport={"width": 400, "height": 800})
    page.locator("#failure-list button").first.click()
    page.get_by_role("button", name="Open all").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
