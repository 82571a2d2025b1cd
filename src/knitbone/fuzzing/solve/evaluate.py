"""What a term is worth for given arguments, computed here: no call of the tool is needed.

Terms come from a worker that runs untrusted code: only functions of ``trace.pure`` are called, and
what could take long or grow is refused.
"""

from __future__ import annotations

import configparser
import csv
import io
import re
from collections.abc import Callable
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.solve.limits import UndefinedError, bounded_list, refuse_large
from knitbone.fuzzing.trace.pure import FUNCTIONS, METHODS
from knitbone.fuzzing.trace.readings import TooLargeError, compute
from knitbone.fuzzing.trace.terms import UNKNOWN, Event, Term
from knitbone.record.events import Json

__all__ = ["FailedError", "Point", "UndefinedError", "apply", "fill"]

_MAX_SUBJECT = 400
"""Characters that an expression is tried on: ``re`` cannot be interrupted."""
_NESTED = re.compile(r"[*+}][^()\[\]|]*\)[*+{]")
_MAX_DEPTH = 80
_MAX_EACH = 300
"""Items of a list that something is made of one by one."""


class FailedError(Exception):
    """The outermost operation raised."""


class Point:
    """Arguments, and what terms are worth for them."""

    def __init__(self, inputs: dict[str, Json]) -> None:
        self.inputs = inputs
        self._known: dict[int, tuple[Term, bool, Any]] = {}

    def holds(self, event: Event) -> bool:
        """Whether an event would come out as it did."""
        try:
            value = self.value(event.term)
        except FailedError:
            return event.kind == "call" and not event.outcome
        except UndefinedError:
            return False
        return event.outcome if event.kind == "call" else bool(value) == event.outcome

    def value(self, term: Any, depth: int = 0) -> Any:
        """What a term is worth; a constant is worth itself.

        Raises:
            FailedError: its outermost operation raised.
            UndefinedError: nothing can be told.
        """
        if type(term) is not Term:
            if term is UNKNOWN:
                raise UndefinedError
            return term
        found = self._known.get(id(term))
        if found is None:
            found = self._known[id(term)] = (term, *self._compute(term, depth))
        if not found[1]:
            raise cast("Exception", found[2])
        return found[2]

    def _compute(self, term: Term, depth: int) -> tuple[bool, Any]:
        if depth > _MAX_DEPTH:
            return False, UndefinedError()
        try:
            if term.op == "input":
                return True, _at(self.inputs, term.args[0])
            if term.op == "each":
                return True, self._each(term, depth)
            values = [self.value(argument, depth + 1) for argument in term.args]
        except (UndefinedError, FailedError, LookupError, TypeError):
            return False, UndefinedError()
        try:
            return True, apply(term.op, values, term.names)
        except UndefinedError as error:
            return False, error
        except (RecursionError, MemoryError, TooLargeError):
            return False, UndefinedError()
        except Exception:  # noqa: BLE001 - whatever the operation raises is what we ask for
            return False, FailedError()

    def _each(self, term: Term, depth: int) -> list[Any]:
        items = bounded_list(self.value(term.args[0], depth + 1))
        if len(items) > _MAX_EACH:
            raise UndefinedError
        template: Term = term.args[1]
        return [Point({"hole": item}).value(fill(template), depth + 1) for item in items]


def fill(template: Term) -> Term:
    """A template of ``each`` as a term over the one argument ``hole``."""
    if template.op == "hole":
        return Term("input", (("hole",),))
    parts = tuple(fill(p) if type(p) is Term else p for p in template.args)
    return Term(template.op, parts, template.names)


def _at(inputs: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        inputs = inputs[step]
    return inputs


def apply(op: str, values: list[Any], names: tuple[str, ...] = ()) -> Any:
    """An operation on plain values.

    Raises:
        UndefinedError: the operation is not known, or too large.
        Exception: what the operation raises.
    """
    refuse_large(op, values)
    special = _SPECIAL.get(op)
    first = len(values) - len(names)
    positional, named = values[:first], dict(zip(names, values[first:], strict=True))
    if special is not None:
        return special(*positional, **named)
    if op.startswith("re."):
        return _expression(op, positional, named)
    if op.startswith("."):
        if op[1:] not in METHODS or not positional:
            raise UndefinedError
        return getattr(positional[0], op.rpartition(".")[2])(*positional[1:], **named)
    function = FUNCTIONS.get(op) or compute(op)
    if function is None:
        raise UndefinedError
    done = function(*positional, **named)
    return bounded_list(done) if hasattr(done, "__next__") else done


def _expression(op: str, values: list[Any], named: dict[str, Any]) -> Any:
    """A function of ``re``, on a text that it cannot take long on."""
    first: Any = values[0]
    pattern: Any = cast("Any", first).pattern if isinstance(first, re.Pattern) else first
    subject = 2 if op in ("re.sub", "re.subn") else 1
    text = values[subject] if len(values) > subject else None
    for value in values[1:]:
        if isinstance(value, str) and len(value) > _MAX_SUBJECT:
            raise UndefinedError
    if not isinstance(pattern, str) or not isinstance(text, str) or _NESTED.search(pattern):
        raise UndefinedError
    done = FUNCTIONS[op](*values, **named)
    return list(done) if op == "re.finditer" else done


def _unpacked(value: Any, count: int) -> Any:
    if len(value) != count:
        raise ValueError
    return value


def _member(values: tuple[Any, ...], value: Any) -> Any:
    if value not in values:
        raise ValueError
    return value


def _truth(value: Any) -> bool:
    # An element without children is false; what is asked is whether there is one.
    return True if isinstance(value, ET.Element) else bool(value)


def _is_instance(value: Any, names: tuple[str, ...]) -> bool:
    return isinstance(value, tuple(_KINDS[name] for name in names))


def _pieces(*parts: Any) -> str:
    return "".join(map(str, parts))


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text))


def _held(keys: tuple[Any, ...], *parts: Any) -> dict[Any, Any]:
    return dict(zip(keys, parts, strict=True))


def _method(value: Any, name: str) -> bool:
    getattr(value, name)
    return True


def _iterated(value: Any) -> bool:
    iter(value)
    return True


def _settings(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def _items(*parts: Any) -> list[Any]:
    return list(parts)


def _rows(lines: Any, *dialect: Any, **options: Any) -> list[list[str]]:
    return list(csv.reader(lines, *dialect, **options))


def _named_rows(lines: Any, *names: Any, **options: Any) -> list[dict[Any, Any]]:
    return [dict(row) for row in csv.DictReader(lines, *names, **options)]


_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (str, int, float, bool, list, dict, type(None))
}
_SPECIAL: dict[str, Callable[..., Any]] = {
    "isinstance": _is_instance,
    "operator.truth": _truth,
    "unpack": _unpacked,
    "member": _member,
    "splitlines": _lines,
    "method": _method,
    "iter": _iterated,
    "configparser": _settings,
    "items": list,
    "set_of": set,
    "sorted_of": sorted,
    "list": _items,
    "tuple": lambda *parts: tuple(_items(*parts)),
    "set": lambda *parts: set(_items(*parts)),
    "frozenset": lambda *parts: frozenset(_items(*parts)),
    "dict": _held,
    "join": _pieces,
    "csv.reader": _rows,
    "csv.DictReader": _named_rows,
}
"""Operations that are no function of ``trace.pure``."""
