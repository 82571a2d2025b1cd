"""The steps of a campaign that cost something: made once, journaled, and told again on resuming.

A campaign is deterministic given its settings and what its steps brought. So the journal holds what
each step brought, what it charged and how long it took; a resumed campaign runs from its beginning
and is answered from the journal until that is exhausted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from knitbone import errors
from knitbone.errors import InputFormatError, ModelError
from knitbone.fuzzing.documentation.memory import AnswerMemory
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.journal import Journal, JournalStep
from knitbone.models.chat import Completion
from knitbone.record.events import Json, Usage
from knitbone.record.redaction import Redactor

__all__ = ["Steps"]

_Value = TypeVar("_Value", bound=msgspec.Struct)


class _FailedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A model that could not be asked: it fails again on resuming."""

    type: str
    message: str
    next_step: str | None = None


class _MadeStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    took: float
    charged: tuple[Usage, ...] = ()
    answers: dict[str, Completion] = {}
    error: _FailedStep | None = None
    value: Json = None


class Steps:
    """Makes the steps of one campaign.

    Args:
        journal: where they are kept; nowhere if not given.
        memory: answers of models, which are kept with the step that asked for them.
        redactor: takes secrets out of what a step brings, before anything else sees it.
    """

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal | None = None,
        memory: AnswerMemory | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._ledger = ledger
        self._journal = journal
        self._memory = memory or AnswerMemory()
        self._redactor = redactor or Redactor()

    def take(
        self, stage: str, request: Json, kind: type[_Value], make: Callable[[], _Value]
    ) -> _Value:
        """What a step brings.

        Args:
            request: all that it depends on, so that a journal of another campaign is noticed.
            kind: type of what it brings.
            make: makes it.

        Raises:
            ModelError: ``make`` raised it, now or when it was made first.
            InputFormatError: the journal is damaged, or of another campaign.
        """
        key = _digest([stage, request])
        if self._journal is not None and (found := self._journal.answer_step(key)) is not None:
            return self._told(stage, found, kind)
        error: ModelError | None = None
        value: _Value | None = None
        self._memory.take_fresh()
        with self._ledger.step(stage):
            try:
                value = self._redactor.record(make())
            except ModelError as failed:
                error = failed
        self._record(key, value, error)
        if error is not None:
            raise error
        return value  # pyright: ignore[reportReturnType] - made, where nothing was raised

    def _told(self, stage: str, found: JournalStep, kind: type[_Value]) -> _Value:
        try:
            step = msgspec.convert(found.value, _MadeStep)
            value = None if step.error is not None else msgspec.convert(step.value, kind)
        except msgspec.ValidationError as wrong:
            raise InputFormatError(
                f"A step of the journal cannot be read: {wrong}.",
                next_step="Start the campaign anew without --resume.",
            ) from wrong
        self._memory.restore(step.answers)
        with self._ledger.step(stage, took=step.took):
            for usage in step.charged:
                self._ledger.charge(usage)
        if step.error is not None:
            named: Any = getattr(errors, step.error.type, ModelError)
            raise named(step.error.message, next_step=step.error.next_step)
        return value  # pyright: ignore[reportReturnType] - there, where nothing was raised

    def _record(self, key: str, value: object, error: ModelError | None) -> None:
        if self._journal is None:
            return
        told = (
            None
            if error is None
            else _FailedStep(
                type=type(error).__name__, message=error.message, next_step=error.next_step
            )
        )
        step = _MadeStep(
            took=self._ledger.took,
            charged=self._ledger.charged,
            answers={
                name: self._redactor.record(answer)
                for name, answer in self._memory.take_fresh().items()
            },
            error=told,
            value=value,
        )
        self._journal.record_step(JournalStep(key=key, value=msgspec.to_builtins(step)))


def _digest(request: Json) -> str:
    text = json.dumps(request, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()
