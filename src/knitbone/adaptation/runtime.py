"""The sites of this process, the hook that adapts their values, and the report on both."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.checks import Invocation, Said
from knitbone.adaptation.engine import Decision, adapt_value, settle
from knitbone.adaptation.plan import Plan
from knitbone.adaptation.requirements import Unknown
from knitbone.adaptation.said import Offer, offered_in, said_in
from knitbone.adaptation.session import current_session
from knitbone.adaptation.sites import Site
from knitbone.adaptation.streaming import StreamedAnswer, WatchedAnswer
from knitbone.adaptation.summary import SiteCounts, Summary
from knitbone.adaptation.values.managers import wrap_manager
from knitbone.adaptation.values.streams import is_stream, wrap_stream
from knitbone.config import AdaptConfig, is_disabled, load_config
from knitbone.core.events import Adaptation
from knitbone.core.hooks import Stage, deliver, is_observed, register
from knitbone.errors import KnitboneError

if TYPE_CHECKING:
    from knitbone.adaptation.arguments import Calls
    from knitbone.core.similarity import TextEmbedder

__all__ = [
    "SUMMARY",
    "LiveSite",
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
    "site_number",
    "tap_streams",
]

SUMMARY = Summary()
"""What adapt did in this process."""

_logger = get_logger(__name__)
_lock = threading.Lock()
_sites: dict[int | str, LiveSite] = {}
_configs: dict[str, AdaptConfig] = {}
"""The settings that hold in a file: those of its site that was switched on last."""
_taps: list[Callable[[Any, LiveSite], Any]] = []
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


class LiveSite:
    """A site that is instrumented, under the configuration of its entry function."""

    __slots__ = (
        "_calls", "brings_call", "config", "executed", "idle", "number", "plan", "site", "special",
    )  # fmt: skip

    def __init__(self, site: Site, config: AdaptConfig) -> None:
        self.site = site
        self.config = config
        self.number = site_number(site)
        self.plan = Plan(site, config)
        self.brings_call = site.brings_call
        """Whether the arguments of a tool call come here, which have a schema of their own."""
        self._calls: Calls | None = None
        self.idle = not self.brings_call and all(isinstance(r, Unknown) for r in site.requirements)
        """Whether there is nothing to check; known for sure when the first value has come."""
        self.special = site.chained
        self.executed = 0
        """Values that passed."""

    def iterate(self) -> None:
        """Its answers refine one another: that they resemble is told by the loop alone."""
        if "semantics.history" not in self.config.without:
            without = (*self.config.without, "semantics.history")
            self.config = msgspec.structs.replace(self.config, without=without)

    def begin(self, asked: Any = None, *, texts: int = 1) -> Invocation:
        """The circumstances of a value that has just arrived.

        Args:
            asked: what the call told the model, where that is known.
            texts: how many answers the value holds: of several, none is matched with a question.
        """
        prompts = self.site.prompts

        def read() -> Sequence[Said]:
            found = said_in(asked) if asked is not None and texts == 1 else ()
            return found or [Said(role=p.role, text=p.text) for p in prompts]

        invocation = Invocation(
            self.config,
            session=current_session(),
            asked=read,
            embedder=_embedder,
            site=self.site.location,
        )
        if self.site.kind == "splitter":
            # All chunks of a document at once, when it is indexed: nobody waits for an answer.
            invocation.deadline.extend(self.config.budget_embedding_ms / 1000)
        return invocation

    @property
    def calls(self) -> Calls:
        """What is checked of tool calls; loaded with the first."""
        if self._calls is None:
            from knitbone.adaptation.arguments import Calls  # noqa: PLC0415 - agents are rare

            self._calls = Calls(self.site, self.plan, self.config)
        return self._calls

    def __str__(self) -> str:
        return self.site.location


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What adapt did in this process so far."""

    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    """The last ones, oldest first."""
    untouched: dict[str, str]
    """Functions that could not be instrumented and run as they were, with the reason."""


class _Ended(NamedTuple):
    """A stream that has ended, for hooks that want to know what was said."""

    live: LiveSite
    text: str
    """What the application got."""

    def __str__(self) -> str:
        return str(self.live)


def site_number(site: Site) -> int:
    """The number of a site: the same in every process, so that code may travel between them."""
    key = f"{site.file}\0{site.line}\0{site.column}\0{site.end_line}\0{site.end_column}"
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")


def number_site(site: Site, config: AdaptConfig) -> int:
    """Adapt the values of a site from now on; its number.

    The entry function decorated last configures the site.
    """
    number = site_number(site)
    live = LiveSite(site, config)
    with _lock:
        if not _sites:
            register(Stage.ADAPT, _hook)
        if number in _sites:
            live.executed = _sites[number].executed
        _sites[number] = live
        _configs[site.file] = config
    return number


def deliver_numbered(value: Any, number: int | str, *told: Any) -> Any:
    """What an instrumented expression calls with its value.

    Args:
        number: of the site; negative for what the site's call is told; ``file:line`` for a tool
            that is looked up by a computed name.
        told: of a loop that cuts a text: text and width at its range, the start at its slice; of
            a loop that refines an answer: what the iteration before left; of the arguments of a
            tool call: the object whose field they are; of what a call is told about tools:
            ``file:line``.
    """
    live = _sites.get(number)
    # Code may come from another process (cloudpickle), where its site is not known here.
    if live is None or (_SWITCH in _environment and is_disabled()):
        return _deliver_other(value, number, *told)
    if live.brings_call:
        return _deliver_call(value, live, *told)
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
    if number < 0 and place:
        _hear_tools(value, -number, place)
    elif number < 0:
        _hear(value, -number)
    return value


def _deliver_tool(value: Any, location: str) -> Any:
    config = _configs.get(location.rpartition(":")[0])
    if config is None:
        return value
    # Agents are rare; what they need is loaded for them.
    from knitbone.adaptation.tools import dispatched  # noqa: PLC0415

    try:
        return dispatched(value, location, config)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "tool not watched", exc_info=True, site=location)
        return value


def _deliver_call(value: Any, live: LiveSite, holder: Any = None) -> Any:
    """The arguments of a tool call."""
    live.executed += 1
    held = _holder.set(holder)
    try:
        value = deliver(value, live)
    finally:
        _holder.reset(held)
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
    if live.idle or "succinct_content" not in live.config.scenario:
        return value
    from knitbone.adaptation.refining import is_over, nothing_new, repeated  # noqa: PLC0415 - rare

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
    from knitbone.adaptation.cutting import deliver_cut  # noqa: PLC0415 - rare

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
        _hear(asked, number)
    live.executed += 1
    if not live.idle or is_observed():
        stream = is_stream(value, expected=True)
        value = _deliver_stream(value, live) if stream else deliver(value, live)
    if _pulse is not None:
        _pulse()
    return value


def _deliver_special(value: Any, number: int) -> Any:
    # Chains are rare; what they need is loaded for them.
    from knitbone.adaptation.instrument.chains import wrap_model  # noqa: PLC0415

    try:
        return wrap_model(value, number)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "model of a chain not wrapped", exc_info=True)
        return value


def _deliver_stream(value: Any, live: LiveSite) -> Any:
    def tell(said: str, passed_on: str) -> None:
        deliver(said, _Ended(live, passed_on))

    listener = tell if is_observed() else None
    if not live.idle:
        answer = StreamedAnswer(
            live.site, live.plan, live.begin(_heard_by(live)), SUMMARY, listener
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


_heard: ContextVar[dict[int, Any]] = ContextVar("knitbone_heard")
"""What the calls in progress told their models, by site; of a context, so that tasks and threads
do not mix."""


_offers: ContextVar[dict[int, Offer]] = ContextVar("knitbone_offers")
"""The tools that the calls in progress told their models, by site: kept until the next call, for
one answer may call several."""
_holder: ContextVar[Any] = ContextVar("knitbone_holder", default=None)
"""The object whose field the arguments at hand are."""


def _hear(value: Any, number: int) -> None:
    """An argument of a model's call, on its way there."""
    live = _sites.get(number)
    if live is not None and not live.idle:
        _heard.set({**_heard.get({}), number: value})


def _hear_tools(value: Any, number: int, place: str) -> None:
    """The same for the tools that the model may call."""
    offers = {key: offer for key, offer in _offers.get({}).items() if key != number}
    offer = offered_in(value, place)
    _offers.set(offers if offer is None else {**offers, number: offer})


def _heard_by(live: LiveSite) -> Any:
    """What this site's call was told; forgotten with that."""
    held = _heard.get(None)
    number = live.number
    if not held or number not in held:
        return None
    _heard.set({key: value for key, value in held.items() if key != number})
    return held[number]


@cache
def _embedder() -> TextEmbedder | None:
    """The configured embedder, loaded and warm; ``None``, and said once, where there is none."""
    try:
        from knitbone.models.embedders import create_embedder  # noqa: PLC0415 - heavy

        embedder = create_embedder(load_config().embedder)
        embedder.embed(["warm"])
    except KnitboneError as error:
        log(_logger, logging.WARNING, "texts are not compared by meaning", reason=str(error))
        return None
    return embedder


def _hook(value: Any, site: Any) -> Any:
    if isinstance(site, LiveSite):
        if site.brings_call:
            return _adapt_call(value, site)
        if site.plan.idle:
            site.idle = True
            return value
        asked = _heard_by(site)
        return adapt_value(
            value, site.site, site.plan, SUMMARY, lambda texts: site.begin(asked, texts=texts)
        )
    if isinstance(site, _Ended):
        return site.text
    return value


def _adapt_call(value: Any, site: LiveSite) -> Any:
    """The arguments of a tool call, by what the code reads and by the tool's own schema."""
    asked = _heard_by(site)
    plan = site.calls.plan_of(value, _holder.get(), _offers.get({}).get(site.number))
    if plan.idle:
        SUMMARY.count(site.site, "unchecked")
        return value

    def adapt(given: Any) -> Any:
        return adapt_value(
            given, site.site, plan, SUMMARY, lambda texts: site.begin(asked, texts=texts)
        )

    if not isinstance(value, dict):
        return adapt(value)
    from knitbone.adaptation.arguments import adapt_object  # noqa: PLC0415 - agents are rare

    return adapt_object(cast("dict[str, Any]", value), adapt)


def executed_sites() -> dict[str, int]:
    """Sites through which values passed (``file:line:column``), and how many."""
    with _lock:
        return {
            f"{live.site.location}:{live.site.column + 1}": live.executed
            for live in _sites.values()
            if live.executed
        }


def live_sites() -> tuple[LiveSite, ...]:
    """All sites that are switched on in this process."""
    with _lock:
        return tuple(_sites.values())


def known_sites() -> tuple[str, ...]:
    """The same as ``file:line:column``."""
    return tuple(f"{live.site.location}:{live.site.column + 1}" for live in live_sites())


def process_counts() -> tuple[SiteCounts, ...]:
    """The counts of every site through which a value passed in this process."""
    idle: dict[str, tuple[Literal["unchecked", "plain"], int]] = {}
    with _lock:
        for live in _sites.values():
            if live.idle and live.executed:
                known = any(not isinstance(r, Unknown) for r in live.site.requirements)
                _, before = idle.get(live.site.location, ("plain", 0))
                number = before + live.executed
                idle[live.site.location] = ("unchecked" if known else "plain", number)
    return SUMMARY.snapshot(idle)


def forget_counts(*, forked: bool = False) -> None:
    """Begin to count anew: in a forked process, what the parent did is the parent's."""
    global _lock  # noqa: PLW0603 - another thread of the parent may have held it
    if forked:
        _lock = threading.Lock()
        SUMMARY.renew_lock()
    SUMMARY.clear()
    for live in _sites.values():
        live.executed = 0
