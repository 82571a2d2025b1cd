"""The functions that instrumented code calls, one for each kind of expression.

``instrument/transform.py`` writes these calls into the application's code. A ``deliver_...``
function returns the value for the application: the one that it was given where nothing is adapted,
and always while ``KNITBONE_DISABLED`` is set. A ``note_...`` function keeps an argument that is on
its way to the model, and returns it as it is. ``number`` is always that of the site.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.conclusion import settle
from knitbone.adaptation.repair.decision import Decision
from knitbone.adaptation.runtime import chunk_loops, exchange
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.listeners import tell_repairs
from knitbone.adaptation.runtime.output import deliver_answer, pulse
from knitbone.adaptation.runtime.preload import resume_loading
from knitbone.adaptation.runtime.registry import active_site, file_settings
from knitbone.adaptation.runtime.session import current_session
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.common.hooks import deliver, is_observed
from knitbone.config import is_disabled

__all__ = [
    "deliver_answer",
    "deliver_arguments",
    "deliver_chunk",
    "deliver_chunk_range",
    "deliver_chunk_step",
    "deliver_iteration",
    "deliver_model",
    "deliver_next_chunk",
    "deliver_ranked_list",
    "deliver_tool",
    "ends_iterations",
    "note_request",
    "note_system",
    "note_tools",
]

_logger = get_logger(__name__)


def note_request(value: Any, number: int) -> Any:
    """Keep the question that a call asks its model or retriever, and return it."""
    active = active_site(number)
    if active is not None:
        resume_loading()
        if not active.idle:
            exchange.note_request(value, number)
    return value


def note_system(value: Any, number: int) -> Any:
    """Keep the system prompt that a call passes beside the question, and return it."""
    active = active_site(number)
    if active is not None:
        resume_loading()
        if not active.idle:
            exchange.note_system(value, number)
    return value


def note_tools(value: Any, number: int, place: str) -> Any:
    """Keep the tools that a call offers its model, also for a site whose module is not loaded yet.

    Args:
        place: ``file:line`` of the argument.
    """
    if not is_disabled():
        exchange.note_tools(value, number, place)
    return value


def deliver_model(value: Any, number: int) -> Any:
    """Deliver a model that stands inside a chain: its outputs are adapted when the chain runs."""
    if active_site(number) is None:
        return value
    # Chains are rare; what they need is loaded for them.
    from knitbone.adaptation.runtime.chain_models import wrap_model  # noqa: PLC0415

    try:
        return wrap_model(value, number)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "model of a chain not wrapped", exc_info=True)
        return value


def deliver_tool(value: Any, location: str) -> Any:
    """Deliver a tool that is looked up by a computed name, about to be called.

    Args:
        location: ``file:line``.
    """
    config = file_settings(location.rpartition(":")[0])
    if config is None:
        return value
    # Agents are rare; what they need is loaded for them.
    from knitbone.adaptation.runtime.tools import watch_tool  # noqa: PLC0415

    try:
        return watch_tool(value, location, config)
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "tool not watched", exc_info=True, site=location)
        return value


def deliver_arguments(value: Any, number: int, holder: Any = None) -> Any:
    """Deliver the arguments of a tool call.

    Args:
        holder: the object whose field they are; ``None`` where it is not known.
    """
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    if holder is not None:
        exchange.note_holder(holder, number)
    value = deliver(value, active)
    pulse()
    return value


def deliver_ranked_list(value: Any, number: int, *names: tuple[Any, ...]) -> Any:
    """Deliver a list that the application ranked itself.

    Args:
        names: the values of parameters, then those of variables, of which one holds the text that
            the list is ranked by.
    """
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    if not active.idle or is_observed():
        # Few applications rank entries themselves.
        from knitbone.adaptation.runtime.ranked_lists import (  # noqa: PLC0415
            are_texts,
            as_list,
            query_of,
        )

        value = as_list(value)
        query = query_of(names)
        if query and are_texts(value):
            exchange.note_request(query, number)
            value = deliver(value, active)
    pulse()
    return value


def deliver_iteration(value: Any, number: int, earlier: Any, compares: Any) -> Any:
    """Deliver an answer of a loop that refines it.

    Args:
        earlier: what the iteration before left.
        compares: whether the loop itself looks whether an answer equals another.
    """
    active = active_site(number)
    if active is None:
        return value
    active.iterate()
    value = deliver_answer(value, number)
    if active.idle or not active.ends_loops:
        return value
    from knitbone.adaptation.scenario.refinement_loops import is_repetition, repetition_outcome  # noqa: PLC0415

    try:
        if compares and value == earlier:
            return value  # the loop sees that itself
        invocation = active.begin(exchange.Exchange(session=current_session()))
        if not is_repetition(value, earlier, number, invocation):
            return value
        decision = Decision(text="", outcomes=(repetition_outcome(value, earlier, active.site),))
        ends = settle(decision, active.site, active.config, SUMMARY)
        tell_repairs()
        return earlier if ends else value
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "loop not adapted", exc_info=True, site=active.site.location)
        return value


def ends_iterations(number: int) -> bool:
    """Return whether the iteration just made is the last one of a loop that refines an answer."""
    active = active_site(number)
    if active is None or active.idle or not active.ends_loops:
        return False
    from knitbone.adaptation.scenario.refinement_loops import is_over  # noqa: PLC0415 - rare

    return is_over(number)


def deliver_chunk_range(value: Any, number: int, text: Any, width: Any) -> Any:
    """Deliver the range of a ``for`` loop that cuts a text: the starts of its chunks."""
    active = active_site(number)
    if active is None:
        return value
    return _cut_safely(
        value, active, lambda: chunk_loops.starts_of(value, number, text, width, _adapt(active))
    )


def deliver_chunk(value: Any, number: int, start: Any) -> Any:
    """Deliver the chunk that begins at ``start`` in a ``for`` loop."""
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    return _cut_safely(value, active, lambda: chunk_loops.chunk_at(value, number, start))


def deliver_next_chunk(
    value: Any, number: int, start: Any, text: Any, width: Any, step: Any
) -> Any:
    """Deliver the chunk that begins at ``start`` in a ``while`` loop.

    Such a loop has no range: the first chunk of a text begins it.
    """
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    return _cut_safely(
        value,
        active,
        lambda: chunk_loops.next_chunk(value, number, start, text, width, step, _adapt(active)),
    )


def deliver_chunk_step(value: Any, number: int, start: Any) -> Any:
    """Deliver the number that a ``while`` loop adds to ``start`` to get to its next chunk."""
    active = active_site(number)
    if active is None:
        return value
    return _cut_safely(value, active, lambda: chunk_loops.step_from(value, number, start))


def _adapt(active: ActiveSite) -> Callable[[list[str]], Any]:
    """Return the function that adapts the chunks of a text."""
    return lambda chunks: deliver(chunks, active)


def _cut_safely(value: Any, active: ActiveSite, cut: Callable[[], Any]) -> Any:
    """Return what the loop is told about its cuts; the loop's own value where telling fails."""
    try:
        return cut()
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "loop not adapted", exc_info=True, site=active.site.location)
        return value
