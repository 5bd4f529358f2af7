"""Dates: any text is read, and what was written as a date is read back."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memlab.dates import intervals

MOMENTS = st.datetimes(timezones=st.just(UTC))
DAYS = st.dates(date(1950, 1, 1), date(2049, 12, 31))
PIECES = st.lists(
    st.sampled_from(
        "the week before of last next two few days ago may March 8 31 2023 , - to between and "
        "Sunday first weekend since in on early mid summer 2023-05-08 5/8/23 the 1990s "
        "去年 5月 31日 上 下 周 周三 周末 前 后 一 天 第 最后 到 至 和 之间 初 底 的 那 晚上 "
        "半年".split()
    )
)
FORMS = (
    "{d} {month} {y}",
    "{month} {d}, {y}",
    "{month} {d}{th}, {y}",
    "{d}{th} of {short} {y}",
    "{y}-{m:02}-{d:02}",
    "{m}/{d}/{y}",
    "{y}年{m}月{d}日",
    "{y}年{m}月{d}号",
)


@given(st.text(), MOMENTS)
@example("ſecond K may ２０２３年", datetime(2023, 1, 1, tzinfo=UTC))
def test_any_text_is_read(text, now):
    for found in intervals(text, now):
        assert found.start < found.end
        assert found.start.tzinfo is UTC
        assert found.text


@settings(max_examples=300)
@given(PIECES, MOMENTS, st.sampled_from(["", " "]))
def test_any_row_of_time_words_is_read_alike_twice(pieces, now, joint):
    text = joint.join(pieces)
    found = intervals(text, now)
    assert found == intervals(text, now)
    assert all(one.start < one.end for one in found)


@given(DAYS, st.sampled_from(FORMS), MOMENTS)
def test_a_full_date_is_read_back_at_any_moment(day, form, now):
    th = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10 if day.day not in (11, 12, 13) else 0, "th")
    written = form.format(
        d=day.day, m=day.month, y=day.year, th=th, month=f"{day:%B}", short=f"{day:%b}"
    )
    (found,) = intervals(f"What happened on {written}?", now)
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert found == (start, start + timedelta(days=1), written)


@given(MOMENTS.filter(lambda now: 2 < now.year < 9998), st.integers(2, 400))
def test_days_ago_and_days_from_now_are_mirror_images(now, count):
    (back,) = intervals(f"{count} days ago", now)
    (ahead,) = intervals(f"{count} days from now", now)
    assert ahead.start - back.start == timedelta(days=2 * count)
    assert intervals(f"{count}天前", now)[0][:2] == back[:2]
