"""Calls in a rehearsal: functions of the application are interpreted, functions without effects
are made.

Everything else is not called: its arguments are noted as given away (``Machine.give_away``).
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import json
import logging
import re
import types
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast
from xml.etree.ElementTree import Element

from knitbone.adaptation.consumers.rehearsal.attributes import load_attribute
from knitbone.adaptation.consumers.rehearsal.effect_free import (
    BUILTINS,
    MUTATING,
    is_library,
    is_plain,
)
from knitbone.adaptation.consumers.rehearsal.machine import (
    OPAQUE,
    Environment,
    InterpretedFunction,
    Machine,
    Opaque,
    RefusedText,
    Unfinished,
    Unfollowed,
)
from knitbone.adaptation.consumers.rehearsal.sources import definition_of
from knitbone.common.expressions import Method
from knitbone.common.matching import is_affordable

__all__ = ["call"]

_METHODS = (types.BuiltinFunctionType, types.MethodWrapperType)
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_MATCHING = frozenset(
    {"match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
)
_SOURCE = "__knitbone_source__"
_DOCUMENTS = frozenset({"json", "yaml", "ast", "tomllib", "tomli", "copy", "json.decoder"})
"""Modules whose functions make whole documents, which the code may change at any depth."""
_MAX_MADE = 20_000
_OF_ELEMENT = frozenset({"get", "find", "findtext"})
"""Methods of an XML element that go on with nothing, or a default, where it lacks something."""
_VALIDATING = frozenset(
    {"model_validate", "model_validate_json", "parse_obj", "parse_raw"}
    | {"validate_python", "validate_json"}
)
"""Methods of pydantic that make a model of a document."""
_BY_KEY = frozenset({"get", "pop", "setdefault", "__getitem__", "__contains__"})
"""Methods of a dictionary that look for one key."""


def call(machine: Machine, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Call something where that has no effect; else note that its arguments are given away."""
    if isinstance(function, InterpretedFunction):
        return function(*given, **named)
    if isinstance(function, types.MethodType):
        return call(machine, function.__func__, (function.__self__, *given), named)
    if isinstance(function, functools.partial):
        again = (*function.args, *given), {**function.keywords, **named}
        return call(machine, function.func, *again)
    if isinstance(function, types.FunctionType):
        return _call_function(machine, function, given, named)
    if isinstance(function, type):
        return _construct(machine, function, given, named)
    if isinstance(function, (*_METHODS, *_DESCRIPTORS)):
        return _call_builtin(machine, function, given, named)
    if isinstance(function, Opaque):
        return machine.give_away((given, named))
    if wrapped := getattr(function, "__wrapped__", None):
        return call(machine, wrapped, given, named)  # ``functools.lru_cache``
    if is_library(type(function)):
        return _call_native(machine, function, given, named)
    method = getattr(type(function), "__call__", None)  # noqa: B004 - what a call would run
    if isinstance(method, types.FunctionType):
        return _call_function(machine, method, (function, *given), named)
    return machine.give_away((given, named))


def _call_function(
    machine: Machine, function: types.FunctionType, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Call a function written in Python: interpreted where it is the application's own."""
    if hasattr(function, _SOURCE):
        return machine.give_away((given, named))
    dispatch = getattr(function, "dispatch", None)
    if dispatch is not None and hasattr(function, "registry") and given:
        return call(machine, dispatch(type(given[0])), given, named)
    node = definition_of(function, machine.root)
    if node is None:
        if given and isinstance(given[0], logging.Logger):
            return None
        if is_library(function):
            return _call_native(machine, function, given, named)
        if wrapped := getattr(function, "__wrapped__", None):
            return call(machine, wrapped, given, named)
        return machine.give_away((given, named))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held: dict[str, Any] = {}
    for name, cell in cells:
        try:
            held[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    outer = Environment(function.__globals__, None, held)
    defaults, keyword_defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
    return machine.run(
        InterpretedFunction(machine, node, outer, defaults, keyword_defaults), given, named
    )


def _construct(
    machine: Machine, kind: type[Any], given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Make an object of a class: of the application, by its own ``__init__`` or its fields."""
    if kind is type and len(given) == 1:
        return OPAQUE if isinstance(given[0], Opaque) else type(given[0])
    if kind is bool and given:
        machine.take_for_truth(given[0])
    if kind in BUILTINS or is_library(kind):
        return _call_native(machine, kind, given, named)
    if kind is super:
        raise Unfollowed("super() is not followed")
    if issubclass(kind, enum.Enum):
        return _enum_member(machine, kind, given)
    if kind.__module__ == "builtins" and issubclass(kind, BaseException):
        return kind(*given, **named)
    first = getattr(kind, "__init__", None)
    if isinstance(first, types.FunctionType) and definition_of(first, machine.root) is not None:
        made = machine.make(cast("Any", kind).__new__(kind))
        _call_function(machine, first, (made, *given), named)
        return made
    # What is left has an ``__init__`` that was generated, inherited from a builtin, or is foreign.
    generated = dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    model = hasattr(kind, "model_validate") or hasattr(kind, "__get_validators__")
    if hasattr(kind, "__post_init__"):
        raise Unfollowed("a class that works on its fields when it is made")
    plain = kind.__init__ in (object.__init__, Exception.__init__, BaseException.__init__)
    if generated or model or plain or issubclass(kind, BaseException):
        made = _call_native(machine, kind, given, named)
        if generated and not isinstance(made, Opaque):
            _note_fields(machine, made)
        return made
    return machine.give_away((given, named))


def _note_fields(machine: Machine, made: Any) -> None:
    """Note the fields of a record that are declared as numbers and are texts: nothing checks."""
    declared: dict[str, Any] = getattr(type(made), "__annotations__", {})
    for name, kind in declared.items():
        what = f"{type(made).__name__}.{name}"
        machine.declare(getattr(made, name, None), kind, what)


def _note_unset(machine: Machine, made: Any, given: Any) -> None:
    """Note the fields of models that took their default, while the answer has keys that no field
    has: pydantic passes over those without a word.

    Args:
        given: what a model, or a list of models, was made of; its JSON where it is a text.
    """
    if isinstance(given, str | bytes):
        try:
            given = json.loads(given)
        except ValueError:
            return
    items: Any = made
    if isinstance(made, list | tuple) and isinstance(given, list):
        for one, source in zip(items, given, strict=False):
            _note_unset(machine, one, source)
        return
    fields = getattr(type(made), "model_fields", None)
    if not isinstance(fields, dict) or not isinstance(given, dict):
        return
    given_fields: set[str] = getattr(made, "model_fields_set", set())
    known: set[Any] = set()
    for name, field in fields.items():
        names = {name, *_aliases(field)}
        known |= names
        key = next((each for each in names if each in given), None)
        if key is not None:
            _note_unset(machine, getattr(made, name, None), given[key])
    unset = [name for name in fields if name not in given_fields]
    unread = [key for key in given if key not in known]
    machine.lacks.update(unset)
    if unset and (unread or not given_fields):
        lacking = ", ".join(sorted(repr(name)[:40] for name in unset))
        keys = ", ".join(repr(key)[:40] for key in unread[:3])
        told = f"nothing reads {keys} of the answer" if keys else "no value comes from the answer"
        machine.doubt(f"{type(made).__name__} goes on without {lacking}, and {told}")


def _aliases(field: Any) -> list[str]:
    """Return the names under which a field of a model may stand in a document."""
    named = field.validation_alias or field.alias
    choices = getattr(named, "choices", (named,))
    return [each for each in choices if isinstance(each, str)]


def _enum_member(machine: Machine, kind: type[enum.Enum], given: tuple[Any, ...]) -> Any:
    """Return ``Colour(text)``, without running the application's ``_missing_`` unseen."""
    (value,) = given
    if isinstance(value, Opaque):
        return OPAQUE
    if isinstance(value, kind):
        return value
    known: Mapping[Any, Any] = kind._value2member_map_
    if value in known:
        return known[value]
    missing = vars(kind).get("_missing_")
    found = None
    if isinstance(missing, classmethod):
        method = cast("types.FunctionType", missing.__func__)
        found = _call_function(machine, method, (kind, value), {})
    if found is None:
        machine.miss(value, tuple(known))
        raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")
    return found


def _call_builtin(
    machine: Machine, function: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Call a builtin, or a method of a builtin type, where it has no effect or only on the
    rehearsal's objects."""
    if function is builtins.print:
        machine.give_away((given, named))
        return None
    if function in (builtins.getattr, builtins.hasattr):
        return _call_getattr(machine, function, given)
    owner = getattr(function, "__self__", None)
    if isinstance(function, _DESCRIPTORS):
        owner, given = given[0], given[1:]
        function = getattr(owner, function.__name__)
    if owner is None or isinstance(owner, types.ModuleType):
        allowed = function in BUILTINS or is_library(function)
        return (_call_native if allowed else _give_away)(machine, function, given, named)
    if isinstance(owner, type):
        allowed = owner in BUILTINS or is_plain_type(owner) or is_library(function)
        return (_call_native if allowed else _give_away)(machine, function, given, named)
    if isinstance(owner, dict):
        if function.__name__ in _BY_KEY and given:
            machine.read_key(owner, given[0])
            if len(given) > 1:
                machine.take_default(owner, *given[:2])
        else:
            machine.read_whole(owner)
        if function.__name__ == "get" and given:
            machine.look_up(owner, given[0])
    elif isinstance(owner, Element) and function.__name__ in _OF_ELEMENT and given:
        machine.read_element(owner, function.__name__, given[0])
    if function.__name__ in MUTATING and not machine.was_made(owner):
        owner = machine.writable(owner)
        function = getattr(owner, function.__name__)
    if is_plain(owner) or machine.was_made(owner) or is_library(type(owner)):
        return _call_native(machine, function, given, named)
    return machine.give_away(((owner, *given), named))


def is_plain_type(kind: type[Any]) -> bool:
    """Return whether class methods such as ``dict.fromkeys`` have no effect."""
    return kind.__module__ in ("builtins", "datetime", "collections", "decimal", "fractions")


def _give_away(
    machine: Machine, function: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Note that the arguments reach something that is not followed."""
    del function
    return machine.give_away((given, named))


def _call_getattr(machine: Machine, function: Any, given: tuple[Any, ...]) -> Any:
    """Call ``getattr`` or ``hasattr`` as the interpreter reads attributes."""
    held, name, *default = given
    try:
        value = load_attribute(machine, held, name)
    except AttributeError:
        if function is builtins.hasattr:
            return False
        if default:
            return default[0]
        raise
    return True if function is builtins.hasattr else value


def _call_native(
    machine: Machine, function: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Call a function that has no effect of its own, on values that have none either."""
    values = (*given, *named.values())
    asks = function in (isinstance, issubclass, callable, id, len, bool)
    for value in values:
        if isinstance(value, Opaque):
            return OPAQUE
        if isinstance(value, Iterator) and not machine.was_made(value):
            raise Unfollowed("an iterator of the application would be used up")
        if not (asks or _is_inert(machine, value)):
            return machine.give_away((given, named))
        if not asks:
            machine.read_whole(value)
    if not _is_affordable_call(function, given):
        raise Unfinished(f"the expression in {function!r} may take too long")
    given = tuple(_as_interpreted(machine, value) for value in given)
    named = {name: _as_interpreted(machine, value) for name, value in named.items()}
    try:
        result = function(*given, **named)
    except (ValueError, ArithmeticError):
        machine.stumbled = _text_of_conversion(function, given) or machine.stumbled
        raise
    if getattr(function, "__module__", "") in _DOCUMENTS:
        return _make_all(machine, result)
    if getattr(function, "__name__", "") in _VALIDATING and given:
        _note_unset(machine, result, given[-1])
    elif hasattr(type(result), "model_fields") and named and not given:
        _note_unset(machine, result, named)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, dict | list) and function.__name__ != "copy":
        return result  # an item, which may belong to the application
    machine.make(result)
    if type(result) is dict:
        for key in result:
            machine.note_entry(result, key)
    return result


_NUMBERS = (float, Decimal, Fraction)


def _text_of_conversion(function: Any, given: tuple[Any, ...]) -> RefusedText | None:
    """Return the text that a call makes a number or a date of; ``None`` for any other call."""
    text, *others = given or (None,)
    if not isinstance(text, str):
        return None
    if function is int:
        return None if others else RefusedText(text, "integer")
    if function in _NUMBERS:
        return RefusedText(text, "number")
    name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    if name == "strptime" and others and isinstance(others[0], str):
        return RefusedText(text, "date", others[0])
    if name == "fromisoformat" and isinstance(owner, type):
        return RefusedText(text, "date", f"{owner.__name__}.{name}")
    return None


def _is_affordable_call(function: Any, given: tuple[Any, ...]) -> bool:
    """Return whether a call fits into the time that is left, where it runs a regular expression."""
    pattern, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if name not in _MATCHING:
        return True
    texts = [value for value in given if isinstance(value, str)]
    if not isinstance(pattern, re.Pattern):
        if getattr(function, "__module__", "") != "re" or not given:
            return True
        flags = [value for value in given if isinstance(value, re.RegexFlag)]
        pattern = re.compile(given[0], *flags[:1])
    method = cast("Method", {"subn": "sub"}.get(name, name))
    return is_affordable(pattern, method, texts[-1:])


def _is_inert(machine: Machine, value: Any) -> bool:
    """Return whether a builtin that gets the value runs no code of the application but
    functions."""
    if is_plain(value) or machine.was_made(value):
        return True
    return callable(value) or is_library(type(value)) or hasattr(type(value), "model_fields")


def _as_interpreted(machine: Machine, value: Any) -> Any:
    """Return a function of the application as an interpreted one, wherever it will be called."""
    if isinstance(value, types.FunctionType | types.MethodType) and not is_library(value):
        return lambda *given, **named: call(machine, value, given, named)
    return value


def _make_all(machine: Machine, value: Any) -> Any:
    """Note that the rehearsal made a value and everything in it."""
    pending = [value]
    for _ in range(_MAX_MADE):
        if not pending:
            break
        inner = pending.pop()
        if isinstance(inner, dict):
            machine.note_object(inner)
            pending.extend(machine.make(inner).values())
        elif isinstance(inner, list | set):
            machine.lists.add(id(inner))
            pending.extend(machine.make(inner))
    return machine.make(value)
