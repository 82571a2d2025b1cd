"""JSON Lines: each line is a document for the consumer's parser.

Documents that run over several lines are put on one, an array becomes its items, prose and fences
go. Lines that conform stay as they are, byte for byte.

Source: Comfrey §4.3.1 (structured templates), jsonlines.org.
"""

from __future__ import annotations

import re
from collections import Counter

from knitbone.adaptation.checks import Check, Invocation, Verdict, conforming, refused, repaired
from knitbone.adaptation.defects.structured.json import (
    MAX_TEXT,
    Attempt,
    attempt_all,
    names_in,
    rules_of,
)
from knitbone.adaptation.defects.structured.json_consumer import Consumer
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.core.structured.candidates import find_documents
from knitbone.core.structured.json_edit import apply_changes, item_texts

__all__ = ["prepare_jsonl"]

_LINE_BREAK = re.compile(r"[ \t\r]*\n[ \t\r\n]*")


def prepare_jsonl(requirement: StructuredTemplate) -> Check | None:
    """The requirement as a check; its shape is that of one line. Never ``None``."""
    consumer = Consumer(requirement.parser, requirement.shape)
    keys = names_in(consumer.shape)

    def check(text: str, invocation: Invocation) -> Verdict:
        if _accepts(text, consumer, invocation):
            return conforming(text)
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        found = find_documents(text, keys=keys, pause=invocation.deadline.check)
        if found.unreadable or not found.documents:
            reason = found.unreadable[-1].reason if found.unreadable else "there is no JSON"
            return refused(text, reason)
        attempts = attempt_all(found, consumer.shape, invocation, bears=False)
        lines = _lines_of(attempts, invocation)
        if isinstance(lines, str):
            return refused(text, lines)
        return _deliver(text, lines, attempts, consumer, invocation)

    return check


def _accepts(text: str, consumer: Consumer, invocation: Invocation) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return False
    for line in lines:
        invocation.deadline.check()
        if not consumer.accepts(line):
            return False
    return True


def _lines_of(attempts: list[Attempt], invocation: Invocation) -> list[str] | str:
    """The lines to deliver, or why there are none."""
    problem = next((one.problem for one in attempts if one.problem), "")
    if not problem:
        return [
            _LINE_BREAK.sub(" ", apply_changes(one.json, one.conformed.changes)) for one in attempts
        ]
    only = attempts[0]
    if len(attempts) > 1 or only.json[0] != "[" or not invocation.uses("structured.documents"):
        return problem
    return [_LINE_BREAK.sub(" ", item) for item in item_texts(only.json)] or problem


def _deliver(
    text: str,
    lines: list[str],
    attempts: list[Attempt],
    consumer: Consumer,
    invocation: Invocation,
) -> Verdict:
    rules = rules_of(tuple(document for one in attempts for document in one.documents))
    if rules and not invocation.uses("structured.json_syntax"):
        return refused(text, "the syntax of a line is broken")
    changed = Counter(rule for one in attempts for rule in one.conformed.rules)
    rules += [f"{rule} ({count} lines)" if count > 1 else rule for rule, count in changed.items()]
    if len(lines) != len(attempts):
        rules.append(f"array -> {len(lines)} lines")
    candidate = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    if not _accepts(candidate, consumer, invocation):
        return refused(text, "a line is not what the code reads")
    if not rules:
        rules.append("each document put on one line, text around removed")
    return repaired(candidate, *rules, edits=len(rules))
