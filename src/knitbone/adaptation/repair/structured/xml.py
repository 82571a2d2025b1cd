"""The check of XML: make the tags match, find the root that the code reads, fit names and values,
prove it.

Entities are never expanded: a document type with declarations is passed on as it is.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure, then type conversion).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple
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
    slot_of_elements,
)
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.shape import Shape
from knitbone.parsing.costs import COSTS
from knitbone.parsing.decision import (
    DocumentDecision,
    Grammar,
    TargetVerdict,
    applied,
    decide,
    told,
)
from knitbone.parsing.search import DocumentEdit, PlaceSchema
from knitbone.parsing.xml_grammar import ESCAPING, XmlSearch, known_names, names_of_tags
from knitbone.parsing.xml_values import XmlElement, read_elements, value_of

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
        slot=slot_of_elements(requirement.shape, above=above),
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
    slot: PlaceSchema
    """What is known of the root element."""

    def top(self, root: Any) -> Any:
        """Return what the code looks into, of a root element."""
        return [root] if self.above else root

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
        return accepts(self.top(root), self.shape, invocation.deadline.check)


def root_of(text: str, pause: Callable[[], None]) -> ET.Element:
    """Parse a text as ``ElementTree.fromstring`` does; ``pause`` may raise between two chunks."""
    parser = ET.XMLParser()  # noqa: S314 - declarations are refused before
    for start in range(0, len(text), _PIECE):
        pause()
        parser.feed(text[start : start + _PIECE])
    return parser.close()


def _repair(text: str, consumer: _XmlConsumer, invocation: Invocation) -> Verdict:
    """Read the documents, choose the one that is meant, and fit it."""
    documents = _read_documents(text, consumer, invocation)
    if isinstance(documents, str):
        return refused(text, documents)
    rules = {rule for document in documents for rule in document.rules}
    if (rules & ESCAPING and not invocation.uses("structured.xml_text")) or (
        rules - ESCAPING and not invocation.uses("structured.xml_tags")
    ):
        return refused(text, "the answer is not well-formed XML")
    uses_root = invocation.uses("structured.xml_root")
    for regions in _regions(text, documents, consumer):
        allowed = [r for r in regions if uses_root or not (r.cut or r.wrap)]
        tried = [_fit_region(text, region, consumer, invocation) for region in allowed]
        verdicts = [verdict for verdict in tried if verdict is not None]
        if len({verdict.text for verdict in verdicts}) > 1:
            return refused(text, "several elements of the answer hold what the code reads")
        if verdicts:
            return verdicts[0]
    return refused(text, "no element of the answer holds what the code reads")


class _XmlDocument(NamedTuple):
    """A document of the answer."""

    start: int
    end: int
    text: str
    """Well formed."""
    rules: tuple[str, ...]
    """Of the edits that made it so."""
    root: XmlElement
    """Its places count in ``text``."""

    @property
    def has_other_tags(self) -> bool:
        """Tell whether a tag was changed: where an element ends is then not known for sure."""
        return not ESCAPING.issuperset(self.rules)


class _XmlJudge:
    """A judge that takes each document: what does not hold what the code reads is less likely."""

    def __init__(self, consumer: _XmlConsumer, invocation: Invocation) -> None:
        self.slot: PlaceSchema | None = consumer.slot
        self.read = lru_cache(maxsize=4)(read_elements)
        """The outermost element of a text: of the last few, which are asked for again."""
        self._consumer = consumer
        self._invocation = invocation

    def parse(self, text: str) -> Any:
        """Return the value of a document; it raises ``ValueError`` for what is none."""
        return value_of(self.read(text))

    def judge(self, value: Any, text: str) -> TargetVerdict | str:
        root = self.read(text)
        tops = [root, *root.children] if len(root.children) == 1 else [root]
        misfit = min(self._misfit(text, self._consumer.top(top)) for top in tops)
        return TargetVerdict(value, misfit * COSTS.unlikely)

    def _misfit(self, text: str, top: Any) -> int:
        """Return how badly an element fits: not at all, with changes to it, or as it is."""
        shape = self._consumer.shape
        fitted = fit_edits(text, top, shape, self._invocation)
        if fitted is None or has_conflicting_elements(top, shape):
            return 2
        return 1 if fitted else 0


def _read_documents(
    text: str, consumer: _XmlConsumer, invocation: Invocation
) -> list[_XmlDocument] | str:
    """Return the documents of an answer in order, or why one cannot be read: what stands beside
    them must hold no tag of theirs, for it would be lost."""
    found: list[_XmlDocument] = []
    beside: list[str] = []
    place = 0
    judge = _XmlJudge(consumer, invocation)
    grammar = Grammar(XmlSearch, judge.parse)
    decision = DocumentDecision(None)
    while len(found) < _MAX_ROOTS:
        decision = decide(
            text,
            judge,
            grammar,
            start=place,
            several=True,
            pause=invocation.deadline.check,
        )
        chosen = decision.chosen
        if chosen is None:
            break
        beside.append(text[place : chosen.start])
        rules = tuple(edit.rule for edit in chosen.edits)
        root = judge.read(chosen.text)
        found.append(_XmlDocument(chosen.start, chosen.end, chosen.text, rules, root))
        place = chosen.end
    beside.append(text[place:])
    if not found:
        return told(decision)
    known = known_names(consumer.slot)
    names = [{element.tag for element in document.root.iter()} for document in found]
    if any(known.union(*names) & set(names_of_tags(piece)) for piece in beside):
        return "a tag stands beside the document"
    if sum(bool(known & each) for each in names) > 1 and any(d.has_other_tags for d in found):
        return "the tags of several documents do not match"
    return found


class _Region(NamedTuple):
    """What may be the document."""

    text: str
    """Well formed."""
    rules: tuple[str, ...]
    """Of the edits that made it."""
    cut: bool = False
    """Whether something stands around it that is removed."""
    wrap: str = ""
    """The root element that was put around it, where it has none."""


def _regions(
    text: str, documents: list[_XmlDocument], consumer: _XmlConsumer
) -> Iterator[list[_Region]]:
    """Yield what may be meant: each document alone, all in a new root, what stands alone in an
    element around it (``<answer><tour>...</tour></answer>``)."""
    around = text[: documents[0].start] + text[documents[-1].end :]
    cut = bool(around.strip()) or len(documents) > 1
    alone: list[_Region] = []
    for document in documents:
        # lxml refuses a str that declares an encoding.
        start = document.root.start if consumer.lxml else 0
        part = document.text[start:]
        alone.append(_Region(part, document.rules, cut or part != document.text))
    yield alone
    yield _in_one_root(text, documents, consumer)
    inner = [(d, d.root.children[0]) for d in documents if len(d.root.children) == 1]
    yield [_Region(d.text[e.start : e.after], d.rules, cut=True) for d, e in inner]


def _in_one_root(text: str, documents: list[_XmlDocument], consumer: _XmlConsumer) -> list[_Region]:
    """Return the documents in a new root element, where nothing stands between them."""
    name = "root"
    if consumer.above:
        names = [field.name for field in consumer.shape.fields]
        if len(names) != 1 or any(document.root.tag == names[0] for document in documents):
            return []
        name = names[0]
    pieces: list[str] = []
    end = documents[0].start
    for document in documents:
        between = text[end : document.start]
        if between.strip():
            return []
        pieces += (between, document.text[document.root.start :])
        end = document.end
    rules = tuple(rule for document in documents for rule in document.rules)
    around = text[: documents[0].start] + text[end:]
    body = "".join(pieces)
    return [_Region(f"<{name}>{body}</{name}>", rules, bool(around.strip()), name)]


def _fit_region(
    text: str, region: _Region, consumer: _XmlConsumer, invocation: Invocation
) -> Verdict | None:
    """Return the region with names and values as the code reads them; ``None`` where it is not the
    document."""
    root = read_elements(region.text)
    top = consumer.top(root)
    fitted = fit_edits(region.text, top, consumer.shape, invocation)
    is_guessed = not ESCAPING.issuperset(region.rules)
    if fitted is None or (is_guessed and has_conflicting_elements(top, consumer.shape)):
        return None
    edits = tuple(sorted(DocumentEdit(*edit) for edit in fitted))
    candidate = applied(region.text, 0, len(region.text), edits)
    if candidate == text or not consumer.accepts(candidate, invocation):
        return None
    rules = Counter((*region.rules, *(edit.rule for edit in edits)))
    lines = [f"{rule} in {n} places" if n > 1 else rule for rule, n in rules.items()]
    if region.cut:
        lines.append("text around the document removed")
    if region.wrap:
        lines.append(f"root element <{region.wrap[:40]}> added")
    structural = rules.total() + region.cut + bool(region.wrap)
    return repaired(
        candidate, *(lines or ["blanks before the document removed"]), edits=max(structural, 1)
    )
