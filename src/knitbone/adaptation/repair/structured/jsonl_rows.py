"""Rows of JSON Lines that are no documents: with missing brackets, or in danger of being lost.

A line that lost its brackets looks like prose to a search for documents. Where other lines tell
which brackets these are, they are put back; where they do not, nothing may be left out that could
be a row: the code would go on with one row less, and nobody would know.

Source: ours; Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from knitbone.adaptation.text.wrappers.fences import is_fence_of_data
from knitbone.parsing.documents import JsonDocument

__all__ = ["lost_row", "with_brackets"]

_CLOSING = {"{": "}", "[": "]"}
_SENTENCE = re.compile(r"(?:\S+\s+){2,}.*[.!?…](?:[)\]\"'*_]{0,3})|.*[:：]\**|(?:\#|//|--).*")  # noqa: RUF001
"""Prose: a sentence, a line that leads to what follows, a heading or remark."""
_DATA = re.compile(r"[\d\"{}\[\],;|=]")
"""Characters that a row is likely to hold and a greeting is not."""


def with_brackets(lines: Sequence[str], accepts: Callable[[str], bool]) -> list[str] | None:
    """Return the lines with the brackets that some lack, as all others have them.

    ``None`` where that does not make every line one that the code reads. The last line gets no
    closing bracket: it may have been cut off.

    Args:
        accepts: whether the code reads a line; it may raise where the time is spent.
    """
    whole = [accepts(line) for line in lines]
    opening = {line.lstrip()[:1] for line, read in zip(lines, whole, strict=True) if read}
    start = opening.pop() if len(opening) == 1 else ""
    if start not in _CLOSING or all(whole):
        return None
    made: list[str] = []
    for index, (line, read) in enumerate(zip(lines, whole, strict=True)):
        body = line.strip(" \t\r,")
        tries = [line] if read else _bracket_candidates(body, start, last=index + 1 == len(lines))
        found = next((one for one in tries if read or (_is_whole(one) and accepts(one))), None)
        if found is None:
            return None
        made.append(found)
    return made


def _bracket_candidates(body: str, start: str, *, last: bool) -> list[str]:
    """Return the line with the bracket, or the brackets, that it may lack."""
    end = _CLOSING[start]
    if last or body.endswith(end):
        return [start + body]
    return [start + body + end, body + end]


def _is_whole(line: str) -> bool:
    """Return whether nothing but the brackets was missing; a line that names a key twice is two
    rows."""
    try:
        json.loads(line, object_pairs_hook=_reject_duplicate_keys)
    except (ValueError, RecursionError):
        return False
    return True


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice")
    return made


def lost_row(text: str, documents: Sequence[JsonDocument], keys: Collection[str]) -> str:
    """Return the first line beside the documents that may be a row of the data; empty where none
    is."""
    names = "|".join(re.escape(key) for key in sorted(keys))
    keyed = re.compile(rf"(?<!\w)(?:{names})[\"'*`]*\s*[:=]" if names else r"(?!)", re.IGNORECASE)
    for part in _texts_beside(text, documents):
        for line in part.splitlines():
            said = line.strip(" \t,;")
            if not said or is_fence_of_data(said):
                continue
            if keyed.search(said) or (_DATA.search(said) and not _SENTENCE.fullmatch(said)):
                return said
    return ""


def _texts_beside(text: str, documents: Sequence[JsonDocument]) -> Iterator[str]:
    """Yield the text before, between and behind the documents, without the marks of a list or of
    code."""
    position = 0
    for one in documents:
        before = text[position : one.reading.start]
        yield before.rpartition("\n")[0]
        position = one.reading.end
    yield text[position:].partition("\n")[2]
