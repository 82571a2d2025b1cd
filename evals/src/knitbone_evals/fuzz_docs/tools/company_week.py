from datetime import date, timedelta


def _year_start(year: int) -> date:
    first = date(year, 2, 1)
    return first + timedelta(days=(2 - first.weekday()) % 7)


def company_week(day: str) -> str:
    """Week of the Tarn Company's own calendar that a day falls in.

    This is not the ISO week. At Tarn weeks run from Wednesday to Tuesday. Week
    1 of a company year begins on the first Wednesday of February, and the
    company year has the number of the calendar year in which it begins. Days
    in January, and those in February before the first Wednesday, therefore
    belong to the last weeks (from T47 to T53) of the company year before. A
    company year has 52 or 53 weeks.

    Args:
        day: the day as "YYYY-MM-DD", from 2001-01-01 to 2099-12-31.

    Returns:
        Company year and week as "YYYY-Tww", e.g. "2025-T01" for 2025-02-05.

    Raises:
        ValueError: the day is not in that format or out of that range.
    """
    d = date.fromisoformat(day)
    if d.isoformat() != day or not 2001 <= d.year <= 2099:
        raise ValueError("day must be YYYY-MM-DD, from 2001 to 2099")
    year = d.year if d >= _year_start(d.year) else d.year - 1
    week = (d - _year_start(year)).days // 7 + 1
    return f"{year}-T{week:02d}"
