"""The check of JSON Lines: each line is a document for the consumer's parser.

Documents that run over several lines are put on one, an array becomes its items, prose and fences
go. Lines that conform stay as they are, byte for byte.

Source: Comfrey §4.3.1 (structured templates), jsonlines.org.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from knitbone.adaptation.consumers.focus import focus_check
from knitbone.adaptation.consumers.readers import LINE_STEPS, Step
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.repair.structured.json import (
    MAX_TEXT,
    JsonAttempt,
    attempt_all,
    rules_of,
)
from knitbone.adaptation.repair.structured.json_consumer import JsonConsumer
from knitbone.adaptation.repair.structured.jsonl_rows import lost_row, with_brackets
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.adaptation.text.wrappers.fences import is_fence_of_data
from knitbone.common.structured.json_edit import apply_changes, item_texts
from knitbone.common.structured.json_literals import LEFT_OUT
from knitbone.common.structured.shape import key_names
from knitbone.parsing.documents import Found, JsonDocument, find_documents, slot_of

__all__ = ["prepare_jsonl"]

_LINE_BREAK = re.compile(r"[ \t\r]*\n[ \t\r\n]*")
_DOTS = re.compile(r"(?:^|[,}\]])[ \t]*(?:\.{3,}|…)[ \t]*,?[ \t\r]*$", re.MULTILINE)
_LEAD = re.compile(r"(?:[-*+•]|\d{1,6}[.):])?\s{0,8}(?:`{1,3}\w{0,16})?")
"""Marks that may stand before a document in its line: a bullet or number, a mark of code."""
_BRACKET = re.compile(r"[\[{]")
_BESIDE = " \t\r\n,;"
_OF_A_LINE = frozenset({"iterate", "strip", "lstrip", "rstrip"})
"""Steps behind the cut into lines that change nothing for a parser of JSON."""


def prepare_jsonl(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; its shape is that of one line.

    ``None`` where the code does something to each line that cannot be replayed. What is no line of
    the data (a fence, prose, an array around the lines) is seen in the whole answer only: the
    check splits the lines itself.
    """
    cut = next((i for i, s in enumerate(requirement.steps) if s.name in LINE_STEPS), None)
    if cut is None:
        return _check(requirement, str.splitlines)
    if not all(step.name in _OF_A_LINE for step in requirement.steps[cut + 1 :]):
        return None
    check = focus_check(
        _check(requirement, _splitter_of(requirement.steps[cut])), requirement.steps[:cut]
    )
    return None if check is None else FunctionCheck(check, reads_whole=True)


def _splitter_of(step: Step) -> Callable[[str], list[str]]:
    """Return the consumer's way of splitting lines.

    ``splitlines`` splits at more than line feeds, some of which may stand in a JSON text.
    """
    return str.splitlines if step.name == "splitlines" else lambda text: text.split("\n")


def _check(requirement: StructuredTemplate, cut: Callable[[str], list[str]]) -> Check:
    """Build the check of lines, which the code gets by ``cut``."""
    consumer = JsonConsumer(requirement.parser, requirement.shape)
    keys = key_names(consumer.shape)
    slot = slot_of(consumer.shape)

    def reads(invocation: Invocation) -> Callable[[str], bool]:
        def read(line: str) -> bool:
            invocation.deadline.check()
            return consumer.accepts(line)

        return read

    def accepts(text: str, invocation: Invocation) -> bool:
        lines = [line for line in cut(text) if line.strip()]
        return bool(lines) and all(map(reads(invocation), lines))

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if accepts(text, invocation):
            return conforming(text)
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        if _DOTS.search(text):
            return refused(text, LEFT_OUT)
        own = [line for line in cut(text) if line.strip()]
        if (made := with_brackets(own, reads(invocation))) is not None:
            if not invocation.uses("structured.json_syntax"):
                return refused(text, "a line lacks its brackets")
            end = "\n" if text.endswith("\n") else ""
            return repaired("\n".join(made) + end, "missing brackets of a line added")
        found = find_documents(text, slot=slot, pause=invocation.deadline.check)
        if reason := _reason_incomplete(text, found, keys):
            return refused(text, reason)
        attempts = attempt_all(found, consumer.shape, invocation, bears=False)
        lines = _lines_of(attempts, invocation)
        if isinstance(lines, str):
            return refused(text, lines)
        rules = _rules(lines, attempts)
        if rules_of(_documents(attempts)) and not invocation.uses("structured.json_syntax"):
            return refused(text, "the syntax of a line is broken")
        candidate = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
        if not accepts(candidate, invocation):
            return refused(text, "a line is not what the code reads")
        return repaired(candidate, *rules, edits=len(rules))

    return check


def _reason_incomplete(text: str, found: Found, keys: frozenset[str]) -> str:
    """Return the reason why the documents may not be all of the data; empty where they are."""
    if found.unreadable or not found.documents:
        return found.unreadable[-1].reason if found.unreadable else "there is no JSON"
    if said := _words_between(text, found.documents):
        return f"words between two lines may say which is meant: {said[:60]!r}"
    if said := _prose_line(text, found.documents):
        return f"a bracket in words, which is no line of the data: {said[:60]!r}"
    if row := lost_row(text, found.documents, keys):
        return f"a line that may be a row of the data: {row[:60]!r}"
    return ""


def _words_between(text: str, documents: Sequence[JsonDocument]) -> str:
    """Return the words that stand between two documents, or behind the last on its line."""
    for one, behind in zip(documents, (*documents[1:], None), strict=True):
        gap = text[one.reading.end : behind.reading.start if behind else len(text)]
        gap = gap if behind else gap.partition("\n")[0]
        for line in gap.split("\n"):
            said = line.strip(_BESIDE)
            if any(map(str.isalnum, said)) and not (
                is_fence_of_data(said) or _LEAD.fullmatch(said)
            ):
                return said
    return ""


def _prose_line(text: str, documents: Sequence[JsonDocument]) -> str:
    """Return the first line in which brackets without a key or a text stand between other words.

    That is a reference, a placeholder or code, of which the rest would be lost.
    """
    ends = (0, *(one.reading.end for one in documents[:-1]))
    starts = (*(one.reading.start for one in documents[1:]), len(text))
    for one, before in zip(documents, ends, strict=True):
        words = text[before : one.reading.start]
        if bracket := _BRACKET.search(words):
            return words[: bracket.end()].strip().rpartition("\n")[2]
    for one, before, behind in zip(documents, ends, starts, strict=True):
        if not one.plain:
            continue
        start, end = one.reading.start, one.reading.end
        first = text.rfind("\n", before, start) + 1 or before
        last = text.find("\n", end, behind)
        last = behind if last < 0 else last
        lead, rest = text[first:start].strip(_BESIDE), text[end:last].strip(_BESIDE)
        if rest.strip("`") or _LEAD.fullmatch(lead) is None:
            return text[first:last].strip()
    return ""


def _lines_of(attempts: list[JsonAttempt], invocation: Invocation) -> list[str] | str:
    """Return the lines to deliver, or the reason why there are none."""
    problem = next((one.problem for one in attempts if one.problem), "")
    if not problem:
        return [
            _LINE_BREAK.sub(" ", apply_changes(one.json, one.conformed.changes)) for one in attempts
        ]
    only = attempts[0]
    if len(attempts) > 1 or only.json[0] != "[" or not invocation.uses("structured.documents"):
        return problem
    return [_LINE_BREAK.sub(" ", item) for item in item_texts(only.json)] or problem


def _rules(lines: list[str], attempts: list[JsonAttempt]) -> list[str]:
    """Return a description of what is done."""
    rules = rules_of(_documents(attempts))
    changed = Counter(rule for one in attempts for rule in (*one.rules, *one.conformed.rules))
    rules += [f"{rule} ({count} lines)" if count > 1 else rule for rule, count in changed.items()]
    if len(lines) != len(attempts):
        rules.append(f"array -> {len(lines)} lines")
    return rules or ["each document put on one line, text around removed"]


def _documents(attempts: list[JsonAttempt]) -> tuple[JsonDocument, ...]:
    return tuple(document for one in attempts for document in one.documents)
