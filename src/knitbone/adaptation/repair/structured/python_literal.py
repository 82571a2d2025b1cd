"""The check of Python literals, for ``ast.literal_eval``: words of JSON, brackets and text around.

Source: Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, TypeAlias

from knitbone.adaptation.repair.checks import Check
from knitbone.adaptation.repair.structured.tree_formats import TreeFormat, tree_check
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.drafts import DocumentDraft, fenced_parts
from knitbone.common.structured.python_literal import (
    MAX_PYTHON,
    is_large,
    literal_of,
    literal_parts,
    parse_literal,
    spelled_literal,
    write_literal,
)
from knitbone.common.structured.shape import Shape
from knitbone.parsing.documents import mend_literal

__all__ = ["HEURISTICS", "prepare_python_literal"]

HEURISTICS = ("structured.literal_region", "structured.literal_syntax")


_Parts: TypeAlias = Callable[[str, frozenset[str]], Iterator[DocumentDraft]]


def _format(parts: _Parts) -> TreeFormat:
    """Return the format for one answer: a repair is parsed once, whoever asks for it."""
    parse = cache(parse_literal)

    def read(text: str) -> tuple[Any] | None:
        if is_large(text):
            raise TimeoutError("parsing the literal would take longer than the time budget")
        return literal_of(text, parse)

    def spelled(text: str) -> tuple[Any] | None:
        return spelled_literal(text, parse)

    return TreeFormat(
        name="literal",
        max_text=MAX_PYTHON,
        read=read,
        spelled=spelled,
        parts=parts,
        mend=mend_literal,
        write=write_literal,
    )


def prepare_python_literal(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; ``None`` for another parser than
    ``ast.literal_eval``."""
    if requirement.parser != "ast.literal_eval":
        return None
    parts = _largest if requirement.shape == Shape() else literal_parts
    return tree_check(requirement.shape, partial(_format, parts))


def _largest(text: str, names: frozenset[str]) -> Iterator[DocumentDraft]:
    """Yield the literals that are most of the answer, or stand in a fence.

    Where any value will do, ``[1]`` in a sentence would be one.
    """
    fenced = {part.strip() for part in fenced_parts(text)}
    for part in literal_parts(text, names):
        if part.text in fenced or len(part.text) * 2 >= len(text):
            yield part
