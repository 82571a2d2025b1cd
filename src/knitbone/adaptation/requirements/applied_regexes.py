"""Regular expressions that code applies to an output, with or without a requirement read from them.

Where a repaired text is delivered, these run on it: ``repair/engine.py`` asks beforehand if one
of them could take too long on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.reading.text_consumers import make_step
from knitbone.adaptation.requirements.operation_names import function_name, library
from knitbone.adaptation.requirements.records import PositionalTemplate, Requirement
from knitbone.adaptation.requirements.uses import Use
from knitbone.common.structured.shape import Shape

__all__ = [
    "AppliedExpression",
    "applied_expressions",
    "follows",
    "required_expressions",
    "schema_patterns",
]

_METHOD_OF_FUNCTION = {
    **{name: name for name in ("match", "search", "fullmatch", "findall", "finditer", "split")},
    "sub": "sub",
    "subn": "sub",
}
"""Functions of ``re`` that run a pattern on a text, with the method they stand for."""
_ACCESSES = frozenset({"getattr", "getitem", "iterate", "next", "unpack"})
"""Ways from an object to the text in it."""
_WITHOUT_STEP = frozenset({"truth", "is_none", "enumerate", "list"})
"""Operations that change nothing of the text."""
_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch", "re.findall", "re.finditer"})
_WORD = re.compile(r"[^\W\d_]+")


class AppliedExpression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A regular expression, and the steps to the text that it is applied to."""

    pattern: str
    flags: int = 0
    method: str = "search"
    steps: tuple[Step, ...] = ()
    """From the output to the texts that it is applied to, or to the data that these stand in."""
    in_data: bool = False
    """True if it is applied to texts in a structured value, any of them."""


def applied_expressions(
    source: Use, patterns_of: Callable[[str], Sequence[str]]
) -> Iterator[AppliedExpression]:
    """Yield every regular expression in a tree whose pattern is known.

    Args:
        patterns_of: the patterns that a class of the application declares for its fields, by the
            name of the class.
    """
    form = source.operation.arguments[0] if source.operation.arguments else "text"
    pending: list[tuple[Use, tuple[Step, ...], bool, bool]] = [
        (use, (), form in ("text", "arguments"), form == "object") for use in source.uses
    ]
    while pending:
        use, steps, is_text, in_data = pending.pop()
        operation = use.operation
        name = operation.name
        given = (*operation.arguments, *(v for _, v in operation.keywords + operation.settings))
        for pattern in _patterns(given, patterns_of, schemas="schema" in name):
            yield AppliedExpression(pattern=pattern, steps=steps, in_data=True)
        if library(name) in ("re", "regex") and function_name(name) in _METHOD_OF_FUNCTION:
            pattern, flags = operation.keyword("pattern", 0), operation.keyword("flags", 1)
            if isinstance(pattern, str) and operation.position != "pattern":
                yield AppliedExpression(
                    pattern=pattern,
                    flags=int(flags) if isinstance(flags, int) else 0,
                    method=_METHOD_OF_FUNCTION[function_name(name)],
                    steps=steps,
                    in_data=in_data,
                )
        is_text = is_text or name not in _ACCESSES
        in_data = in_data or _parses(name)
        passing = in_data or name in _WITHOUT_STEP or (name == "getattr" and not steps)
        if is_text and not passing:
            steps = (*steps, make_step(name, operation.arguments))
        pending += [(below, steps, is_text, in_data) for below in use.uses]


def required_expressions(requirement: object) -> Iterator[AppliedExpression]:
    """Yield the regular expressions by which a requirement is read: of one that was learned or
    written by a person, they may not stand in the code."""
    reader: Reader | None = getattr(requirement, "reader", None)
    if reader is not None and reader.kind == "regex":
        yield AppliedExpression(
            pattern=reader.pattern, flags=reader.flags, method=reader.method, steps=reader.steps
        )
    steps: tuple[Step, ...] = getattr(requirement, "steps", ())
    for index, step in enumerate(steps):
        pattern, flags = (*step.arguments, "", 0)[:2]
        if step.name.startswith("re.") and isinstance(pattern, str) and step.arguments:
            yield AppliedExpression(
                pattern=pattern,
                flags=flags if isinstance(flags, int) else 0,
                method=_METHOD_OF_FUNCTION.get(step.name[3:], "search"),
                steps=steps[:index],
            )


def _parses(name: str) -> bool:
    """Return whether a function makes a value of the text."""
    return "loads" in name or "parse" in name or "validate" in name or name == "construct"


def _patterns(
    given: object, patterns_of: Callable[[str], Sequence[str]], *, schemas: bool
) -> Iterator[str]:
    """Find the patterns of classes, and of JSON schemas that are written out."""
    pending = [given]
    while pending:
        each = pending.pop()
        if isinstance(each, Shape):
            yield from patterns_of(each.name)
            pending += [*(field.shape for field in each.fields), each.items]
        elif isinstance(each, tuple):
            members = cast("tuple[object, ...]", each)
            if schemas and members[:1] == ("pattern",) and isinstance(members[-1], str):
                yield members[-1]
            pending += members


def schema_patterns(schema: object) -> Iterator[str]:
    """Find the patterns of a JSON schema."""
    pending = [schema]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            members = cast("Mapping[str, object]", each)
            if isinstance(pattern := members.get("pattern"), str):
                yield pattern
            pending += members.values()
        elif isinstance(each, list):
            pending += cast("list[object]", each)


def follows(one: Requirement, other: Requirement) -> bool:
    """Return whether ``one`` reads what the expression of ``other`` takes out of the text:
    ``TOOLS[match[1]]`` is no alternative to the match."""
    reader: Any = getattr(other, "reader", None)
    for step in getattr(one, "steps", ()):
        if step.name not in _MATCHES or not step.arguments:
            continue
        pattern = step.arguments[0]
        if reader is not None and reader.kind == "regex":
            if (step.name, pattern) == (f"re.{reader.method}", reader.pattern):
                return True
        elif isinstance(other, PositionalTemplate) and not other.steps:
            words = [word for e in other.elements for word in _WORD.findall(e.text)]
            # The template was made of the expression, whose words it has in their order.
            if words and isinstance(pattern, str) and words == _words_of(pattern):
                return True
    return False


def _words_of(pattern: str) -> list[str]:
    """Return the words in a pattern."""
    return _WORD.findall(re.sub(r"\\.|\?P<\w+>", " ", pattern))
