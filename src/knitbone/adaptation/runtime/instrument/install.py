"""The installation of instrumented code in the functions of a running application.

The decorator works in two steps. At decoration the analysis runs (on source, nothing is imported)
and the entry function gets its instrumented code with one call in front. That call, at the first
run, when the application's modules are loaded, instruments everything else that the entry function
reaches; then it is removed. Modules that are not loaded yet are instrumented when they are
imported.
"""

from __future__ import annotations

import ast
import gc
import linecache
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial, partialmethod
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast
from weakref import WeakKeyDictionary

import msgspec

from knitbone._forks import new_rlock
from knitbone._logging import get_logger, log
from knitbone.adaptation.cells import cells_beside, file_of, note_cell
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime import delivery
from knitbone.adaptation.runtime.decorated_functions import DecoratedFunction, note_function
from knitbone.adaptation.runtime.instrument.cache import UnitPlan
from knitbone.adaptation.runtime.instrument.delivery_calls import DELIVER
from knitbone.adaptation.runtime.instrument.importer import adopt_imports, adopted_code
from knitbone.adaptation.runtime.instrument.plans import plan_of_module, sites_of
from knitbone.adaptation.runtime.instrument.reach import (
    examine,
    reached_sites,
    sites_with_requirements,
)
from knitbone.adaptation.runtime.instrument.reasons import drop_reason, keep_reason, reasons
from knitbone.adaptation.runtime.instrument.transform import (
    ENTER,
    InstrumentationError,
    compile_module,
    find_code,
    inherited_flags,
    missing_wraps,
    narrowed_to,
    parse_module,
)
from knitbone.adaptation.runtime.instrument.wraps import Wrap, wraps_of
from knitbone.adaptation.runtime.preload import load_ahead
from knitbone.adaptation.runtime.registry import number_site
from knitbone.config import AdaptConfig

__all__ = ["instrument_entry", "plain_function"]

_logger = get_logger(__name__)
_lock = new_rlock()
_originals: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
_entries: list[_EntryFunction] = []
_planned_names: set[str] = set()
_planned: dict[str, UnitPlan] = {}
"""File -> the plan that its sites come from, for files that an entry reaches."""


class _SourceFile:
    """The source of a file as it was read."""

    def __init__(self, filename: str, text: str) -> None:
        self.filename = filename
        self.text = text
        self.tree = parse_module(text, filename)
        self._known: tuple[tuple[Wrap, ...], tuple[Wrap, ...]] = ((), ())

    def wraps(self, plan: UnitPlan, file: str) -> tuple[Wrap, ...]:
        """Return what is to be wrapped in the file, as far as each stands there once."""
        asked = wraps_of(sites_of(plan, file), file)
        if self._known[0] != asked:
            missing = missing_wraps(self.tree, asked)
            self._known = (asked, tuple(wrap for wrap in asked if wrap not in missing))
        return self._known[1]

    def code(
        self,
        running: CodeType,
        wraps: Sequence[Wrap],
        entries: dict[tuple[str, int], int] | None = None,
        *,
        base: CodeType | None = None,
    ) -> CodeType:
        """Return the instrumented code of the function that runs ``running``.

        Args:
            entries: of the function itself, where a call is put in front.
            base: what its module was loaded from, where that is not its source as it stands.

        Raises:
            InstrumentationError: the source is not that of the running code.
        """

        flags = inherited_flags(running)

        def code_in(tree: ast.Module) -> CodeType:
            plain = base or compile_module(tree, self.filename, flags=flags)
            find_code(plain, plain, running)
            changed = compile_module(tree, self.filename, wraps, entries, flags=flags)
            return find_code(plain, changed, running)

        try:
            return code_in(narrowed_to(self.tree, running.co_firstlineno))
        except InstrumentationError:
            return code_in(self.tree)


class _EntryFunction:
    """A decorated function, and what is left to instrument for it."""

    def __init__(
        self,
        function: FunctionType,
        final: CodeType,
        pending: dict[str, set[str]],
        noted: DecoratedFunction,
        config: AdaptConfig,
    ) -> None:
        self.function = function
        self.final = final
        self.pending = pending
        """File -> qualified names of functions still to be instrumented."""
        self.modules_seen = -1
        """Loaded modules when ``run`` last looked for functions: until there are more it does
        nothing. -1 makes it look again."""
        self._noted = noted
        self._config = config
        self.waiting: set[tuple[str, str]] = set()
        """File and name of the functions that hold all that is adapted; empty once one of them is
        instrumented."""

    def run(self, *, ahead: bool = False) -> None:
        """Instrument everything that can be by now.

        Args:
            ahead: before the first call, when a script or a cell may not have come to all of its
                functions yet: those wait.
        """
        with _lock:
            if not self.pending or self.modules_seen == len(sys.modules):
                return
            self.modules_seen = len(sys.modules)
            for file in list(self.pending):
                if adopted_code(file) is not None:
                    del self.pending[file]
                    self.waiting.clear()
                elif namespaces := self._namespaces(file):
                    if ahead and not _are_defined(self.pending[file], namespaces):
                        self.modules_seen = -1
                        continue
                    for name in sorted(self.pending.pop(file)):
                        done = [_instrument_named(space, name, file) for space in namespaces]
                        if any(done) and (file, name) in self.waiting:
                            self.waiting.clear()
            if not self.pending and self.waiting:
                self._log_untouched()

    def _namespaces(self, file: str) -> list[dict[str, Any]]:
        """Return the namespaces that the functions of a file are in: its modules or, where the
        entry's own code is in none (``runpy``) or all cells of a notebook have one, what that code
        sees."""
        modules = _modules_of(file)
        own = self.function.__globals__
        here = _originals[self.function].co_filename
        if modules or (file != file_of(here) and file not in cells_beside(here)):
            return [vars(module) for module in modules]
        return [] if getattr(own.get("__spec__"), "_initializing", False) else [own]

    def _log_untouched(self) -> None:
        known = reasons()
        named = sorted(name for _, name in self.waiting)
        why = next((known[key] for key in known if key.endswith(f".{named[0]}")), "")
        reason = f"what it reaches runs untouched: {', '.join(named)}" + (f": {why}" if why else "")
        step = "put @knitbone.adapt on it, or start the program with `knitbone run`"
        noted = msgspec.structs.replace(self._noted, required=(), reason=reason, next_step=step)
        note_function(noted, quiet=self._config.quiet)

    def finish(self) -> None:
        with _lock:
            if not self.pending and self.function.__code__ is not self.final:
                self.function.__code__ = self.final


def instrument_entry(function: FunctionType, config: AdaptConfig) -> DecoratedFunction:
    """Instrument an entry function, and prepare everything it reaches.

    Every expression of a file that is a site is wrapped; the sites that the entry reaches are
    switched on.

    Returns:
        What it reaches; why nothing is adapted in it, where that is so.

    Raises:
        InstrumentationError: the function runs untouched.
    """
    with _lock:
        running = _originals.get(function, function.__code__)
        here = file_of(running.co_filename)
        source = _read_source(running.co_filename, function.__globals__)
        plan = plan_of_module(Path(running.co_filename), source.text, config.analysis_s)
        # Loaded by ``knitbone run``, or behind another entry: the code is wrapped already.
        base = adopted_code(here)
        entry_key = _entry_key(plan, running)
        wraps = source.wraps(plan, here)
        final = source.code(running, wraps, base=base)
        found = {wrap.number for wrap in wraps}
        noted = examine(function, running, plan, entry_key, config, here=here, found=found)
        names = _switch_on(plan, entry_key, config)
        own_name = plan.functions[entry_key][1].partition(".<locals>")[0]
        names.get(here, set()).discard(own_name)
        pending = {
            file: functions
            for file, functions in names.items()
            if functions and adopted_code(file) is None
        }
        function.__globals__[DELIVER] = delivery
        _originals[function] = running
        if not pending:
            function.__code__ = final
            return noted
        adopt_imports(_LATER)
        token = len(_entries)
        entry = _EntryFunction(function, final, pending, noted, config)
        holding = {
            (site.file, site.function.partition(".<locals>")[0])
            for site in sites_with_requirements(reached_sites(plan, entry_key), config)
        }
        if all(name in pending.get(file, ()) for file, name in holding):
            entry.waiting = holding
        _entries.append(entry)
        function.__globals__[ENTER] = _enter
        entries = {(running.co_name, running.co_firstlineno): token}
        function.__code__ = source.code(running, wraps, entries, base=base)
        load_ahead(partial(_enter, token, ahead=True))
        return noted


def _enter(token: int, *, ahead: bool = False) -> None:
    """Instrument what an entry function reaches; called first by it until all is done."""
    try:
        entry = _entries[token]
        entry.run(ahead=ahead)
        entry.finish()
    except Exception:  # noqa: BLE001 - fail open: the application runs uninstrumented
        log(_logger, logging.ERROR, "instrumentation failed", exc_info=True)


def _are_defined(names: Iterable[str], namespaces: Sequence[dict[str, Any]]) -> bool:
    return all(name.partition(".")[0] in space for name in names for space in namespaces)


def _read_source(filename: str, namespace: dict[str, Any]) -> _SourceFile:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, namespace)
    if not lines:
        raise InstrumentationError("its source is not available")
    if not Path(filename).is_file():
        note_cell(filename)
    return _source_file(filename, "".join(lines))


@lru_cache(maxsize=1)
def _source_file(filename: str, text: str) -> _SourceFile:
    """Parse a file. One is cached: functions are decorated and instrumented file by file."""
    return _SourceFile(filename, text)


def _entry_key(plan: UnitPlan, running: CodeType) -> str:
    here = file_of(running.co_filename)
    for key, (file, qualname, line) in plan.functions.items():
        name = qualname.rpartition(".")[2]
        if file == here and name == running.co_name and line == running.co_firstlineno:
            return key
    raise InstrumentationError(plan.errors.get(here, "it is not found in its source"))


def _switch_on(plan: UnitPlan, entry_key: str, config: AdaptConfig) -> dict[str, set[str]]:
    """Switch on the sites that the entry reaches; return the functions that hold them, by file."""
    names: dict[str, set[str]] = {}
    for site in reached_sites(plan, entry_key):
        number_site(site, config)
        names.setdefault(site.file, set()).add(site.function.partition(".<locals>")[0])
        for file, name in _tool_offers_for(plan, site):
            names.setdefault(file, set()).add(name)
    for file in names:
        _planned[file] = plan
        _planned_names.add(os.path.basename(file))  # noqa: PTH119
    return names


def _tool_offers_for(plan: UnitPlan, site: Site) -> Iterator[tuple[str, str]]:
    """Yield file and function of the calls that tell a model which tools it may call.

    They belong to a site at which arguments of tool calls arrive.
    """
    for file, line, _ in site.origins if site.brings_call else ():
        before = [(at, name) for f, name, at in plan.functions.values() if f == file and at <= line]
        if before:
            yield file, max(before)[1].partition(".<locals>")[0]


class _Planned:
    """The files that an entry function reaches, for imports that come later."""

    def wants(self, name: str, path: str) -> bool:  # noqa: ARG002 - the protocol's
        return os.path.basename(path) in _planned_names  # noqa: PTH119 - asked often

    def sites(self, file: str) -> Sequence[Site]:
        plan = _planned.get(file)
        return () if plan is None else sites_of(plan, file)


_LATER = _Planned()


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


def _instrument_named(namespace: dict[str, Any], qualname: str, file: str) -> bool:
    """Instrument the functions of a name; return whether that could be done."""
    name = f"{namespace.get('__name__', '?')}.{qualname}"
    try:
        for function in _find_functions(namespace, qualname, file):
            running = _originals.get(function, function.__code__)
            source = _read_source(running.co_filename, function.__globals__)
            code = source.code(running, source.wraps(_planned[file], file))
            function.__globals__[DELIVER] = delivery
            _originals[function] = running
            function.__code__ = code
        drop_reason(name)
    except InstrumentationError as reason:
        keep_reason(name, str(reason))
        return False
    return True


def _find_functions(namespace: dict[str, Any], qualname: str, file: str) -> list[FunctionType]:
    """Return the function of a name, or all functions that were made from its source.

    The second where a decorator put something else there: a registry or another object holds them.
    """
    holder: Any = None
    try:
        for part in qualname.split("."):
            held = namespace if holder is None else cast("dict[str, Any]", vars(holder))
            if part not in held:
                raise InstrumentationError("its module no longer holds it under its name")
            holder = held[part]
        function = plain_function(holder)
        if _is_of(function, qualname, file):
            return [function]
    except (InstrumentationError, TypeError) as error:
        reason = (
            error if isinstance(error, InstrumentationError) else InstrumentationError(str(error))
        )
    else:
        reason = InstrumentationError("its name holds another function")
    found = [
        held
        for held in gc.get_objects()
        if type(held) is FunctionType and _is_of(held, qualname, file)
    ]
    if not found:
        raise reason
    return found


def _is_of(function: FunctionType, qualname: str, file: str) -> bool:
    code = _originals.get(function, function.__code__)
    return (
        code.co_name == qualname.rpartition(".")[2]
        and function.__qualname__ == qualname
        and file_of(code.co_filename) == file
    )


def plain_function(value: Any) -> FunctionType:
    """Return the function behind methods, properties and well-behaved decorators.

    Raises:
        InstrumentationError: there is none.
    """
    for _ in range(32):
        if isinstance(value, FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        if isinstance(value, staticmethod | classmethod | MethodType):
            value = cast("Any", value.__func__)
        elif isinstance(value, property):
            value = value.fget
        elif isinstance(value, cached_property | partial | partialmethod):
            value = cast("Any", value.func)
        elif hasattr(value, "__wrapped__"):
            value = cast("Any", value).__wrapped__
        else:
            break
    raise InstrumentationError(f"it is a {type(value).__name__}, not a function written in Python")
