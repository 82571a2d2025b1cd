"""What a user writes: ``@knitbone.adapt`` on an entry function, ``@knitbone.source`` on a function
of one's own that returns what a model or retriever said."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any, Literal, TypeVar, cast, get_args, overload

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.missing import missing_extras
from knitbone.adaptation.runtime.decorated_functions import (
    DecoratedFunction,
    decorated_functions,
    in_class,
    note_function,
)
from knitbone.adaptation.runtime.listeners import Listener, listening
from knitbone.adaptation.runtime.registry import process_counts
from knitbone.adaptation.runtime.summary import SUMMARY, Report
from knitbone.config import AdaptConfig, is_disabled, load_config
from knitbone.errors import ConfigError

__all__ = ["adapt", "report", "source", "summary"]

_logger = get_logger(__name__)
_Function = TypeVar("_Function", bound=Callable[..., Any])

Mode = Literal["repair", "observe", "strict"]


@overload
def adapt(function: _Function, /) -> _Function: ...
@overload
def adapt(
    *,
    mode: Mode | None = None,
    budget_ms: float | None = None,
    quiet: bool | None = None,
    on_repair: Listener | None = None,
) -> Callable[[_Function], _Function]: ...
def adapt(
    function: Any = None,
    /,
    *,
    mode: Mode | None = None,
    budget_ms: float | None = None,
    quiet: bool | None = None,
    on_repair: Listener | None = None,
) -> Any:
    """Adapt model outputs inside this function and everything it reaches in its own package.

    On a class it covers every method that the class itself defines. The same object is returned.
    What the code expects of each output is read from the code. Where no output is recognised,
    nothing is required of it, or the function cannot be instrumented, it runs untouched: one line
    on standard error and ``knitbone.summary()`` say why.

    Args:
        mode: ``repair`` (the default), ``observe`` (change nothing, report) or ``strict`` (raise
            ``RequirementViolation``); overrides the configuration, as the others do.
        budget_ms: longest time spent on one output, in milliseconds.
        quiet: say nothing on standard error where nothing is adapted.
        on_repair: called with each ``knitbone.Repair`` once the value is ready for delivery (of a
            stream, when it has ended), in the thread that gets it; in ``observe`` mode with what
            would be done. What it raises is logged. A coroutine function becomes a task of the
            loop that runs there, and without one is run to its end. A repair that is made while
            it runs is not told.

    Raises:
        ConfigError: the configuration or an argument cannot be used; at decoration, never later.
    """
    if isinstance(function, str) and function in get_args(Mode):
        raise ConfigError(
            f"adapt({function!r}) names no setting.",
            next_step=f"Write @knitbone.adapt(mode={function!r}).",
        )
    settings = {
        "mode": mode, "budget_ms": budget_ms, "quiet": quiet,
    }  # fmt: skip
    given = {name: value for name, value in settings.items() if value is not None}
    # Switched off means off: not even the configuration is read.
    config = None if is_disabled() else listening(load_config(adapt=given).adapt, on_repair)
    if config is not None and config.without:
        from knitbone.adaptation.repair.scenarios import check_names  # noqa: PLC0415 - loads them all

        check_names(config.without)

    def decorate(target: Any) -> Any:
        if config is not None:
            _instrument(target, config)
        return target

    return decorate if function is None else decorate(function)


def _instrument(target: Any, config: AdaptConfig) -> None:
    name = _name_of(target)
    # A class stands for all methods that it defines itself.
    if isinstance(target, type) and target.__module__ != "builtins":
        noted = [_instrument_function(each, config) for each in _members(cast("Any", target))]
        note_function(in_class(name, noted), quiet=config.quiet)
    else:
        note_function(_instrument_function(target, config), quiet=config.quiet)


def _name_of(target: Any) -> str:
    kind = f"{type(target).__qualname__} object"
    return f"{getattr(target, '__module__', '?')}.{getattr(target, '__qualname__', kind)}"


def _instrument_function(target: Any, config: AdaptConfig) -> DecoratedFunction:
    # The analysis is loaded for those who use it, not for ``knitbone.source``.
    from knitbone.adaptation.runtime.instrument.install import (  # noqa: PLC0415
        instrument_entry,
        plain_function,
    )
    from knitbone.adaptation.runtime.instrument.reach import untouched  # noqa: PLC0415
    from knitbone.adaptation.runtime.instrument.reasons import drop_reason, keep_reason  # noqa: PLC0415
    from knitbone.adaptation.runtime.instrument.transform import InstrumentationError  # noqa: PLC0415 - see above

    name = _name_of(target)
    running = None
    try:
        function = plain_function(target)
        running = function.__code__
        noted = instrument_entry(function, config)
        drop_reason(name)
    except InstrumentationError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - fail open: the application runs uninstrumented
        reason = f"internal error: {error!r}"
        log(_logger, logging.ERROR, "instrumentation failed", exc_info=True, function=name)
    else:
        return noted
    keep_reason(name, reason)
    called = getattr(vars(cast("type[Any]", type(target))).get("__call__"), "__code__", None)
    return untouched(name, running, reason, called=called)


def _members(target: type[Any]) -> list[Any]:
    """What a class itself defines that runs code: methods, properties, class and static ones."""
    kinds = (FunctionType, staticmethod, classmethod, property, cached_property)
    return [member for member in vars(target).values() if isinstance(member, kinds)]


@overload
def source(function: _Function, /) -> _Function: ...
@overload
def source(*, name: str | None = None) -> Callable[[_Function], _Function]: ...
def source(function: Any = None, /, *, name: str | None = None) -> Any:
    """Mark a function whose return value is what a model or a retriever said.

    The function is returned as it is, with an attribute; ``name`` is how reports call it.
    """

    def decorate(target: Any) -> Any:
        try:
            target.__knitbone_source__ = name or getattr(target, "__qualname__", "source")
        except (AttributeError, TypeError):
            # Builtins and slotted objects take no attribute; the analysis reads the mark itself.
            log(_logger, logging.DEBUG, "source mark not kept", target=repr(target))
        return target

    return decorate if function is None else decorate(function)


def summary() -> Report:
    """What adapt did in this process so far, and which decorated functions it does nothing in."""
    from knitbone.adaptation.runtime.instrument.reasons import reasons  # noqa: PLC0415

    return Report(
        sites=process_counts(),
        adaptations=SUMMARY.adaptations,
        observations=SUMMARY.observations,
        unlisted=SUMMARY.unlisted,
        untouched=reasons(),
        missing=missing_extras(),
        functions=decorated_functions(),
    )


report = summary
"""The name under ``knitbone.adaptation``; in the package itself it would hide the reports."""
