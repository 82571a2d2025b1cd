"""Watch an application's modules as they are imported.

Compiled files on disk are neither read nor written: they hold the code as it was.
"""

from __future__ import annotations

import ast
import importlib.machinery
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint.expressions import install_helpers
from knitbone.adaptation.learning.taint.places import Scope
from knitbone.adaptation.learning.taint.rewrite import rewrite_module
from knitbone.adaptation.learning.taint.watch import set_scope

__all__ = ["Transform", "compile_watched", "prepare", "watching"]

_logger = get_logger(__name__)

Transform = Callable[[ast.Module, ast.Module, str], CodeType | None]
"""Compiles a watched tree, given the tree as written and the file; ``None``: nothing to add."""


def compile_watched(source: bytes | str, filename: str, transform: Transform | None = None) -> Any:
    """The code of a module, watched; the plain code where it cannot be rewritten.

    Raises:
        SyntaxError: as ``compile`` does.
    """
    plain = compile(source, filename, "exec", dont_inherit=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the plain code was compiled
            tree = ast.parse(source, filename)
            watched = rewrite_module(tree)
            made = transform(watched, tree, filename) if transform is not None else None
            return made or compile(watched, filename, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001 - fail open: the module runs as it is written
        log(_logger, logging.WARNING, "module not watched", exc_info=True, file=filename)
        return plain


class _Loader(SourceFileLoader):
    """Compiles from source, always."""

    def __init__(self, fullname: str, path: str, transform: Transform | None) -> None:
        super().__init__(fullname, path)
        self._transform = transform

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        made: CodeType = compile_watched(self.get_data(path), path, self._transform)
        return made


class _Finder:
    """Asks the other finders, and changes the loader of what is the application's."""

    def __init__(self, scope: Scope, transform: Transform | None) -> None:
        self._scope = scope
        self._transform = transform
        self._busy = threading.local()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if getattr(self._busy, "on", False):
            return None
        self._busy.on = True
        try:
            return self._find(name, path, target)
        finally:
            self._busy.on = False

    def _find(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            if finder is self:
                continue
            find: Any = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is None:
                continue
            if type(spec.loader) is importlib.machinery.SourceFileLoader:
                file = spec.loader.path
                if self._scope.contains(file):
                    spec.loader = _Loader(spec.loader.name, file, self._transform)
                    spec.cached = None
            return spec
        return None


def prepare(scope: Scope) -> None:
    """Watch the calls of rewritten code in this process from now on, for an importer of one's
    own."""
    install_helpers()
    set_scope(scope)


@contextmanager
def watching(scope: Scope, transform: Transform | None = None) -> Generator[None, None, None]:
    """Watch the modules of ``scope`` that are imported meanwhile."""
    install_helpers()
    before = set_scope(scope)
    finder: Any = _Finder(scope, transform)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        # Rewritten modules live on and keep their helpers, which pass plain values at once.
        sys.meta_path.remove(finder)
        set_scope(before)
