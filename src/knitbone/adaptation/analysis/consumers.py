"""What a consuming operation requires: from the call to a requirement of the answer's site."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from knitbone.adaptation.analysis.reading import fate_of_match, fate_of_parts, first_part_is_number
from knitbone.adaptation.analysis.values import (
    Answer,
    Constant,
    External,
    Held,
    Lines,
    Parts,
    PatternValue,
    Value,
    Values,
)
from knitbone.adaptation.requirements import Element, Evidence, PositionalTemplate, Reader, Unknown
from knitbone.adaptation.requirements.records import Confidence, OnViolation, Requirement
from knitbone.adaptation.requirements.regular import UnreadablePattern, read_pattern

if TYPE_CHECKING:
    from knitbone.adaptation.analysis.expressions import Evaluator

__all__ = ["by_external", "by_pattern", "by_position", "by_split", "compiled", "patterns_of"]

_READING = frozenset({"findall", "finditer", "match", "search", "fullmatch"})
_ALL_MATCHES = frozenset({"findall", "finditer"})
_PARSERS = {
    "json.loads": "structured templates",
    "orjson.loads": "structured templates",
    "yaml.safe_load": "parser syntax",
    "yaml.load": "parser syntax",
    "ast.literal_eval": "structured templates",
    "ast.parse": "parser syntax",
    "exec": "parser syntax",
    "eval": "parser syntax",
    "int": "single values",
    "float": "single values",
    "xml.etree.ElementTree.fromstring": "structured templates",
    "csv.reader": "structured templates",
}
"""Consumers that are seen and said to be unknown: their requirements are not read yet."""


def compiled(evaluator: Evaluator, pattern: Values, flags: Values, node: ast.Call) -> PatternValue:
    """The value of ``re.compile``."""
    text = pattern[0].value if len(pattern) == 1 and isinstance(pattern[0], Constant) else None
    number = _flags(flags)
    module = evaluator.function.module
    known = isinstance(text, str) and number is not None
    return PatternValue(
        text if known and isinstance(text, str) else None,
        number or 0,
        str(module.path),
        node.lineno,
        module.text(node),
    )


def patterns_of(
    evaluator: Evaluator, pattern: Values, flags: Values, node: ast.Call
) -> tuple[PatternValue, ...]:
    """The pattern argument of ``re.findall`` and its kind."""
    found = tuple(value for value in pattern if isinstance(value, PatternValue))
    return found or (compiled(evaluator, pattern, flags, node),)


def _flags(values: Values) -> int | None:
    if not values:
        return 0
    (value,) = values[:1]
    if isinstance(value, Constant) and isinstance(value.value, int):
        return int(value.value)
    if isinstance(value, External) and value.name.startswith("re."):
        flag = re.RegexFlag.__members__.get(value.name[3:])
        return None if flag is None else int(flag)
    return None


def by_pattern(
    evaluator: Evaluator,
    method: str,
    patterns: Iterable[PatternValue],
    texts: Values,
    node: ast.Call,
) -> Values:
    """A regular expression reads the answer."""
    answers = [value for value in texts if isinstance(value, Answer)]
    for answer in answers:
        for pattern in patterns:
            if method in _READING:
                requirement = _from_pattern(evaluator, method, pattern, answer, node)
            elif method == "split":
                requirement = Unknown(
                    reason="templates split by a regular expression are not read yet",
                    evidence=_evidence(evaluator, node),
                )
            else:
                continue
            evaluator.flow.draft(answer).add(requirement)
    if method in ("sub", "subn"):
        return tuple(_lose(answer, "the text went through re.sub before") for answer in answers)
    return ()


def _from_pattern(
    evaluator: Evaluator, method: str, pattern: PatternValue, answer: Answer, node: ast.Call
) -> Requirement:
    evidence = _evidence(evaluator, node, pattern)
    if answer.lost:
        return Unknown(reason=answer.lost, evidence=evidence)
    if pattern.pattern is None:
        return Unknown(reason="the pattern is computed at run time", evidence=evidence)
    try:
        shape = read_pattern(pattern.pattern, pattern.flags)
    except UnreadablePattern as error:
        return Unknown(reason=str(error), evidence=evidence)
    lines = any(step.name in ("splitlines", "split") for step in answer.steps)
    only_start = shape.line_start and not shape.multiline and not lines
    confidence: Confidence = "high" if answer.confidence == "high" else "medium"
    if not any(element.kind == "slot" for element in shape.elements):
        confidence = "medium"
    on_violation = "silent" if method in _ALL_MATCHES else fate_of_match(evaluator.function, node)
    return PositionalTemplate(
        elements=shape.elements,
        reader=Reader(
            kind="regex",
            method=method,
            pattern=pattern.pattern,
            flags=pattern.flags,
            steps=answer.steps,
        ),
        repeated=lines or (method in _ALL_MATCHES and not only_start),
        line_start=shape.line_start or method in ("match", "fullmatch"),
        spans_lines=shape.spans_lines and not lines,
        ignore_case=shape.ignore_case,
        on_violation=on_violation,
        evidence=evidence,
        confidence=confidence,
    )


def by_split(
    evaluator: Evaluator, answer: Answer, method: str, separator: object, node: ast.Call
) -> Values:
    """``line.split(". ", 1)``: a record where the first part is a number."""
    if not isinstance(separator, str) or not separator.strip() or method == "rsplit":
        return ()
    line = any(step.name in ("splitlines", "split") for step in answer.steps)
    evidence = _evidence(evaluator, node)
    requirement: Requirement
    mark = separator.strip()
    if answer.lost:
        requirement = Unknown(reason=answer.lost, evidence=evidence)
    elif not line:
        requirement = Unknown(
            reason=f"texts split at {separator!r} are not read yet", evidence=evidence
        )
    elif (certainty := first_part_is_number(evaluator.function, node)) is None or mark.isalnum():
        requirement = Unknown(
            reason=f"nothing in the code says what stands before {separator!r}", evidence=evidence
        )
    else:
        on_violation: OnViolation = fate_of_parts(evaluator.function, node)
        elements = [
            Element(kind="number", captured=True),
            Element(kind="delimiter", text=mark, options=(mark,)),
        ]
        if separator.endswith(" "):
            elements.append(Element(kind="space", text=" ", options=(" ",)))
        elements.append(Element(kind="slot", captured=True))
        requirement = PositionalTemplate(
            elements=tuple(elements),
            reader=Reader(
                kind="split",
                method=method,
                separator=separator,
                numbered=True,
                steps=answer.steps,
            ),
            line_start=True,
            on_violation=on_violation,
            evidence=evidence,
            confidence=certainty if answer.confidence == "high" else "medium",
        )
    evaluator.flow.draft(answer).add(requirement)
    return (Parts(answer.place, answer.origin, answer.confidence, answer.steps, "", separator),)


def by_position(evaluator: Evaluator, answer: Answer, node: ast.Call) -> None:
    """The code looks for a position in the text: said, not guessed."""
    reason = answer.lost or "positions in the text (find, index) are not read from code yet"
    evaluator.flow.draft(answer).add(Unknown(reason=reason, evidence=_evidence(evaluator, node)))


def by_external(evaluator: Evaluator, name: str, values: Iterable[Value], node: ast.Call) -> None:
    """A parser whose requirement is not read yet: said, not guessed."""
    kind = _PARSERS.get(name)
    if kind is None:
        return
    for value in values:
        if isinstance(value, Answer | Lines):
            evaluator.flow.draft(value).add(
                Unknown(
                    reason=f"read by {name}; {kind} are not read from code yet",
                    evidence=_evidence(evaluator, node),
                )
            )


def _evidence(
    evaluator: Evaluator, node: ast.Call, pattern: PatternValue | None = None
) -> Evidence:
    module = evaluator.function.module
    written = module.text(node)
    if pattern is not None and pattern.expression not in (written, ""):
        written += f"  with {pattern.expression}"
    return Evidence(file=str(module.path), line=node.lineno, expression=written)


def _lose(value: Held, reason: str) -> Answer:
    return Answer(value.place, value.origin, value.confidence, value.steps, value.lost or reason)
