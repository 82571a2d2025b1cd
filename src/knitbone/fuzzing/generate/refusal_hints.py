"""Values that a refusal suggests: the formats, choices, names and examples in a tool's messages.

A tool that wants ``YYYY-MM-DD HH:MM``, one of six operators, or a sheet that exists, says so when
it gets something else. If its code cannot be seen, as a server's, there is nothing else to learn
from. Suggested values are tried in the refused call, one argument at a time: a call whose arguments
must all be right gets there message by message.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from knitbone.record.events import Json

__all__ = ["corrected_calls", "new_suggestions", "reason_words", "suggested_values"]

_READ = 2_000
"""Characters of a message that are read."""
_MOST = 24
"""Values taken from one message."""
_LONGEST = 60
_SAYS, _WORDS_KEPT = 3, 12
"""Letters of a word that says something, and words by which one reason is known again."""
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_SAYS},}}")
_LIST = re.compile(
    r"\b(?:one of|available|valid|allowed|supported|known|existing|possible|permitted|accepted|"
    r"choose from|options|choices|did you mean|must be|should be|expected|use|has|have)\b"
    r"[^\n:=\[({'\"`]{0,40}(?:[:=]|are|is|(?=[\[({'\"`]))\s*"
    r"|\b(?:one of|either|choose from|choose between)\s+",
    re.IGNORECASE,
)
"""What stands before the values that would do."""
_QUOTED = re.compile(r"(?<!\w)(['\"`])([^'\"`\n]{1,60})\1(?!\w)")
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|such as|example:|like)[,:]?\s+([^\s,;()]{1,60})", re.IGNORECASE
)
_WORDS = re.compile(r"[\w.+/-]{1,60}(?: [\w.+/-]{1,30}){0,2}")
_MOMENT = dt.datetime(2024, 5, 17, 10, 30, tzinfo=dt.UTC)
"""What is proposed where a message asks for a form of date or time."""
_DIRECTIVES = frozenset("YymdHIMSpfzZbBaAjTFDR")
"""Letters of ``strftime`` that are read; ``%s`` is more often a place for a text."""
_PATTERN = re.compile(r"(?:%[A-Za-z](?:[\s:/.,T_-]{0,3})){1,12}")
_LETTERS = re.compile(
    r"(?<![A-Za-z])(?:[YyMmDdHhSs]{1,4}(?:(?:[-/.: ]|T(?=[Hh])|, )[YyMmDdHhSs]{1,4}){1,6}"
    r"|YYYYMMDD|HHMMSS)(?![A-Za-z])"
)
_ISO = re.compile(r"\bISO[ -]?8601\b|\bisoformat\b|\bRFC[ -]?3339\b", re.IGNORECASE)


def suggested_values(message: str) -> list[str]:
    """The values that a tool's message suggests, the most definite first, each once."""
    text = _plain(message)[:_READ]
    found = [*_formats(text), *_listed(text)]
    found += [match[1].strip(".'\"`") for match in _EXAMPLE.finditer(text)]
    found += [match[2] for match in _QUOTED.finditer(text)]
    return [value for value in dict.fromkeys(found) if 0 < len(value) <= _LONGEST][:_MOST]


def reason_words(message: str, arguments: dict[str, Json]) -> str:
    """The words of a tool's message without the values of the call: refusals for one reason have
    the same words, whatever the call was."""
    text = _plain(message)[:_READ]
    kept = {*_formats(text), *_listed(text)}
    for value in sorted(map(str, arguments.values()), key=len, reverse=True):
        if len(value) >= _SAYS and value not in kept:
            text = text.replace(value, " ")
    return " ".join(_LONG_WORD.findall(text)[:_WORDS_KEPT])


def _plain(message: str) -> str:
    """The texts of a message that is a JSON object, as a server's is."""
    if message.startswith("{"):
        try:
            value: Any = json.loads(message)
        except (ValueError, RecursionError):
            return message
        if isinstance(value, dict):
            parts = cast("dict[str, Any]", value).values()
            return "\n".join(part for part in parts if isinstance(part, str)) or message
    return message


def new_suggestions(message: str, arguments: dict[str, Json]) -> list[str]:
    """The values that a tool's message suggests, without those that the call already had."""
    given = [value for value in arguments.values() if isinstance(value, str)]
    return [value for value in suggested_values(message) if value not in given]


def corrected_calls(
    arguments: dict[str, Json], message: str, values: Sequence[str]
) -> Iterator[dict[str, Json]]:
    """The refused call with one text argument replaced by one of the values. Arguments that the
    message quotes or names come into question; if it mentions none, all do."""
    texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
    lowered = message.casefold()
    quoted = [name for name, value in texts.items() if value and f"'{value}'" in message]
    named = [name for name in texts if name.replace("_", " ").casefold() in lowered]
    fields = (
        quoted
        or named
        or [
            name
            for name in texts
            if any(len(word) >= _SAYS and word.casefold() in lowered for word in name.split("_"))
        ]
        or list(texts)
    )
    for value in values:
        for name in fields:
            yield {**arguments, name: value}


def _formats(text: str) -> Iterator[str]:
    """A moment in each way of writing times that the text asks for."""
    for match in _PATTERN.finditer(text):
        if _DIRECTIVES.issuperset(re.findall(r"%(.)", match[0])):
            yield _MOMENT.strftime(match[0].strip()).rstrip(" ,:/.-_")
    for match in _LETTERS.finditer(text):
        if (written := _written(match[0])) is not None:
            yield written
    if _ISO.search(text):
        yield from ("2024-05-17T10:30:00", "2024-05-17")


def _written(pattern: str) -> str | None:
    """A moment as ``YYYY-MM-DD HH:mm`` and its kind write it; ``None`` for other letters."""
    year = re.search(r"[Yy]{2,4}", pattern)
    hour = re.search(r"[Hh]{1,2}", pattern)
    if not (year or hour):
        return None
    made, timed = "", False
    for part in re.findall(r"[Yy]+|[Mm]+|[Dd]+|[Hh]+|[Ss]+|.", pattern):
        letter = part[0]
        if letter in "Yy":
            made += "2024"[-len(part) :] if len(part) in (2, 4) else "2024"
        elif letter in "Mm":
            minutes = timed or (letter == "m" and not year)
            made += "30" if minutes else "05"
        elif letter in "Dd":
            made += "17"
        elif letter in "Hh":
            made, timed = made + "10", True
        elif letter in "Ss":
            made += "00"
        else:
            made += part
    return made


def _listed(text: str) -> Iterator[str]:
    """The values after words such as "one of:", "available" or "must be"."""
    for match in _LIST.finditer(text):
        rest = text[match.end() : match.end() + 400]
        close = {"[": "]", "(": ")", "{": "}"}.get(rest[:1])
        if close:
            rest = rest[1:].split(close, 1)[0]
        else:
            rest = re.split(r"\n|\. |;|\.$", rest, maxsplit=1)[0]
        quoted = [found[2] for found in _QUOTED.finditer(rest)]
        if quoted:
            yield from quoted
            continue
        for part in re.split(r",|\||\bor\b|\band\b", rest):
            word = part.strip(" .:'\"`<>")
            if _WORDS.fullmatch(word):
                yield word
