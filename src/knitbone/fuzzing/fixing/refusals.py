"""What refusals suggest: the words of a tool's own messages, and of Python's.

Messages are a tool's output, which may quote anybody. Only values and bounds are taken from them,
never words; each is tried in the sandbox before anything is stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone.fuzzing.classification.failure import Failure
from knitbone.fuzzing.fixing.reading import read_sentence
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind
from knitbone.fuzzing.generate.told import told_of
from knitbone.fuzzing.reasons import reason_in
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.record.events import Json

__all__ = ["is_value", "suggested_by_refusals"]

_READ = 2_000
_MOST_VALUES = 24
_VALUE = re.compile(r"[^\W_][\w.+/#: -]{0,40}\Z")
"""A value that a message told may be shown; anything else in it may be prose, or an instruction."""
_WORDS_IN_VALUE = 4
_CONVERSIONS: tuple[tuple[re.Pattern[str], ConstraintKind, Json], ...] = (
    (re.compile(r"invalid literal for int\(\)"), "whole number", None),
    (re.compile(r"could not convert string to float"), "number", None),
    (re.compile(r"Invalid isoformat string|isoformat"), "form", "iso date"),
    (re.compile(r"Invalid isoformat string|isoformat"), "form", "iso datetime"),
    (re.compile(r"Expecting (?:value|property|',')|JSONDecode|[Ii]nvalid JSON"), "form", "json"),
    (re.compile(r"badly formed hexadecimal UUID"), "form", "uuid"),
    (re.compile(r"does not appear to be an IPv4 or IPv6 address"), "form", "ip address"),
    (re.compile(r"does not appear to be an IPv4 or IPv6 network"), "form", "ip network"),
    (re.compile(r"[Ii]ncorrect padding|base64"), "form", "base64"),
    (re.compile(r"non-hexadecimal number"), "form", "hexadecimal"),
    (re.compile(r"division by zero|by zero|modulo"), "not zero", None),
)  # fmt: skip
_OF_FORMAT = re.compile(r"does not match format '([^'\n]{2,40})'")


def suggested_by_refusals(tool: ToolUnderTest, findings: Sequence[Finding]) -> list[Constraint]:
    """What the messages of a campaign's failures suggest of the arguments that they are about."""
    found: list[Constraint] = []
    for finding in findings:
        blamed = list(Failure(tool, finding).blamed)
        for message in map(reason_in, [finding.says, *(v.message for v in finding.variants)]):
            for name in _named(message, blamed):
                found.extend(_of_message(message[:_READ], name, finding.arguments))
    return list({msgspec.json.encode(each): each for each in found}.values())


def _named(message: str, blamed: list[str]) -> list[str]:
    """The arguments that a message names, of those that may be to blame; all without one."""
    lowered = message.casefold().replace("_", " ")
    return [name for name in blamed if name.casefold().replace("_", " ") in lowered] or blamed


def _of_message(message: str, name: str, arguments: dict[str, Json]) -> Iterator[Constraint]:
    of = ConcernedValue(argument=name)
    for pattern, kind, value in _CONVERSIONS:
        if pattern.search(message):
            yield Constraint(kind=kind, of=of, value=value, origin="message")
    if (match := _OF_FORMAT.search(message)) is not None:
        yield Constraint(kind="date", of=of, value=match[1], origin="message")
    for said in read_sentence(message, name):
        if _is_shown(said):
            yield msgspec.structs.replace(said, origin="message")
    values = [value for value in told_of(message, arguments) if is_value(value)]
    if 1 < len(values) <= _MOST_VALUES:
        yield Constraint(kind="values", of=of, value=list(values), origin="message")


def is_value(text: str) -> bool:
    """Whether a text out of a message is a value, and not words to somebody."""
    return _VALUE.match(text) is not None and len(text.split()) <= _WORDS_IN_VALUE


def _is_shown(constraint: Constraint) -> bool:
    """Whether what a message states may stand in a documentation."""
    match constraint.kind:
        case "values" | "prefix" | "suffix":
            listed = cast("list[Any]", constraint.value)
            return all(is_value(str(item)) for item in listed)
        case "pattern" | "parts" | "before" | "not after":
            return False  # a text that a message makes up
        case _:
            return True
