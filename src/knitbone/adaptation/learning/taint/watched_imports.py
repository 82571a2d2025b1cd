"""Watch an application's modules as they are imported: their code is rewritten on the way.

Compiled files on disk are neither read nor written: they hold the code as it was.
"""

from __future__ import annotations

import ast
import logging
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType
from typing import Any

from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint.call_watch import set_scope
from knitbone.adaptation.learning.taint.expression_helpers import install_helpers
from knitbone.adaptation.learning.taint.places import Scope
from knitbone.adaptation.learning.taint.rewrite import rewrite_module
from knitbone.common.source import parse_source
from knitbone.loading.hook import ImportHook, compile_with

__all__ = ["Transform", "compile_watched", "start_watching", "watching"]

_logger = get_logger(__name__)

Transform = Callable[[ast.Module, ast.Module, str], CodeType | None]
"""Compiles a watched tree, given the tree as written and the file; ``None``: nothing to add."""


def compile_watched(source: bytes | str, filename: str, transform: Transform | None = None) -> Any:
    """Return the code of a module, watched; the plain code where it cannot be rewritten.

    Raises:
        SyntaxError: as ``compile`` does.
    """
    plain = compile(source, filename, "exec", dont_inherit=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the plain code was compiled
            tree = parse_source(source, filename)
            watched = rewrite_module(tree)
            made = transform(watched, tree, filename) if transform is not None else None
            return made or compile(watched, filename, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001 - fail open: the module runs as it is written
        log(_logger, logging.WARNING, "module not watched", exc_info=True, file=filename)
        return plain


def start_watching(scope: Scope) -> None:
    """Watch the calls of rewritten code in this process from now on, for an importer of one's
    own."""
    install_helpers()
    set_scope(scope)


@contextmanager
def watching(scope: Scope, transform: Transform | None = None) -> Generator[None, None, None]:
    """Watch the modules of ``scope`` that are imported meanwhile."""

    def code_of(path: str) -> CodeType:
        made: CodeType = compile_watched(Path(path).read_bytes(), path, transform)
        return made

    def watch(spec: ModuleSpec) -> None:
        if spec.origin is not None and scope.contains(spec.origin):
            compile_with(spec, code_of)

    install_helpers()
    before = set_scope(scope)
    hook = ImportHook(watch)
    hook.install()
    try:
        yield
    finally:
        # Rewritten modules live on and keep their helpers, which pass plain values at once.
        hook.remove()
        set_scope(before)
