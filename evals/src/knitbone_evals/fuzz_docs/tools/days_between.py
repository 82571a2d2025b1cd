import re
from datetime import date


def days_between(start: str, end: str) -> int:
    """Number of days from one date to another.

    Args:
        start: first date as "YYYY-MM-DD".
        end: second date as "YYYY-MM-DD".

    Returns:
        end minus start in days: 1 from a day to the day after, 0 for the same
        day, negative if end is before start. The first day is not counted, the
        last one is.

    Raises:
        ValueError: a date is not in that format or does not exist.
    """
    for text in (start, end):
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError("dates must be YYYY-MM-DD")
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
