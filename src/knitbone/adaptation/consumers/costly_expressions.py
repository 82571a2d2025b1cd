"""A last check of a repaired text: no regular expression of the application may hang on it.

An expression that fails at once on the answer may take minutes on the repaired text, even one from
which no requirement was read: then repairing for one consumer would hang another. So a repair is
delivered only where every expression that the code is known to apply to the answer fits into the
time that is left.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from knitbone.adaptation.consumers.step_replay import replay
from knitbone.adaptation.requirements.applied_regexes import AppliedExpression
from knitbone.common.expressions import Method
from knitbone.common.matching import compiled, is_affordable

__all__ = ["costly_expression"]


def costly_expression(expressions: Sequence[AppliedExpression], text: str) -> str:
    """Return the first expression that may take longer on the text than there is time left; empty
    where none may."""
    for expression in expressions:
        try:
            pattern = compiled(expression.pattern, expression.flags)
        except (re.error, OverflowError, RecursionError):
            continue  # the application cannot run it either
        method = cast("Method", expression.method)
        inputs = _inputs(expression, text)
        if inputs is None:
            method, inputs = "anywhere", _likely_inputs(text)
        if inputs and not is_affordable(pattern, method, inputs, share=1.0):
            return expression.pattern
    return ""


def _inputs(expression: AppliedExpression, text: str) -> list[str] | None:
    """Return the texts that the expression is applied to; ``None`` where the steps before it are
    unknown."""
    see = replay(expression.steps, rewrite=True)
    if see is None:
        return None
    try:
        pieces = see([text])
        if not expression.in_data:
            return pieces
        return [each for piece in pieces for each in _texts_in_data(json.loads(piece))]
    except (ValueError, RecursionError, TimeoutError):
        return None


def _likely_inputs(text: str) -> list[str]:
    """Return the text as it stands, unescaped, and in one case: the code may read it so before it
    takes the part that the expression sees."""
    variants = {text: None, html.unescape(text): None}
    variants[_ESCAPE.sub(_unescape, text)] = None
    variants |= dict.fromkeys(
        [each.lower() for each in variants] + [each.upper() for each in variants]
    )
    return list(variants)


_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescape(match: re.Match[str]) -> str:
    written = match[0][1:]
    return chr(int(written[1:], 16)) if len(written) > 1 else _ESCAPED.get(written, written)


def _texts_in_data(value: Any) -> Iterator[str]:
    """Yield all texts in parsed data, the names of its fields among them."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending += [each for pair in cast("dict[str, Any]", value).items() for each in pair]
        elif isinstance(value, list):
            pending += cast("list[Any]", value)
