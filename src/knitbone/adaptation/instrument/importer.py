"""Instrument modules as they are imported, and scripts as they are started.

A finder in front of the others takes the module that they find; where its file has sites, the
file is compiled with the sites wrapped. Compiled code is neither read from nor written to
``__pycache__``, so that nothing of it is left there. Whatever cannot be instrumented is loaded by
the loader that was found, and the reason is kept.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from knitbone._logging import get_logger, log
from knitbone.adaptation.instrument.reasons import keep_reason
from knitbone.adaptation.instrument.transform import (
    Cannot,
    Wrap,
    compile_module,
    parse_module,
    unfound,
    wraps_of,
)
from knitbone.adaptation.sites import Site

__all__ = ["SitesOf", "adopt_imports", "adopt_scripts", "adopted_code"]

_logger = get_logger(__name__)

SitesOf = Callable[[str, str], Sequence[Site]]
"""The sites of a file (its real path) that a module (its name) is loaded from."""

_adopted: dict[str, CodeType] = {}
"""Files that were loaded with their sites wrapped, with the module's code."""
_sources: list[SitesOf] = []


def adopted_code(file: str) -> CodeType | None:
    """The code of a file (its real path) that was loaded with its sites wrapped."""
    return _adopted.get(file)


def adopt_imports(sites_of: SitesOf) -> None:
    """Instrument every module that is imported from now on and has sites."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    if sites_of not in _sources:
        _sources.append(sites_of)


def adopt_scripts(script: str | None) -> None:
    """Instrument scripts too: the one that this process starts with, and those that
    ``runpy.run_path`` runs (``multiprocessing`` does).

    Args:
        script: path of the script that Python is about to run, if it is to run one.
    """

    def hook(path: str) -> _ScriptFinder:
        if not path.endswith(".py") or not Path(path).is_file():
            raise ImportError(path)
        try:
            code = _instrumented(path, "__main__", script=True)
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
            if spec is not None and type(spec.loader) is SourceFileLoader and spec.has_location:
                spec.loader = _Loader(name, spec.loader.path)
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
            code = _instrumented(self.path, fullname)
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


def _instrumented(path: str, name: str, *, script: bool = False) -> CodeType | None:
    """The code of a file with its sites wrapped; ``None`` where it has none.

    Raises:
        Cannot: it does not parse or compile.
    """
    file = os.path.realpath(path)
    wraps = _wraps(file, name)
    if not wraps:
        return None
    tree = parse_module(Path(path).read_bytes(), path)
    for wrap in unfound(tree, wraps):
        keep_reason(f"{file}:{wrap.line}", "its expression is not found exactly once")
    code = compile_module(tree, path, wraps, prologue=True, script=script)
    _adopted[file] = code
    return code


def _wraps(file: str, name: str) -> tuple[Wrap, ...]:
    return wraps_of([site for source in _sources for site in source(file, name)])


def _untouched(path: str, error: Exception) -> None:
    reason = str(error) if isinstance(error, Cannot) else f"internal error: {error!r}"
    keep_reason(path, reason)
    log(_logger, logging.WARNING, "module runs untouched", file=path, reason=reason)
