"""Reading of server logs."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

_REQUEST = re.compile(r'\[([^\]]+)\] "(?:GET|POST|PUT|DELETE|HEAD) \S+[^"]*" ([1-5][0-9]{2})')
_LIMIT = 1500
_LOGS = {
    "web": [
        "08:00:01 INFO started",
        "08:03:12 WARNING slow request /reports (4.2 s)",
        "08:05:40 ERROR Traceback (most recent call last): ZeroDivisionError: division by zero",
        "08:05:41 INFO request /reports answered with 500 Internal Server Error",
        "09:00:00 INFO rotated",
    ],
    "mail": [
        "07:59:58 INFO queue empty",
        "08:10:33 ERROR SMTPRecipientsRefused: 550 no such user",
        "08:11:02 ERROR TimeoutError: timed out",
    ],
    "jobs": ["02:00:00 INFO backup begun", "02:41:19 INFO backup finished"],
}


def requests_per_hour(log: str) -> dict[str, int]:
    """Count the requests in an access log for each hour.

    Args:
        log: Lines of the access log, e.g. `10.0.0.1 - - [10/Oct/2024:13:55:36 +0200] "GET
            /index.html HTTP/1.1" 200 2326`. Lines that are no requests are skipped.

    Returns:
        The number of requests for each hour, e.g. {"2024-10-10 13": 1},
        in the server's local time.
    """
    hours: Counter[str] = Counter()
    for line in log.splitlines():
        match = _REQUEST.search(line)
        if match is None:
            continue
        moment = datetime.strptime(match[1], "%d/%b/%Y:%H:%M:%S %z")
        hours[f"{moment:%Y-%m-%d %H}"] += 1
    return dict(hours)


class LogPager:
    """One log at a time, read page by page."""

    def __init__(self) -> None:
        self._name = ""
        self._lines: list[str] | None = None
        self._position = 0

    def open(self, name: str) -> str:
        """Open a log for reading.

        Args:
            name: Name of the log: web, mail or jobs.

        Returns:
            How many lines it has.
        """
        if name not in _LOGS:
            return f"There is no log {name!r}; there are {', '.join(_LOGS)}."
        self._name = name
        self._lines = list(_LOGS[name])
        self._position = 0
        return f"{name} has {len(self._lines)} lines."

    def next_page(self, size: int = 2) -> list[str]:
        """Read the next lines of the log that is open.

        Args:
            size: How many lines at most, 1 to 100.

        Returns:
            The lines; none at the end of the log, or while no log is open.

        Raises:
            ValueError: If `size` is out of range.
        """
        if not 1 <= size <= 100:
            raise ValueError("size must be between 1 and 100")
        if not self._name:
            return []
        page = self._lines[self._position : self._position + size]
        self._position += len(page)
        return page

    def close(self) -> str:
        """Close the log that is open.

        Returns:
            Which log was read last.
        """
        self._lines = None
        self._position = 0
        return f"Closed {self._name}." if self._name else "No log was open."


pager = LogPager()


def describe_spike(counts: list[int], factor: float = 2.0) -> str:
    """Say whether the last of several counts stands out from those before it.

    Args:
        counts: Number of events per interval, the newest last; up to a million each.
        factor: From how many times the usual number on it is called a spike.

    Returns:
        One sentence for the report.
    """
    try:
        if len(counts) < 4:
            return "Too few intervals to judge."
        if any(not 0 <= count <= 1_000_000 for count in counts):
            return "Counts must lie between 0 and 1000000."
        usual = sum(counts[:-1]) / (len(counts) - 1)
        ratio = counts[-1] / usual
        if ratio >= factor:
            return f"Spike: {ratio:.1f} times the usual {usual:.1f}."
        return f"Nothing unusual, {ratio:.1f} times the usual number."
    except Exception as problem:
        return f"Error: {problem}"


def grep(text: str, word: str = "") -> str:
    """Show the lines of a log that hold a word.

    Answers of more than 1500 characters are cut at the end of a line.

    Args:
        text: Text of the log.
        word: The word to look for, upper and lower case alike; every line if it is empty.

    Returns:
        The lines, with a last line "..." if there are more.
    """
    wanted = word.lower()
    lines = [line for line in text.splitlines() if wanted in line.lower()]
    if not lines:
        return "no lines"
    found = "\n".join(lines)
    if len(found) <= _LIMIT:
        return found
    end = found.rindex("\n", 0, _LIMIT)
    return found[:end] + "\n..."


def search_log(name: str, word: str = "") -> str:
    """Search one of the server's logs of today.

    Args:
        name: Name of the log: web, mail or jobs.
        word: Text to look for; all lines if it is left out.

    Returns:
        The lines that hold the text as they stand in the log, or "nothing found".

    Raises:
        ValueError: If there is no log of that name.
    """
    if name not in _LOGS:
        raise ValueError(f"no log is called {name!r}, choose one of {', '.join(_LOGS)}")
    lines = [line for line in _LOGS[name] if word.lower() in line.lower()]
    return "\n".join(lines) or "nothing found"
