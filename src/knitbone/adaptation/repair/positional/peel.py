"""What models put around a short answer: quotes, emphasis, fences, full stops, labels.

Each layer that is taken off is one extraneous element (Comfrey §4.3.1).
"""

# ruff: noqa: RUF001 - the quotes and marks that models write
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["ANSWER_LABELS", "MAX_SHORT", "Peeled", "elements_in", "peel", "without_label"]

MAX_SHORT = 400
"""Characters of an answer that can still be one short value with words around it (ours)."""

ANSWER_LABELS = (
    *("answer", "final answer", "label", "category", "class", "classification", "verdict"),
    *("result", "decision", "sentiment", "output", "response", "intent", "type", "status"),
    *("choice", "option", "judgment", "judgement", "conclusion", "prediction", "rating"),
    *("score", "topic", "priority", "severity", "assessment", "determination", "evaluation"),
    *("number", "value", "total", "count", "date", "amount", "confidence", "price", "estimate"),
)
"""Names of the value itself. Deliberately closed: ``Risk: none`` or ``Not: safe`` say more."""

_MAX_LAYERS = 8
_NAME = "|".join(sorted(ANSWER_LABELS, key=len, reverse=True))
_LABEL = re.compile(
    rf"(?:(?:the|my|your)[ ]+)?(?:(?:final|overall|best|correct|predicted)[ ]+)?(?:{_NAME})"
    r"(?:\*\*|__|[*_`])?[ ]*(?:[:：=]|[ ](?:is|would be)(?![a-z]):?)(?:\*\*|__|[*_`])?\s*",
    re.IGNORECASE,
)
_OPEN_LABEL = re.compile(rf"(?:\*\*|__|[*_`])(?={_LABEL.pattern})", re.IGNORECASE)
_FENCE = re.compile(r"```[\w+-]{0,20}[ ]*\n(?P<inner>[^`]*)```")
_HEAD = re.compile(r"(?:#{1,6}[ ]+|[-*+•][ ]+|>[ ]*)")
_PAIRS = (
    ("fence", "```", "```"),
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
    """The core of a text, and the layers that were around it, outermost first."""

    core: str
    layers: tuple[str, ...]


_MARKS = frozenset({"final stop", "emphasis", "quotes", "brackets"})


def elements_in(layers: Iterable[str]) -> int:
    """The extraneous elements: marks around one value are one, a label or a fence another."""
    return len({"marks" if layer in _MARKS else layer for layer in layers})


def without_label(text: str) -> str:
    """The text without the label that it begins with: ``Answer: yes, because``."""
    opened = _OPEN_LABEL.match(text)
    label = _LABEL.match(text, opened.end() if opened else 0)
    return text[label.end() :] if label else text


def peel(text: str, *, stops: str = ".!。！,;:") -> Peeled:
    """Take off what surrounds a short value; blanks around it are no layer.

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
    if fenced := _FENCE.fullmatch(core):
        return "fence", fenced["inner"].strip()
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
    if opened := _OPEN_LABEL.match(core):
        # ``**Answer: yes**`` was a pair; here only the label stands out: ``**Answer:** yes``.
        rest = core[opened.end() :]
        label = _LABEL.match(rest)
        return ("label", rest[label.end() :].strip()) if label else ("", "")
    if (label := _LABEL.match(core)) and label.end() < len(core):
        return "label", core[label.end() :].strip()
    if head := _HEAD.match(core):
        return "list mark", core[head.end() :].strip()
    return "", ""
