"""The judge: which outcomes are failures, and which failures are the same one."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import linecache
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.common.source import parse_source
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
from knitbone.fuzzing.effects import effect_of
from knitbone.fuzzing.normalise import normalise, stable
from knitbone.fuzzing.reasons import WordedFailure, reason_in
from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin, FindingKind, StackFrame, Standing
from knitbone.fuzzing.returned_errors import reads_as_error
from knitbone.record.events import Json

__all__ = ["FailedCall", "is_asked_for", "judge", "standing_of", "verdict_of"]


# Whether a failure is what an argument asks for: of a calculator that is given ``1/0``, "division
# by zero" is the answer, and a maintainer has nothing to mend.
#
# An argument that is an expression counts only if the operation that failed stands in it: ``a/b``
# is a path, too.

_LONGEST = 2_000
_MOST = 50
"""Texts of one call that are read."""
_BY_ZERO = re.compile(r"(?:division|modulo) by zero|ZeroDivision|\bzoo\b")
_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
_OPERANDS = re.compile(
    r"can only (?:concatenate|join)|unsupported operand|not supported between|can't multiply"
    r"|must be (?:str|real number), not"
)
_CALLED = re.compile(r"is not callable|\(\) (?:takes|missing|got|argument|expected)")
_PART = re.compile(r"ind(?:ex|ices)\b|not subscriptable|KeyError|out of range")


def is_asked_for(message: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts is an expression with the operation that the message says failed."""
    for text in list(texts)[:_MOST]:
        tree = _parsed(text)
        if tree is not None and any(_does(node, message) for node in ast.walk(tree)):
            return True
    return False


def _parsed(text: str) -> ast.AST | None:
    if not 2 < len(text) <= _LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return parse_source(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _does(node: ast.AST, message: str) -> bool:
    """Whether a part of an expression does what failed."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod()) if _BY_ZERO.search(message):
            return _is_zero(node.right)
        case ast.BinOp() | ast.Compare():
            return _OPERANDS.search(message) is not None and _mixes(node)
        case ast.Attribute():
            found = _ATTRIBUTE.search(message)
            return found is not None and found[1] == node.attr
        case ast.Call():
            return _CALLED.search(message) is not None
        case ast.Subscript():
            return _PART.search(message) is not None
        case _:
            return False


def _is_zero(node: ast.AST) -> bool:
    """Whether an expression is plainly zero: ``0``, ``-0.0``, ``a - a``."""
    match node:
        case ast.Constant():
            return isinstance(node.value, int | float) and node.value == 0
        case ast.UnaryOp():
            return _is_zero(node.operand)
        case ast.BinOp(op=ast.Sub()):
            return ast.dump(node.left) == ast.dump(node.right)
        case _:
            return False


def _mixes(node: ast.AST) -> bool:
    """Whether an operation has a constant that is no number."""
    parts = ast.iter_child_nodes(node)
    return any(isinstance(p, ast.Constant) and not isinstance(p.value, int | float) for p in parts)


# Whether a failure was foreseen: ``unhandled``, ``refused`` on purpose, or ``not run`` at all.
#
# No model is asked. For Python code the traceback decides: what stopped at an operation on the
# arguments nobody foresaw; what stopped at a ``raise`` that says what is wrong is a refusal. Where
# a handler for everything only passes a message on, what it caught decides. Of an answer in words,
# and of a server out of sight, only the wording is known: an interpreter's own words are a failure
# that nobody foresaw, any other error answer is a refusal. In doubt it is one, as a false finding
# weighs more than a missed one.

_TELLS_NOBODY = frozenset(
    {"ArithmeticError", "AttributeError", "IndexError", "KeyError", "NameError", "RuntimeError",
     "TypeError", "UnicodeEncodeError"}
)  # fmt: skip
"""Types whose message, passed on, is of the tool's own variables: no caller can act on it."""
_PROTOCOL = "McpError"
_WORD = re.compile(r"[^\W\d_]{2,}")
_SHOWN_PATH = re.compile(r"'([^'\n]{1,4000})'")
_LONGEST_STANDING = 4_000
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
    if reads_as_missing_network(reason) or reads_as_missing_network(text[:_LONGEST_STANDING]):
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
    for path in _SHOWN_PATH.findall(message[: 2 * _LONGEST_STANDING]):
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


_SHOWN = 500
"""Characters of a message in a report."""
_KEYED = 300
"""Characters of the normalised message that tell failures apart."""
_HEAD = 300
_DEPTH = 6
_ECHO = 4
"""A result that begins with an argument of at least this many characters says nothing itself."""

_EXCEPTION = re.compile(r"\b([A-Za-z_][\w.]{0,100}(?:Error|Exception))\b(?=[:(']|\s|$)")
_CRASHED_AT = re.compile(r'^  File "([^"\n]{1,1000})", line (\d{1,7}) in (\S{1,200})', re.MULTILINE)


class FailedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One failed call."""

    kind: FindingKind
    exception: str | None
    frame: StackFrame | None
    message: str
    id: str
    """The same for calls that fail alike."""
    weak: bool = False
    """The text reads like an error only beside other, normal results of the tool."""
    reason: str = ""
    """What the message says behind its wrapper; ``""``: the message itself."""
    standing: Standing = "unhandled"
    because: str = ""
    origin: ExceptionOrigin | None = None

    def said(self, arguments: dict[str, Json]) -> WordedFailure:
        """The failure as it is compared with others of the tool.

        Args:
            arguments: of the call that failed.
        """
        return WordedFailure(
            kind=self.kind,
            exception=self.exception,
            frame=self.frame,
            by=None if self.origin is None else self.origin.by,
            reason=self.reason or self.message,
            arguments=arguments,
        )


def judge(
    outcome: CallOutcome, arguments: dict[str, Json], *, roots: tuple[str, ...]
) -> FailedCall | None:
    """The failure in an outcome with its standing, or ``None``.

    Its identifier is made of exception type, innermost frame in the tool's own code, and the
    message without what differs from call to call.

    Args:
        roots: the files and folders of the tool's own code.
    """
    verdict = _verdict(outcome, arguments, roots)
    if verdict is None:
        return None
    message = outcome.text if verdict.kind == "returned" else outcome.message
    standing, because = standing_of(
        verdict.kind,
        outcome,
        arguments,
        exception=verdict.exception,
        message=message,
    )
    return msgspec.structs.replace(
        verdict, standing=standing, because=because, origin=outcome.origin
    )


def _verdict(
    outcome: CallOutcome, arguments: dict[str, Json], roots: tuple[str, ...]
) -> FailedCall | None:
    if outcome.status in ("rejected", "denied", "ok"):
        if (effect := effect_of(outcome, arguments)) is not None:
            kind, frame, message = effect
            return verdict_of(kind, None, frame, message, arguments)
        # After a refusal of ours an error text tells of that.
        if outcome.status != "ok" or outcome.attempts:
            return None
        return _result(outcome, arguments)
    frame = outcome.frame
    if outcome.status == "crash":
        frame = _crash_frame(outcome.tail, roots)
    # Where memory ran out, or a process ended, depends on more than the arguments.
    message = outcome.message
    if outcome.status == "memory":
        message = "ran out of the memory allowed to it"
    return verdict_of(outcome.status, outcome.exception, frame, message, arguments)


def _result(outcome: CallOutcome, arguments: dict[str, Json]) -> FailedCall | None:
    """The failure in what a call returned: an error as text, or not what is declared."""
    returned = _returned(outcome.text, arguments)
    if outcome.violation is not None and (returned is None or returned.weak):
        return verdict_of("output_type", None, None, outcome.violation, arguments)
    return returned


def _returned(text: str, arguments: dict[str, Json]) -> FailedCall | None:
    verdict = reads_as_error(text)
    if verdict is False or _echoes(text, arguments):
        return None
    match = _EXCEPTION.search(text[:_HEAD]) or _EXCEPTION.search(text[-_HEAD:])
    name = match.group(1) if match else None
    return verdict_of("returned", name, None, text, arguments, weak=verdict is None)


def verdict_of(
    kind: FindingKind,
    exception: str | None,
    frame: StackFrame | None,
    message: str,
    arguments: dict[str, Json],
    *,
    weak: bool = False,
) -> FailedCall:
    """A failure with the identifier that groups it; arguments as the fields of ``FailedCall``.

    Args:
        arguments: their values are taken out of the message before it is compared.
    """
    reason = reason_in(message) if kind == "returned" else message
    is_wrapped = reason != message.strip() and kind == "returned"
    telling = _telling(reason if is_wrapped else message)
    place = "" if frame is None else f"{Path(frame.file).name}:{frame.line}"
    key = [kind, exception or "", place, normalise(telling, arguments)[:_KEYED]]
    return FailedCall(
        kind=kind,
        exception=exception,
        frame=frame,
        message=stable(message, longest=_SHOWN),
        id=hashlib.sha256(json.dumps(key).encode("ascii")).hexdigest()[:10],
        weak=weak,
        reason=stable(reason, longest=_SHOWN) if is_wrapped else "",
    )


def _telling(message: str) -> str:
    """What of a message tells its failure from others: the first line, below which details follow
    that repeat the arguments; all of a document or a traceback."""
    text = message.strip()
    if text[:1] in ("{", "[") or "Traceback" in text[:200]:
        return message
    return text.partition("\n")[0]


def _echoes(text: str, arguments: dict[str, Json]) -> bool:
    return any(
        len(part.strip()) >= _ECHO and text.startswith(part.strip())
        for part in _argument_texts(arguments)
    )


def _argument_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in arguments, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _DEPTH:
        parts = cast("Any", value)
        if isinstance(value, dict):
            yield from (key for key in parts if depth)
            parts = parts.values()
        for part in parts:
            yield from _argument_texts(part, depth + 1)


def _crash_frame(tail: str, roots: tuple[str, ...]) -> StackFrame | None:
    """The innermost own frame in what Python's fault handler wrote before the process died."""
    for file, line, function in _CRASHED_AT.findall(tail):
        if any(file == root or (root.endswith("/") and file.startswith(root)) for root in roots):
            source = linecache.getline(file, int(line)).strip()[:_SHOWN]
            return StackFrame(file=file, line=int(line), source=source, function=function)
    return None
