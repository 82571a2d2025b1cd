"""The checks that this process lacks because a library is not installed."""

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
    """Remember what is not checked, and what to install; the log says it once."""
    message = str(error)
    with _lock:
        known = message in _missing
        _missing[message] = None
    if not known:
        log(_logger, logging.WARNING, "feature not checked", reason=message)


def missing_extras() -> tuple[str, ...]:
    """List what was asked for and is not checked, each with what to install."""
    with _lock:
        return tuple(_missing)


def forget_missing() -> None:
    """Start anew; for tests."""
    with _lock:
        _missing.clear()
