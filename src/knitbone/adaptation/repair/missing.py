"""The libraries that a check needs and that are not installed, so that something stays
unchecked."""

from __future__ import annotations

import logging

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.errors import MissingExtraError

__all__ = ["forget_missing", "missing_extras", "note_missing"]

_logger = get_logger(__name__)
_lock = new_lock()
_missing: dict[str, None] = {}


def note_missing(error: MissingExtraError) -> None:
    """Remember what is not checked, and what to install; log it once."""
    message = str(error)
    with _lock:
        known = message in _missing
        _missing[message] = None
    if not known:
        log(_logger, logging.WARNING, "feature not checked", reason=message)


def missing_extras() -> tuple[str, ...]:
    """Return what is not checked for want of a library, each with what to install."""
    with _lock:
        return tuple(_missing)


def forget_missing() -> None:
    """Forget all; for tests."""
    with _lock:
        _missing.clear()
