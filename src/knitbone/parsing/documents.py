"""The JSON documents in an answer: behind prose, in fences, several of them.

Nothing inside an unreadable document is a document of its own: what is left of a list that was cut
off would pass for the whole answer. Reading goes on behind it at the next fence only.

Source: Comfrey §4.3.1; ours: which brackets are prose.
"""

from __future__ import annotations

import bisect
import json
import re
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from knitbone.common.structured.drafts import DocumentDraft
from knitbone.common.structured.shape import Shape
from knitbone.parsing.decision import Grammar, TargetVerdict, decide, told
from knitbone.parsing.json_grammar import JsonSearch, doubt_of_texts
from knitbone.parsing.json_values import parse_json, parse_python
from knitbone.parsing.search import CLOSED_AT_END, KINDS, PlaceSchema

__all__ = [
    "ADDED_BRACKETS",
    "MAX_DOCUMENTS",
    "Found",
    "JsonDocument",
    "JsonReading",
    "Unreadable",
    "find_documents",
    "mend_literal",
    "read_json",
    "slot_of",
    "slot_of_keys",
]

MAX_DOCUMENTS = 10_000
"""Documents of one answer; lines of JSON Lines count (ours)."""
_PROSE_WORK = 4
"""Times the length of the answer that may be read in vain at brackets that are prose (ours)."""
_START = re.compile(r"[\[{｛［]")  # noqa: RUF001 - full-width, as models write
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.\-]*)")
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(\w?)", re.MULTILINE)
_MOST_INNER = 40
"""Fences that are looked at for the one that closes (ours)."""
_SUBSCRIPT = re.compile(r"[\w)\]]")
"""What stands right before a bracket that takes an item of something: ``parts[-1]``."""
_LEADS = (":", "：", "=", "=>", "->")  # noqa: RUF001 - full-width, as models write
"""What ends a remark that leads to a document on the same line."""
_LOOK = 100
_BETWEEN = re.compile(r"(?:\s|,|;|```[\w+#.\-]*|~~~[\w+#.\-]*)*")
_JSON_TAGS = frozenset({"json", "jsonl", "json5", "jsonc", "ndjson", "javascript", "js"})
_NAME = r"""(?:"[^"\\\n]{1,100}"|'[^'\\\n]{1,100}'|[“”][^“”"\n]{1,100}[“”"]|[\w$][\w$.\-]{0,99})"""
_KEY_AHEAD = re.compile(rf"\s*{_NAME}\s*(?:=>|[:=\uff1a])")


class JsonReading(NamedTuple):
    """A document that was read."""

    start: int
    end: int
    """Behind its last character in the text it was read from."""
    json: str
    """The document as JSON."""
    edits: dict[str, int]
    """Kind of edit -> how many; empty where the text was JSON."""
    guessed: bool = False
    """Whether a bracket was added or exchanged."""


class Unreadable(NamedTuple):
    """A document that was not."""

    start: int
    end: int
    """Where reading stopped."""
    reason: str


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


ADDED_BRACKETS = (*(f'"{bracket}" added' for bracket in "{}[]"), CLOSED_AT_END)
"""The beginnings of the rules by which brackets are added."""


def slot_of(shape: Shape | None) -> PlaceSchema | None:
    """What a shape tells the reader of a place."""
    if shape is None or shape == Shape():
        return None
    slot = PlaceSchema()
    kind = "object" if shape.fields else "array" if shape.items is not None else shape.type
    kind = "string" if kind == "date" else kind
    if kind in KINDS and not shape.values:
        slot.kinds = frozenset((KINDS[kind], *("n" if shape.nullable else "")))
    slot.keys = {field.name: slot_of(field.shape) for field in shape.fields}
    slot.items = slot_of(shape.items)
    return slot


def slot_of_keys(keys: Collection[str]) -> PlaceSchema | None:
    """What names of keys tell the reader of any place."""
    if not keys:
        return None
    slot = PlaceSchema()
    slot.keys = dict.fromkeys(keys)
    slot.items = slot
    return slot


class _AnyJson:
    """A judge that takes each object and array."""

    def __init__(self, slot: PlaceSchema | None) -> None:
        self.slot = slot

    def judge(self, value: Any, text: str) -> TargetVerdict | str:
        del text
        return TargetVerdict(value, 0.0)


_MORE_KEYS = re.compile(r"""[\s\]}]*(?:,\s*)?"[^"\\\n]{0,100}"\s*:""")
"""More of the document behind its end: a bracket closed it too early."""
_GRAMMAR = Grammar(JsonSearch, parse_json, doubt=doubt_of_texts)
_PYTHON = Grammar(partial(JsonSearch, python=True), parse_python, doubt=doubt_of_texts)
_DECODER = json.JSONDecoder()


def read_json(
    text: str,
    start: int = 0,
    *,
    end: int | None = None,
    slot: PlaceSchema | None = None,
    pause: Callable[[], None] = lambda: None,
) -> JsonReading | Unreadable:
    """Read the object or array whose opening bracket is at ``start``.

    Args:
        end: where it ends at the latest; ``None``: at the fence that closes behind it.
        slot: what is known of it.
        pause: called now and then; it may raise where the time is spent.
    """
    try:
        _, behind = _DECODER.raw_decode(text, start)
        if _MORE_KEYS.match(text, behind) is None:
            return JsonReading(start, behind, text[start:behind], {})
    except (ValueError, RecursionError):
        pass
    if end is None:
        end = _closing_fence(text, _fence_lines(text, start), start)
    decision = decide(
        text, _AnyJson(slot), _GRAMMAR, start=start, end=end, several=True, pause=pause
    )
    chosen = decision.chosen
    if chosen is None:
        return Unreadable(start, max(start, decision.stopped), told(decision, with_text=False))
    rules = Counter(edit.rule for edit in chosen.edits)
    guessed = any(
        edit.content is None and not set(edit.new) - set("{}[]") and edit.new
        for edit in chosen.edits
    )
    return JsonReading(chosen.start, chosen.end, chosen.text, dict(rules), guessed)


def mend_literal(text: str, names: Collection[str]) -> DocumentDraft | None:
    """Make a text one Python literal; ``None`` where that cannot be done in one way.

    Args:
        names: names of keys that are expected.
    """
    chosen = decide(text, _AnyJson(slot_of_keys(names)), _PYTHON).chosen
    if chosen is None or (text[: chosen.start] + text[chosen.end :]).strip():
        return None
    return DocumentDraft(chosen.text, tuple(Counter(edit.rule for edit in chosen.edits)))


def find_documents(
    text: str, *, slot: PlaceSchema | None = None, pause: Callable[[], None] = lambda: None
) -> Found:
    """All documents of an answer, in order.

    Args:
        slot: what is known of each of them.
        pause: called now and then; it may raise where the time is spent.
    """
    documents: list[JsonDocument] = []
    unreadable: list[Unreadable] = []
    position = end = 0
    work = _PROSE_WORK * len(text)
    fences, lines = _fences(text), _fence_lines(text)
    while len(documents) < MAX_DOCUMENTS and work >= 0:
        match = _START.search(text, position)
        if match is None:
            break
        pause()
        start = match.start()
        if match[0] == "[" and start > end and _SUBSCRIPT.match(text, start - 1):
            position = start + 1
            continue
        last = _closing_fence(text, lines, start)
        reading = read_json(text, start, end=last, slot=slot, pause=pause)
        if isinstance(reading, JsonReading):
            fence = _tag_at(start, fences)
            documents.append(_document(text, reading, fence, end if documents else -1))
            position = end = max(reading.end, start + 1)
        elif _looks_real(text, start):
            unreadable.append(reading)
            fence = _FENCE.search(text, reading.end)
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


def _fence_lines(text: str, start: int = 0) -> list[tuple[int, bool]]:
    """Where lines begin that are fences, and whether they bear a tag."""
    found = islice(_FENCE_LINE.finditer(text, start), MAX_DOCUMENTS)
    return [(match.start(), bool(match[1])) for match in found]


def _closing_fence(text: str, lines: list[tuple[int, bool]], start: int) -> int:
    """Where the fence stands that closes behind a place: code with a tag may stand within a text
    of the document; the end where there is none."""
    opened = 0
    first = bisect.bisect_left(lines, (start, False))
    for place, tagged in lines[first : first + _MOST_INNER]:
        if not tagged and not opened:
            return place
        opened += 1 if tagged else -1
    return len(text)


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
    return text[start] in "{\uff5b" and _KEY_AHEAD.match(inside) is not None
