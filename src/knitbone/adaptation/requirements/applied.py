"""The regular expressions that code applies to an output, whether or not a requirement is read
from them: what runs on a mended text when it is delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import msgspec

from knitbone.adaptation.requirements.readers import Step
from knitbone.adaptation.requirements.reading.names import function_name, library
from knitbone.adaptation.requirements.reading.texts import make_step
from knitbone.adaptation.requirements.uses import Use
from knitbone.core.structured.shape import Shape

__all__ = ["AppliedExpression", "applied_expressions"]

_METHODS = {
    **{name: name for name in ("match", "search", "fullmatch", "findall", "finditer", "split")},
    "sub": "sub",
    "subn": "sub",
}
_OPENING = frozenset({"getattr", "getitem", "iterate", "next", "unpack"})
"""Ways from an object to the text in it."""
_PASSING = frozenset({"truth", "is_none", "enumerate", "list"})


class AppliedExpression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An expression, and what it is applied to."""

    pattern: str
    flags: int = 0
    method: str = "search"
    steps: tuple[Step, ...] = ()
    """From the output to the texts that it is applied to."""
    in_data: bool = False
    """Whether these are texts in a structured value, which the steps do not lead to."""


def applied_expressions(
    source: Use, patterns_of: Callable[[str], Sequence[str]]
) -> Iterator[AppliedExpression]:
    """Every expression in a tree whose pattern is known.

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
        for shape in operation.arguments:
            for pattern in _patterns(shape, patterns_of):
                yield AppliedExpression(pattern=pattern, in_data=True)
        if library(name) in ("re", "regex") and function_name(name) in _METHODS:
            pattern, flags = operation.keyword("pattern", 0), operation.keyword("flags", 1)
            if isinstance(pattern, str) and operation.position != "pattern":
                yield AppliedExpression(
                    pattern=pattern,
                    flags=int(flags) if isinstance(flags, int) else 0,
                    method=_METHODS[function_name(name)],
                    steps=() if in_data else steps,
                    in_data=in_data,
                )
        is_text = is_text or name not in _OPENING
        in_data = in_data or _parses(name)
        if is_text and name not in _PASSING and not (name == "getattr" and not steps):
            steps = (*steps, make_step(name, operation.arguments))
        pending += [(below, steps, is_text, in_data) for below in use.uses]


def _parses(name: str) -> bool:
    """Whether a value is made of the text."""
    return "loads" in name or "parse" in name or "validate" in name or name == "construct"


def _patterns(shape: object, patterns_of: Callable[[str], Sequence[str]]) -> Iterator[str]:
    if isinstance(shape, tuple):
        for each in cast("tuple[object, ...]", shape):
            yield from _patterns(each, patterns_of)
    elif isinstance(shape, Shape):
        yield from patterns_of(shape.name)
        for below in (*(field.shape for field in shape.fields), shape.items):
            yield from _patterns(below, patterns_of)
