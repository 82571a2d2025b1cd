"""Ready-made text parsers of libraries: LangChain's output parsers, and the package ``parse``.

Their format stands in the library, not in the application, so the tables below write it down. It
follows the classes of the same name in langchain-core and langchain-classic.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.reading.regex_outlines import outline_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    items_of,
    unknown,
)
from knitbone.adaptation.requirements.operation_names import class_name, function_name
from knitbone.adaptation.requirements.records import (
    Element,
    FencedTemplate,
    Field,
    PositionalTemplate,
    Requirement,
    Shape,
    StructuredTemplate,
    ValueType,
)
from knitbone.adaptation.requirements.regex_templates import (
    UnreadablePattern,
    literal_elements,
    merge_elements,
)
from knitbone.adaptation.requirements.uses import Operation

__all__ = ["read_parsers"]

_SLOT = Element(kind="slot", captured=True)
_NUMBER = Element(kind="number")
_BLANK = Element(kind="space", text=" ", options=(" ",))


def _record(*parts: str | Element) -> tuple[Element, ...]:
    """Return the elements of a record: fixed texts and slots in turn."""
    elements: list[Element] = []
    for part in parts:
        elements.extend(literal_elements(part) if isinstance(part, str) else (part,))
    return merge_elements(elements)


def _either(*records: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return a choice between records."""
    return (Element(kind="choice", alternatives=records, captured=True),)


_TOOL_CALL = Shape(
    type="object",
    fields=(
        Field(name="action", shape=Shape()),
        Field(name="action_input", shape=Shape(), required=False),
    ),
)
"""The JSON object by which LangChain's agents call a tool."""
_REACT_ANSWER = _either(
    _record("Action:", _BLANK, _SLOT, "Action Input:", _BLANK, _SLOT),
    _record("Final Answer:", _BLANK, _SLOT),
)
"""The two forms of an answer of a ReAct agent: a tool call, or the final answer."""
_LIST_PARSERS: dict[str, tuple[Element, ...]] = {
    "NumberedListOutputParser": _record(_NUMBER, ".", _BLANK, _SLOT),
    "MarkdownListOutputParser": (
        Element(kind="delimiter", text="-", options=("-", "*")),
        _BLANK,
        _SLOT,
    ),
}
"""LangChain's parsers of lists, with one item of the list."""
_RECORD_PARSERS: dict[str, tuple[Element, ...]] = {
    "ReActSingleInputOutputParser": _REACT_ANSWER,
    "MRKLOutputParser": _REACT_ANSWER,
    "ReActOutputParser": _record("Action:", _BLANK, _SLOT, "[", _SLOT, "]"),
    "ConvoOutputParser": _either(
        _record("Action:", _BLANK, _SLOT, "Action Input:", _BLANK, _SLOT), _record("AI:", _SLOT)
    ),
    "SelfAskOutputParser": _either(
        _record("Follow up:", _SLOT), _record("So the final answer is:", _BLANK, _SLOT)
    ),
    "XMLAgentOutputParser": _either(
        _record("<tool>", _SLOT, "</tool>", "<tool_input>", _SLOT, "</tool_input>"),
        _record("<final_answer>", _SLOT, "</final_answer>"),
    ),
}
"""LangChain's parsers of agents' answers, with the text that they look for."""
_FENCED_TOOL_PARSERS = frozenset(
    {"ReActJsonSingleInputOutputParser", "ChatOutputParser", "StructuredChatOutputParser"}
)
"""LangChain's parsers of a JSON tool call inside a fence."""
_PARSE_FUNCTIONS = frozenset(
    {"parse.parse", "parse.search", "parse.findall", "parse.compile().parse"}
)
"""The functions of the package ``parse``."""
_FORMAT_TYPES: dict[str, ValueType] = {
    "d": "integer",
    "n": "integer",
    "f": "number",
    "g": "number",
    "e": "number",
    "ti": "date",
    "tt": "date",
}
"""The types in a format of ``parse`` that name a number or a date."""


def read_parsers(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for every ready-made parser; two where it reads a fence and the data
    inside."""
    del read_on
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        found = _read_one(consumer)
        if found is None:
            continue
        claimed.add(index)
        if consumer.text.lost:
            requirements.append(unknown(consumer, consumer.text.lost))
        else:
            requirements.extend(found)
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _read_one(consumer: Consumer) -> list[Requirement] | None:
    """Return the requirements of a consumer; ``None`` where it is no such parser."""
    operation = consumer.use.operation
    if operation.name in _PARSE_FUNCTIONS:
        return [_format(consumer)]
    name = class_name(operation.name)
    if name in _FENCED_TOOL_PARSERS:
        return _fenced_tool(consumer)
    if name in _RECORD_PARSERS:
        return [_template(consumer, _RECORD_PARSERS[name])]
    if name in _LIST_PARSERS:
        listed = _template(consumer, _LIST_PARSERS[name])
        return [msgspec.structs.replace(listed, repeated=True, line_start=True)]
    if name == "CommaSeparatedListOutputParser":
        listed = _template(consumer, (_SLOT,))
        return [msgspec.structs.replace(listed, separator=",", repeated=True)]
    if name == "DatetimeOutputParser":
        return [_template(consumer, (msgspec.structs.replace(_SLOT, type="date"),))]
    if name in ("BooleanOutputParser", "EnumOutputParser"):
        return [_choice(consumer, name)]
    if name in ("RegexParser", "RegexDictParser"):
        return [_regex(consumer, name)]
    return None


def _template(
    consumer: Consumer, elements: tuple[Element, ...], *, ignore_case: bool = False
) -> PositionalTemplate:
    """Return the template of a record that a parser reads."""
    text, use = consumer.text, consumer.use
    return PositionalTemplate(
        elements=elements,
        repeated=False,
        line_start=False,
        spans_lines=any(e.kind == "choice" for e in elements),
        ignore_case=ignore_case,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=text.confidence,
        alternative=text.alternative,
        when=text.when,
    )


def _fenced_tool(consumer: Consumer) -> list[Requirement]:
    """Return a JSON tool call inside a fence."""
    text, use = consumer.text, consumer.use
    fence = FencedTemplate(
        languages=("json", ""),
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=text.confidence,
        alternative=text.alternative,
    )
    call = StructuredTemplate(
        format="json",
        shape=_TOOL_CALL,
        parser=use.operation.name,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=text.confidence,
        alternative=text.alternative,
    )
    return [fence, call]


def _choice(consumer: Consumer, name: str) -> Requirement:
    """Return a choice of the words that a boolean or enumeration parser accepts."""
    operation = consumer.use.operation
    if name == "BooleanOutputParser":
        given = (operation.setting("true_val") or "YES", operation.setting("false_val") or "NO")
    else:
        given = _members(operation)
    options = tuple(value for value in given if isinstance(value, str))
    if not options or len(options) != len(given):
        return unknown(consumer, "the accepted values are computed at run time")
    words = Element(kind="words", text=options[0], options=options, captured=True)
    return _template(consumer, (words,), ignore_case=name == "BooleanOutputParser")


def _members(operation: Operation) -> tuple[object, ...]:
    """Return the values of the enumeration, as a tuple or as a shape that names them."""
    given = operation.setting("enum")
    if isinstance(given, Shape):
        return given.values
    return () if given is None else items_of(given)


def _regex(consumer: Consumer, name: str) -> Requirement:
    """Return the template of LangChain's ``RegexParser``, from the pattern that it was given."""
    operation = consumer.use.operation
    pattern = operation.setting("regex", 0) if name == "RegexParser" else None
    if not isinstance(pattern, str):
        return unknown(consumer, "the pattern is computed at run time")
    try:
        outline = outline_of(pattern, 0)
    except UnreadablePattern as error:
        return unknown(consumer, str(error))
    if not outline.has_fixed_part:
        return unknown(consumer, "the pattern has no fixed part")
    found = _template(consumer, outline.elements)
    return found if outline.simple else msgspec.structs.replace(found, confidence="medium")


def _format(consumer: Consumer) -> Requirement:
    """Return the template of ``parse.parse("{name}: {count:d}", text)``."""
    operation = consumer.use.operation
    pattern = operation.keyword("format", 0)
    if pattern is None:
        pattern = operation.setting("format", 0)
    if not isinstance(pattern, str):
        return unknown(consumer, "the format is computed at run time")
    elements: list[Element] = []
    try:
        for literal, field, kind, _ in string.Formatter().parse(pattern):
            elements.extend(literal_elements(literal))
            if field is not None:
                converted = _FORMAT_TYPES.get(kind or "", "any")
                elements.append(msgspec.structs.replace(_SLOT, type=converted))
    except ValueError as error:
        return unknown(consumer, f"not a valid format: {error}")
    if not any(e.kind in ("words", "delimiter") for e in elements):
        return unknown(consumer, "the format has no fixed part")
    # ``parse`` ignores case unless it is told otherwise.
    sensitive = operation.keyword("case_sensitive") is True
    found = _template(consumer, merge_elements(elements), ignore_case=not sensitive)
    many = function_name(operation.name) == "findall"
    return msgspec.structs.replace(found, repeated=many)
