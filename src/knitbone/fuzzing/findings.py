"""The judge: which outcomes are failures, and which failures are the same one."""

from __future__ import annotations

import hashlib
import json
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.fuzzing.effects import effect_of
from knitbone.fuzzing.normalise import normalise, stable
from knitbone.fuzzing.reasons import WordedFailure, reason_in
from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin, FindingKind, StackFrame, Standing
from knitbone.fuzzing.returned import reads_as_error
from knitbone.fuzzing.standing import standing_of
from knitbone.record.events import Json

__all__ = ["FailedCall", "judge", "verdict_of"]

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
        len(part.strip()) >= _ECHO and text.startswith(part.strip()) for part in _texts(arguments)
    )


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in arguments, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _DEPTH:
        parts = cast("Any", value)
        if isinstance(value, dict):
            yield from (key for key in parts if depth)
            parts = parts.values()
        for part in parts:
            yield from _texts(part, depth + 1)


def _crash_frame(tail: str, roots: tuple[str, ...]) -> StackFrame | None:
    """The innermost own frame in what Python's fault handler wrote before the process died."""
    for file, line, function in _CRASHED_AT.findall(tail):
        if any(file == root or (root.endswith("/") and file.startswith(root)) for root in roots):
            source = linecache.getline(file, int(line)).strip()[:_SHOWN]
            return StackFrame(file=file, line=int(line), source=source, function=function)
    return None
