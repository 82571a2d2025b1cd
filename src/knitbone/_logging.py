"""Structured logging, silent until the application asks for it.

Every logger hangs below ``knitbone`` and carries a ``NullHandler``, so nothing is printed by
default. ``enable_logging`` (or ``KNITBONE_LOG=debug`` for a command and the processes that it
starts) adds one handler that writes one JSON object a line to standard error.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from knitbone.errors import ConfigError

__all__ = ["clean_lines", "enable_logging", "get_logger", "level_asked_for", "log"]

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

_ROOT = logging.getLogger("knitbone")
_ROOT.addHandler(logging.NullHandler())


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        body: dict[str, Any] = {
            "time": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            body["exception"] = self.formatException(record.exc_info)
        return _clean(msgspec.json.encode(body, enc_hook=repr).decode("utf-8", "replace"))


def _unchanged(line: str) -> str:
    return line


_clean: Callable[[str], str] = _unchanged


def clean_lines(clean: Callable[[str], str]) -> None:
    """Pass every line of the log through a function, which removes secrets; the base knows none."""
    global _clean  # noqa: PLW0603 - one for the process
    _clean = clean


def get_logger(name: str) -> logging.Logger:
    """The logger of a module; ``name`` is its ``__name__``."""
    return logging.getLogger(name)


def log(
    logger: logging.Logger, level: int, event: str, *, exc_info: bool = False, **fields: Any
) -> None:
    """Log an event name with its fields as data, not as formatted text."""
    if logger.isEnabledFor(level):
        extra: Mapping[str, Any] = {"fields": fields}
        logger.log(level, event, exc_info=exc_info, extra=extra)


def level_asked_for() -> str:
    """The level that ``KNITBONE_LOG`` names; empty where it names none.

    Raises:
        ConfigError: it is no level.
    """
    level = os.environ.get("KNITBONE_LOG", "").upper()
    if level and level not in _LEVELS:
        raise ConfigError(
            f"KNITBONE_LOG is {os.environ['KNITBONE_LOG']!r}, which is no level.",
            next_step=f"Known: {', '.join(_LEVELS).lower()}.",
        )
    return level


def enable_logging(level: int | str = logging.INFO) -> None:
    """Write knitbone's log to standard error, one JSON object a line."""
    for handler in _ROOT.handlers:
        if isinstance(handler.formatter, _JsonFormatter):
            _ROOT.setLevel(level)
            return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter())
    _ROOT.addHandler(handler)
    _ROOT.setLevel(level)
