"""Arguments for which a term has a wanted value: each operation knows how to go back.

``put`` proposes; nothing it yields is certain. Whoever asks computes the term again.
"""

from __future__ import annotations

import contextlib
import copy
import logging
from collections.abc import Iterator
from typing import Any, cast

from knitbone._logging import get_logger, log
from knitbone.fuzzing.solve.evaluate import FailedError, Point, fill
from knitbone.fuzzing.solve.inverse import (
    dates,
    documents,
    matches,
    numbers,
    parts,
    readings,
    texts,
)
from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView
from knitbone.fuzzing.solve.limits import UndefinedError
from knitbone.fuzzing.trace.terms import Path, Term
from knitbone.record.events import Json

__all__ = ["put"]

_logger = get_logger(__name__)

Inputs = dict[str, Json]
_DEPTH = 40


def put(term: Any, value: Any, point: Point, depth: int = 0) -> Iterator[Inputs]:
    """Arguments for which ``term`` should be worth ``value``, near those of ``point``."""
    if type(term) is not Term or depth > _DEPTH:
        return
    if term.op == "input":
        made = _with(point.inputs, term.args[0], value)
        if made is not None:
            yield made
        return
    step = _STEPS.get(term.op)
    if step is None:
        return
    try:
        yield from _follow(step, term, value, point, depth)
    except Exception:  # noqa: BLE001 - any value can be asked of any operation
        log(_logger, logging.DEBUG, "no way back", exc_info=True, operation=term.op)


def _follow(step: Step, term: Term, value: Any, point: Point, depth: int) -> Iterator[Inputs]:
    for index, wanted in step(TermView(term, point), value):
        if index < len(term.args) and type(term.args[index]) is Term:
            yield from put(term.args[index], wanted, point, depth + 1)


def _with(inputs: Any, path: Path, value: Any) -> Any:
    """The arguments with another value at a place; ``None`` where it is no JSON."""
    value = _as_json(value)
    if value is _NOT_JSON:
        return None
    made: Any = dict(inputs)
    holder: Any = made
    key: Any = path[0]
    for step in path[1:]:
        # What lies on the way is copied, the rest is shared.
        inner = copy.copy(holder[key])
        holder[key] = inner
        holder, key = inner, step
    try:
        holder[key] = value
    except (LookupError, TypeError):
        return None
    return made


_NOT_JSON = object()


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        items = [_as_json(item) for item in cast("Any", value)]
        return _NOT_JSON if any(item is _NOT_JSON for item in items) else items
    if isinstance(value, dict):
        made = {str(k): _as_json(v) for k, v in cast("Any", value).items()}
        return _NOT_JSON if any(item is _NOT_JSON for item in made.values()) else made
    return _NOT_JSON


def _each(view: TermView, value: Any) -> Changes:
    """Items made alike from those of a list: as many of them, and each with its wanted value."""
    items = list(view[0])
    template = fill(view.term.args[1])
    made = parts.resized(items, len(value))
    for index, wanted in enumerate(value):
        point = Point({"hole": made[index]})
        with contextlib.suppress(FailedError, UndefinedError):
            now = point.value(template)
            if type(now) is type(wanted) and now == wanted:
                continue
        found = next(put(template, wanted, point), None)
        if found is not None:
            made[index] = found["hole"]
    yield 0, made


_STEPS: dict[str, Step] = {
    **numbers.STEPS,
    **texts.STEPS,
    **parts.STEPS,
    **matches.STEPS,
    **documents.STEPS,
    **readings.STEPS,
    **dates.STEPS,
    "each": _each,
}
