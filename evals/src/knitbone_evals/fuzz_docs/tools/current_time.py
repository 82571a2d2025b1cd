from datetime import datetime, timedelta, timezone


def current_time(utc_offset_hours: float) -> str:
    """Current date and time at a given offset from UTC.

    The answer is the clock time at the moment of the call, so it is different
    at every call.

    Args:
        utc_offset_hours: offset from UTC in hours, from -12 to 14; positive is
            east of Greenwich (ahead of UTC), e.g. 5.5 for India. Daylight
            saving time is not applied: add it to the offset yourself.

    Returns:
        Text "YYYY-MM-DD HH:MM:SS.ffffff" (24-hour clock, microseconds).

    Raises:
        ValueError: the offset is outside -12 to 14.
    """
    if not -12 <= utc_offset_hours <= 14:
        raise ValueError("utc_offset_hours must be from -12 to 14")
    zone = timezone(timedelta(hours=utc_offset_hours))
    return datetime.now(zone).strftime("%Y-%m-%d %H:%M:%S.%f")
