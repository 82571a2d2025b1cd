"""Fail open: an error of supervision never reaches the application."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from knitbone._logging import get_logger, log

__all__ = ["guarded"]

_logger = get_logger(__name__)
_Result = TypeVar("_Result")


def guarded(function: Callable[..., _Result]) -> Callable[..., _Result | None]:
    """The function, which gives nothing where it would raise; that is logged."""

    @functools.wraps(function)
    def safe(*args: Any, **kwargs: Any) -> _Result | None:
        try:
            return function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - see above
            by = function.__qualname__
            log(_logger, logging.ERROR, "call not supervised", exc_info=True, by=by)
            return None

    return safe
