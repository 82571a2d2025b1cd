"""The one registry through which every output of a site passes on its way to the code that
consumes it.

Who registers: learning what the model really said (``CAPTURE``), adapt its repair (``ADAPT``).
``SUPERVISE`` is the place for whoever judges what the application will see; nothing of knitbone
registers there yet. Recording does not come this way: it hooks the libraries
(``tethering/capture``).

Fail open: whatever a hook of ours raises is logged and the value goes on as it was before that
hook. The one exception is ``RequirementViolation``, which ``strict`` mode asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.config import is_disabled
from knitbone.errors import RequirementViolation

__all__ = ["Hook", "Registration", "Stage", "deliver", "is_observed", "register"]

_logger = get_logger(__name__)

Hook = Callable[[Any, Any], Any]
"""Called with the value and the site that produced it; returns the value to pass on. A hook that
has nothing to do returns the same object."""


class Stage(IntEnum):
    """When a hook runs. Capture sees what the model really said; supervise sees what the
    application will see."""

    CAPTURE = 0
    ADAPT = 1
    SUPERVISE = 2


class Registration:
    """A hook in the registry; also a context manager that removes it."""

    def __init__(self, stage: Stage, hook: Hook) -> None:
        self.stage = stage
        self.hook = hook

    def remove(self) -> None:
        """Take the hook out of the registry; a second time does nothing."""
        with _lock:
            _keep(tuple(entry for entry in _hooks if entry is not self))

    def __enter__(self) -> Registration:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


_lock = new_lock()
_hooks: tuple[Registration, ...] = ()
_observed = False


def register(stage: Stage, hook: Hook) -> Registration:
    """Add a hook; within a stage, hooks run in the order of their registration."""
    registration = Registration(stage, hook)
    with _lock:
        _keep(tuple(sorted((*_hooks, registration), key=lambda entry: entry.stage)))
    return registration


def _keep(hooks: tuple[Registration, ...]) -> None:
    global _hooks, _observed  # noqa: PLW0603 - readers see either the old tuple or the new one
    _hooks = hooks
    _observed = any(entry.stage is not Stage.ADAPT for entry in hooks)


def is_observed() -> bool:
    """Whether somebody beside ADAPT wants to see every value, also those that nothing adapts."""
    return _observed


def deliver(value: Any, site: Any) -> Any:
    """Pass a value through all hooks, in the order of the stages.

    Returns the value for the application: the same object where no hook changed it, and always
    the same object while ``KNITBONE_DISABLED`` is set.
    """
    if not _hooks or is_disabled():
        return value
    for entry in _hooks:
        try:
            value = entry.hook(value, site)
        except RequirementViolation:
            raise
        except Exception:  # noqa: BLE001 - no error of ours may reach the application
            log(
                _logger,
                logging.ERROR,
                "hook failed; value passed on unchanged",
                exc_info=True,
                stage=entry.stage.name,
                site=str(site),
            )
    return value
