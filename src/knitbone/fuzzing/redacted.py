"""What a tool said, without secrets: it goes into journals, findings, tests, pages and messages."""

from __future__ import annotations

import msgspec

from knitbone.core.redaction import Redactor
from knitbone.fuzzing.records import Frame, Outcome

__all__ = ["without_secrets"]


def without_secrets(outcome: Outcome, redactor: Redactor) -> Outcome:
    """The outcome of a call without secrets in what the tool returned, raised or printed. The same
    object where there are none, as for nearly all calls."""
    changed = {
        name: cleaned
        for name in ("text", "message", "tail", "violation")
        if (said := getattr(outcome, name)) and (cleaned := redactor.text(said)) != said
    }
    frame = _frame(outcome.frame, redactor)
    if not changed and frame is outcome.frame:
        return outcome
    return msgspec.structs.replace(outcome, **changed, frame=frame)


def _frame(frame: Frame | None, redactor: Redactor) -> Frame | None:
    if frame is None or (source := redactor.text(frame.source)) == frame.source:
        return frame
    return msgspec.structs.replace(frame, source=source)
