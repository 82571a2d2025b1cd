"""Put the wrapped code into the functions of an application, in place.

The decorator works in two steps. At decoration the analysis runs (on source, nothing is imported)
and the entry function receives its wrapped code with one call in front. That call, at the first
run, when the application's modules are loaded, instruments everything else that the entry
function reaches; then it is taken out again.
"""

from __future__ import annotations

import ast
import linecache
import logging
import sys
import threading
import warnings
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast
from weakref import WeakKeyDictionary

from knitbone._logging import get_logger, log
from knitbone.adaptation.analysis import Analysis, analyse_module
from knitbone.adaptation.instrument.transform import (
    DELIVER,
    ENTER,
    Cannot,
    Wrap,
    compile_module,
    find_code,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.runtime import deliver_numbered, number_site
from knitbone.config import AdaptConfig

__all__ = ["instrument_entry", "untouched"]

_logger = get_logger(__name__)
_lock = threading.RLock()
_originals: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
_entries: list[_Entry] = []
_analyses: dict[tuple[str, str], Analysis] = {}
_untouched: dict[str, str] = {}


def untouched() -> dict[str, str]:
    """Functions that could not be instrumented and run as they were, with the reason."""
    with _lock:
        return dict(_untouched)


class _Source:
    """One file as it was read, with its plain code."""

    def __init__(self, filename: str, text: str) -> None:
        self.filename = filename
        self.text = text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree = ast.parse(text, filename=filename)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Cannot(f"its source cannot be parsed: {error}") from error
        self.plain = compile_module(self.tree, filename)


class _Entry:
    """What is left to do for one decorated function."""

    def __init__(
        self,
        function: FunctionType,
        final: CodeType,
        pending: dict[str, set[str]],
        wraps: dict[str, tuple[Wrap, ...]],
    ) -> None:
        self.function = function
        self.final = final
        self.pending = pending
        """File -> qualified names of functions still to be instrumented."""
        self.wraps = wraps
        self.modules_seen = -1

    def run(self) -> None:
        with _lock:
            if not self.pending or self.modules_seen == len(sys.modules):
                return
            self.modules_seen = len(sys.modules)
            for file in list(self.pending):
                modules = _modules_of(file)
                if modules:
                    names = self.pending.pop(file)
                    for module in modules:
                        for name in sorted(names):
                            _instrument_named(module, name, self.wraps[file])

    def finish(self) -> None:
        with _lock:
            if not self.pending and self.function.__code__ is not self.final:
                self.function.__code__ = self.final


def instrument_entry(function: FunctionType, config: AdaptConfig) -> None:
    """Instrument an entry function, and prepare everything it reaches.

    Raises:
        Cannot: the function runs untouched.
    """
    with _lock:
        running = _originals.get(function, function.__code__)
        source = _read_source(running.co_filename, function.__globals__)
        find_code(source.plain, source.plain, running)
        analysis = _analyse(running.co_filename, source.text)
        entry_key = _entry_key(analysis, running)
        names, wraps = _plan(analysis, entry_key, config)
        here = str(Path(running.co_filename).resolve())
        own = wraps.get(here, ())
        final = find_code(
            source.plain, compile_module(source.tree, running.co_filename, own), running
        )
        own_name = analysis.functions[entry_key][1].partition(".<locals>")[0]
        names.get(here, set()).discard(own_name)
        pending = {file: functions for file, functions in names.items() if functions}
        entry = _Entry(function, final, pending, wraps)
        function.__globals__[DELIVER] = deliver_numbered
        _originals[function] = running
        if not pending:
            function.__code__ = final
            return
        token = len(_entries)
        _entries.append(entry)
        function.__globals__[ENTER] = _enter
        marked = compile_module(
            source.tree,
            running.co_filename,
            own,
            {(running.co_name, running.co_firstlineno): token},
        )
        function.__code__ = find_code(source.plain, marked, running)


def _enter(token: int) -> None:
    """Called first by an entry function until everything it reaches is instrumented."""
    try:
        entry = _entries[token]
        entry.run()
        entry.finish()
    except Exception:  # noqa: BLE001 - fail open: the application runs uninstrumented
        log(_logger, logging.ERROR, "instrumentation failed", exc_info=True)


def _read_source(filename: str, namespace: dict[str, Any]) -> _Source:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, namespace)
    if not lines:
        raise Cannot("its source is not available")
    return _Source(filename, "".join(lines))


def _analyse(filename: str, text: str) -> Analysis:
    key = (filename, text)
    if key not in _analyses:
        _analyses[key] = analyse_module(Path(filename), text)
    return _analyses[key]


def _entry_key(analysis: Analysis, running: CodeType) -> str:
    here = str(Path(running.co_filename).resolve())
    for key, (file, qualname, line) in analysis.functions.items():
        name = qualname.rpartition(".")[2]
        if file == here and name == running.co_name and line == running.co_firstlineno:
            return key
    raise Cannot("it is not found in its source")


def _plan(
    analysis: Analysis, entry_key: str, config: AdaptConfig
) -> tuple[dict[str, set[str]], dict[str, tuple[Wrap, ...]]]:
    """Which functions hold sites that the entry reaches, and what to wrap in each file."""
    reached = analysis.reachable(entry_key)
    names: dict[str, set[str]] = {}
    wraps: dict[str, list[Wrap]] = {}
    for site in analysis.sites:
        if f"{site.file}::{site.function}" not in reached:
            continue
        if not any(isinstance(r, PositionalTemplate) for r in site.requirements):
            continue
        names.setdefault(site.file, set()).add(site.function.partition(".<locals>")[0])
        wraps.setdefault(site.file, []).append(
            Wrap(site.line, site.column, site.end_line, site.end_column, number_site(site, config))
        )
    return names, {file: tuple(found) for file, found in wraps.items()}


def _modules_of(file: str) -> list[ModuleType]:
    found: list[ModuleType] = []
    for module in list(sys.modules.values()):
        written = getattr(module, "__file__", None)
        if isinstance(written, str) and written.endswith(Path(file).name):
            try:
                same = str(Path(written).resolve()) == file
            except OSError:
                continue
            if same and not getattr(getattr(module, "__spec__", None), "_initializing", False):
                found.append(module)
    return found


def _instrument_named(module: ModuleType, qualname: str, wraps: tuple[Wrap, ...]) -> None:
    name = f"{module.__name__}.{qualname}"
    try:
        function = _find_function(module, qualname)
        running = _originals.get(function, function.__code__)
        source = _read_source(running.co_filename, function.__globals__)
        changed = compile_module(source.tree, running.co_filename, wraps)
        code = find_code(source.plain, changed, running)
        function.__globals__[DELIVER] = deliver_numbered
        _originals[function] = running
        function.__code__ = code
        _untouched.pop(name, None)
    except Cannot as reason:
        _untouched[name] = str(reason)
        log(_logger, logging.WARNING, "function runs untouched", function=name, reason=str(reason))


def _find_function(module: ModuleType, qualname: str) -> FunctionType:
    holder: Any = module
    for part in qualname.split("."):
        namespace = cast("dict[str, Any]", vars(holder))
        if part not in namespace:
            raise Cannot("its module no longer holds it under its name")
        holder = namespace[part]
    return plain_function(holder)


def plain_function(value: Any) -> FunctionType:
    """The function behind methods, properties and well-behaved decorators.

    Raises:
        Cannot: there is none.
    """
    for _ in range(32):
        if isinstance(value, FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        if isinstance(value, staticmethod | classmethod):
            value = cast("Any", value.__func__)
        elif isinstance(value, property):
            value = value.fget
        elif isinstance(value, cached_property):
            value = cast("Any", value.func)
        elif hasattr(value, "__wrapped__"):
            value = cast("Any", value).__wrapped__
        else:
            break
    raise Cannot(f"it is a {type(value).__name__}, not a function written in Python")
