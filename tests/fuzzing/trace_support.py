"""Functions of the corpus as they are written, and as tracing rewrites them, side by side."""

from __future__ import annotations

import asyncio
import copy
import inspect
import itertools
import re
import sys
import traceback
from types import ModuleType
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from trace_corpus import Program

from knitbone.fuzzing.trace import attach
from knitbone.fuzzing.trace.calls import own_files
from knitbone.fuzzing.trace.helpers import install
from knitbone.fuzzing.trace.load import compile_traced
from knitbone.fuzzing.trace.loops import PartIterator
from knitbone.fuzzing.trace.values import TAINTED

_numbers = itertools.count()


class Did(NamedTuple):
    """What a call did: comparable, types included."""

    value: Any = None
    error: Any = None
    line: int | None = None
    """Where in the function's own file the exception was raised."""
    arguments: Any = None
    """As the call left them."""


class Both(NamedTuple):
    """A function as it is written, and rewritten."""

    plain: Any
    rewritten: Any
    source: str


def both(source: str) -> Both:
    """The function ``f`` of a source, compiled in both ways."""
    install()
    return Both(_loaded(source, rewritten=False), _loaded(source, rewritten=True), source)


_compiled: dict[str, Both] = {}


def compiled(program: Program) -> Both:
    """The same, compiled once; state of the module lasts from call to call."""
    if program.source not in _compiled:
        _compiled[program.source] = both(program.source)
    return _compiled[program.source]


def _loaded(source: str, *, rewritten: bool) -> Any:
    name = f"corpus_{next(_numbers)}"
    module = ModuleType(name)
    module.__file__ = f"/corpus/{name}.py"
    sys.modules[name] = module
    compile_it: Any = compile_traced if rewritten else compile
    code = compile_it(source, module.__file__, *(() if rewritten else ("exec",)))
    exec(code, vars(module))
    return module.f


def did(function: Any, arguments: dict[str, Any], *, recorded: bool = False) -> Did:
    """Call a function, to the end of what it returns."""
    given = copy.deepcopy(arguments)
    own = inspect.unwrap(function).__code__.co_filename in own_files()
    called = attach.traced(function) if own else function
    file = inspect.unwrap(function).__code__.co_filename
    if recorded:
        attach.begin(copy.deepcopy(arguments))
    try:
        return Did(value=shown(_finished(_call(called, given))), arguments=shown(given))
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == file]
        said = (type(error).__qualname__, _lasting(str(error)), shown(error.args))
        return Did(error=said, line=lines[-1] if lines else None, arguments=shown(given))
    finally:
        attach.end()


def _call(function: Any, given: dict[str, Any]) -> Any:
    positional = [
        given[name]
        for name, parameter in inspect.signature(function).parameters.items()
        if name in given and parameter.kind is parameter.POSITIONAL_ONLY
    ]
    rest: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given and parameter.kind is not parameter.POSITIONAL_ONLY:
            rest[name] = given[name]
    return function(*positional, **rest)


def _finished(value: Any) -> Any:
    if inspect.isawaitable(value):
        return asyncio.run(_awaited(value))
    if inspect.isasyncgen(value):
        return asyncio.run(_collected(value))
    return list(value) if inspect.isgenerator(value) else value


async def _awaited(value: Any) -> Any:
    return await value


async def _collected(stream: Any) -> list[Any]:
    return [item async for item in stream]


def shown(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """A value by its types and parts, at every depth."""
    kind: Any = type(value)
    if kind in TAINTED or kind is PartIterator:
        raise AssertionError(f"{value!r} is tainted")
    if id(value) in seen:
        return "itself"
    seen = (*seen, id(value))
    name = kind.__qualname__
    if isinstance(value, dict):
        return name, [(shown(key, seen), shown(part, seen)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return name, [shown(part, seen) for part in value]
    if isinstance(value, set | frozenset):
        return name, sorted((shown(part, seen) for part in value), key=repr)
    if kind in (str, int, float, bytes, bool, type(None)):
        return name, _lasting(repr(value))
    if kind.__module__.startswith("corpus_") and hasattr(value, "__dict__"):
        return name, shown(vars(value), seen)
    if isinstance(value, ET.Element):
        return name, ET.tostring(value)
    if isinstance(value, type):
        return "type", value.__qualname__
    return name, _lasting(repr(value))


def _lasting(text: str) -> str:
    """A text without addresses, and without the names that modules have here."""
    return re.sub(r"corpus_\d+|0x[0-9a-f]+", "", text)
