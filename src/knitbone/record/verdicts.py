"""Verdicts on a run that were given after it had ended: annotations, for a run is immutable.

Who reads a run from a store sees the latest verdict as its last event, so that everything which
asks for ``Run.outcome`` sees it; who gave it stands in its attributes (``SET_BY``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import StoreError
from knitbone.record.events import Annotation, Outcome, Run, success_of
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.redaction import Redactor
from knitbone.record.store import RunStore

__all__ = ["SET_BY", "LaterOutcome", "judge", "judged", "latest", "set_by", "verdict_of"]

SET_BY = "knitbone.outcome.set_by"
"""Attribute of a verdict that was given later: ``command`` or ``code``."""


class LaterOutcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of an annotation of the kind ``outcome``."""

    by: Literal["command", "code"]
    success: bool | None = None
    reward: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "success", success_of(self.success, self.reward))


def verdict_of(annotation: Annotation) -> LaterOutcome:
    """What an annotation of the kind ``outcome`` says.

    Raises:
        StoreError: its body is no verdict.
    """
    try:
        return msgspec.convert(annotation.body, LaterOutcome)
    except msgspec.ValidationError as error:
        raise StoreError(
            f"The outcome {annotation.id} of the run {annotation.run} is no verdict: {error}.",
            next_step='Its body is an object such as {"success": false, "by": "code"}.',
        ) from error


def judge(store: RunStore, run: str, verdict: LaterOutcome, *, redactor: Redactor) -> Annotation:
    """Add a verdict to the run whose identifier starts with ``run``; the latest one counts.

    Raises:
        StoreError: there is no such run, or there are several; or nothing can be written.
    """
    made = Annotation(
        id=new_identifier(), run=store.find(run), kind="outcome", created_ns=now_ns(),
        body=msgspec.to_builtins(redactor.record(verdict)),
    )  # fmt: skip
    store.annotate(made)
    return made


def latest(recorded: Outcome | None, annotations: Iterable[Annotation]) -> Outcome | None:
    """The verdict that counts: the last one that was given.

    The exception that ended the run stays known: it is no verdict. One of the same word keeps the
    reward and the reason, too.
    """
    given = [each for each in annotations if each.kind == "outcome"]
    last = max(given, key=lambda each: each.created_ns, default=None)
    if last is None or (recorded is not None and recorded.started_ns > last.created_ns):
        return recorded
    said = verdict_of(last)
    agrees = recorded is not None and recorded.success == said.success
    known = recorded if recorded is not None and agrees else Outcome(id=last.id)
    attributes = recorded.attributes if recorded is not None else {}
    ended = {k: v for k, v in attributes.items() if k.startswith("exception.")}
    return Outcome(
        id=last.id, started_ns=last.created_ns, ended_ns=last.created_ns, success=said.success,
        reward=known.reward if said.reward is None else said.reward,
        reason=said.reason or known.reason,
        attributes={**ended, **known.attributes, SET_BY: said.by},
    )  # fmt: skip


def set_by(outcome: Outcome | None) -> str | None:
    """Who gave a verdict after the run; ``None`` where it was recorded with the run."""
    who = outcome.attributes.get(SET_BY) if outcome is not None else None
    return None if who is None else printable(str(who), limit=20)


def judged(run: Run, annotations: Iterable[Annotation]) -> Run:
    """The run with the verdict that counts."""
    last = latest(run.outcome, annotations)
    if last is None or last is run.outcome:
        return run
    return msgspec.structs.replace(run, events=(*run.events, last))
