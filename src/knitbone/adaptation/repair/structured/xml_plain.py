"""The fast test of XML, for well-formed text in which the elements that the code reads plainly
stand.

In a well-formed text without comments, CDATA and prefixes each ``<name`` is an element. So the
names can be looked for in the text, and expat needs to check it only, not to build the tree: that
takes half the time of the consumer's own parser. What is not plain is looked at in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from knitbone.common.structured.shape import Field, Shape

__all__ = ["plain_test"]

_MAX_PLAIN = 400_000
"""Characters; expressions are not stopped in time, and take up to 70 ns for each (measured)."""
_NOT_PLAIN = ("<!", "xmlns:", "<xml:")
"""Comments, CDATA and document types; what has a prefix. Elements are told by their name alone."""
_SPELLINGS = {
    "integer": "[+-]?[0-9]{1,40}",
    "number": r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?",
    "boolean": "true|false|yes|no",
}
"""Plain ones; the others are looked at in the tree."""
_AFTER = r"(?=[\s/>])"
"""The end of the name in a tag."""


def plain_test(shape: Shape, *, above: bool) -> Callable[[str], bool] | None:
    """Compile a test whether a text is well-formed and plainly holds what the shape asks for.

    ``False`` of the test says nothing. ``None``: the shape asks for what cannot be seen in the
    text.

    Args:
        above: whether the code looks from above the root element, which it may then find.
    """
    fields = list(_fields(shape))
    patterns = [_misfit_pattern(field) for field in fields]
    if None in patterns or any(field.name.startswith("@") for field in fields):
        return None
    wanted = [
        re.compile(f"<{_name(field)}{_AFTER}") for field in shape.fields if field.name[:1] != "#"
    ]
    misfits = [re.compile(pattern) for pattern in patterns if pattern]

    def is_plain(text: str) -> bool:
        if len(text) > _MAX_PLAIN or text.rfind("<?") > 0:
            return False
        if any(mark in text for mark in _NOT_PLAIN):
            return False
        start = text.find("?>") + 2 if text.startswith("<?") else 0
        content = text[start:] if above else text[text.find(">", start) + 1 :]
        if not all(one.search(content) for one in wanted):
            return False
        return not any(one.search(content) for one in misfits) and _is_well_formed(text)

    return is_plain


def _is_well_formed(text: str) -> bool:
    # With namespaces, as ElementTree has it: a prefix must be declared.
    parser = expat.ParserCreate(None, "}")
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, ValueError):
        return False
    return True


def _fields(shape: Shape) -> Iterator[Field]:
    """Yield the fields of the shape, and those below; without those that are no element."""
    for field in shape.fields:
        if not field.name.startswith("#"):
            yield field
            yield from _fields(_inner(field))


def _inner(field: Field) -> Shape:
    return field.shape.items or Shape() if field.shape.type == "array" else field.shape


def _name(field: Field) -> str:
    return re.escape(field.name.rpartition(":")[2])


def _misfit_pattern(field: Field) -> str | None:
    """Return a pattern of elements that may not be what they should; ``None`` where no pattern can
    tell.

    Empty where any element will do.
    """
    wanted, name = _inner(field), _name(field)
    if wanted.fields:
        # Up to the next one, or to the end of this one, all is surely inside; of ``<name/>``
        # nothing is.
        inside = rf"[^<]*(?:<(?!/?{name})[^<]*)*?"
        held = (
            f"(?={inside}<{_name(one)}{_AFTER})" for one in wanted.fields if one.name[:1] != "#"
        )
        return f"<{name}{_AFTER}(?:[^<]*/>|(?!{''.join(held)}))"
    if wanted.reading:
        return None
    spelling = _SPELLINGS.get(wanted.type, "")
    if wanted.values:
        texts = [value for value in wanted.values if isinstance(value, str)]
        spelling = "|".join(map(re.escape, texts))
        told = wanted.type in ("any", "string") and len(texts) == len(wanted.values)
        told = told and set(wanted.steps) <= {"strip"}  # blanks around it are none of the text
        if not told or "&" in spelling:
            return None
    return rf"<{name}{_AFTER}(?!>\s*(?:{spelling})\s*</{name}>)" if spelling else ""
