"""The classification without a model: what the documentation's own words say of the failing call.

In this order: the documentation announces the failure (``documented``); it demands the very form
that fails, and less works (``over``); it promises what fails: the kind of result, an example, a
listed value, a range, a grammar, a permission (``ill``); nothing written forbids the call
(``under``).

The rules were made on one half of the planted tools of ``knitbone_evals.fuzz`` and measured on
both: ``python -m knitbone_evals.fuzz.classification``.
"""

from __future__ import annotations

import re
from typing import Any

from knitbone.common.printable import printable
from knitbone.fuzzing.classification.case import DocumentedFinding
from knitbone.fuzzing.classification.documentation import (
    Documentation,
    Sentence,
    read_documentation,
)
from knitbone.fuzzing.classification.failure import Failure, is_raised_on_purpose
from knitbone.fuzzing.classification.hints import Hint, hint_of
from knitbone.fuzzing.records import Classification, Finding, ToolUnderTest
from knitbone.fuzzing.trials import Trials

__all__ = ["classify_by_rules"]

_SAID = 300
_QUOTED = re.compile(r"\"([^\"]{3,300})\"|'([^']{3,300})'|\u201c([^\u201d]{3,300})\u201d")


_QUICK = frozenset({"raised", "returned", "output_type"})
"""Failures that cost no waiting and no process, so that the tool may be called again."""


def classify_by_rules(
    tool: ToolUnderTest, finding: Finding, *, trials: Trials | None = None
) -> Classification:
    """Judge one finding by the documentation's own words.

    Args:
        trials: tries the documentation's own examples, less than what it demands, and what the
            hint supposes. Without it only the failing arguments themselves are held against the
            words, and the hint is said as possible.
    """
    written = read_documentation(tool)
    announced = _announcement(finding, written)
    if announced is not None:
        return _classification(
            "documented", announced.text, reason="the documentation announces this failure"
        )
    trials = trials if finding.kind in _QUICK else None
    failure = Failure(tool, finding)
    case = DocumentedFinding(tool, finding, failure, written, trials)
    if (demand := case.over_demanding()) is not None:
        return _classification(
            "over-specified",
            demand,
            reason="the form that it demands fails"
            + (", and less than it demands works" if trials is not None else ""),
        )
    found = case.contradiction()
    if found is not None:
        sentence, reason = found
        return _classification("ill-specified", sentence, reason=reason)
    hint = hint_of(tool, finding, failure, written, trials=trials)
    return _classification("under-specified", hint=hint, reason="nothing written forbids it")


def _classification(
    verdict: Any, sentence: str = "", *, hint: Hint | None = None, reason: str
) -> Classification:
    return Classification(
        verdict=verdict,
        sentence=printable(sentence, limit=_SAID),
        lack="" if hint is None else printable(hint.text, limit=_SAID),
        arguments=() if hint is None else hint.arguments,
        tested=hint is not None and hint.tested,
        reason=reason,
    )


def _announcement(finding: Finding, written: Documentation) -> Sentence | None:
    """The sentence that announces the failure: its exception, raised on purpose, or its text."""
    if finding.kind == "returned":
        for sentence in written.sentences:
            for groups in _QUOTED.findall(sentence.text):
                quoted = next(group for group in groups if group)
                if finding.message.strip().startswith(quoted.rstrip(" .…")):
                    return sentence
        return None
    if finding.exception is None:
        return None
    name = finding.exception.rpartition(".")[2]
    if not is_raised_on_purpose(finding):
        return None  # it was not raised on purpose: something else failed
    for sentence in written.sentences:
        if sentence.exception is not None and sentence.exception.rpartition(".")[2] == name:
            return sentence
        if sentence.exception is None and re.search(rf"\b{re.escape(name)}\b", sentence.text):
            return sentence
    return None
