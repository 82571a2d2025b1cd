"""The exception that a Python server reported in its log, read from whole reports.

A report is what ``traceback`` prints, or what rich draws, which the SDK's servers log with: frames,
the exception with a message of any number of lines, and chains and groups of such. It is read by
its structure, as a message may hold anything, another report included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from knitbone.fuzzing.complaints import reads_as_bug, reads_as_key

__all__ = ["LoggedFailure", "report_in"]

_SHOWN = 500
"""Characters kept of a message."""
_PLAIN = re.compile(
    r"(?P<margin>[ |]*(?:\+ )?)(?:Exception Group )?Traceback \(most recent call last\):$"
)
_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Traceback \(most recent call last\) ")
_SUB_PLAIN = re.compile(r" *\+-\+-{10,} 1 -{10,}$")
_SUB_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Sub-exception #1 ")
_NEXT_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Sub-exception #\d+ ")
_BLANK = 3
"""Empty lines, at most, before the words that link two reports; Python and rich write one."""
_LINKS = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_FRAME = re.compile(r'  File "([^"\n]+)", line (\d+)(?:, in (.+))?$')
_RICH_FRAME = re.compile(r"(\S.*):(\d+) in (\S+)$")
_RICH_CODE = re.compile(r"\u2771 *\d+ [\u2502 ]*(.*)$")
_EXCEPTION = re.compile(r"([A-Za-z_][\w.]*(?:<locals>[\w.]*)?)(?:: ?(.*))?$")
_RECORD = re.compile(
    r"\[?\d{2,4}[-/]\d{1,2}[-/]\d|\[?\d\d:\d\d:\d\d\b"
    r"|(?:\S+[ :|-]+){0,2}(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
)
"""How the next entry of a log begins, in the usual formats: a time, or a level near the start."""
_RAISES = re.compile(r"(?:raise|assert)\b")
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d")
_SDK = re.compile(r"-packages[/\\](?:mcp|fastmcp)[/\\]")


class _LoggedFrame(msgspec.Struct, frozen=True):
    file: str
    line: str
    function: str
    code: str = ""


class _Raised(msgspec.Struct, frozen=True):
    """One exception of a chain."""

    kind: str
    message: str
    frames: tuple[_LoggedFrame, ...]
    inner: _Raised | None = None
    """The first one of a group."""

    @property
    def by(self) -> str | None:
        """Who raised it, as in ``sandbox/raising.py``: by the last line of code that is shown."""
        if not self.frames or not self.frames[-1].code:
            return None
        if not _RAISES.match(self.frames[-1].code):
            return "operation"
        file = self.frames[-1].file
        if "-packages" in file:
            return "library"
        return "operation" if _LIBRARY.search(file) else "tool"

    @property
    def is_of_sdk(self) -> bool:
        """Whether the SDK raised it, around what the tool raised."""
        return bool(self.frames) and _SDK.search(self.frames[-1].file) is not None


class LoggedFailure(msgspec.Struct, frozen=True):
    """What a server's log says of the exception that a call ended in."""

    exception: str
    """Type and message."""
    message: str
    place: str
    """File and line in the server's own code, ``""`` where the report shows none."""
    by: str | None
    """``tool`` or ``library`` where it was raised on purpose, ``operation`` where not; ``None``
    where the report shows no code."""
    is_of_output: bool
    """Whether the SDK raised it while it held the result against the output schema."""

    @property
    def line(self) -> str:
        """The exception, and where it was raised."""
        return f"{self.exception} ({self.place})" if self.place else self.exception


def report_in(log: str, told: str) -> LoggedFailure | None:
    """The exception that a call ended in: the last one reported whose message the answer repeats,
    otherwise the last one.

    Args:
        log: what the server wrote during the call.
        told: the text of the answer.
    """
    reports = [_report(chain) for chain in _chains(log.splitlines())]
    repeated = [each for each in reports if each.message and each.message in told]
    return next(reversed(repeated or reports), None)


def _report(chain: Sequence[_Raised]) -> LoggedFailure:
    """The last exception of a chain that is not the SDK's own, looked into where a library only
    groups others."""
    tools = [each for each in chain if not each.is_of_sdk] or [chain[0]]
    raised = tools[-1]
    while raised.inner is not None and raised.by != "tool":
        raised = raised.inner
    by = raised.by
    before = tools[-2] if len(tools) > 1 else None
    if by in ("tool", "library") and before is not None and _is_passed_on(before, raised):
        by = "operation"
    own = [frame for frame in raised.frames if not _LIBRARY.search(frame.file)]
    own = [frame for frame in own if not frame.file.startswith("<")]
    message = raised.message[:_SHOWN].rstrip()
    return LoggedFailure(
        exception=f"{raised.kind}: {message}" if message else raised.kind,
        message=message,
        place=f"{Path(own[-1].file).name}:{own[-1].line}" if own else "",
        by=by,
        is_of_output=any(
            frame.function == "convert_result" and _SDK.search(frame.file)
            for frame in raised.frames
        ),
    )


def _is_passed_on(cause: _Raised, raised: _Raised) -> bool:
    """Whether an exception only repeats what an operation failed with, of which no caller can make
    sense."""
    said = cause.message
    tells_nobody = reads_as_bug(said) or reads_as_key(said)
    return cause.by == "operation" and tells_nobody and said in raised.message


def _chains(lines: Sequence[str]) -> Iterator[list[_Raised]]:
    """Every report in a log, from the innermost cause on."""
    place = 0
    while place < len(lines):
        chain: list[_Raised] = []
        while (found := _exception(lines, place)) is not None:
            raised, place = found
            chain.append(raised)
            if (following := _linked(lines, place)) is None:
                break
            place = following
        if chain:
            yield chain
        else:
            place += 1


def _exception(lines: Sequence[str], place: int) -> tuple[_Raised, int] | None:
    """The exception whose report begins at a line, and the line behind it."""
    if (start := _PLAIN.match(lines[place])) is not None:
        margin = start["margin"].replace("+", "|")
        frames, place = _plain_frames(lines, place + 1, margin)
    elif (start := _RICH.match(lines[place])) is not None:
        margin = " " * len(start["margin"])
        frames, place = _rich_frames(lines, place + 1, len(margin))
    else:
        return None
    return _worded(lines, place, margin, frames)


def _worded(
    lines: Sequence[str], place: int, margin: str, frames: tuple[_LoggedFrame, ...]
) -> tuple[_Raised, int] | None:
    """Type, message and notes, which follow the frames, and the first exception of a group."""
    first = _within(lines, place, margin)
    named = None if first is None else _EXCEPTION.match(first)
    if named is None:
        return None
    said = [named[2] or ""]
    place += 1
    while (text := _within(lines, place, margin)) is not None:
        ends = _SUB_PLAIN.match(lines[place]) or _SUB_RICH.match(lines[place])
        if ends or _linked(lines, place) is not None or _RECORD.match(lines[place]):
            break
        said.append(text)
        place += 1
    inner, place = _first_of_group(lines, place)
    return _Raised(named[1], "\n".join(said).strip(), frames, inner), place


def _first_of_group(lines: Sequence[str], place: int) -> tuple[_Raised | None, int]:
    """The first exception of a group, where one begins at a line, and the line behind the group."""
    line = lines[place] if place < len(lines) else ""
    if _SUB_PLAIN.match(line) is not None:
        column = line.index("+") + 2
        margin = " " * column + "| "
        found = _exception(lines, place + 1) if place + 1 < len(lines) else None
        found = found or _worded(lines, place + 1, margin, ())
        place += 1
        while place < len(lines) and re.match(rf" {{{column},}}[|+]", lines[place]):
            place += 1
        return (None if found is None else found[0]), place
    if (start := _SUB_RICH.match(line)) is None:
        return None, place
    inside, place = _panel(lines, place + 1, len(start["margin"]))
    found = (_exception(inside, 0) or _worded(inside, 0, "", ())) if inside else None
    while place + 1 < len(lines) and (start := _NEXT_RICH.match(lines[place + 1])) is not None:
        _, place = _panel(lines, place + 2, len(start["margin"]))
    return (None if found is None else found[0]), place


def _panel(lines: Sequence[str], place: int, column: int) -> tuple[list[str], int]:
    """What stands in a panel of rich, without its borders, and the line behind it."""
    inside: list[str] = []
    while place < len(lines) and lines[place][column : column + 1] == "\u2502":
        text = lines[place][column + 1 :].rstrip().removesuffix("\u2502").rstrip()
        inside.append(text.removeprefix(" "))
        place += 1
    return inside, place + 1


def _within(lines: Sequence[str], place: int, margin: str) -> str | None:
    """A line without the margin of its report; nothing where it is not of the report."""
    if place >= len(lines):
        return None
    line = lines[place]
    if line.startswith(margin):
        return line[len(margin) :]
    return "" if line.strip() in ("", margin.strip()) else None


def _linked(lines: Sequence[str], place: int) -> int | None:
    """Where the next report of a chain begins, if the lines from here on say that one follows."""
    seen = 0
    while place < len(lines) and lines[place].strip(" |") == "" and seen < _BLANK:
        place, seen = place + 1, seen + 1
    if place >= len(lines) or lines[place].strip(" |") not in _LINKS or not seen:
        return None
    place += 1
    while place < len(lines) and lines[place].strip(" |") == "":
        place += 1
    starts = place < len(lines) and (_PLAIN.match(lines[place]) or _RICH.match(lines[place]))
    return place if starts else None


def _plain_frames(
    lines: Sequence[str], place: int, margin: str
) -> tuple[tuple[_LoggedFrame, ...], int]:
    frames: list[_LoggedFrame] = []
    while (text := _within(lines, place, margin)) is not None and text.startswith("  "):
        if (found := _FRAME.match(text)) is not None:
            frames.append(_LoggedFrame(found[1], found[2], found[3] or ""))
        elif frames and not frames[-1].code and text.startswith("    "):
            frames[-1] = msgspec.structs.replace(frames[-1], code=text.strip())
        place += 1
    return tuple(frames), place


def _rich_frames(
    lines: Sequence[str], place: int, column: int
) -> tuple[tuple[_LoggedFrame, ...], int]:
    frames: list[_LoggedFrame] = []
    rows, place = _panel(lines, place, column)
    for text in map(str.strip, rows):
        if (found := _RICH_FRAME.match(text)) is not None:
            frames.append(_LoggedFrame(found[1], found[2], found[3]))
        elif frames and (found := _RICH_CODE.match(text)) is not None:
            frames[-1] = msgspec.structs.replace(frames[-1], code=found[1].strip())
    return tuple(frames), place
