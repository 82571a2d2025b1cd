"""The check of XML: make the tags match, find the root that the code reads, fit names and values,
prove it.

Entities are never expanded: a document type with declarations is passed on as it is.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure, then type conversion).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.structured.xml_plain import plain_test
from knitbone.adaptation.repair.structured.xml_prompted import (
    HEURISTICS as HEURISTICS_OF_PROMPTS,
)
from knitbone.adaptation.repair.structured.xml_prompted import as_prompted
from knitbone.adaptation.repair.structured.xml_shape import (
    accepts,
    fit_edits,
    has_conflicting_elements,
    nesting_rule,
)
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.shape import Shape
from knitbone.common.structured.xml_tree import ESCAPED, Edit, Mended, XmlElement, mend_xml

__all__ = ["HEURISTICS", "MAX_READ", "MAX_TEXT", "prepare_xml", "root_of"]

HEURISTICS = (
    "structured.xml_tags",
    "structured.xml_text",
    "structured.xml_root",
    "structured.xml_names",
    "structured.xml_types",
    *HEURISTICS_OF_PROMPTS,
)
MAX_READ = 4_000_000
"""Characters of an answer that is looked at (ours)."""
MAX_TEXT = 100_000
"""Characters of an answer that is repaired; a longer one is passed on with a record (ours)."""
_PIECE = 20_000
"""Characters that are parsed between two looks at the time: up to 4 ms (measured)."""
_MAX_ROOTS = 100
"""Elements beside one another at the top of which each may be the document (ours)."""
_DECLARES = re.compile(r"<!ENTITY|<!DOCTYPE[^<>\[]*[\[<]", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>\s*")
_ENCODING = re.compile(r"<\?xml[^>]{0,200}encoding")
_PARSERS = ("xml.etree.", "xml.dom.minidom.", "defusedxml.", "lxml.", "xmltodict.", "bs4.")
_FROM_DOCUMENT = ("xml.dom.minidom.", "xmltodict.", "bs4.", "BeautifulSoup")
"""Parsers whose result stands above the root element; the others return the root."""


def prepare_xml(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; ``None`` for a parser that is not known, or where no
    element is looked for."""
    parser = requirement.parser
    if not parser.startswith(_PARSERS) or not requirement.shape.fields:
        return None
    above = parser.startswith(_FROM_DOCUMENT)
    consumer = _XmlConsumer(
        shape=requirement.shape,
        above=above,
        lxml=parser.startswith("lxml."),
        plainly=plain_test(requirement.shape, above=above),
    )

    @FunctionCheck
    def check(text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_READ:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_READ}")
        if "<!" in text and _DECLARES.search(text):
            return unread(text, "a document type with declarations is not expanded")
        if consumer.accepts(text, invocation):
            return _without_unprompted(conforming(text), consumer, invocation)
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        invocation.deadline.check()
        verdict = _repair(text, consumer, invocation)
        if verdict.disposition != "repaired":
            return verdict
        return _without_unprompted(verdict, consumer, invocation)

    return check


def _without_unprompted(
    verdict: Verdict, consumer: _XmlConsumer, invocation: Invocation
) -> Verdict:
    """Return an accepted document without what the prompt does not show and the code's paths may
    miss."""
    if consumer.above or len(verdict.text) > MAX_TEXT:
        return verdict
    for _ in HEURISTICS_OF_PROMPTS:
        found = as_prompted(verdict.text, consumer.shape, invocation)
        if found is None or not consumer.accepts(found.text, invocation):
            break
        rules = (*verdict.rules, found.rule)
        verdict = repaired(found.text, *rules, edits=verdict.edits + 1, reason=verdict.reason)
    return verdict


class _XmlConsumer(msgspec.Struct, frozen=True, kw_only=True):
    """The element and the paths that the code looks for."""

    shape: Shape
    above: bool
    """Whether it looks from above the root element."""
    lxml: bool
    plainly: Callable[[str], bool] | None

    def accepts(self, text: str, invocation: Invocation) -> bool:
        """Return whether the text parses and has the elements that the code reads."""
        if self.lxml and _ENCODING.match(text):
            return False  # lxml refuses a str that declares an encoding
        if self.plainly is not None and self.plainly(text):
            return True
        try:
            root = root_of(text, invocation.deadline.check)
        except (ET.ParseError, ValueError):
            return False
        return accepts([root] if self.above else root, self.shape, invocation.deadline.check)


def root_of(text: str, pause: Callable[[], None]) -> ET.Element:
    """Parse a text as ``ElementTree.fromstring`` does; ``pause`` may raise between two chunks."""
    parser = ET.XMLParser()  # noqa: S314 - declarations are refused before
    for start in range(0, len(text), _PIECE):
        pause()
        parser.feed(text[start : start + _PIECE])
    return parser.close()


def _repair(text: str, consumer: _XmlConsumer, invocation: Invocation) -> Verdict:
    """Make the tags match, choose the region that is the document, and fit it."""
    mended = mend_xml(text, nesting_rule(consumer.shape))
    if mended is None:
        return refused(text, "the elements do not close, and may be cut off")
    rules = Counter(rule for *_, rule in mended.edits)
    escapes = rules.get(ESCAPED, 0)
    if (escapes and not invocation.uses("structured.xml_text")) or (
        len(mended.edits) > escapes and not invocation.uses("structured.xml_tags")
    ):
        return refused(text, "the answer is not well-formed XML")
    alone, together = _regions(text, mended, consumer)
    uses_root = invocation.uses("structured.xml_root")
    for regions in (alone, together, _inside_wrapper(text, mended, consumer)):
        allowed = [r for r in regions if uses_root or not (r.cut or r.wrap)]
        tried = [_fit_region(text, mended, region, consumer, invocation) for region in allowed]
        verdicts = [verdict for verdict in tried if verdict is not None]
        if len(verdicts) > 1:
            return refused(text, "several elements of the answer hold what the code reads")
        if verdicts:
            return verdicts[0]
    if not mended.roots:
        return refused(text, "there is no element in the answer")
    return refused(text, "no element of the answer holds what the code reads")


class _Region(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the answer that may be the document."""

    start: int
    end: int
    roots: list[XmlElement]
    cut: bool = False
    wrap: str = ""
    """The root element to put around it, where it has none."""


def _regions(
    text: str, mended: Mended, consumer: _XmlConsumer
) -> tuple[list[_Region], list[_Region]]:
    """Return the documents that the answer may hold: each root element alone, or all in a new
    one."""
    roots = mended.roots[:_MAX_ROOTS]
    if not roots:
        return [], []
    alone = [_region_of_root(text, root, mended, consumer) for root in roots]
    if len({text[root.start : root.after] for root in roots}) == 1:
        alone = alone[-1:]  # the same twice
    first, last = roots[0], mended.roots[-1]
    name = "root"
    if consumer.above:
        names = [field.name for field in consumer.shape.fields]
        if len(names) != 1 or any(root.tag == names[0] for root in roots):
            return alone, []
        name = names[0]
    if any(first.start < start < last.after for start, _ in mended.loose):
        return alone, []
    return alone, [_Region(start=first.start, end=last.after, roots=mended.roots, wrap=name)]


def _inside_wrapper(text: str, mended: Mended, consumer: _XmlConsumer) -> list[_Region]:
    """Return the regions inside an element that stands around the document alone:
    ``<answer><tour>...</tour></answer>``."""
    inner = [root.children[0] for root in mended.roots[:_MAX_ROOTS] if len(root.children) == 1]
    return [_region_of_root(text, element, mended, consumer) for element in inner]


def _region_of_root(text: str, root: XmlElement, mended: Mended, consumer: _XmlConsumer) -> _Region:
    before, after = text[: root.start], text[root.after :]
    prologue = not mended.loose and len(mended.roots) == 1 and not consumer.lxml
    if prologue and _is_prologue(before):
        return _Region(start=len(before) - len(before.lstrip()), end=len(text), roots=[root])
    cut = bool(before.strip() or after.strip())
    return _Region(start=root.start, end=root.after, roots=[root], cut=cut)


def _is_prologue(text: str) -> bool:
    return not _DECLARATION.sub("", text, count=1).strip()


def _fit_region(
    text: str, mended: Mended, region: _Region, consumer: _XmlConsumer, invocation: Invocation
) -> Verdict | None:
    """Return the region with names and values as the code reads them; ``None`` where it is not the
    document."""
    top: Any = region.roots
    shape = consumer.shape
    if region.wrap and consumer.above:
        shape = shape.fields[0].shape
    elif not region.wrap and not consumer.above:
        top = region.roots[0]
    fitted = fit_edits(text, top, shape, invocation)
    if fitted is None or (mended.is_guessed and has_conflicting_elements(top, shape)):
        return None
    edits = sorted(
        (e for e in [*mended.edits, *fitted] if region.start <= e[0] and e[1] <= region.end),
        key=lambda edit: edit[:2],
    )
    candidate = _apply_edits(text, region, edits)
    if candidate is None or candidate == text or not consumer.accepts(candidate, invocation):
        return None
    rules = Counter(rule for *_, rule in edits)
    told = [f"{rule} in {n} places" if n > 1 else rule for rule, n in rules.items()]
    if region.cut:
        told.append("text around the document removed")
    if region.wrap:
        told.append(f"root element <{region.wrap[:40]}> added")
    structural = len(edits) + region.cut + bool(region.wrap)
    return repaired(
        candidate, *(told or ["blanks before the document removed"]), edits=max(structural, 1)
    )


def _apply_edits(text: str, region: _Region, edits: list[Edit]) -> str | None:
    """Return the region with the edits made; ``None`` where two of them overlap."""
    pieces: list[str] = []
    position = region.start
    for start, end, written, _ in edits:
        if start < position:
            return None
        pieces += [text[position:start], written]
        position = end
    body = "".join((*pieces, text[position : region.end]))
    return f"<{region.wrap}>{body}</{region.wrap}>" if region.wrap else body
