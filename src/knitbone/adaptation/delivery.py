"""Whether the application's own expressions are in time on a mended text.

An expression that fails at once on the answer may take minutes on the repair of it, though no
requirement was read from it: another consumer's repair then hangs the application. So a repair is
delivered only where every expression that the code is known to apply is in time on it, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from knitbone.adaptation.expressions import Method
from knitbone.adaptation.replay import replay
from knitbone.adaptation.requirements.applied import AppliedExpression
from knitbone.adaptation.requirements.matching import compiled, is_affordable

__all__ = ["costly_expression"]


def costly_expression(expressions: Sequence[AppliedExpression], text: str) -> str:
    """The first expression that may take longer on the text than there is time left; empty where
    none may."""
    for expression in expressions:
        try:
            pattern = compiled(expression.pattern, expression.flags)
        except (re.error, OverflowError, RecursionError):
            continue  # the application cannot run it either
        method = cast("Method", expression.method)
        pieces = _pieces(expression, text)
        if pieces is None:
            method, pieces = "anywhere", [text]
        if pieces and not is_affordable(pattern, method, pieces, share=1.0):
            return expression.pattern
    return ""


def _pieces(expression: AppliedExpression, text: str) -> list[str] | None:
    """What the expression is applied to; ``None`` where that is not known: any part of it."""
    if expression.in_data:
        try:
            return list(_texts(json.loads(text)))
        except (ValueError, RecursionError):
            return None
    if not expression.steps:
        return [text]
    see = replay(expression.steps, rewrite=True)
    try:
        return None if see is None else see([text])
    except TimeoutError:
        return None


def _texts(value: Any) -> Iterator[str]:
    """All texts in parsed data, the names of its fields among them."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending += [each for pair in cast("dict[str, Any]", value).items() for each in pair]
        elif isinstance(value, list):
            pending += cast("list[Any]", value)
