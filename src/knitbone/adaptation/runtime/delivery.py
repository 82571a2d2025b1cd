"""The functions that instrumented code calls, one for each kind of expression.

``instrument/transform.py`` writes these calls into the application's code. A ``deliver_...``
function returns the value for the application: the one that it was given where nothing is adapted,
and always while ``KNITBONE_DISABLED`` is set. A ``note_...`` function keeps an argument that is on
its way to the model, and returns it as it is. ``number`` is always that of the site.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextvars import ContextVar
from types import GeneratorType
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

from knitbone._logging import get_logger, log
from knitbone.adaptation.model_mark import MODEL_MARK
from knitbone.adaptation.repair.conclusion import settle
from knitbone.adaptation.repair.decision import Decision
from knitbone.adaptation.runtime import exchange
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.listeners import tell_repairs
from knitbone.adaptation.runtime.output import deliver_answer, deliver_chain_output, pulse
from knitbone.adaptation.runtime.preload import resume_loading
from knitbone.adaptation.runtime.registry import active_site, file_settings
from knitbone.adaptation.runtime.session import current_session
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.adaptation.runtime.values.entries import find_entries
from knitbone.common.hooks import deliver, is_observed
from knitbone.config import is_disabled

__all__ = [
    "are_texts",
    "as_list",
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
    "query_of",
    "wrap_model",
]


# Loops of the application that cut a text into chunks, while they run: these functions
# decide where each chunk begins and ends.
#
# ``instrument/transform.py`` finds such loops in the source. The chunks are adapted all at once,
# before the loop gets the first.

_MAX_PIECES = 20_000
Adapt: TypeAlias = Callable[[list[str]], Sequence[str]]


class _CutLoop(NamedTuple):
    """A loop in progress."""

    text: Any
    pieces: dict[int, str]
    """Start -> piece; empty where the loop's own cuts are right."""
    following: dict[int, int]
    """Start -> the next start; not of the last one."""


_cuts: ContextVar[dict[int, _CutLoop]] = ContextVar("knitbone_cuts")
"""The loops in progress, by site."""
_NONE = _CutLoop(None, {}, {})


def starts_of(value: Any, number: int, text: Any, width: Any, adapt: Adapt) -> Any:
    """Return the starts of a text's chunks; ``value``, the loop's own range, where its cuts are
    right.

    Args:
        adapt: gives the chunks to use instead, each a part of the text.
    """
    return list(_begin_loop(value, number, text, width, adapt).pieces) or value


def chunk_at(value: Any, number: int, start: Any) -> Any:
    """Return the chunk that begins at ``start``; ``value``, the loop's own, where that is right."""
    return _cuts.get({}).get(number, _NONE).pieces.get(start, value)


def next_chunk(
    value: Any, number: int, start: Any, text: Any, width: Any, step: Any, adapt: Adapt
) -> Any:
    """Return the chunk that begins at ``start`` in a loop without a range.

    The first chunk of another text begins the loop.
    """
    cut = _cuts.get({}).get(number, _NONE)
    if cut.text is not text:
        known = type(text) is str and type(step) is int and type(start) is int and step > 0
        steps = range(start, len(text), step) if known else None
        cut = _begin_loop(steps, number, text, width, adapt)
    return cut.pieces.get(start, value)


def step_from(value: Any, number: int, start: Any) -> Any:
    """Return the distance from the start of a chunk to that of the next."""
    cut = _cuts.get({}).get(number, _NONE)
    if start in cut.following:
        return cut.following[start] - start
    if start in cut.pieces:
        # The last piece: the loop ends, and the next one begins anew.
        _cuts.set({key: held for key, held in _cuts.get({}).items() if key != number})
        return max(value, len(cut.pieces[start]))
    return value


def _begin_loop(steps: Any, number: int, text: Any, width: Any, adapt: Adapt) -> _CutLoop:
    """Adapt the pieces of a text, before the loop asks for the first."""
    cut = _CutLoop(text, {}, {})
    starts = _adapted_pieces(steps, text, width, adapt)
    if starts:
        places = list(starts)
        cut = _CutLoop(text, starts, dict(itertools.pairwise(places)))
    _cuts.set({**_cuts.get({}), number: cut})
    return cut


def _adapted_pieces(steps: Any, text: Any, width: Any, adapt: Adapt) -> dict[int, str]:
    """Return the adapted pieces by their start; empty where the loop's own cuts are right or not
    understood."""
    if type(text) is not str or type(width) is not int or type(steps) is not range:
        return {}
    if not 1 < len(steps) <= _MAX_PIECES or width <= 0 or steps.step <= 0 or steps.start < 0:
        return {}
    pieces = [text[start : start + width] for start in steps]
    wanted = adapt(pieces)
    if list(wanted) == pieces:
        return {}
    starts = _starts_in_text(text, wanted, overlap=max(width - steps.step, 0))
    return {} if starts is None else dict(zip(starts, wanted, strict=True))


def _starts_in_text(text: str, pieces: Sequence[str], *, overlap: int) -> list[int] | None:
    """Return where each piece begins in the text; ``None`` where one is not a part of it, or they
    do not follow one another."""
    starts: list[int] = []
    least = 0
    for piece in pieces:
        position = text.find(piece, least)
        if position < 0:
            return None
        starts.append(position)
        least = max(position + 1, position + len(piece) - overlap)
    return starts if _covers(text, starts, pieces) else None


def _covers(text: str, starts: Sequence[int], pieces: Sequence[str]) -> bool:
    """Return whether nothing but blanks lies between the pieces."""
    end = 0
    for start, piece in zip(starts, pieces, strict=True):
        if text[end:start].strip():
            return False
        end = max(end, start + len(piece))
    return not text[end:].strip()


# Models inside a chain (``prompt | model | parser``), wrapped so that their outputs can be adapted.
#
# Their outputs appear when the chain runs, so it is the model that is wrapped, not the value of an
# expression. The wrapped model is a shallow copy whose class is a subclass of the model's own, with
# the same name: ``isinstance``, attributes, serialisation and tracing see what they saw before.
# Everything that runs the model is handed to the original, and what comes back is delivered.
# LangChain is never imported here.

_classes: WeakKeyDictionary[type[Any], type[Any]] = WeakKeyDictionary()


def wrap_model(value: Any, number: int) -> Any:
    """Wrap a model, or a function that stands for one, so that its outputs are delivered.

    A value that is neither is returned itself.
    """
    base: Any = sys.modules.get("langchain_core.runnables.base")
    if base is not None and isinstance(value, base.Runnable):
        return _wrap_runnable(value, number, base)
    if inspect.isroutine(value):
        return _wrap_function(value, number)
    return value


def _wrap_runnable(value: Any, number: int, base: Any) -> Any:
    """Return a copy of a runnable whose class delivers its outputs."""
    held: Any = getattr(value, "__dict__", None)
    if (
        not isinstance(held, dict)
        or cast("dict[str, Any]", held).get(MODEL_MARK, (0, 0))[1] == number
    ):
        return value
    copied = copy.copy(value)
    if isinstance(value, base.RunnableSequence):
        # ``|`` takes sequences apart; the output of the last step is that of the whole.
        vars(copied)["last"] = wrap_model(value.last, number)
        return copied
    vars(copied)[MODEL_MARK] = (value, number)
    object.__setattr__(copied, "__class__", _subclass(cast("type[Any]", type(value))))
    return copied


def _subclass(kind: type[Any]) -> type[Any]:
    """Return the subclass of a model's class that delivers, made once for each class."""
    if kind not in _classes:
        namespace: dict[str, Any] = {
            name: function for name, function in vars(_Delivering).items() if name in _METHODS
        }
        namespace |= {
            "__module__": kind.__module__,
            "__qualname__": kind.__qualname__,
            "__doc__": kind.__doc__,
        }
        _classes[kind] = cast("Any", type(kind))(kind.__name__, (kind,), namespace)
    return _classes[kind]


def _original(wrapped: Any) -> tuple[Any, int]:
    return cast("tuple[Any, int]", vars(wrapped)[MODEL_MARK])


_METHODS = frozenset(
    {"invoke", "ainvoke", "batch", "abatch", "batch_as_completed", "abatch_as_completed"}
    | {"stream", "astream", "transform", "atransform", "__reduce_ex__"}
)


class _Delivering:
    """The methods that run a model; put into a subclass of the model's own class."""

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.invoke(*args, **kwargs), number, _input_of(args, kwargs)
        )

    async def ainvoke(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            await original.ainvoke(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def batch(self, *args: Any, **kwargs: Any) -> list[Any]:
        original, number = _original(self)
        return [_deliver_item(output, number) for output in original.batch(*args, **kwargs)]

    async def abatch(self, *args: Any, **kwargs: Any) -> list[Any]:
        original, number = _original(self)
        return [_deliver_item(output, number) for output in await original.abatch(*args, **kwargs)]

    def batch_as_completed(self, *args: Any, **kwargs: Any) -> Iterator[tuple[int, Any]]:
        original, number = _original(self)
        for index, output in original.batch_as_completed(*args, **kwargs):
            yield index, _deliver_item(output, number)

    async def abatch_as_completed(
        self, *args: Any, **kwargs: Any
    ) -> AsyncIterator[tuple[int, Any]]:
        original, number = _original(self)
        async for index, output in original.abatch_as_completed(*args, **kwargs):
            yield index, _deliver_item(output, number)

    def stream(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.stream(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def astream(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.astream(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def transform(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(original.transform(*args, **kwargs), number)

    def atransform(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(original.atransform(*args, **kwargs), number)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # The class cannot be found by its name; the model is pickled and wrapped anew.
        return wrap_model, _original(self)


def _input_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the input that a runnable is run on."""
    return args[0] if args else kwargs.get("input")


def _deliver_item(output: Any, number: int) -> Any:
    """Deliver one output of a batch; with ``return_exceptions`` it may be an error."""
    return output if isinstance(output, BaseException) else deliver_chain_output(output, number)


def _wrap_function(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Return a function, or coroutine function, that delivers what the wrapped one returns."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def later(*args: Any, **kwargs: Any) -> Any:
            return deliver_chain_output(await function(*args, **kwargs), number)

        return later
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def pieces(*args: Any, **kwargs: Any) -> Any:
            yield from deliver_chain_output(function(*args, **kwargs), number)

        return pieces
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def pieces_later(*args: Any, **kwargs: Any) -> Any:
            async for item in deliver_chain_output(function(*args, **kwargs), number):
                yield item

        return pieces_later

    @functools.wraps(function)
    def at_once(*args: Any, **kwargs: Any) -> Any:
        return deliver_chain_output(function(*args, **kwargs), number)

    return at_once


# Lists that the application ranks by a text of its own: the text (query) and the entries, as
# values.

_FEWEST_WORDS = 3
"""Words of a text; the names and keys of entries have fewer (ours)."""


def query_of(sources: Sequence[Sequence[Any]]) -> str:
    """Return the text that a list is ranked by, among the values that its order is computed from.

    Args:
        told: the values of parameters, and of local variables in the order of their assignment.

    Returns:
        The only parameter that is a text, else the first such variable, from which the others are
        made. Empty where there is none, or where two parameters are texts: one may be a mode.
    """
    for index, values in enumerate(sources):
        texts = dict.fromkeys(v for v in values if isinstance(v, str) and v.strip())
        if len(texts) > 1 and index == 0:
            return ""
        if texts:
            return next(iter(texts))
    return ""


def are_texts(value: Any) -> bool:
    """Return whether the entries are texts and not keys, which are ranked as well."""
    found = find_entries(value)
    return found is not None and all(len(e.text.split()) >= _FEWEST_WORDS for e in found.entries)


def as_list(value: Any) -> Any:
    """Return the items of a generator that is joined, which takes them all at once anyway."""
    return (
        list(cast("GeneratorType[Any, Any, Any]", value)) if type(value) is GeneratorType else value
    )


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
    return _cut_safely(value, active, lambda: starts_of(value, number, text, width, _adapt(active)))


def deliver_chunk(value: Any, number: int, start: Any) -> Any:
    """Deliver the chunk that begins at ``start`` in a ``for`` loop."""
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    return _cut_safely(value, active, lambda: chunk_at(value, number, start))


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
        lambda: next_chunk(value, number, start, text, width, step, _adapt(active)),
    )


def deliver_chunk_step(value: Any, number: int, start: Any) -> Any:
    """Deliver the number that a ``while`` loop adds to ``start`` to get to its next chunk."""
    active = active_site(number)
    if active is None:
        return value
    return _cut_safely(value, active, lambda: step_from(value, number, start))


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
