"""XML that differs from the document in the prompt in a way that paths of the code miss.

Paths are read without their depth, and code may deal with namespaces in ways that are not seen. So
only where the prompt shows the document plainly, and the answer adds a default namespace or one
element around all items, that addition is removed.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure); the prompt is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Invocation
from knitbone.common.structured.shape import Shape

__all__ = ["HEURISTICS", "Prompted", "as_prompted"]

HEURISTICS = ("structured.xml_namespace", "structured.xml_wrapper")
_MAX_PROMPT = 20_000
"""Characters of a message that is searched for the document (ours)."""
_NAME = r"[A-Za-z_][\w.-]{0,127}"
_TOP = re.compile(
    rf"\s*(?:<\?xml[^<>]{{0,200}}\?>\s*)?<(?P<root>{_NAME})(?P<rest>[^<>]{{0,2000}})>"
)
_NAMESPACE = re.compile(r"""\sxmlns\s*=\s*(?:"[^"]*"|'[^']*')""")
_AROUND = re.compile(rf"\s*<(?P<around>{_NAME})>\s*<(?P<item>{_NAME})(?=[\s>/])")


class Prompted(NamedTuple):
    """A document in the form that the prompt shows."""

    text: str
    rule: str


def as_prompted(text: str, shape: Shape, invocation: Invocation) -> Prompted | None:
    """Return a well-formed document without the namespace or element that the prompt does not
    show; ``None`` where there is no such addition.

    Args:
        shape: of the root element.
    """
    top = _TOP.match(text)
    if top is None or top["rest"].endswith("/"):
        return None
    namespace = _NAMESPACE.search(top["rest"]) if "xmlns" in top["rest"] else None
    if namespace is not None and invocation.uses("structured.xml_namespace"):
        if _shows(rf"<{re.escape(top['root'])}>", invocation) and not _names_prefixes(shape):
            start = top.start("rest")
            bare = text[: start + namespace.start()] + text[start + namespace.end() :]
            return Prompted(bare, "default namespace removed, as the prompt has none")
        return None
    around = _AROUND.match(text, top.end())
    if around is None or not invocation.uses("structured.xml_wrapper"):
        return None
    return _without_element(text, top["root"], around, shape, invocation)


def _without_element(
    text: str, root: str, around: re.Match[str], shape: Shape, invocation: Invocation
) -> Prompted | None:
    """Return the document without one element around all items; ``None`` where the prompt shows
    it."""
    name, item = around["around"], around["item"]
    wanted = set(_names(shape))
    if item not in wanted or name in wanted or text.count(f"</{name}>") != 1:
        return None
    closing = re.search(rf"</{re.escape(name)}>(?=\s*</{re.escape(root)}>\s*\Z)", text)
    if closing is None or len(re.findall(rf"</?{re.escape(name)}[\s/>]", text)) != 2:
        return None
    shown = rf"<{re.escape(root)}>\s{{0,99}}<{re.escape(item)}[\s>/]"
    if not _shows(shown, invocation) or _shows(rf"<{re.escape(name)}[\s>/]", invocation):
        return None
    opening = around.start("around") - 1
    inside = text[opening + len(name) + 2 : closing.start()]
    bare = text[:opening] + inside + text[closing.end() :]
    return Prompted(bare, f"<{name[:40]}> around the items removed, as the prompt has none")


def _names(shape: Shape) -> Iterator[str]:
    """Yield the elements that the code looks for right below the root, or further down."""
    for field in shape.fields:
        yield field.name
        inner = field.shape.items or field.shape
        yield from _names(inner)


def _names_prefixes(shape: Shape) -> bool:
    return any(":" in name for name in _names(shape))


def _shows(pattern: str, invocation: Invocation) -> bool:
    compiled = re.compile(pattern)
    return any(compiled.search(said.text[:_MAX_PROMPT]) for said in invocation.messages)
