"""The common case of XML: what the code looks for plainly stands in a well-formed text.

In a well-formed text without comments, CDATA and prefixes each ``<name`` is an element. So the
names can be looked for in the text, and expat needs to check it only, not to build the tree: that
takes half the time of the consumer's own parser. What is not plain is looked at in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from knitbone.core.structured.shape import Field, Shape

__all__ = ["plain_test"]

_NOT_PLAIN = ("<!", "xmlns:", "<xml:")
"""Comments, CDATA and document types; what has a prefix. Elements are told by their name alone."""
_SPELLINGS = {
    "integer": "[+-]?[0-9]{1,40}",
    "number": r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?",
    "boolean": "true|false|yes|no",
}
"""Plain ones; the others are looked at in the tree."""
_Test = Callable[[str], bool]


def plain_test(shape: Shape, *, above: bool) -> _Test | None:
    """Whether a text is well-formed and plainly holds what the shape asks for: ``False`` says
    nothing. ``None``: the shape asks for what cannot be seen in the text.

    Args:
        above: whether the code looks from above the root element, which it may then find.
    """
    patterns = list(_misfits(shape))
    if None in patterns or any(field.name.startswith("@") for field in _fields(shape)):
        return None
    misfits = [re.compile(pattern) for pattern in patterns if pattern]
    nests = any(_inner(field).fields for field in shape.fields)
    holds = _holds(shape)

    def is_plain(text: str) -> bool:
        if any(mark in text for mark in _NOT_PLAIN) or text.rfind("<?") > 0:
            return False
        if nests and "/>" in text:
            return False  # such an element ends where it begins
        start = text.find("?>") + 2 if text.startswith("<?") else 0
        content = text[start:] if above else text[text.find(">", start) + 1 :]
        if not holds(content) or any(misfit.search(content) for misfit in misfits):
            return False
        return _is_well_formed(text)

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
    for field in shape.fields:
        yield field
        yield from _fields(_inner(field))


def _inner(field: Field) -> Shape:
    return field.shape.items or Shape() if field.shape.type == "array" else field.shape


def _name(field: Field) -> str:
    return re.escape(field.name.rpartition(":")[2])


def _misfits(shape: Shape) -> Iterator[str | None]:
    """Patterns of elements whose text may not be what it should; ``None`` for what has none."""
    for field in _fields(shape):
        wanted = _inner(field)
        if wanted.fields or field.name.startswith("#"):
            continue
        spelling = _SPELLINGS.get(wanted.type)
        if wanted.values:
            texts = [value for value in wanted.values if isinstance(value, str)]
            told = wanted.type in ("any", "string") and len(texts) == len(wanted.values)
            spelling = "|".join(map(re.escape, texts))
            if not told or "&" in spelling:
                yield None
                continue
        if spelling is not None:
            name = _name(field)
            yield rf"<{name}(?=[\s/>])(?!>\s*(?:{spelling})\s*</{name}>)"


def _holds(shape: Shape) -> _Test:
    """Whether a piece of a well-formed text holds the elements."""
    tests = [_field_test(field) for field in shape.fields if not field.name.startswith("#")]
    return lambda piece: all(test(piece) for test in tests)


def _field_test(field: Field) -> _Test:
    name, inner = _name(field), _inner(field)
    if not inner.fields:
        search = re.compile(rf"<{name}[\s/>]").search
        return lambda piece: search(piece) is not None
    opening, closing = re.compile(rf"<{name}(?=[\s>])"), f"</{field.name.rpartition(':')[2]}"
    holds = _holds(inner)

    def each_holds(piece: str) -> bool:
        # Up to the next one, or to the end of this one, all is surely inside.
        pieces = opening.split(piece)[1:]
        return bool(pieces) and all(holds(one.partition(closing)[0]) for one in pieces)

    return each_holds
