"""The forms of an answer that a prompt shows: an example (``1250|16:45``), or lines with names
(``sample: <sample id>``)."""

# ruff: noqa: RUF001 - the quotes that people write
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.checks import PromptMessage
from knitbone.adaptation.repair.forms.values import WrittenValue, find_values

__all__ = ["NamedField", "ShownForm", "shown_fields", "shown_forms"]

_MAX_PROMPT = 8_000
"""Characters of a message that are looked through (ours)."""
_MAX_LINE = 600
_MAX_FORMS = 16
"""Forms with the kinds of an answer's values that are tried (ours)."""
_OPENS = re.compile(
    r"(?:\A|[:\"'`“‘(]|\b(?:like|this|example|as|e\.g\.|with|is)\b[,:]?)[\s\"'`“‘(]*", re.IGNORECASE
)
"""The place before which an example cannot begin."""
_CLOSES = re.compile(r"[\"'`”’]|\s{2,}| \(|[.,;!](?=\s|\Z)|\Z")
_FIELD = re.compile(
    r"[ \t>*•-]*(?P<name>[^\W\d][\w -]{0,38}?)(?P<mark>[ \t]*[:=][ \t]*)"
    r"(?P<slot><[^<>\n]+>|\{[^{}\n]+\}|\[[^\[\]\n]+\])(?P<tail>[^\s<>{}\[\]]{0,8})[ \t]*"
)


class ShownForm(NamedTuple):
    """An example in a prompt, and its values."""

    text: str
    values: tuple[WrittenValue, ...]


class NamedField(NamedTuple):
    """One line of a form: its name, what stands behind it, and what the slot is said to hold."""

    name: str
    mark: str
    about: str
    tail: str


def shown_forms(messages: Sequence[PromptMessage], kinds: Counter[str]) -> list[ShownForm]:
    """Return the examples of a prompt that hold just the kinds of values that an answer holds."""
    found: dict[str, ShownForm] = {}
    for message in messages:
        for line in message.text[:_MAX_PROMPT].splitlines():
            for text in _examples(line[:_MAX_LINE], kinds):
                values = find_values(text)
                if values is not None and len(values) > 1 and len(found) < _MAX_FORMS:
                    found.setdefault(text, ShownForm(text, tuple(values)))
    return list(found.values())


def _examples(line: str, kinds: Counter[str]) -> Iterator[str]:
    """Yield the parts of a line that hold such values, shortest first."""
    values = [value for value in find_values(line) or () if value.kind != "word"]
    size = kinds.total()
    for first in range(len(values) - size + 1):
        held = values[first : first + size]
        if Counter(value.kind for value in held) != kinds:
            continue
        start, end = held[0].start, held[-1].end
        opened = [place.end() for place in _OPENS.finditer(line, 0, start)]
        before = max((each for each in opened if each <= start), default=start)
        closing = _CLOSES.search(line, end)
        behind = closing.start() if closing is not None else end
        for begin, over in ((start, end), (before, end), (start, behind), (before, behind)):
            yield line[begin:over].strip()


def shown_fields(messages: Sequence[PromptMessage]) -> list[tuple[NamedField, ...]]:
    """Return the runs of two lines or more in which a prompt names the fields of an answer."""
    found: list[tuple[NamedField, ...]] = []
    for message in messages:
        run: list[NamedField] = []
        for line in (*message.text[:_MAX_PROMPT].splitlines(), ""):
            match = _FIELD.fullmatch(line)
            if match is not None:
                slot = match["slot"][1:-1]
                run.append(NamedField(match["name"], match["mark"], slot, match["tail"]))
                continue
            if len(run) > 1 and len({each.name.casefold() for each in run}) == len(run):
                found.append(tuple(run))
            run = []
    return found
