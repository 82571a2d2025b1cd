"""The sites of this process, the hook that adapts their values, and the report on both."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

import msgspec

from knitbone._forks import interrupted, new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.conclusion import settle
from knitbone.adaptation.repair.decision import Decision
from knitbone.adaptation.repair.engine import adapt_value
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.ahead import go_on, load_ahead
from knitbone.adaptation.runtime.functions import DecoratedFunction, note_unchecked
from knitbone.adaptation.runtime.hearing import (
    HOLDER,
    SYSTEM,
    hear,
    hear_system,
    hear_tools,
    heard_by,
    offer_of,
)
from knitbone.adaptation.runtime.live import LiveSite
from knitbone.adaptation.runtime.streaming import StreamedAnswer, WatchedAnswer
from knitbone.adaptation.runtime.summary import SUMMARY, SiteCounts
from knitbone.adaptation.runtime.values.managers import wrap_manager
from knitbone.adaptation.runtime.values.streams import is_stream, wrap_stream
from knitbone.common.hooks import Stage, deliver, is_observed, register
from knitbone.config import AdaptConfig, is_disabled
from knitbone.record.events import Adaptation

__all__ = [
    "Report",
    "deliver_numbered",
    "deliver_output",
    "executed_sites",
    "forget_counts",
    "known_sites",
    "live_sites",
    "number_site",
    "process_counts",
    "set_pulse",
    "tap_streams",
]


_logger = get_logger(__name__)
_lock = new_lock()
_sites: dict[int | str, LiveSite] = {}
_configs: dict[str, AdaptConfig] = {}
"""The settings that hold in a file: those of its site that was switched on last."""
_taps: list[Callable[[Any, LiveSite], Any]] = []
_INTERRUPTED = "the process was forked while another thread loaded what the check needs"
_PLAIN = frozenset({str, list, dict, tuple, type(None), int, float, bool, bytes})

# ``os.environ`` encodes every name that it is asked for, which takes longer than all the rest.
_environment: Any = getattr(os.environ, "_data", os.environ)
_encode: Any = getattr(os.environ, "encodekey", str)
_SWITCH: Any = _encode("KNITBONE_DISABLED") if _environment is not os.environ else ""


_pulse: Callable[[], None] | None = None


def set_pulse(pulse: Callable[[], None]) -> None:
    """Call ``pulse`` after every value: a process may end without a chance to say what it did."""
    global _pulse  # noqa: PLW0603 - set once, at the start of a launched process
    _pulse = pulse


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What adapt did in this process so far."""

    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    """The last ones, oldest first."""
    untouched: dict[str, str]
    """Functions that could not be instrumented and run as they were, with the reason."""
    missing: tuple[str, ...] = ()
    """What is not checked because a library is not installed, each with what to install."""
    functions: tuple[DecoratedFunction, ...] = ()
    """What carries ``@knitbone.adapt``, and why nothing is adapted in it where that is so."""


class _Ended(NamedTuple):
    """A stream that has ended, for hooks that want to know what was said."""

    live: LiveSite
    text: str
    """What the application got."""

    def __str__(self) -> str:
        return str(self.live)


def number_site(site: Site, config: AdaptConfig) -> int:
    """Adapt the values of a site from now on; its number.

    The entry function decorated last configures the site.
    """
    number = site.number
    live = LiveSite(site, config)
    with _lock:
        if not _sites:
            register(Stage.ADAPT, _hook)
        if number in _sites:
            live.executed = _sites[number].executed
        _sites[number] = live
        _configs[site.file] = config
    load_ahead(live.load)
    return number


def deliver_numbered(value: Any, number: int | str, *told: Any) -> Any:
    """What an instrumented expression calls with its value.

    Args:
        number: of the site; negative for what the site's call is told; ``file:line`` for a tool
            that is looked up by a computed name.
        told: of a loop that cuts a text: text and width at its range, the start at its slice; of
            a loop that refines an answer: what the iteration before left; of the arguments of a
            tool call: the object whose field they are; of what a call is told about tools:
            ``file:line``; of a list that the application ranks: parameters, then variables, of
            which one holds the text that it is ranked by.
    """
    live = _sites.get(number)
    # Code may come from another process (cloudpickle), where its site is not known here.
    if live is None or (_SWITCH in _environment and is_disabled()):
        return _deliver_other(value, number, *told)
    if live.brings_call:
        return _deliver_call(value, live, *told)
    if live.site.queries:
        return _deliver_ranked(value, live, *told)
    if told:
        cuts = live.site.kind == "splitter"
        return (_deliver_cut if cuts else _deliver_iteration)(value, live, *told)
    if live.special:
        return _deliver_special(value, live.number)
    live.executed += 1
    if not live.idle or is_observed():
        if type(value) not in _PLAIN and is_stream(value, expected=live.site.streamed):
            value = _deliver_stream(value, live)
        elif not (live.site.streamed and _opens_stream(value, live)):
            value = deliver(value, live)
    if _pulse is not None:
        _pulse()
    return value


def _opens_stream(value: Any, live: LiveSite) -> bool:
    """Whether the value is a context manager whose stream is adapted when it opens."""
    return wrap_manager(value, lambda opened: _deliver_stream(opened, live))


def _deliver_other(value: Any, number: int | str, place: str = "") -> Any:
    """What is no output: a question on its way to the model, the tools that it is told, or a tool
    about to be called."""
    if is_disabled():
        return value
    if isinstance(number, str):
        return _deliver_tool(value, number)
    if number < 0 and place == SYSTEM:
        _hear(value, -number, hear_system)
    elif number < 0 and place:
        hear_tools(value, -number, place)
    elif number < 0:
        _hear(value, -number, hear)
    return value


def _hear(value: Any, number: int, keep: Callable[[Any, int], None]) -> None:
    go_on()
    live = _sites.get(number)
    if live is not None and not live.idle:
        keep(value, number)


def _deliver_tool(value: Any, location: str) -> Any:
    config = _configs.get(location.rpartition(":")[0])
    if config is None:
        return value
    # Agents are rare; what they need is loaded for them.
    from knitbone.adaptation.runtime.tools import dispatched  # noqa: PLC0415

    try:
        return dispatched(value, location, config)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "tool not watched", exc_info=True, site=location)
        return value


def _deliver_call(value: Any, live: LiveSite, holder: Any = None) -> Any:
    """The arguments of a tool call."""
    live.executed += 1
    held = HOLDER.set(holder)
    try:
        value = deliver(value, live)
    finally:
        HOLDER.reset(held)
    if _pulse is not None:
        _pulse()
    return value


def _deliver_ranked(value: Any, live: LiveSite, *told: tuple[Any, ...]) -> Any:
    """A list that the application ranked itself."""
    live.executed += 1
    if not live.idle or is_observed():
        # Few applications rank entries themselves.
        from knitbone.adaptation.runtime.ranked import are_texts, as_list, query_of  # noqa: PLC0415

        value = as_list(value)
        query = query_of(told)
        if query and are_texts(value):
            hear(query, live.number)
            value = deliver(value, live)
    if _pulse is not None:
        _pulse()
    return value


def _deliver_iteration(
    value: Any, live: LiveSite, earlier: Any, compares: bool | None = None
) -> Any:
    """An answer of a loop that refines it; without ``compares``: whether the loop is over."""
    if compares is not None:
        live.iterate()
        value = deliver_numbered(value, live.number)
    if live.idle or not live.ends_loops:
        return value
    from knitbone.adaptation.runtime.refining import is_over, nothing_new, repeated  # noqa: PLC0415 - rare

    try:
        if compares is None:
            return is_over(live.number)
        if compares and value == earlier:
            return value  # the loop sees that itself
        if not nothing_new(value, earlier, live.number, live.begin()):
            return value
        decision = Decision(text="", outcomes=(repeated(value, earlier, live.site),))
        return earlier if settle(decision, live.site, live.config.mode, SUMMARY) else value
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "loop not adapted", exc_info=True, site=live.site.location)
        return value


def _deliver_cut(value: Any, live: LiveSite, *told: Any) -> Any:
    """The range of a loop that cuts a text, one of its pieces, or its step."""
    from knitbone.adaptation.runtime.cutting import deliver_cut  # noqa: PLC0415 - rare

    try:
        live.executed += len(told) in (1, 4)
        return deliver_cut(value, live.number, told, lambda pieces: deliver(pieces, live))
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "loop not adapted", exc_info=True, site=live.site.location)
        return value


def deliver_output(value: Any, number: int, asked: Any = None) -> Any:
    """What a wrapped model of a chain calls with each of its outputs, and what it was asked."""
    live = _sites.get(number)
    if live is None or (_SWITCH in _environment and is_disabled()):
        return value
    if asked is not None:
        _hear(asked, number, hear)
    live.executed += 1
    if not live.idle or is_observed():
        stream = is_stream(value, expected=True)
        value = _deliver_stream(value, live) if stream else deliver(value, live)
    if _pulse is not None:
        _pulse()
    return value


def _deliver_special(value: Any, number: int) -> Any:
    # Chains are rare; what they need is loaded for them.
    from knitbone.adaptation.runtime.instrument.chains import wrap_model  # noqa: PLC0415

    try:
        return wrap_model(value, number)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "model of a chain not wrapped", exc_info=True)
        return value


def _deliver_stream(value: Any, live: LiveSite) -> Any:
    def tell(said: str, passed_on: str) -> None:
        deliver(said, _Ended(live, passed_on))

    listener = tell if is_observed() else None
    if not live.idle and not interrupted():
        answer = StreamedAnswer(
            live.site, live.plan, live.begin(heard_by(live.number)), SUMMARY, listener
        )
        value = wrap_stream(value, answer)
    elif listener is not None:
        value = wrap_stream(value, WatchedAnswer(listener))
    for tap in _taps:
        value = tap(value, live)
    return value


def tap_streams(tap: Callable[[Any, LiveSite], Any]) -> None:
    """Pass every stream, as the application would get it, through one function more; it must not
    raise."""
    _taps.append(tap)


def _hook(value: Any, site: Any) -> Any:
    if isinstance(site, LiveSite):
        if interrupted():
            SUMMARY.count(site.site, "failed", reason=_INTERRUPTED)
            return value
        if site.brings_call:
            return _adapt_call(value, site)
        if site.plan.idle:
            site.idle = True
            note_unchecked(site.site.place, quiet=site.config.quiet)
            return value
        asked = heard_by(site.number)
        return adapt_value(
            value, site.site, site.plan, SUMMARY, lambda texts: site.begin(asked, texts=texts)
        )
    if isinstance(site, _Ended):
        return site.text
    return value


def _adapt_call(value: Any, site: LiveSite) -> Any:
    """The arguments of a tool call, by what the code reads and by the tool's own schema."""
    asked = heard_by(site.number)
    plan = site.calls.plan_of(value, HOLDER.get(), offer_of(site.number))
    if plan.idle:
        SUMMARY.count(site.site, "unchecked")
        return value

    def adapt(given: Any) -> Any:
        return adapt_value(
            given,
            site.site,
            plan,
            SUMMARY,
            lambda texts: site.begin(asked, texts=texts, plan=plan),
        )

    if not isinstance(value, dict):
        return adapt(value)
    from knitbone.adaptation.runtime.arguments import adapt_object  # noqa: PLC0415 - agents are rare

    return adapt_object(cast("dict[str, Any]", value), adapt)


def executed_sites() -> dict[str, int]:
    """Sites through which values passed (``file:line:column``), and how many."""
    with _lock:
        return {live.site.place: live.executed for live in _sites.values() if live.executed}


def live_sites() -> tuple[LiveSite, ...]:
    """All sites that are switched on in this process."""
    with _lock:
        return tuple(_sites.values())


def known_sites() -> tuple[str, ...]:
    """The same as ``file:line:column``."""
    return tuple(live.site.place for live in live_sites())


def process_counts() -> tuple[SiteCounts, ...]:
    """The counts of every site through which a value passed in this process."""
    idle: dict[str, tuple[Literal["unchecked", "plain"], int]] = {}
    with _lock:
        for live in _sites.values():
            if live.idle and live.executed:
                known = bool(live.site.acting(live.config))
                _, before = idle.get(live.site.location, ("plain", 0))
                number = before + live.executed
                idle[live.site.location] = ("unchecked" if known else "plain", number)
    return SUMMARY.snapshot(idle)


def forget_counts() -> None:
    """Begin to count anew: in a forked process, what the parent did is the parent's."""
    SUMMARY.clear()
    for live in _sites.values():
        live.executed = 0
