"""f-strings in rewritten code, piece by piece."""

from __future__ import annotations

from typing import Any

from knitbone.fuzzing.trace.compose import argument
from knitbone.fuzzing.trace.terms import Term
from knitbone.fuzzing.trace.values import is_known, is_leaf, plain, wrap

__all__ = ["pieces", "shown"]

_MAX_PIECES = 64
_CONVERSIONS = {-1: None, ord("s"): str, ord("r"): repr, ord("a"): ascii}


def shown(value: Any, conversion: int, specification: str) -> str:
    """``{value!r:>8}`` of an f-string."""
    convert = _CONVERSIONS[conversion]
    bare = plain(value)
    if convert is not None:
        bare = convert(bare)
    text = format(bare, specification)
    if not (is_leaf(value) or is_leaf(specification) or (is_known(value) and convert is not repr)):
        return text
    term = argument(value)
    if convert is not None:
        term = Term("repr" if convert is repr else "str", (term,)) if convert is not ascii else None
    if term is None:
        return text
    return wrap(text, Term("format", (term, argument(specification))))


def pieces(*parts: str) -> str:
    """An f-string."""
    text = "".join(parts)
    if len(parts) > _MAX_PIECES or not any(map(is_leaf, parts)):
        return text
    return wrap(text, Term("join", tuple(map(argument, parts))))
