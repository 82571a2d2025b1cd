"""Layers around a short value: quotes, emphasis, brackets, fences, full stops, labels.

``**"yes".**`` is ``yes`` inside a full stop, emphasis and quotes. Each layer that is taken off
counts as one extraneous element (Comfrey §4.3.1).
"""

# ruff: noqa: RUF001 - the quotes and marks that models write
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from knitbone.adaptation.text.wrappers.fences import content_of_block
from knitbone.adaptation.text.wrappers.labels import label_end

__all__ = ["MAX_SHORT", "elements_in", "peel"]

MAX_SHORT = 400
"""Characters of an answer that can still be one short value with words around it (ours)."""

_MAX_LAYERS = 8
_HEAD = re.compile(r"(?:#{1,6}[ ]+|[-*+•][ ]+|>(?:[ ]+|(?![\d\s])))")
_PAIRS = (
    ("fence", "```", "```"),
    ("emphasis", "\\boxed{", "}"),
    ("emphasis", "***", "***"),
    ("emphasis", "**", "**"),
    ("emphasis", "__", "__"),
    ("emphasis", "*", "*"),
    ("emphasis", "_", "_"),
    ("emphasis", "`", "`"),
    ("quotes", '"', '"'),
    ("quotes", "'", "'"),
    ("quotes", "“", "”"),
    ("quotes", "„", "“"),
    ("quotes", "‘", "’"),
    ("quotes", "«", "»"),
    ("brackets", "[", "]"),
    ("brackets", "(", ")"),
    ("brackets", "<", ">"),
    ("brackets", "{", "}"),
)


class Peeled(NamedTuple):
    """The value inside a text, and the layers that were around it, outermost first."""

    core: str
    layers: tuple[str, ...]


_MARKS = frozenset({"final stop", "emphasis", "quotes", "brackets"})


def elements_in(layers: Iterable[str]) -> int:
    """Count the extraneous elements among layers: all marks together are one, each label or fence
    another."""
    return len({"marks" if layer in _MARKS else layer for layer in layers})


def peel(text: str, *, stops: str = ".!。！,;:") -> Peeled:
    """Take off the layers around a short value; blanks around it are no layer.

    Args:
        stops: punctuation that may end it.
    """
    core = text.strip()
    layers: list[str] = []
    if len(core) > MAX_SHORT:
        return Peeled(core, ())
    while len(layers) < _MAX_LAYERS:
        name, inner = _layer(core, stops)
        if not name or not inner:
            break
        layers.append(name)
        core = inner
    return Peeled(core, tuple(layers))


def _layer(core: str, stops: str) -> tuple[str, str]:
    """Return the name of the outermost layer of a text, and what is inside; empty names: there is
    none."""
    if (content := content_of_block(core)) is not None:
        return "fence", content
    for name, opening, closing in _PAIRS:
        inner = core[len(opening) : -len(closing)]
        if (
            len(core) > len(opening) + len(closing)
            and core.startswith(opening)
            and core.endswith(closing)
            and opening not in inner
            and closing not in inner
        ):
            return name, inner.strip()
    if core[-1:] and core[-1] in stops and core[-2:-1] not in tuple(stops):
        return "final stop", core[:-1].rstrip()
    if 0 < (end := label_end(core)) < len(core):
        return "label", core[end:].strip()
    if head := _HEAD.match(core):
        return "list mark", core[head.end() :].strip()
    return "", ""
