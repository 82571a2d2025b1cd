"""The JSON documents in an answer: behind prose, in fences, several of them.

Nothing inside an unreadable document is a document of its own: what is left of a list that was cut
off would pass for the whole answer. Reading goes on behind it at the next fence only.

Source: Comfrey §4.3.1; ours: which brackets are prose.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection
from itertools import islice
from typing import NamedTuple

from knitbone.common.structured.json_reader import JsonReading, Unreadable, read_json
from knitbone.common.structured.json_tokens import FENCE, KEY_AHEAD

__all__ = ["MAX_DOCUMENTS", "Found", "JsonDocument", "find_documents"]

MAX_DOCUMENTS = 10_000
"""Documents of one answer; lines of JSON Lines count (ours)."""
_PROSE_WORK = 4
"""Times the length of the answer that may be read in vain at brackets that are prose (ours)."""
_START = re.compile(r"[\[{｛［]")  # noqa: RUF001 - full-width, as models write
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.\-]*)")
_SUBSCRIPT = re.compile(r"[\w)\]]")
"""What stands right before a bracket that takes an item of something: ``parts[-1]``."""
_LEADS = (":", "：", "=", "=>", "->")  # noqa: RUF001 - full-width, as models write
"""What ends a remark that leads to a document on the same line."""
_LOOK = 100
_BETWEEN = re.compile(r"(?:\s|,|;|```[\w+#.\-]*|~~~[\w+#.\-]*)*")
_JSON_TAGS = frozenset({"json", "jsonl", "json5", "jsonc", "ndjson", "javascript", "js"})


class JsonDocument(NamedTuple):
    """One document, in the order of the answer."""

    reading: JsonReading
    fence: str | None
    """The tag of the fence that it stands in; ``None``: it stands in none."""
    apart: bool
    """Whether prose stands between it and the one before."""
    plain: bool
    """Whether it has neither a key nor a text: ``[1]`` in prose may be a reference."""
    inline: bool
    """Whether it stands within a line of a text of several: ``<ann> {"cmd": "quit"}``."""

    @property
    def foreign(self) -> bool:
        """Tell whether it stands in code of another language."""
        return bool(self.fence) and self.fence.casefold() not in _JSON_TAGS  # pyright: ignore[reportOptionalMemberAccess]


class Found(NamedTuple):
    """The documents of an answer."""

    documents: tuple[JsonDocument, ...]
    unreadable: tuple[Unreadable, ...]
    """What looks like a document and is not readable."""
    whole: bool
    """Whether nothing stands around the only document."""


def find_documents(
    text: str, *, keys: Collection[str] = (), pause: Callable[[], None] = lambda: None
) -> Found:
    """All documents of an answer, in order.

    Args:
        keys: names of keys that are expected.
        pause: called now and then; it may raise where the time is spent.
    """
    documents: list[JsonDocument] = []
    unreadable: list[Unreadable] = []
    position = end = 0
    work = _PROSE_WORK * len(text)
    fences = _fences(text)
    while len(documents) < MAX_DOCUMENTS and work >= 0:
        match = _START.search(text, position)
        if match is None:
            break
        pause()
        start = match.start()
        if match[0] == "[" and start > end and _SUBSCRIPT.match(text, start - 1):
            position = start + 1
            continue
        reading = read_json(text, start, keys=keys, pause=pause)
        if isinstance(reading, JsonReading):
            fence = _tag_at(start, fences)
            documents.append(_document(text, reading, fence, end if documents else -1))
            position = end = max(reading.end, start + 1)
        elif _looks_real(text, start):
            unreadable.append(reading)
            fence = FENCE.search(text, reading.end)
            if fence is None:
                break
            position = fence.end()
        else:
            work -= reading.end - start + 1
            position = start + 1
    around = text[: documents[0].reading.start] + text[end:] if documents else text
    whole = len(documents) == 1 and not around.strip()
    return Found(tuple(documents), tuple(unreadable), whole)


def _fences(text: str) -> list[tuple[int, str | None]]:
    """Where code begins (with its tag) and ends (``None``); of an absurd number the first.

    A fence ends where one of its kind, at least as long, bears no tag: within a longer one, a
    shorter one is shown.
    """
    fences: list[tuple[int, str | None]] = []
    opened = ""
    for match in islice(_FENCE.finditer(text), MAX_DOCUMENTS):
        mark, tag = match.groups()
        if opened and (mark[0] != opened[0] or len(mark) < len(opened)):
            continue
        opened = mark if tag or not opened else ""
        fences.append((match.end(), tag if opened else None))
    return fences


def _tag_at(place: int, fences: list[tuple[int, str | None]]) -> str | None:
    index = bisect.bisect_right(fences, place, key=lambda fence: fence[0])
    return fences[index - 1][1] if index else None


def _document(text: str, reading: JsonReading, fence: str | None, before: int) -> JsonDocument:
    """The document; ``before`` is where the one before it ended, or -1."""
    between = _BETWEEN.match(text, before) if before >= 0 else None
    source = text[reading.start : reading.end]
    before_it = text[text.rfind("\n", 0, reading.start) + 1 : reading.start].strip("` \t")
    return JsonDocument(
        reading=reading,
        fence=fence,
        apart=between is None or between.end() < reading.start,
        plain='"' not in source and ":" not in source,
        inline=bool(before_it) and not before_it.endswith(_LEADS) and "\n" in text.strip(),
    )


def _looks_real(text: str, start: int) -> bool:
    """Tell whether a bracket opens a document, and not a placeholder or a remark in prose."""
    inside = text[start + 1 : start + 1 + _LOOK].lstrip()
    if not inside or inside[0] in "\"'“" or (text[start] == "[" and inside[0] in "[{"):
        return True
    return text[start] in "{｛" and KEY_AHEAD.match(inside) is not None  # noqa: RUF001
