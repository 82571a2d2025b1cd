"""The instrumentation of modules as they are imported, and of scripts as they are started.

A file that has sites is compiled with the sites wrapped. That code is neither read from nor
written to ``__pycache__``, so that nothing of it is left there. Whatever cannot be instrumented is
loaded by the loader that was found, and the reason is kept.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import TYPE_CHECKING, Protocol

from knitbone.adaptation.runtime.blocking_work import outside_loop
from knitbone.loading.hook import ImportHook, compile_with

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
        """Return whether the module ``name``, loaded from ``path``, may have sites.

        Asked for every module of the process: it must not touch the file system.
        """
        ...

    def sites(self, file: str) -> Sequence[Site]:
        """Return the sites of a wanted file, switched on, and those of other files to which it
        brings the arguments of tool calls."""
        ...


_adopted: dict[str, CodeType] = {}
"""Files that were loaded with their sites wrapped, with the module's code."""
_scopes: list[ImportScope] = []
_rewriters: list[Callable[[ast.Module], ast.Module]] = []


def adopted_code(file: str) -> CodeType | None:
    """Return the code of a file (its real path) that was loaded with its sites wrapped."""
    return _adopted.get(file)


def adopt_imports(scope: ImportScope) -> None:
    """Instrument every module of a scope that is imported from now on."""
    _hook.install()
    if scope not in _scopes:
        _scopes.append(scope)


def rewrite_modules(rewriter: Callable[[ast.Module], ast.Module]) -> None:
    """Compile every module of a scope, with sites or without, from the tree that ``rewriter``
    makes of it.

    Positions and expressions of sites have to stay.
    """
    _rewriters.append(rewriter)


def adopt_scripts(script: str | None) -> None:
    """Instrument scripts as well: the one that this process starts with, and those that
    ``runpy.run_path`` runs (``multiprocessing`` does).

    Args:
        script: path of the script that Python is about to run, if it is to run one.
    """

    def hook(path: str) -> _ScriptFinder:
        if not path.endswith(".py") or not _is_wanted("__main__", path):
            raise ImportError(path)
        try:
            code = _compile_instrumented(path, script=True)
        except Exception as error:
            _keep_error(path, error)
            raise ImportError(path) from error
        if code is None:
            raise ImportError(path)
        first = script is not None and Path(path).resolve() == Path(script).resolve()
        return _ScriptFinder(path, code, starts=first)

    # Python asks the path hooks whether a script is a folder or an archive with a __main__ in it,
    # and if so imports that: the one place where the code of a script can be another.
    sys.path_hooks.insert(0, hook)


class _ScriptFinder:
    """A finder in ``sys.path``, where a script's path stands while Python starts it."""

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
    """A loader that runs code which is compiled already."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType | None:  # noqa: ARG002 - the protocol's
        return self._code


def _show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Show an error that ends the script, without the two calls that started it."""
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == "runpy":
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _adopt(spec: ModuleSpec) -> None:
    """Give a module of a scope our loader, where its file has sites."""
    origin = spec.origin
    if not spec.has_location or not origin:
        return
    try:
        if not origin.endswith(".py") or not _is_wanted(spec.name, origin):
            return
        if not outside_loop(lambda: _sites(os.path.realpath(origin))) and not _rewriters:
            return
    except Exception as error:  # noqa: BLE001 - fail open: the module runs untouched
        _keep_error(origin, error)
        return
    if not compile_with(spec, _code_of):
        kind = type(spec.loader)
        _keep_reason(origin, f"it is loaded by {kind.__module__}.{kind.__qualname__}")


_hook = ImportHook(_adopt)


def _code_of(path: str) -> CodeType | None:
    """Compile a module with its sites wrapped; ``None``: exactly as it would have been."""
    try:
        return outside_loop(lambda: _compile_instrumented(path))
    except Exception as error:  # noqa: BLE001 - fail open: the module runs untouched
        _keep_error(path, error)
        return None


def _sites(file: str) -> list[Site]:
    return [site for scope in _scopes for site in scope.sites(file)]


def _is_wanted(name: str, path: str) -> bool:
    return any(scope.wants(name, path) for scope in _scopes)


def _compile_instrumented(path: str, *, script: bool = False) -> CodeType | None:
    """Return the code of a file with its sites wrapped; ``None`` where it has none.

    Raises:
        InstrumentationError: it does not parse or compile.
    """
    from knitbone.adaptation.runtime.instrument.transform import (  # noqa: PLC0415 - see above
        compile_module,
        missing_wraps,
        parse_module,
    )
    from knitbone.adaptation.runtime.instrument.wraps import wraps_of  # noqa: PLC0415 - see above

    file = os.path.realpath(path)
    wraps = wraps_of(_sites(file), file)
    if not wraps and not _rewriters:
        return None
    tree = parse_module(Path(path).read_bytes(), path)
    missing = missing_wraps(tree, wraps)
    for wrap in missing:
        _keep_reason(f"{file}:{wrap.line}", "its expression is not found exactly once")
    for rewriter in _rewriters:
        tree = rewriter(tree)
    kept = [wrap for wrap in wraps if wrap not in missing]
    code = compile_module(tree, path, kept, prologue=True, script=script)
    _adopted[file] = code
    return code


def _keep_error(path: str, error: Exception) -> None:
    from knitbone.adaptation.runtime.instrument.transform import InstrumentationError  # noqa: PLC0415 - see above

    reason = str(error) if isinstance(error, InstrumentationError) else f"internal error: {error!r}"
    _keep_reason(path, reason)


def _keep_reason(name: str, reason: str) -> None:
    from knitbone.adaptation.runtime.instrument.reasons import keep_reason  # noqa: PLC0415 - see above

    keep_reason(name, reason)
