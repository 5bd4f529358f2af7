"""Dates named in English and Chinese: what they mean, and what is no date."""

from datetime import UTC, datetime

import pytest

from memlab.dates import Interval, intervals

# A Wednesday: its week is 16 to 22 October, the one before 9 to 15 October 2023.
NOW = datetime(2023, 10, 18, 14, 30, tzinfo=UTC)

# text | first day, day after the last (a time of day where it is not midnight)
ENGLISH = """
What did Gina find on 1 February, 2023? | 2023-02-01 2023-02-02
the party of 8 May 2023 | 2023-05-08 2023-05-09
on May 8, 2023 we met | 2023-05-08 2023-05-09
It was the 8th of May, 2022. | 2022-05-08 2022-05-09
December 1,2022 | 2022-12-01 2022-12-02
1st September 2023 | 2023-09-01 2023-09-02
on Aug 15th | 2023-08-15 2023-08-16
on November 2nd | 2022-11-02 2022-11-03
29 February | 2020-02-29 2020-03-01
2023-05-08 | 2023-05-08 2023-05-09
due 2023-05-08T10:00 sharp | 2023-05-08 2023-05-09
on 5/8/2023 | 2023-05-08 2023-05-09
Sunday, May 8, 2022 | 2022-05-08 2022-05-09
in May 2023 | 2023-05-01 2023-06-01
Dec. 2022 was cold | 2022-12-01 2023-01-01
Where did she go in May? | 2023-05-01 2023-06-01
in October | 2023-10-01 2023-11-01
in december | 2022-12-01 2023-01-01
my November trip | 2022-11-01 2022-12-01
last October | 2022-10-01 2022-11-01
next May | 2024-05-01 2024-06-01
this June | 2023-06-01 2023-07-01
Which country did he visit in 2021? | 2021-01-01 2022-01-01
music of the 1990s | 1990-01-01 2000-01-01
summer of 2022 | 2022-06-01 2022-09-01
winter 2022 | 2022-12-01 2023-03-01
last summer | 2023-06-01 2023-09-01
last autumn | 2022-09-01 2022-12-01
during the spring | 2023-03-01 2023-06-01
next summer | 2024-06-01 2024-09-01
yesterday | 2023-10-17 2023-10-18
the day before yesterday | 2023-10-16 2023-10-17
tomorrow | 2023-10-19 2023-10-20
the day after tomorrow | 2023-10-20 2023-10-21
this morning | 2023-10-18T05 2023-10-18T12
yesterday evening | 2023-10-17T17 2023-10-18
last night | 2023-10-17T18 2023-10-18T06
on Sunday afternoon | 2023-10-15T12 2023-10-15T18
last week | 2023-10-09 2023-10-16
next week | 2023-10-23 2023-10-30
last weekend | 2023-10-14 2023-10-16
this weekend | 2023-10-21 2023-10-23
over the weekend | 2023-10-14 2023-10-16
last month | 2023-09-01 2023-10-01
next month | 2023-11-01 2023-12-01
last year | 2022-01-01 2023-01-01
last Friday | 2023-10-13 2023-10-14
last Wednesday | 2023-10-11 2023-10-12
this Friday | 2023-10-20 2023-10-21
next Friday | 2023-10-27 2023-10-28
two weeks ago | 2023-10-02 2023-10-09
three days ago | 2023-10-15 2023-10-16
4 years ago | 2019-01-01 2020-01-01
a couple of months ago | 2023-08-01 2023-09-01
two hours ago | 2023-10-18T12 2023-10-18T13
a few days ago | 2023-10-13 2023-10-17
the other day | 2023-10-13 2023-10-17
a few years back | 2018-01-01 2022-01-01
two weeks from now | 2023-10-30 2023-11-06
the past two weeks | 2023-10-04 2023-10-19
in the last year | 2022-10-18 2023-10-19
since 2016 | 2016-01-01 2023-10-19
the week before 9 June 2023 | 2023-06-02 2023-06-09
last weekend before April 10, 2023 | 2023-04-08 2023-04-10
the Sunday before October 25, 2022 | 2022-10-23 2022-10-24
the Saturday after October 28, 2023 | 2023-11-04 2023-11-05
two weeks before August 11, 2023 | 2023-07-24 2023-07-31
the day after 31 December 2022 | 2023-01-01 2023-01-02
two days before 1 March 2024 | 2024-02-28 2024-02-29
the month before June 2023 | 2023-05-01 2023-06-01
the weekend of 3 July | 2023-07-01 2023-07-03
the week of 5 July 2023 | 2023-07-03 2023-07-10
the evening of 7 July, 2023 | 2023-07-07T17 2023-07-08
the first weekend of August 2023 | 2023-08-05 2023-08-07
the second week of November | 2022-11-08 2022-11-15
the last week of August 2023 | 2023-08-25 2023-09-01
the last two weeks of August 2023 | 2023-08-18 2023-09-01
the first Monday of May 2023 | 2023-05-01 2023-05-02
the last Friday in May 2023 | 2023-05-26 2023-05-27
the first half of September 2022 | 2022-09-01 2022-09-16
the second half of 2022 | 2022-07-01 2023-01-01
the beginning of November 2022 | 2022-11-01 2022-11-11
mid-August 2023 | 2023-08-11 2023-08-22
the end of summer 2023 | 2023-08-01 2023-09-01
between May and July 2023 | 2023-05-01 2023-08-01
from November to February 2023 | 2022-11-01 2023-03-01
between August 11 and August 15 2023 | 2023-08-11 2023-08-16
from 3 to 5 June | 2023-06-03 2023-06-06
June 3-5, 2022 | 2022-06-03 2022-06-06
from December 30 to January 2, 2023 | 2022-12-30 2023-01-03
from 2019 to 2021 | 2019-01-01 2022-01-01
""".strip().splitlines()

CHINESE = """
2023年5月8日我做了什么？ | 2023-05-08 2023-05-09
二〇二三年五月八号 | 2023-05-08 2023-05-09
２０２３年５月８日 | 2023-05-08 2023-05-09
5月8日 | 2023-05-08 2023-05-09
那个11月2号过生日的人 | 2022-11-02 2022-11-03
2024-04-14 9:00的活动 | 2024-04-14 2024-04-15
2023.5.8 | 2023-05-08 2023-05-09
2023年5月 | 2023-05-01 2023-06-01
去年十二月 | 2022-12-01 2023-01-01
谁的生日在五月份 | 2023-05-01 2023-06-01
2022年 | 2022-01-01 2023-01-01
前年 | 2021-01-01 2022-01-01
90年代的歌 | 1990-01-01 2000-01-01
去年夏天 | 2022-06-01 2022-09-01
2022年冬天 | 2022-12-01 2023-03-01
这个夏天 | 2023-06-01 2023-09-01
昨天 | 2023-10-17 2023-10-18
前天晚上我吃了什么 | 2023-10-16T17 2023-10-17
大前天 | 2023-10-15 2023-10-16
后天 | 2023-10-20 2023-10-21
昨晚 | 2023-10-17T17 2023-10-18
今天上午 | 2023-10-18T05 2023-10-18T12
上周 | 2023-10-09 2023-10-16
上上个星期 | 2023-10-02 2023-10-09
下周 | 2023-10-23 2023-10-30
上周三 | 2023-10-11 2023-10-12
下下周一晚上七点 | 2023-10-30T17 2023-10-31
这周五 | 2023-10-20 2023-10-21
周日我们去爬山了 | 2023-10-15 2023-10-16
周末 | 2023-10-14 2023-10-16
上个周末 | 2023-10-14 2023-10-16
上个月 | 2023-09-01 2023-10-01
下个月 | 2023-11-01 2023-12-01
上个月5号 | 2023-09-05 2023-09-06
三天前 | 2023-10-15 2023-10-16
两周后 | 2023-10-30 2023-11-06
两个月以前 | 2023-08-01 2023-09-01
十年前的电影 | 2013-01-01 2014-01-01
半年前 | 2023-04-01 2023-05-01
几天前 | 2023-10-13 2023-10-17
最近三天 | 2023-10-15 2023-10-19
5月3日到5日 | 2023-05-03 2023-05-06
从12月30日到1月2日 | 2022-12-30 2023-01-03
2023年5月到7月 | 2023-05-01 2023-08-01
5月3日和5月8日之间 | 2023-05-03 2023-05-09
5月8日的前一天 | 2023-05-07 2023-05-08
10月25日之前的那个周日 | 2022-10-23 2022-10-24
2023年6月9日前一周 | 2023-06-02 2023-06-09
7月3日那个周末 | 2023-07-01 2023-07-03
8月的第一个周末 | 2023-08-05 2023-08-07
2023年8月最后一周 | 2023-08-25 2023-09-01
2022年11月第二周 | 2022-11-08 2022-11-15
5月初 | 2023-05-01 2023-05-11
8月中旬 | 2023-08-11 2023-08-22
2022年下半年 | 2022-07-01 2023-01-01
""".strip().splitlines()

NO_DATE = """
May I ask what you like?
you may, 2 of you at least, come
She may 5 times out of ten
How many marches did he go to?
We march 20 miles
Give me a second.
the second week was hard
version 2.3.1 and release v2023.5.1
meet at 9:30 or at 10 am
in my Sunday best
put on Sunday best
on Sundays and every weekend
What is the name of her one-year-old child?
When did James try Cyberpunk 2077?
in 2000 steps
31 June 2023
13/32/2023
What did June say about April?
What aspect of autumn does he find beautiful?
ten days of training, 24/7
the last time and the next day
我喜欢看月亮
一周去三次，每次三个月
每个周末和每周三
持续时间是五个周
""".strip().splitlines()


def moment(text):
    return datetime.fromisoformat(f"{text}:00" if "T" in text else text).replace(tzinfo=UTC)


@pytest.mark.parametrize("line", ENGLISH + CHINESE)
def test_the_span_that_is_meant(line):
    text, _, span = line.partition(" | ")
    start, end = span.split()
    assert [i[:2] for i in intervals(text, NOW)] == [(moment(start), moment(end))]


@pytest.mark.parametrize("text", NO_DATE)
def test_what_is_no_date(text):
    assert intervals(text, NOW) == []


def test_the_words_are_told_in_order():
    text = "Did Ana move in May 2023 or 上周三, or on 3 June?"
    assert [i.text for i in intervals(text, NOW)] == ["May 2023", "上周三", "3 June"]


def test_a_range_is_told_as_one():
    assert [i.text for i in intervals("from 30 May to 2 June 2023, I think", NOW)] == [
        "30 May to 2 June 2023"
    ]


def test_a_relative_date_counts_from_the_date_beside_it():
    # 6 November 2023 is a Monday, so last week is 30 October to 5 November.
    first, second = intervals("last week, as mentioned on November 6, 2023?", NOW)
    assert first == Interval(moment("2023-10-30"), moment("2023-11-06"), "last week")
    assert second.start == moment("2023-11-06")


def test_days_may_come_first():
    assert intervals("5/8/2023", NOW, day_first=True)[0].start == moment("2023-08-05")


def test_other_clocks_are_brought_to_utc():
    # 01:00 in Shanghai on the 19th is still the 18th in UTC.
    late = datetime.fromisoformat("2023-10-19T01:00+08:00")
    assert intervals("today", late)[0].start == moment("2023-10-18")


def test_the_same_words_mean_other_days_later():
    later = datetime(2024, 5, 1, tzinfo=UTC)
    assert intervals("in May", later)[0].start == moment("2024-05-01")
    assert intervals("去年", later)[0].start == moment("2023-01-01")


@pytest.mark.parametrize("year", [1, 2, 9998, 9999])
def test_the_ends_of_the_calendar_raise_nothing(year):
    edge = datetime(year, 1, 1, tzinfo=UTC)
    for line in ENGLISH + CHINESE:
        for found in intervals(line.partition(" | ")[0], edge):
            assert found.start < found.end
