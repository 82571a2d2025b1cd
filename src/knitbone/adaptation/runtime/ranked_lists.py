"""Lists that the application ranks by a text of its own: the text (query) and the entries, as
values."""

from __future__ import annotations

from collections.abc import Sequence
from types import GeneratorType
from typing import Any, cast

from knitbone.adaptation.runtime.values.entries import find_entries

__all__ = ["are_texts", "as_list", "query_of"]

_FEWEST_WORDS = 3
"""Words of a text; the names and keys of entries have fewer (ours)."""


def query_of(sources: Sequence[Sequence[Any]]) -> str:
    """Return the text that a list is ranked by, among the values that its order is computed from.

    Args:
        told: the values of parameters, and of local variables in the order of their assignment.

    Returns:
        The only parameter that is a text, else the first such variable, from which the others are
        made. Empty where there is none, or where two parameters are texts: one may be a mode.
    """
    for index, values in enumerate(sources):
        texts = dict.fromkeys(v for v in values if isinstance(v, str) and v.strip())
        if len(texts) > 1 and index == 0:
            return ""
        if texts:
            return next(iter(texts))
    return ""


def are_texts(value: Any) -> bool:
    """Return whether the entries are texts and not keys, which are ranked as well."""
    found = find_entries(value)
    return found is not None and all(len(e.text.split()) >= _FEWEST_WORDS for e in found.entries)


def as_list(value: Any) -> Any:
    """Return the items of a generator that is joined, which takes them all at once anyway."""
    return (
        list(cast("GeneratorType[Any, Any, Any]", value)) if type(value) is GeneratorType else value
    )
