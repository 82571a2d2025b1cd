"""What a tool said, without secrets: it goes into journals, findings, tests, pages and messages."""

from __future__ import annotations

import msgspec

from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin, StackFrame
from knitbone.record.redaction import Redactor

__all__ = ["without_secrets"]


def without_secrets(outcome: CallOutcome, redactor: Redactor) -> CallOutcome:
    """The outcome of a call without secrets in what the tool returned, raised or printed. The same
    object where there are none, as for nearly all calls."""
    changed = {
        name: cleaned
        for name in ("text", "message", "tail", "violation")
        if (said := getattr(outcome, name)) and (cleaned := redactor.text(said)) != said
    }
    frame = _frame(outcome.frame, redactor)
    origin = _origin(outcome.origin, redactor)
    if not changed and frame is outcome.frame and origin is outcome.origin:
        return outcome
    return msgspec.structs.replace(outcome, **changed, frame=frame, origin=origin)


def _frame(frame: StackFrame | None, redactor: Redactor) -> StackFrame | None:
    if frame is None or (source := redactor.text(frame.source)) == frame.source:
        return frame
    return msgspec.structs.replace(frame, source=source)


def _origin(origin: ExceptionOrigin | None, redactor: Redactor) -> ExceptionOrigin | None:
    if origin is None:
        return None
    cause, said = _origin(origin.cause, redactor), redactor.text(origin.said)
    if cause is origin.cause and said == origin.said:
        return origin
    return msgspec.structs.replace(origin, cause=cause, said=said)
