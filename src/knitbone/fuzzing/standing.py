"""Whether a failure was foreseen: ``unhandled``, ``refused`` on purpose, or ``not run`` at all.

No model is asked. For Python code the traceback decides: what stopped at an operation on the
arguments nobody foresaw; what stopped at a ``raise`` that says what is wrong is a refusal. Where a
handler for everything only passes a message on, what it caught decides. Of an answer in words, and
of a server out of sight, only the wording is known: an interpreter's own words are a failure that
nobody foresaw, any other error answer is a refusal. In doubt it is one, as a false finding weighs
more than a missed one.
"""

from __future__ import annotations

import builtins
import re
from typing import Any, cast

from knitbone.fuzzing.complaints import (
    BUGS,
    reads_as_bug,
    reads_as_complaint,
    reads_as_conversion,
    reads_as_forbidden,
    reads_as_key,
    reads_as_missing_network,
    says_nothing,
)
from knitbone.fuzzing.evaluation import is_asked_for
from knitbone.fuzzing.reasons import reason_in
from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin, FindingKind, Standing
from knitbone.record.events import Json

__all__ = ["standing_of"]

_TELLS_NOBODY = frozenset(
    {"ArithmeticError", "AttributeError", "IndexError", "KeyError", "NameError", "RuntimeError",
     "TypeError", "UnicodeEncodeError"}
)  # fmt: skip
"""Types whose message, passed on, is of the tool's own variables: no caller can act on it."""
_PROTOCOL = "McpError"
_WORD = re.compile(r"[^\W\d_]{2,}")
_SHOWN_PATH = re.compile(r"'([^'\n]{1,4000})'")
_LONGEST = 4_000
_NULL = ("embedded null byte", "embedded null character")
_FULL = "[Errno 27] File too large"
"""The system's words where our limit on one file stopped a tool; that a disk is full may be the
machine's own."""
_SURROGATES = "surrogates not allowed"
_DEEP = 400
"""Characters, or parts, that may hold as many levels as Python's stack does (1,000 frames, two or
more a level)."""
_ENDS = 3
"""Characters of a name, at least, by which a path is known to come from the arguments."""

Judged = tuple[Standing, str]


def standing_of(
    kind: FindingKind,
    outcome: CallOutcome,
    arguments: dict[str, Json],
    *,
    exception: str | None,
    message: str,
) -> Judged:
    """The standing of one failure, and why, in a few words.

    Args:
        message: what the tool said, whole.
    """
    if kind == "network":
        return "not run", "the network was not allowed"
    if kind == "outside" and any(each.action == "write" for each in outcome.attempts):
        return "not run", "writing there was not allowed"
    if kind == "crash" and reads_as_forbidden(outcome.message):
        return "not run", "the process ended for want of a permission"
    if kind == "crash" and reads_as_missing_network(outcome.message):
        return "not run", "the process ended for want of the network"
    if kind == "returned":
        return _of_answer(message, outcome.origin, arguments)
    if kind != "raised":
        return "unhandled", ""
    if (exception or "").endswith(_PROTOCOL):
        return _of_protocol(message)
    if outcome.origin is None:
        return "unhandled", ""
    return _of_exception(outcome.origin, exception or "", message, arguments)


def _of_exception(
    origin: ExceptionOrigin, exception: str, message: str, arguments: dict[str, Json]
) -> Judged:
    if origin.lacking is not None:
        return "not run", f"{origin.lacking} is not there"
    if origin.cause is not None:
        if origin.around:
            kind = (*origin.cause.bases, "Exception")[0]
            name = kind if hasattr(builtins, kind) else f"library.{kind}"
            return _of_exception(origin.cause, name, origin.cause.said, arguments)
        return _of_cause(origin.cause, arguments)
    if message.startswith(_FULL):
        return "unhandled", "it writes more than the sandbox allows"
    builtin = "." not in exception
    if origin.by == "operation":
        return _of_operation(origin, message, arguments)
    if not _WORD.search(message) and builtin:
        return "unhandled", "it does not say what is wrong"
    if origin.by == "tool":
        return "refused", "raised on purpose"
    if builtin and exception in BUGS:
        return "unhandled", "what it passes on to a library is of the wrong kind"
    return "refused", "a library refuses it on purpose"


def _of_operation(origin: ExceptionOrigin, message: str, arguments: dict[str, Json]) -> Judged:
    """Judge an exception that no code raised on purpose: refused where the argument asks for it."""
    of_a_file = "OSError" in origin.bases and _names_argument(message, arguments)
    if of_a_file or _is_null(message, arguments):
        return "refused", "the system says what is wrong with the file that is named"
    recurses = "RecursionError" in origin.bases or "recursion depth" in message
    if recurses and _is_deep(arguments):
        return "refused", "the argument goes deeper than Python's stack"
    if is_asked_for(message, _texts(arguments)):
        return "refused", "the argument is an expression that asks for it"
    if _SURROGATES in message and any(map(_has_surrogate, _texts(arguments))):
        return "refused", "the argument is no text that could be sent or stored"
    return "unhandled", ""


def _of_cause(cause: ExceptionOrigin, arguments: dict[str, Json]) -> Judged:
    """What a handler for everything caught, and only passes on."""
    while cause.cause is not None:
        cause = cause.cause
    tells_nobody = not _TELLS_NOBODY.isdisjoint(cause.bases) or reads_as_bug(cause.said)
    is_form = reads_as_conversion(cause.said)
    is_given = "KeyError" in cause.bases and _is_given_key(cause.said, arguments)
    if cause.by != "operation" or not tells_nobody or is_form or is_given:
        return "refused", "caught, and told to the caller"
    standing, because = _of_operation(cause, cause.said, arguments)
    kind = (*cause.bases, "failure")[0]
    return standing, because or f"a handler for everything passes a {kind} on"


def _is_given_key(said: str, arguments: dict[str, Json]) -> bool:
    """Whether a look-up failed of a key that came with the arguments: the caller knows it."""
    key = said.strip("'\"")
    given = "\n".join(_texts(arguments)).casefold()
    return not key or key.casefold() in given


def _of_answer(text: str, origin: ExceptionOrigin | None, arguments: dict[str, Json]) -> Judged:
    """Of an error that was returned."""
    reason = reason_in(text)
    if reads_as_missing_network(reason) or reads_as_missing_network(text[:_LONGEST]):
        return "not run", "the network was not allowed"
    if origin is not None:  # from a server's log
        if origin.lacking is not None:
            return "not run", f"{origin.lacking} is not there"
        by_operation = origin.by == "operation"
        return ("unhandled", "") if by_operation else ("refused", "raised on purpose")
    if _FULL in reason and not any(_FULL in text for text in _texts(arguments)):
        return "unhandled", "it writes more than the sandbox allows"
    if is_asked_for(reason, _texts(arguments)):
        return "refused", "the argument is an expression that asks for it"
    if _is_echoed(reason, arguments):
        return "refused", "told to the caller"
    if _is_null(reason, arguments):
        return "refused", "the system says what is wrong with the file that is named"
    by_server = '"isError"' in text[:40]
    said = reads_as_bug(reason) or (by_server and reads_as_complaint(reason))
    is_key = reads_as_key(reason) and not reads_as_conversion(reason)
    if said or (is_key and not _is_given_key(reason, arguments)):
        standing, because = _of_operation(ExceptionOrigin(by="operation"), reason, arguments)
        return standing, because or "the answer is an interpreter's message"
    return "refused", "told to the caller"


def _of_protocol(message: str) -> Judged:
    """Of an error of the protocol, from a server."""
    reason = reason_in(message)
    if reads_as_missing_network(message):
        return "not run", "the network was not allowed"
    bare = re.sub(r"\s*\(code -?\d+\)\Z", "", reason)
    if reads_as_complaint(bare):
        return "unhandled", "the answer is an interpreter's message"
    if says_nothing(message):
        return "unhandled", "it does not say what is wrong"
    return "refused", "told to the caller"


def _is_echoed(reason: str, arguments: dict[str, Json]) -> bool:
    """Whether the interpreter's words came with the arguments."""
    return reads_as_bug("\n".join(_texts(arguments))) and reads_as_bug(reason)


def _is_null(message: str, arguments: dict[str, Json]) -> bool:
    """Whether the system refuses a name with a null character, which came with the arguments."""
    return message.startswith(_NULL) and any("\0" in text for text in _texts(arguments))


def _has_surrogate(text: str) -> bool:
    """Whether a text holds half of a pair of UTF-16: no document can carry it to the tool."""
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def _is_deep(arguments: dict[str, Json]) -> bool:
    """Whether an argument may hold enough levels for Python's stack; a small one that recurses
    without end does not."""
    parts: list[Any] = [arguments]
    for part in parts:
        if len(parts) >= _DEEP or (isinstance(part, str) and len(part) >= _DEEP):
            return True
        if isinstance(part, dict):
            parts.extend(cast("dict[Any, Any]", part).values())
        elif isinstance(part, list):
            parts.extend(cast("list[Any]", part))
    return False


def _names_argument(message: str, arguments: dict[str, Json]) -> bool:
    """Whether a path that the system complains of comes from the arguments."""
    given = [text.strip() for text in _texts(arguments)]
    for path in _SHOWN_PATH.findall(message[: 2 * _LONGEST]):
        parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "..")]
        for text in given:
            if text == path or (len(text) >= _ENDS and text in path):
                return True
            if any(part == text or (len(part) >= _ENDS and part in text) for part in parts[-1:]):
                return True
    return any(not text for text in given)


def _texts(value: Any) -> list[str]:
    found: list[str] = []
    queue: list[Any] = [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            queue.extend(cast("dict[Any, Any]", item).values())
        elif isinstance(item, list):
            queue.extend(cast("list[Any]", item))
    return found
