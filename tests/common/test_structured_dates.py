"""Dates and times in the spelling that code reads: nothing added, nothing left out, no guess."""

from datetime import date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.common.structured.conformance import conform
from knitbone.common.structured.dates import FUNCTIONS, is_reading, reads, respelled
from knitbone.common.structured.moments import MAX_MOMENT, read_moment
from knitbone.common.structured.shape import Shape

ISO = "date.fromisoformat"
MOMENT = "datetime.fromisoformat"
STAMP = "%Y-%m-%dT%H:%M:%SZ"
FORMATS = (
    *("%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y", "%Y-%m-%d %H:%M", STAMP, "%H:%M", "%I:%M %p"),
    *("%Y-%m-%dT%H:%M:%S%z", "%a %d %b %y", "%Y-%m", "%d %B", "%j", "%"),
)
READINGS = (*FUNCTIONS, *FORMATS)


@pytest.mark.parametrize(
    ("text", "reading", "new"),
    [
        ("November 21, 2026", "%Y-%m-%d", "2026-11-21"),
        ("Nov. 21st 2026", ISO, "2026-11-21"),
        ("21 november 2026", ISO, "2026-11-21"),
        ("the 21st of November 2026", ISO, "2026-11-21"),
        ("21-Nov-2026", ISO, "2026-11-21"),
        ("2 May 2026", ISO, "2026-05-02"),
        ("Sept. 3, 2026", ISO, "2026-09-03"),
        ("Saturday, 21 November 2026", ISO, "2026-11-21"),
        ("2026/11/21", ISO, "2026-11-21"),
        ("2026-1-5", ISO, "2026-01-05"),
        ("21.11.2026", "%Y-%m-%d", "2026-11-21"),
        ("11/21/2026", "%Y-%m-%d", "2026-11-21"),
        ("05/05/2026", ISO, "2026-05-05"),
        (" 2026-11-21 ", "%Y-%m-%d", "2026-11-21"),
        ("2026-11-21", "%d/%m/%Y", "21/11/2026"),
        ("2026-11-21", "%B %d, %Y", "November 21, 2026"),
        ("2026-11-21T00:00:00Z", "%Y-%m-%d", "2026-11-21"),
        ("2026-11-21T00:00:00", "%d.%m.%Y", "21.11.2026"),
        ("21 November 2026, 2:05 p.m.", "%Y-%m-%d %H:%M", "2026-11-21 14:05"),
        ("November 21, 2026 at 10:30 PM UTC", MOMENT, "2026-11-21T22:30:00+00:00"),
        ("2026-11-21T10:30:00.000+00:00", STAMP, "2026-11-21T10:30:00Z"),
        ("2026-11-21 10:30 +02:00", "%Y-%m-%dT%H:%M:%S%z", "2026-11-21T10:30:00+0200"),
        ("9:30 PM", "%H:%M", "21:30"),
        ("9:30", "time.fromisoformat", "09:30:00"),
        ("14:30", "%I:%M %p", "02:30 PM"),
        ("November 21, 2026", "pydantic.date", "2026-11-21"),
        ("November 21, 2026 10:30", "pydantic.datetime", "2026-11-21T10:30:00"),
    ],
)
def test_a_date_is_written_as_the_code_reads_it(text, reading, new):
    assert not reads(text, reading)
    assert respelled(text, reading) == new
    assert reads(new, reading)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("03/04/2026", ISO),  # April or March
        ("03.04.2026", ISO),
        ("21/11/26", ISO),
        ("21 November", ISO),
        ("November 2026", ISO),
        ("2026-11", ISO),
        ("Friday, 21 November 2026", ISO),  # it is a Saturday
        ("31 November 2026", ISO),
        ("2026/21/11", ISO),
        ("21 novembre 2026", ISO),
        ("Ma 3, 2026", ISO),
        ("around 21 November 2026", ISO),
        ("21 or 22 November 2026", ISO),
        ("21-22 November 2026", ISO),
        ("next Friday", ISO),
        ("not before 2026-11-21", ISO),
        ("1795219200", ISO),
        ("2026-11-21T10:30:00", ISO),  # the time would be lost
        ("2026-11-21T00:00:00+02:00", ISO),  # still the 20th elsewhere
        ("2026-11-21T10:30:00Z", "%Y-%m-%dT%H:%M:%S"),
        ("2026-11-21T10:30:00", STAMP),  # nobody said where
        ("2026-11-21T10:30:00+02:00", STAMP),
        ("2026-11-21T10:30:15", "%Y-%m-%d %H:%M"),
        ("2026-11-21", "%Y-%m-%d %H:%M"),  # at what time
        ("2026-11-21 10:30 EST", MOMENT),
        ("2026-11-21 25:00", MOMENT),
        ("2026-11-21", "%d %B"),
        ("2026-11-01", "%Y-%m"),
        ("1926-11-21", "%d/%m/%y"),
        ("9:30", "%I:%M %p"),  # in which half of the day
        ("13:30 PM", "%H:%M"),
        ("2026-11-21", "%H:%M"),
        ("9:30", "%Y-%m-%d"),
        ("21 November 2026", ""),
        ("21 November 2026", "dateutil.parser.parse"),
        ("", ISO),
    ],
)
def test_what_may_be_another_date_stays(text, reading):
    assert respelled(text, reading) is None


def test_a_reading_is_a_format_or_a_known_function():
    assert all(map(is_reading, FUNCTIONS))
    assert is_reading("%d.%m.%Y")
    assert not is_reading("%d %B")
    assert not any(map(is_reading, ("", "%", "iso", "date")))


def test_a_function_that_is_not_at_hand_demands_nothing():
    assert reads("soon", "dateparser.parse")


@pytest.mark.parametrize(
    ("value", "reading", "new"),
    [
        (20261121, "%Y-%m-%d", "2026-11-21"),
        (2026, "%Y", "2026"),
        (True, "%Y", True),
        pytest.param(10**5000, "%Y", 10**5000, id="long"),
        (None, ISO, None),
        (["2026"], "%d.%m.%Y", ["2026"]),
        ({"day": 3}, "%d", {"day": 3}),
    ],
)
def test_a_number_is_a_date_as_it_is_written(value, reading, new):
    done = conform(value, Shape(type="date", convertible=True, reading=reading))
    assert done.value == new
    assert done.fits is (new != value)


def test_null_is_for_those_that_may_be_null():
    said = conform("N/A", Shape(type="date", reading=ISO, nullable=True))
    assert (said.value, said.fits) == (None, True)
    assert not conform("N/A", Shape(type="date", reading=ISO)).fits


DAYS = st.dates(date(1000, 1, 1))
SPELLINGS = st.sampled_from(
    ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d %B %Y", "%B %d, %Y", "%b %d %Y", "%d-%b-%Y",
     "%A, %d %B %Y", "%a, %d %b %Y", "%Y-%m-%dT00:00:00", "%d of %B, %Y", "%Y%m%d", "%Y %b %d"]
)  # fmt: skip


@settings(max_examples=1_000, deadline=None)
@given(DAYS, SPELLINGS, st.sampled_from([ISO, "%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y", "%Y%j"]))
def test_every_spelling_of_a_day_is_that_day(day, spelling, reading):
    text = day.strftime(spelling)
    if reads(text, reading) and spelling != "%Y-%m-%d":
        return
    new = text if reads(text, reading) else respelled(text, reading)
    read = date.fromisoformat if reading == ISO else lambda t: datetime.strptime(t, reading).date()  # noqa: DTZ007
    assert read(new) == day
    assert respelled(new, reading) in (new, None)


@settings(max_examples=1_000, deadline=None)
@given(st.dates(date(2013, 1, 1)), st.sampled_from("/.-"), st.booleans())
def test_the_order_of_day_and_month_is_never_guessed(day, mark, american):
    first, second = (day.month, day.day) if american else (day.day, day.month)
    new = respelled(f"{first:02}{mark}{second:02}{mark}{day.year}", ISO)
    if max(first, second) > 12 or first == second:
        assert new == day.isoformat()
    else:
        assert new is None


OFFSETS = st.none() | st.just(0) | st.integers(-14 * 60, 14 * 60)


@settings(max_examples=1_000, deadline=None)
@given(DAYS, st.times(), OFFSETS, st.sampled_from(READINGS))
def test_a_moment_is_read_as_it_was_written(day, clock, offset, reading):
    zone = None if offset is None else timezone(timedelta(minutes=offset))
    said = datetime.combine(day, clock, tzinfo=zone)
    moment = read_moment(said.isoformat(sep=" "))
    assert (moment.day, moment.time) == (day, clock.replace(tzinfo=zone))
    new = respelled(said.isoformat(sep=" "), reading)
    if new is not None:
        again = read_moment(new)
        assert reads(new, reading)
        if again is not None and again.day is not None:
            assert again.day == day
            assert (again.time or time()).replace(tzinfo=None) == clock


PIECES = st.lists(
    st.sampled_from(
        [*"0123456789 /.-:,TZ+", "12", "2026", "Nov", "may", "Monday", "at", "pm", "st"]
    )
    | st.characters(),
    max_size=30,
).map("".join)


@settings(max_examples=2_000, deadline=None)
@given(PIECES | st.text(), st.sampled_from(READINGS))
def test_whatever_comes_is_read_by_the_code_or_left_alone(text, reading):
    new = respelled(text, reading)
    shape = Shape(type="date", convertible=True, reading=reading)
    done = conform(text, shape)
    if is_reading(reading) and reads(text, reading):
        assert done.value is text
    elif new is not None:
        assert reads(new, reading)
        assert done.value == new
        # Its digits are those of the text, but for a month's name and the hours of an afternoon.
        years = [piece for piece in new.split("-") if len(piece) == 4 and piece.isdigit()]
        assert all(year in text for year in years)
    assert conform(done.value, shape).value == done.value


@pytest.mark.parametrize("text", ["1" * 10**6, "2026-11-21" + " " * 10**6, "Nov " * 10**5])
def test_long_texts_are_no_dates(text):
    assert read_moment(text.strip() + "x" * MAX_MOMENT) is None
    assert not reads(text, "%Y-%m-%d")
