"""A recovery as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from knitbone.common.printable import printable
from knitbone.report.wording import count
from knitbone.tethering.recovery.records import (
    AttemptBegan,
    Recovery,
    RecoveryAttempt,
    RecoveryEvent,
)

__all__ = ["event_line", "recovery_lines", "recovery_record"]

_VERDICTS = {True: "succeeded", False: "failed", None: "not judged"}
_REASON = 160


def event_line(event: RecoveryEvent) -> str:
    """One line as it happens."""
    if isinstance(event, AttemptBegan):
        told = event.guidance.text if event.guidance is not None else ""
        head = f"attempt {event.number}"
        if told:
            head += ", told:"
        elif event.guidance is not None:
            head += ", told nothing: nothing on record says what to do otherwise"
        return "\n".join([head, *(f"    {printable(line)}" for line in told.splitlines())])
    return f"    {_attempt(event.attempt)}"


def _attempt(attempt: RecoveryAttempt) -> str:
    parts = [
        _VERDICTS[attempt.success] + (f": {printable(attempt.reason, limit=_REASON)}"
                                      if attempt.reason else ""),
        count(attempt.steps, "step"),
    ]  # fmt: skip
    if attempt.tokens:
        parts.append(count(attempt.tokens, "token"))
    if attempt.interventions:
        parts.append(f"corrected {count(attempt.interventions, 'time')}")
    return "   ".join([*parts, f"{attempt.seconds:.1f} s"])


def recovery_lines(recovery: Recovery) -> Iterator[str]:
    """How it ended, and what to do next."""
    made = len(recovery.attempts)
    if recovery.success:
        repairs = "the first repair" if made == 2 else f"repair {made - 1}"
        yield "Done at once." if made == 1 else f"Done at {repairs}."
    else:
        yield f"Not done ({recovery.ending}): {printable(recovery.reason)}."
    last = recovery.attempts[-1].run if recovery.attempts else None
    if last is not None:
        look = "runs show" if recovery.success else "diagnose"
        yield f"Next: knitbone {look} {last}"
    if recovery.ending == "no verdict":
        yield "      give a check with --succeeded, so that failed attempts are told apart"


def recovery_record(recovery: Recovery) -> dict[str, Any]:
    """All of it, for machines."""
    return {
        "success": recovery.success,
        "repaired": recovery.repaired,
        **msgspec.to_builtins(recovery),
    }
