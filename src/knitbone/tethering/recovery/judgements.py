"""Whether an attempt succeeded, as the caller's own check says it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from knitbone.errors import KnitboneError

__all__ = ["Judgement", "SuccessCheck", "asks_for_run", "judgement_of", "positional_arguments"]

SuccessCheck = Callable[..., Any]
"""Called with what the agent returned, and with the recorded run where it takes a second argument.
Gives ``True``, ``False``, ``None`` (not known yet) or a ``Judgement``; may be a coroutine."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement of one attempt."""

    success: bool | None
    """``None``: nobody has judged it yet."""
    reason: str = ""
    """In words; the strategy ``outcome`` passes them on to the next attempt."""


def judgement_of(given: object) -> Judgement:
    """Read what a success check gave.

    Raises:
        KnitboneError: it is neither a truth value, nor ``None``, nor a ``Judgement``. A text or a
            number is not taken for one: ``"failed"`` would be true.
    """
    if isinstance(given, Judgement):
        return given
    if given is None or isinstance(given, bool):
        return Judgement(success=given)
    if type(given).__name__ in ("bool_", "bool") and hasattr(given, "item"):  # numpy's
        return Judgement(success=bool(given))
    raise KnitboneError(
        f"The success check gave {given!r:.100} ({type(given).__name__}).",
        next_step="Return True, False, None, or knitbone.Judgement(success=..., reason=...).",
    )


def asks_for_run(check: SuccessCheck) -> bool:
    """Whether a success check takes the recorded run as its second argument."""
    return positional_arguments(check) >= 2


def positional_arguments(function: Callable[..., Any]) -> int:
    """Count the arguments that a function takes by position; 1 where that cannot be read."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_position and p.default is p.empty for p in parameters)
