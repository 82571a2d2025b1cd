"""Instrument modules as they are imported, and scripts as they are started.

A finder in front of the others takes the module that they find; where its file has sites, the
file is compiled with the sites wrapped. Compiled code is neither read from nor written to
``__pycache__``, so that nothing of it is left there. Whatever cannot be instrumented is loaded by
the loader that was found, and the reason is kept.
"""

from __future__ import annotations

import ast
import os
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import TYPE_CHECKING, Protocol

from knitbone.adaptation.runtime.event_loop import outside_loop

if TYPE_CHECKING:
    from knitbone.adaptation.requirements.sites import Site

# Every Python process below ``knitbone run`` loads this module: what instrumenting needs is loaded
# with the first module that is instrumented.

__all__ = [
    "ImportScope",
    "adopt_imports",
    "adopt_scripts",
    "adopted_code",
    "rewrite_modules",
]


class ImportScope(Protocol):
    """The files that are instrumented, and their sites."""

    def wants(self, name: str, path: str) -> bool:
        """Tell whether the module ``name``, loaded from ``path``, may have sites. Asked for every
        module of the process: it must not touch the file system."""
        ...

    def sites(self, file: str) -> Sequence[Site]:
        """The sites of a wanted file, switched on, and those of other files to which it brings
        the arguments of tool calls."""
        ...


_adopted: dict[str, CodeType] = {}
"""Files that were loaded with their sites wrapped, with the module's code."""
_scopes: list[ImportScope] = []
_rewriters: list[Callable[[ast.Module], ast.Module]] = []


def adopted_code(file: str) -> CodeType | None:
    """The code of a file (its real path) that was loaded with its sites wrapped."""
    return _adopted.get(file)


def adopt_imports(scope: ImportScope) -> None:
    """Instrument every module of a scope that is imported from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    if scope not in _scopes:
        _scopes.append(scope)


def rewrite_modules(rewriter: Callable[[ast.Module], ast.Module]) -> None:
    """Compile every module of a scope, with sites or without, from the tree that ``rewriter`` makes
    of it; positions and expressions of sites have to stay."""
    _rewriters.append(rewriter)


def adopt_scripts(script: str | None) -> None:
    """Instrument scripts too: the one that this process starts with, and those that
    ``runpy.run_path`` runs (``multiprocessing`` does).

    Args:
        script: path of the script that Python is about to run, if it is to run one.
    """

    def hook(path: str) -> _ScriptFinder:
        if not path.endswith(".py") or not _is_wanted("__main__", path):
            raise ImportError(path)
        try:
            code = _instrumented(path, script=True)
        except Exception as error:
            _untouched(path, error)
            raise ImportError(path) from error
        if code is None:
            raise ImportError(path)
        first = script is not None and Path(path).resolve() == Path(script).resolve()
        return _ScriptFinder(path, code, starts=first)

    # Python asks the path hooks whether a script is a folder or an archive with a __main__ in it,
    # and if so imports that: the one place where the code of a script can be another.
    sys.path_hooks.insert(0, hook)


class _Finder:
    """In front of ``sys.meta_path``; finds nothing itself."""

    def __init__(self) -> None:
        self._busy = threading.local()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in getattr(self._busy, "names", ()):
            return None
        names: set[str] = self._busy.__dict__.setdefault("names", set())
        names.add(name)
        try:
            spec = self._found_by_others(name, path, target)
            if spec is not None and spec.has_location and spec.origin:
                _adopt(spec, spec.origin)
            return spec
        finally:
            names.discard(name)

    def _found_by_others(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        behind = False
        for finder in list(sys.meta_path):
            if finder is self:
                behind = True
            elif behind and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


class _Loader(SourceFileLoader):
    """Loads a module with its sites wrapped, or exactly as it would have been."""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            code = outside_loop(lambda: _instrumented(self.path))
        except Exception as error:  # noqa: BLE001 - fail open: the module runs untouched
            _untouched(self.path, error)
            code = None
        return super().get_code(fullname) if code is None else code


class _ScriptFinder:
    """Stands in ``sys.path`` where a script's path stands while Python starts it."""

    def __init__(self, path: str, code: CodeType, *, starts: bool) -> None:
        self._path = path
        self._code = code
        self._starts = starts

    def find_spec(self, name: str, _target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "__main__":
            return None
        sys.path_importer_cache.pop(self._path, None)
        if sys.path and sys.path[0] == self._path:
            if self._starts and sys.excepthook is sys.__excepthook__:
                sys.excepthook = _show_error
            if self._starts and not getattr(sys.flags, "safe_path", False):
                sys.path[0] = str(Path(self._path).resolve().parent)
            else:
                del sys.path[0]
        return ModuleSpec(name, _ScriptLoader(name, self._path, self._code), origin=self._path)


class _ScriptLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType | None:  # noqa: ARG002 - the protocol's
        return self._code


def _show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """An error that ends the script, without the two calls that started it."""
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == "runpy":
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _adopt(spec: ModuleSpec, origin: str) -> None:
    try:
        if not origin.endswith(".py") or not _is_wanted(spec.name, origin):
            return
        if not outside_loop(lambda: _sites(os.path.realpath(origin))) and not _rewriters:
            return
    except Exception as error:  # noqa: BLE001 - fail open: the module runs untouched
        _untouched(origin, error)
        return
    if type(spec.loader) is SourceFileLoader:
        spec.loader = _Loader(spec.name, spec.loader.path)
    else:
        kind = type(spec.loader)
        _keep_reason(origin, f"it is loaded by {kind.__module__}.{kind.__qualname__}")


def _sites(file: str) -> list[Site]:
    return [site for scope in _scopes for site in scope.sites(file)]


def _is_wanted(name: str, path: str) -> bool:
    return any(scope.wants(name, path) for scope in _scopes)


def _instrumented(path: str, *, script: bool = False) -> CodeType | None:
    """The code of a file with its sites wrapped; ``None`` where it has none.

    Raises:
        Cannot: it does not parse or compile.
    """
    from knitbone.adaptation.runtime.instrument.transform import (  # noqa: PLC0415 - see above
        compile_module,
        parse_module,
        unfound,
    )
    from knitbone.adaptation.runtime.instrument.wraps import wraps_of  # noqa: PLC0415 - see above

    file = os.path.realpath(path)
    wraps = wraps_of(_sites(file), file)
    if not wraps and not _rewriters:
        return None
    tree = parse_module(Path(path).read_bytes(), path)
    missing = unfound(tree, wraps)
    for wrap in missing:
        _keep_reason(f"{file}:{wrap.line}", "its expression is not found exactly once")
    for rewriter in _rewriters:
        tree = rewriter(tree)
    kept = [wrap for wrap in wraps if wrap not in missing]
    code = compile_module(tree, path, kept, prologue=True, script=script)
    _adopted[file] = code
    return code


def _untouched(path: str, error: Exception) -> None:
    from knitbone.adaptation.runtime.instrument.transform import Cannot  # noqa: PLC0415 - see above

    reason = str(error) if isinstance(error, Cannot) else f"internal error: {error!r}"
    _keep_reason(path, reason)


def _keep_reason(name: str, reason: str) -> None:
    from knitbone.adaptation.runtime.instrument.reasons import keep_reason  # noqa: PLC0415 - see above

    keep_reason(name, reason)
