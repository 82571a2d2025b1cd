"""Arguments for which a condition comes out as wanted, an operation raises, or no longer does."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone._logging import get_logger, log
from knitbone.fuzzing.solve.evaluate import Point
from knitbone.fuzzing.solve.failing_arguments import fail, succeed
from knitbone.fuzzing.solve.inversion import put
from knitbone.fuzzing.solve.relations import ORDER, compare, hold, now
from knitbone.fuzzing.solve.texts import draw_matching, pattern_and_flags
from knitbone.fuzzing.trace.terms import Term
from knitbone.record.events import Json

__all__ = ["satisfy"]

_logger = get_logger(__name__)

Inputs = dict[str, Json]
_SAMPLES = 6
_OF_TYPE: dict[str, Any] = {
    "str": "x", "int": 1, "float": 1.5, "list": [1], "dict": {"x": 1}, "bool": True,
    "NoneType": None,
}  # fmt: skip
_MATCHERS: dict[str, Callable[[str, str, int], re.Match[str] | None]] = {
    "re.match": re.match, "re.fullmatch": re.fullmatch, "re.search": re.search,
}  # fmt: skip


def satisfy(
    kind: str, term: Term, wanted: bool, point: Point, rng: random.Random
) -> Iterator[Inputs]:
    """Arguments for which an event of this kind should have the wanted outcome."""
    try:
        if kind == "branch":
            yield from _condition(term, wanted, point, rng)
        elif wanted:
            yield from succeed(term, point, rng)
        else:
            yield from fail(term, point)
    except Exception:  # noqa: BLE001 - any outcome can be asked of any operation
        log(_logger, logging.DEBUG, "no way there", exc_info=True, operation=term.op)


def _condition(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    op = term.op
    if op == "operator.truth" and type(term.args[0]) is Term:
        yield from _truth(term.args[0], wanted, point, rng)
    elif op == "operator.not_":
        yield from _condition(term.args[0], not wanted, point, rng)
    elif op == "in":
        yield from hold(term, wanted, point)
    elif op == "isinstance":
        names = cast("tuple[str, ...]", term.args[1])
        for name, value in _OF_TYPE.items():
            if (name in names) == wanted:
                yield from put(term.args[0], value, point)
    elif op in ORDER:
        yield from compare(term, wanted, point)
    else:
        yield from _truth(term, wanted, point, rng)


# -- truth ------------------------------------------------------------------------------------


def _truth(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """A condition that is no comparison: what a test of a text says, or an empty value."""
    op = term.op
    if op in ("math.isnan", "math.isinf") and wanted:
        yield from put(term.args[0], float(op.removeprefix("math.is")), point)
    elif op == "bool" and type(term.args[0]) is Term:
        yield from _truth(term.args[0], wanted, point, rng)
    elif op in _MATCHERS:
        yield from _expression(term, wanted, point, rng)
    elif op == ".Element.find":
        value = ET.Element("x") if wanted else None
        yield from put(term, value, point)
    elif op == "getattr" and isinstance(now(point, term), str) and not wanted:
        for value in ("", None):
            yield from put(term, value, point)
    elif op == ".Match.group" and not wanted:
        yield from _without_group(term, point, rng)
    elif op in (".str.startswith", ".str.endswith"):
        yield from _affix(term, wanted, point)
    elif op.startswith(".str.is"):
        texts = _OF_KIND.get(op.removeprefix(".str.is"), ("a", "1", " ")) if wanted else _ODD
        for text in texts:
            yield from put(term.args[0], text, point)
    else:
        for value in _values(now(point, term), wanted):
            yield from put(term, value, point)


_OF_KIND = {
    "digit": ("7", "123"), "decimal": ("7", "123"), "numeric": ("7", "123"), "alpha": ("abc",),
    "alnum": ("abc1",), "upper": ("ABC",), "lower": ("abc",), "space": (" ",), "title": ("Abc",),
    "ascii": ("abc",), "identifier": ("abc",), "printable": ("abc",),
}  # fmt: skip
_ODD = ("", "a-1", "-", "\u00b2", "Ab c", "1.5", "\x00")


def _values(current: Any, wanted: bool) -> tuple[Any, ...]:
    """Values of the current one's kind that are true, or false, as wanted."""
    if isinstance(current, bool):
        return (wanted,)
    if current is None:
        return ("x", "1", ["x"], {"x": 1}) if wanted else ()
    if isinstance(current, str):
        return ("x", "1") if wanted else ("",)
    if isinstance(current, int | float):
        return (1, -1) if wanted else (0,)
    if isinstance(current, list | tuple | set):
        return (["x"], [1], [("a", "1")]) if wanted else ([],)
    if isinstance(current, dict):
        return ({"x": 1},) if wanted else ({},)
    return ()


def _expression(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    pattern, flags = pattern_and_flags(term)
    if not isinstance(pattern, str) or len(term.args) < 2:
        return
    if not wanted:
        current = point.value(term.args[1])
        for text in ("", current[:-1], current + "!", "x"):
            yield from put(term.args[1], text, point)
        return
    for _ in range(_SAMPLES):
        text = draw_matching(pattern, rng, flags)
        if text is not None:
            yield from put(term.args[1], text, point)


def _without_group(term: Term, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """Texts that match without a part that may be missing."""
    match: Any = term.args[0]
    if type(match) is not Term or match.op not in _MATCHERS:
        return
    pattern, flags = pattern_and_flags(match)
    if not isinstance(pattern, str) or len(match.args) < 2:
        return
    group: Any = term.args[1] if len(term.args) > 1 else 0
    for _ in range(_SAMPLES * 3):
        made = draw_matching(pattern, rng, flags)
        found = None if made is None else _MATCHERS[match.op](pattern, made, flags)
        if found is not None and not found.group(group):
            yield from put(match.args[1], made, point)


def _affix(term: Term, wanted: bool, point: Point) -> Iterator[Inputs]:
    text, parts = point.value(term.args[0]), point.value(term.args[1])
    start = term.op.endswith("startswith")
    for part in [parts] if isinstance(parts, str) else parts:
        if wanted:
            yield from put(term.args[0], part + text if start else text + part, point)
            yield from put(term.args[0], part, point)
            if len(text) >= len(part):
                made = part + text[len(part) :] if start else text[: len(text) - len(part)] + part
                yield from put(term.args[0], made, point)
        else:
            rest = text.removeprefix(part) if start else text.removesuffix(part)
            yield from put(term.args[0], rest, point)
            yield from put(term.args[0], "x" + text if start else text + "x", point)
