"""Texts that a tool's conditions compare arguments with, such as the members of a table."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.fuzzing.solve.inverse.view import in_order
from knitbone.fuzzing.trace.terms import Term

__all__ = ["compared_texts"]

_WORDS, _WORD_LENGTH = 40, 40
_COMPARED = frozenset(
    {"in", "member", "operator.eq", "operator.ne", "operator.getitem", "operator.le", "operator.ge"}
    | {".str.startswith", ".str.endswith", ".list.index", ".tuple.index"}
)


def compared_texts(term: Term) -> Iterator[str]:
    """The short texts that a condition compares with."""
    if term.op in _COMPARED:
        for part in term.args:
            if isinstance(part, str):
                yield from [part] if 0 < len(part) <= _WORD_LENGTH else ()
            elif isinstance(part, dict | list | tuple | set | frozenset):
                held = in_order(part)[:_WORDS]
                yield from (m for m in held if isinstance(m, str) and 0 < len(m) <= _WORD_LENGTH)
