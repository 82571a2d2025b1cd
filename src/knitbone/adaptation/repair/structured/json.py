"""The check of JSON: find the document in the answer, mend its syntax, fit it into its shape,
prove it.

Of several documents the last that fits is meant where the prose between them says that it replaces
the others (a draft, then the answer); side by side they have to say the same, be a list where one
is expected, or only one of them may fit. What the answer does not decide is passed on.

Source: Comfrey §4.3.1 (structured templates); which document is meant is ours.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple, cast

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.structured.json_consumer import JsonConsumer
from knitbone.adaptation.repair.structured.json_forms import HEURISTICS as _FORMS
from knitbone.adaptation.repair.structured.json_forms import other_forms
from knitbone.adaptation.repair.structured.json_value import (
    decoded_changes,
    reason_misplaced,
    reason_shown,
    some_records_fit,
)
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.adaptation.text.wrappers.remarks import says_revised
from knitbone.common.structured.changes import Conformed, ValueChange
from knitbone.common.structured.conformance import conform
from knitbone.common.structured.json_edit import apply_changes
from knitbone.common.structured.json_literals import BARE_TEXT
from knitbone.common.structured.shape import Shape
from knitbone.parsing.documents import Found, JsonDocument, find_documents, slot_of
from knitbone.parsing.json_values import DuplicateKeyError, parse_json

__all__ = [
    "HEURISTICS",
    "MAX_TEXT",
    "JsonAttempt",
    "attempt_all",
    "prepare_json",
    "rules_of",
]

HEURISTICS = (
    "structured.documents",
    "structured.json_syntax",
    "structured.keys",
    "structured.prose",
    "structured.types",
    "structured.values",
    "structured.wrapper",
    *_FORMS,
)
_PLACEHOLDER = re.compile(r"(?:\.{2,}|…|<[^<>]*>|\[[^\[\]]*\]|string|str|int|number|float|bool)?")
MAX_TEXT = 4_000_000
"""Characters of an answer that is put before a parser in Python, or mended. Of a longer one only
the compiled decoder is asked (ours)."""


def prepare_json(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check. Never ``None``: each parser of JSON can be replayed."""
    consumer = JsonConsumer(requirement.parser, requirement.shape)
    shape = consumer.shape
    slot = slot_of(shape)
    bears = requirement.on_violation in ("silent", "handled")

    def as_it_stands(text: str, invocation: Invocation) -> Verdict:
        found = find_documents(text, slot=slot, pause=invocation.deadline.check)
        attempts = [
            one
            for one in attempt_all(found, shape, invocation, bears=bears)
            if not _is_prose(one, shape, alone=found.whole)
        ]
        chosen = _choose(text, found, attempts, shape, invocation)
        if isinstance(chosen, str):
            return refused(text, chosen)
        return _deliver(text, chosen, found, consumer, invocation)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if consumer.accepts_at_once(text):
            return conforming(text)
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        if consumer.accepts(text):
            return conforming(text)
        verdict = as_it_stands(text, invocation)
        if verdict.disposition == "repaired":
            return verdict
        for form in other_forms(text, shape):
            if not invocation.uses(form.heuristic):
                continue
            if consumer.accepts(form.text):
                return repaired(form.text, form.rule)
            inner = as_it_stands(form.text, invocation)
            if inner.disposition == "repaired":
                rules, edits = (form.rule, *inner.rules), inner.edits + 1
                return repaired(inner.text, *rules, edits=edits, reason=inner.reason)
        return verdict

    return check


class JsonAttempt(NamedTuple):
    """One document, parsed and compared with the shape."""

    documents: tuple[JsonDocument, ...]
    """Several where they are joined to a list."""
    json: str
    conformed: Conformed
    problem: str
    """Why it is not what the code reads; empty: it is."""
    rules: tuple[str, ...] = ()
    """The decoding that was done inside of it."""


def attempt_all(
    found: Found, shape: Shape, invocation: Invocation, *, bears: bool
) -> list[JsonAttempt]:
    """Compare every document with the shape.

    Args:
        bears: whether the code goes on with the other records where one does not fit.
    """
    return [
        _attempt((document,), document.reading.json, shape, invocation, bears=bears)
        for document in found.documents
    ]


def _attempt(
    documents: tuple[JsonDocument, ...],
    written: str,
    shape: Shape,
    invocation: Invocation,
    *,
    bears: bool,
) -> JsonAttempt:
    """Parse a document, and fit its values into the shape."""
    invocation.deadline.check()
    try:
        value = parse_json(written)
    except DuplicateKeyError as error:
        return JsonAttempt(documents, written, Conformed(value=None), str(error))
    except (ValueError, RecursionError) as error:
        return JsonAttempt(documents, written, Conformed(value=None), f"not JSON: {error}")
    guessed = any(one.reading.guessed for one in documents)
    if guessed and (place := reason_misplaced(value, shape)):
        return JsonAttempt(documents, written, Conformed(value=None), place)
    decoded: list[ValueChange] = []
    if invocation.uses("structured.encoded"):
        decoded = list(decoded_changes(cast("object", value), shape))
        # A text that holds JSON in place of the whole document is another form of the answer.
        decoded = [change for change in decoded if change.path]
    if decoded:
        written = apply_changes(written, decoded)
        value = parse_json(written)
    conformed = conform(
        value,
        shape,
        tau=invocation.config.tau_element,
        uses=lambda name: invocation.uses(f"structured.{name}"),
        pause=invocation.deadline.check,
    )
    fitting = conformed.fits or (bears and some_records_fit(conformed))
    problem = "" if fitting else conformed.reason
    return JsonAttempt(documents, written, conformed, problem, tuple(one.rule for one in decoded))


def _choose(
    text: str, found: Found, attempts: list[JsonAttempt], shape: Shape, invocation: Invocation
) -> JsonAttempt | str:
    """Return the document that is meant, or the reason why that cannot be told."""
    if not attempts:
        return found.unreadable[-1].reason if found.unreadable else "there is no JSON in the answer"
    fitting = _eligible([one for one in attempts if not one.problem], shape)
    if not fitting:
        joined = _joined_as_list(attempts, shape, invocation)
        problem = attempts[-1].problem or "several arrays stand in the text, and none is marked"
        return joined if joined is not None else problem
    last = fitting[-1]
    end = last.documents[-1].reading.end
    if any(one.start >= end for one in found.unreadable):
        return found.unreadable[-1].reason
    if len(fitting) == 1:
        beside = [one for one in attempts if one is not last and _contradicts(one, last)]
        if beside and not says_revised(text):
            return "several documents say different things, and only one of them fits"
        return last
    joined = _joined_as_list(attempts, shape, invocation)
    if joined is not None:
        return joined
    if not invocation.uses("structured.documents"):
        return "several documents fit"
    others = [one for one in fitting[:-1] if one.conformed.value != last.conformed.value]
    beside = _adjacent_attempts(attempts, last)
    if any(one in beside for one in others):
        return "several documents fit, side by side, and say different things"
    document = last.documents[0]
    if others and (document.plain or (document.fence is None and _any_fenced(others))):
        return "several documents fit, and which one is meant is not clear"
    between = [one.documents[-1].reading.end for one in others]
    if between and not says_revised(text[min(between) : document.reading.start]):
        return "several documents fit, and nothing says that the last one replaces the others"
    return last


def _contradicts(one: JsonAttempt, other: JsonAttempt) -> bool:
    """Return whether two documents have another value under the same key."""
    if one.documents[0].foreign:
        return False  # code that says how such a document is made
    first, second = one.conformed.value, other.conformed.value
    if not (isinstance(first, dict) and isinstance(second, dict)):
        return False
    held = cast("dict[str, object]", first), cast("dict[str, object]", second)
    return any(
        key in held[1] and held[1][key] != value and not _is_placeholder(value)
        for key, value in held[0].items()
    )


def _is_placeholder(value: object) -> bool:
    """Return whether a value only shows where one goes: ``"..."``, ``"<name>"``, ``"string"``."""
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value.strip()) is not None


def _is_prose(attempt: JsonAttempt, shape: Shape, *, alone: bool) -> bool:
    """Return whether words in brackets, none of them quoted, are prose: ``[x]``, ``![logo](...)``.

    Several are a list where they are the whole answer, or where a list is expected. Where nothing
    is known of what is expected, what stands within code of another language or within a line of
    prose is no answer either.
    """
    document, value = attempt.documents[0], attempt.conformed.value
    if shape.type == "any" and not alone and (document.foreign or document.inline):
        return True
    if BARE_TEXT not in document.reading.edits or not isinstance(value, list) or not document.plain:
        return False
    several = len(cast("list[object]", value)) > 1
    return not several or not (alone or document.fence is not None or shape.type == "array")


def _eligible(fitting: list[JsonAttempt], shape: Shape) -> list[JsonAttempt]:
    """Return the attempts without code of another language and references in prose, where there
    are better ones."""
    own = [one for one in fitting if not one.documents[0].foreign]
    full = [one for one in own if not one.documents[0].plain]
    if full or own:
        return full or ([] if shape.type == "any" and len(own) > 1 else own)
    return fitting


def _any_fenced(attempts: list[JsonAttempt]) -> bool:
    return any(one.documents[0].fence is not None for one in attempts)


def _adjacent_attempts(attempts: list[JsonAttempt], last: JsonAttempt) -> list[JsonAttempt]:
    """Return the documents that stand before the last one with no prose between."""
    index = attempts.index(last)
    start = index
    while start > 0 and not attempts[start].documents[0].apart:
        start -= 1
    return attempts[start:index]


def _joined_as_list(
    attempts: list[JsonAttempt], shape: Shape, invocation: Invocation
) -> JsonAttempt | None:
    """Return all documents as one list, where a list is expected and each of them is an item."""
    documents = tuple(one.documents[0] for one in attempts)
    if shape.type != "array" and shape.items is None:
        return None
    if len(documents) < 2 or any(one.apart for one in documents[1:]):
        return None
    if not invocation.uses("structured.documents") or any(d.json[0] != "{" for d in attempts):
        return None
    written = "[" + ",\n".join(one.json for one in attempts) + "]"
    joined = _attempt(documents, written, shape, invocation, bears=False)
    return None if joined.problem or any(c.element for c in joined.conformed.changes) else joined


def _deliver(
    text: str, chosen: JsonAttempt, found: Found, consumer: JsonConsumer, invocation: Invocation
) -> Verdict:
    """Write the changes, and prove that the code reads from the result what was meant."""
    rules = rules_of(chosen.documents)
    if rules and not invocation.uses("structured.json_syntax"):
        return refused(text, "the syntax of the document is broken")
    if len(chosen.documents) > 1:
        rules.append(f"{len(chosen.documents)} documents -> one array")
    elif not found.whole:
        if not invocation.uses("structured.prose"):
            return refused(text, "the document does not stand alone")
        rules.append("text around the document removed")
    rules += chosen.rules
    edits = max(1, len(rules) + chosen.conformed.edits)
    candidate = apply_changes(chosen.json, chosen.conformed.changes)
    invocation.deadline.check()
    reason = chosen.conformed.reason
    if candidate == text:
        return refused(text, reason or "the parser rejects the document")
    prompts = (said.text for said in invocation.messages)
    if unlike := reason_shown(chosen.conformed.value, consumer.shape, prompts):
        return refused(text, unlike)
    if not _is_proven(candidate, chosen, consumer):
        return refused(text, "the repair is not what the code reads")
    return repaired(candidate, *rules, *chosen.conformed.rules, edits=edits, reason=reason)


def _is_proven(candidate: str, chosen: JsonAttempt, consumer: JsonConsumer) -> bool:
    """Return whether the result says what was meant, and the code reads it, as far as it can."""
    try:
        said, meant = parse_json(candidate), chosen.conformed.value
        same = said == meant or json.dumps(said) == json.dumps(meant)  # NaN is not itself
    except (ValueError, RecursionError):
        return False
    return same and (consumer.accepts(candidate) or not chosen.conformed.fits)


def rules_of(documents: tuple[JsonDocument, ...]) -> list[str]:
    """Return a description of what mended the syntax."""
    counted: dict[str, int] = {}
    for document in documents:
        for rule, count in document.reading.edits.items():
            counted[rule] = counted.get(rule, 0) + count
    return [f"{rule} in {count} places" if count > 1 else rule for rule, count in counted.items()]
