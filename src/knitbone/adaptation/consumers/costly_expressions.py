"""The time of the application's own expressions on a mended text.

An expression that fails at once on the answer may take minutes on the repair of it, though no
requirement was read from it: another consumer's repair then hangs the application. So a repair is
delivered only where every expression that the code is known to apply is in time on it, too.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from knitbone.adaptation.consumers.expressions import Method
from knitbone.adaptation.consumers.matching import compiled, is_affordable
from knitbone.adaptation.consumers.steps import replay
from knitbone.adaptation.requirements.applied_regexes import AppliedExpression

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
            method, pieces = "anywhere", _readings(text)
        if pieces and not is_affordable(pattern, method, pieces, share=1.0):
            return expression.pattern
    return ""


def _pieces(expression: AppliedExpression, text: str) -> list[str] | None:
    """Find what the expression is applied to; ``None`` where that is not known: any part of it."""
    see = replay(expression.steps, rewrite=True)
    if see is None:
        return None
    try:
        pieces = see([text])
        if not expression.in_data:
            return pieces
        return [each for piece in pieces for each in _texts(json.loads(piece))]
    except (ValueError, RecursionError, TimeoutError):
        return None


def _readings(text: str) -> list[str]:
    """The text, and as it may be read before an expression sees a part of it."""
    found = {text: None, html.unescape(text): None}
    found[_ESCAPE.sub(_unescaped, text)] = None
    found |= dict.fromkeys([each.lower() for each in found] + [each.upper() for each in found])
    return list(found)


_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescaped(match: re.Match[str]) -> str:
    written = match[0][1:]
    return chr(int(written[1:], 16)) if len(written) > 1 else _ESCAPED.get(written, written)


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
