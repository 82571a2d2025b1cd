"""The elements and the value of an XML document that is well formed, and how content is written.

Entities are never expanded: a document that declares some is refused.

Source: XML 1.0 §2.4 (markup and content), §3.1 (tags).
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from knitbone.parsing.search import MAX_DEPTH, PlaceSchema

__all__ = ["XmlElement", "escaped", "parse_xml", "read_elements", "slot_below", "value_of"]

_START_TAG = re.compile(r"<[^\s/>]+(?:[^\"'>]|\"[^\"]*\"|'[^']*')*?(?P<empty>/?)>")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};|(?:amp|lt|gt|quot|apos);)?")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30};)")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LIST = frozenset("[")
_OBJECT = frozenset("{")


class XmlElement:
    """One element, and where its tags stand in the text; reads like an ``ElementTree`` one."""

    __slots__ = (
        "after",
        "attrib",
        "children",
        "end",
        "inside",
        "is_empty",
        "pieces",
        "start",
        "tag",
    )

    def __init__(self, tag: str, attrib: dict[str, str], start: int, inside: int) -> None:
        self.tag = tag
        self.attrib = attrib
        self.start = start
        self.inside = inside
        """Where its content begins."""
        self.end = self.after = inside
        """Where its content ends, and behind its closing tag."""
        self.is_empty = False
        """Whether it is one tag: ``<a/>``."""
        self.children: list[XmlElement] = []
        self.pieces: list[str] = []
        """The text directly in it."""

    def __iter__(self) -> Iterator[XmlElement]:
        return iter(self.children)

    @property
    def text(self) -> str:
        """The text of an element without others in it; empty where there are others."""
        return "" if self.children else "".join(self.pieces)

    def iter(self) -> Iterator[XmlElement]:
        """The element and all below it, in the order of the text."""
        pending: list[XmlElement] = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


def read_elements(text: str) -> XmlElement:
    """The outermost element of a document that is well formed.

    Raises:
        ValueError: it is not well formed, declares entities, or is nested too deeply.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    plain = len(encoded) == len(text)
    outermost = XmlElement("", {}, 0, 0)
    stack = [outermost]
    seen = [0, 0]

    def place() -> int:
        index = parser.CurrentByteIndex
        if plain:
            return index
        seen[1] += len(encoded[seen[0] : index].decode("utf-8", "surrogatepass"))
        seen[0] = index
        return seen[1]

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        start = place()
        tag = _START_TAG.match(text, start)
        element = XmlElement(name, attributes, start, tag.end() if tag is not None else start)
        element.is_empty = tag is not None and bool(tag["empty"])
        stack[-1].children.append(element)
        stack.append(element)

    def finish(name: str) -> None:
        element = stack.pop()
        if not element.is_empty:
            element.end = place()
            element.after = text.index(">", element.end + len(name)) + 1

    def content(piece: str) -> None:
        stack[-1].pieces.append(piece)

    def refuse(*_: Any) -> None:
        raise ValueError("it declares entities")

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.CharacterDataHandler = content
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(encoded, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return outermost.children[0]


def parse_xml(text: str, slot: PlaceSchema | None = None) -> Any:
    """The value of a document: a text, or a dictionary of what is in the outermost element.

    Raises:
        ValueError: it is not well formed, declares entities, or is nested too deeply.
    """
    return value_of(read_elements(text.lstrip("\ufeff \t\r\n")), slot)


def value_of(element: XmlElement, slot: PlaceSchema | None = None) -> Any:
    """The value of an element: a text, or a dictionary of what is in it."""
    text = "".join(element.pieces)
    kinds: frozenset[str] = slot.kinds if slot is not None else frozenset()
    free = slot is None or not (slot.keys or kinds)
    members: dict[str, Any] = {
        f"@{name}": value
        for name, value in element.attrib.items()
        if free or (slot is not None and f"@{name}" in slot.keys)
    }
    names = {child.tag for child in element}
    alike = not names or (len(names) == 1 and slot is not None and slot.items is not None)
    if slot is not None and kinds == _LIST and alike and not members and not text.strip():
        return [value_of(child, slot.items) for child in element]
    if not members and not names:
        return {} if kinds == _OBJECT and not text.strip() else text
    groups: dict[str, list[XmlElement]] = {}
    for child in element:
        groups.setdefault(child.tag, []).append(child)
    for name, group in groups.items():
        below = slot_below(slot, name)
        listed = below is not None and below.kinds == _LIST
        if len(group) > 1:
            inner = below.items if below is not None and listed else below
            members[name] = [value_of(child, inner) for child in group]
            continue
        value = value_of(group[0], below)
        members[name] = [value] if listed and not isinstance(value, list) else value
    if text.strip():
        members["#text"] = text.strip() if names else text
    return members


def slot_below(slot: PlaceSchema | None, name: str) -> PlaceSchema | None:
    """What is known of an element of a name in another one."""
    if slot is None:
        return None
    if name in slot.keys:
        return slot.keys[name]
    if slot.items is not None and "[" in slot.kinds:
        return slot.items
    return slot.others


def escaped(content: str) -> str:
    """The content with what XML would take for markup written as references; the same object
    where there is nothing. Names of HTML become the characters that they stand for."""
    if _CONTROLS.search(content):
        content = _CONTROLS.sub("", content)
    if "<" in content:
        content = content.replace("<", "&lt;")
    if "&" not in content:
        return content
    return _REFERENCE.sub(_reference, _NAMED.sub(_named, content))


def _reference(match: re.Match[str]) -> str:
    return "&amp;" if match.group() == "&" else match.group()


def _named(match: re.Match[str]) -> str:
    if match[1] in ("amp;", "lt;", "gt;", "quot;", "apos;") or match[1] not in html.entities.html5:
        return match.group()
    return "".join(f"&#{ord(character)};" for character in html.entities.html5[match[1]])
