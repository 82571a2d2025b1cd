"""The hook that adapts values and streams between a site and the application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from knitbone._forks import interrupted
from knitbone.adaptation.repair.engine import adapt_value
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.decorated_functions import note_unchecked
from knitbone.adaptation.runtime.exchange import Exchange, exchange_of, take_exchange
from knitbone.adaptation.runtime.listeners import tell_repairs
from knitbone.adaptation.runtime.streamed_answer import StreamedAnswer, WatchedAnswer
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.adaptation.runtime.values.streams import wrap_stream
from knitbone.common.hooks import deliver, is_observed

__all__ = ["adapt_site_value", "adapt_stream", "tap_streams"]

_INTERRUPTED = "the process was forked while another thread loaded what the check needs"
_taps: list[Callable[[Any, ActiveSite], Any]] = []


class _StreamEnd(NamedTuple):
    """A stream that has ended, for hooks that want its whole text."""

    active: ActiveSite
    text: str
    """The text that the application got."""

    def __str__(self) -> str:
        return str(self.active)


def adapt_site_value(value: Any, site: Any) -> Any:
    """Adapt a value for the consumers of its site; registered as the hook of the stage ADAPT.

    Args:
        site: an ``ActiveSite``; values of any other site pass as they are.
    """
    if isinstance(site, ActiveSite):
        if interrupted():
            SUMMARY.count(site.site, "failed", reason=_INTERRUPTED)
            return value
        if site.brings_call:
            value = _adapt_call(value, site)
            tell_repairs()
            return value
        if site.site.validated and (site.plan.idle or not isinstance(value, str)):
            if not site.site.streamed:
                take_exchange(site.number)
            if not site.reached:
                note_unchecked(site.site.place, quiet=site.config.quiet)
            return value  # an object of the output type
        if site.plan.idle:
            site.idle = True
            note_unchecked(site.site.place, quiet=site.config.quiet)
            return value
        exchange = take_exchange(site.number)
        value = adapt_value(
            value, site.site, site.plan, SUMMARY, lambda texts: site.begin(exchange, texts=texts)
        )
        tell_repairs()
        return value
    if isinstance(site, _StreamEnd):
        return site.text
    return value


def _adapt_call(value: Any, site: ActiveSite) -> Any:
    """Adapt the arguments of a tool call, by what the code reads and by the tool's own schema."""
    exchange = take_exchange(site.number)
    plan = site.calls.plan_of(value, exchange.holder, exchange.tools)
    if plan.idle:
        SUMMARY.count(site.site, "unchecked")
        return value

    def adapt(given: Any) -> Any:
        return adapt_value(
            given,
            site.site,
            plan,
            SUMMARY,
            lambda texts: site.begin(exchange, texts=texts, plan=plan),
        )

    if not isinstance(value, dict):
        return adapt(value)
    from knitbone.adaptation.runtime.arguments import adapt_object  # noqa: PLC0415 - agents are rare

    return adapt_object(cast("dict[str, Any]", value), adapt)


def adapt_stream(value: Any, active: ActiveSite) -> Any:
    """Adapt the answer of a stream, and tell the other hooks its text when it has ended."""

    def tell(said: str, passed_on: str) -> None:
        deliver(said, _StreamEnd(active, passed_on))

    listener = tell if is_observed() else None
    if not active.idle and not interrupted():
        # The validator of a library gets the answer when the stream has ended.
        take = exchange_of if active.site.validated else take_exchange
        invocation = active.begin(take(active.number) or Exchange())
        answer = StreamedAnswer(active.site, active.plan, invocation, SUMMARY, listener)
        value = wrap_stream(value, answer)
    elif listener is not None:
        value = wrap_stream(value, WatchedAnswer(listener))
    for tap in _taps:
        value = tap(value, active)
    return value


def tap_streams(tap: Callable[[Any, ActiveSite], Any]) -> None:
    """Pass every stream, as the application would get it, through one more function, which must
    not raise."""
    _taps.append(tap)
