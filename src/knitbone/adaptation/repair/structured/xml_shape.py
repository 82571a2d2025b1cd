"""The shape of XML: whether elements hold what the code looks for, and edits that make them.

An element that is looked for may stand deeper than the code is known to look: paths such as
``.//item`` are not told apart from ``item``. In doubt, what is there is what is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from knitbone.adaptation.repair.checks import Invocation
from knitbone.common.structured.conformance import conform, fits
from knitbone.common.structured.names import match_names, plain_name
from knitbone.common.structured.shape import Field, Shape
from knitbone.parsing.search import DocumentEdit, PlaceSchema
from knitbone.parsing.xml_values import XmlElement, escaped

__all__ = ["accepts", "fit_edits", "has_conflicting_elements", "slot_of_elements"]

_ANY = Shape()
_MAX_NAMES = 64
"""Names of elements in one element that are compared with the wanted ones (ours)."""


def local_name(tag: Any) -> str:
    """Return the name without its namespace; empty for comments."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def find_elements(node: Iterable[Any], name: str) -> list[Any]:
    """Return the elements of a name: children, or else the ones further down."""
    name = name.rpartition(":")[2]
    children = [child for child in node if local_name(child.tag) == name]
    if children:
        return children
    return [e for child in node for e in child.iter() if local_name(e.tag) == name]


def accepts(node: Any, shape: Shape, tick: Callable[[], None]) -> bool:
    """Return whether an element, or a list of roots, holds what the shape asks for."""
    tick()
    for field in shape.fields:
        if field.name.startswith("@"):
            if field.required and not _has_attribute(node, field):
                return False
            continue
        if field.name.startswith("#"):
            continue
        there = find_elements(node, field.name)
        if not there and (_demanded(field) or _misspelt(node, field.name)):
            return False
        inner = _inner(field)
        if inner != Shape() and not all(_holds(e, inner, tick) for e in there):
            return False
    return True


def _has_attribute(node: Any, field: Field) -> bool:
    """Return whether an element has an attribute; a list of roots, around which one would be put,
    has none."""
    return field.name[1:] in getattr(node, "attrib", ())


def _demanded(field: Field) -> bool:
    """Return whether an element has to be there: a list may be empty."""
    return field.required and field.shape.type != "array"


def _misspelt(node: Any, name: str) -> bool:
    plain = plain_name(name)
    return any(plain_name(local_name(child.tag)) == plain for child in node)


def _inner(field: Field) -> Shape:
    return field.shape.items or Shape() if field.shape.type == "array" else field.shape


def _holds(element: Any, shape: Shape, tick: Callable[[], None]) -> bool:
    if shape.fields:
        return accepts(element, shape, tick)
    if not _is_typed(shape) or list(element):
        return True
    return fits((element.text or "").strip(), _text_shape(shape))


def _is_typed(shape: Shape) -> bool:
    return bool(shape.values or shape.reading) or shape.type in ("integer", "number", "boolean")


def _text_shape(shape: Shape) -> Shape:
    """Return the shape of an element's text: what the code makes a number of may be any text of
    one."""
    convertible = shape.type in ("integer", "number", "boolean")
    return msgspec.structs.replace(shape, convertible=convertible)


def fit_edits(
    text: str, node: Any, shape: Shape, invocation: Invocation
) -> list[DocumentEdit] | None:
    """Return the edits that bring names and values of elements into the shape; ``None`` where too
    much is missing."""
    edits: list[DocumentEdit] = []
    if not any(
        field.name[:1] in "@#" or find_elements(node, field.name) for field in shape.fields
    ) and not (_misspelt_elements(list(node), node, shape, invocation)):
        return None  # a list may be empty, but where all is missing it is something else
    return edits if _fit(text, node, shape, invocation, edits) else None


def _fit(
    text: str, node: Any, shape: Shape, invocation: Invocation, edits: list[DocumentEdit]
) -> bool:
    """Collect edits that fit the children of an element; return whether it can be the document."""
    invocation.deadline.check()
    children: list[XmlElement] = list(node)
    renamed = _misspelt_elements(children, node, shape, invocation)
    if renamed is None:
        return False
    for element, name in renamed:
        _rename(element, name, edits)
    names = {id(element): name for element, name in renamed}
    for field in shape.fields:
        if field.name.startswith(("@", "#")):
            if field.name[:1] == "@" and field.required and not _has_attribute(node, field):
                return False
            continue
        there: list[XmlElement] = [e for e in children if names.get(id(e), e.tag) == field.name]
        there = there or find_elements(node, field.name)
        if not there and _demanded(field):
            return False
        inner = _inner(field)
        for element in there:
            if not _fit_one(text, element, inner, invocation, edits):
                return False
    return True


def _fit_one(
    text: str, element: XmlElement, shape: Shape, invocation: Invocation, edits: list[DocumentEdit]
) -> bool:
    if shape.fields:
        return _fit(text, element, shape, invocation, edits)
    if _is_typed(shape) and not element.children:
        return _convert(text, element, shape, invocation, edits)
    return True


def has_conflicting_elements(node: Any, shape: Shape) -> bool:
    """Return whether elements that the code reads once stand there several times with different
    contents.

    Where tags were wrong, nothing tells which one is meant. An empty one behind one with content
    is a slip of the pen.
    """
    below: list[XmlElement] = [e for child in node for e in child.iter()]
    for field in shape.fields:
        there = [element for element in below if element.tag == field.name]
        inner = _inner(field)
        if inner.fields and any(has_conflicting_elements(element, inner) for element in there):
            return True
        if field.shape.type != "array" and not inner.fields:
            said = [element.text.strip() for element in there if not element.children]
            if len({*filter(None, said)}) > 1 or (any(said) and not said[0]):
                return True
    return False


def _misspelt_elements(
    children: list[XmlElement], node: Any, shape: Shape, invocation: Invocation
) -> list[tuple[XmlElement, str]] | None:
    """Return elements whose name is another one misspelt; ``None`` where too many are."""
    wanted = [f.name for f in shape.fields if f.name[:1] not in "@#"]
    missing = [name for name in wanted if not find_elements(node, name)]
    others = list(dict.fromkeys(e.tag for e in children if e.tag not in wanted))
    if not missing or not others or len(others) > _MAX_NAMES:
        return []
    if not invocation.uses("structured.xml_names"):
        return []
    pairs = {old: new for old, new, _ in match_names(others, missing)}
    near = sum(1 for *_, is_near in match_names(others, missing) if is_near)
    lacking = [n for n in missing if n not in pairs.values() and _is_demanded(n, shape)]
    if near + len(lacking) >= invocation.config.tau_element:
        return None
    return [(e, pairs[e.tag]) for e in children if e.tag in pairs]


def _is_demanded(name: str, shape: Shape) -> bool:
    return any(field.name == name and _demanded(field) for field in shape.fields)


def _rename(element: XmlElement, name: str, edits: list[DocumentEdit]) -> None:
    rule = f"<{element.tag[:40]}> -> <{name[:40]}>"
    start = element.start + 1
    edits.append(DocumentEdit(start, start + len(element.tag), name, rule))
    if not element.is_empty:
        start = element.end + 2
        edits.append(DocumentEdit(start, start + len(element.tag), name, rule))


def _convert(
    text: str, element: XmlElement, shape: Shape, invocation: Invocation, edits: list[DocumentEdit]
) -> bool:
    inside = text[element.inside : element.end]
    content = inside.strip()
    wanted = _text_shape(shape)
    if fits(content, wanted):
        return True
    done = conform(content, wanted, name=element.tag)
    if not done.fits or not invocation.uses("structured.xml_types") or not content:
        return False
    if shape.reading:
        content = inside  # unlike numbers, dates are not read with blanks around them
    start = element.inside + inside.index(content)
    edits.append(DocumentEdit(start, start + len(content), escaped(str(done.value)), done.rules[0]))
    return True


def slot_of_elements(shape: Shape, *, above: bool) -> PlaceSchema:
    """Return what the shape tells the reader of the root element.

    Args:
        above: whether the shape is of what holds the root.
    """
    if above:
        roots = [_inner(field) for field in shape.fields]
        return slot_of_elements(roots[0], above=False) if len(roots) == 1 else PlaceSchema()
    slot = PlaceSchema()
    for field in shape.fields:
        if field.name[:1] not in "@#":
            name = field.name.rpartition(":")[2]
            below = slot.keys[name] = slot_of_elements(_inner(field), above=False)
            if field.shape.type == "array":
                below.kinds = frozenset("[")
    return slot
