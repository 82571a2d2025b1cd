"""Labels before an answer or behind it: ``Answer:``, ``SQLQuery:``, ``Question:``, ``Result:``."""

# ruff: noqa: RUF001 - the marks that models write
from __future__ import annotations

import re

__all__ = [
    "ANSWER_LABELS",
    "answer_start",
    "code_end",
    "code_start",
    "label_end",
    "names_answer",
    "question_start",
    "without_label",
]

ANSWER_LABELS = (
    *("answer", "final answer", "label", "category", "class", "classification", "verdict"),
    *("result", "decision", "sentiment", "output", "response", "intent", "type", "status"),
    *("choice", "option", "judgment", "judgement", "conclusion", "prediction", "rating"),
    *("score", "topic", "priority", "severity", "assessment", "determination", "evaluation"),
    *("number", "value", "total", "count", "date", "amount", "confidence", "price", "estimate"),
)
"""Names of the value itself. Deliberately closed: ``Risk: none`` or ``Not: safe`` say more."""

_NAME = "|".join(sorted(ANSWER_LABELS, key=len, reverse=True))
_LABEL = re.compile(
    rf"(?:(?:the|my|your)[ ]+)?(?:(?:final|overall|best|correct|predicted)[ ]+)?(?:{_NAME})"
    r"(?:\*\*|__|[*_`])?[ ]*(?:[:：=]|[ ](?:is|would be)(?![a-z]):?)(?:\*\*|__|[*_`])?\s*",
    re.IGNORECASE,
)
"""``Answer:``, ``The final verdict is``, ``**Label**:``."""
_ANSWER_NAME = re.compile(rf"\b(?:{_NAME})\b", re.IGNORECASE)
_OPEN_LABEL = re.compile(rf"(?:\*\*|__|[*_`])(?={_LABEL.pattern})", re.IGNORECASE)
_CODE = re.compile(
    r"\s*(?:\*\*)?(?:(?:sql ?query|sql|query|python|code|answer|command|expression|result|output"
    r"|javascript|bash|shell)|(?-i:[A-Z])[^\n:;(){}=\[\]]{0,80} [^\n:;(){}=\[\]]{1,80})"
    r"(?:\*\*)?:(?:\*\*)?\s*(?=\S)",
    re.IGNORECASE,
)
"""``SQLQuery:``, ``**Code:**``, ``Here is the query:``."""
_BEHIND_CODE = re.compile(
    r"\n[ \t]*(?:sql ?result|result|answer|observation|explanation|note)[ \t]*:", re.IGNORECASE
)
"""A line behind code that begins with a label: ``SQLResult:``."""
_QUESTION = re.compile(
    r"\s*(?:[*_#>]{0,4})(?:(?:you asked|your question|the question|question|prompt|user|human|"
    r"query|q|instruction|input)[*_]{0,2}(?: was| is)?[*_]{0,2}\s*:[*_]{0,2})\s*",
    re.IGNORECASE,
)
"""The label of a question: ``You asked:``, ``**Q:**``."""
_ANSWER = re.compile(
    r"\s*[*_]{0,2}(?:answer|response|a|assistant|ai|output)[*_]{0,2}\s*:[*_]{0,2}[ \t]*",
    re.IGNORECASE,
)
"""The label of an answer behind a question: ``A:``, ``Assistant:``."""


def label_end(text: str) -> int:
    """Return where the label at the start of a text ends (``Answer: yes``); 0 where there is
    none."""
    opened = _OPEN_LABEL.match(text)  # ``**Answer:** yes``
    label = _LABEL.match(text, opened.end() if opened else 0)
    return label.end() if label else 0


def without_label(text: str) -> str:
    """Return a text without the label that it begins with: ``yes, because`` of ``Answer: yes,
    because``."""
    return text[label_end(text) :]


def names_answer(text: str) -> bool:
    """Return whether a text holds a name of the value itself: ``the final category is``."""
    return _ANSWER_NAME.search(text) is not None


def code_start(text: str) -> int:
    """Return where code begins behind its label; 0 where it has none."""
    label = _CODE.match(text)
    return label.end() if label else 0


def code_end(text: str) -> int | None:
    """Return where code ends because a labelled line follows (``Explanation: ...``); ``None``: it
    does not.

    The line break belongs to the code.
    """
    label = _BEHIND_CODE.search(text)
    return label.start() + 1 if label else None


def question_start(text: str) -> int | None:
    """Return where the question begins behind its label; ``None`` where it has none."""
    label = _QUESTION.match(text)
    return label.end() if label else None


def answer_start(text: str, position: int) -> int | None:
    """Return where the answer begins behind its label at a position; ``None`` where there is no
    label."""
    label = _ANSWER.match(text, position)
    return label.end() if label else None
