"""Import a tool's own modules so that they tell what they do.

Compiled files on disk are neither read nor written. A module that cannot be rewritten runs as it
is written; nothing is known of its insides then.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import io
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from knitbone.fuzzing.trace.calls import own_files
from knitbone.fuzzing.trace.helpers import install
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.rewrite import rewrite

__all__ = ["compile_traced", "retrace", "roots_of_target", "trace_imports"]

_INSTALLED = ("site-packages", "dist-packages")
_OWN_PACKAGE = str(Path(__file__).parents[2]) + os.sep
_MAX_BYTES = 2_000_000


def compile_traced(source: bytes | str, filename: str) -> CodeType:
    """The code of a module, rewritten; the plain code where that is not possible.

    Raises:
        SyntaxError: as ``compile`` does.
    """
    made: CodeType = compile(source, filename, "exec", dont_inherit=True)
    if len(source) > _MAX_BYTES:
        return made
    first = len(RECORDER.sites)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the plain code was compiled
            tree = ast.parse(source, filename)
            tree = rewrite(tree, _lines(source), partial(RECORDER.add_site, filename))
            made = compile(tree, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        del RECORDER.sites[first:]
        return made
    own_files().add(filename)
    return made


def _lines(source: bytes | str) -> list[bytes]:
    """The lines of a source as the parser counts them, in the encoding of its columns."""
    if isinstance(source, bytes):
        source = importlib.util.decode_source(source)
    return [line.encode() for line in io.StringIO(source, newline=None)]


def trace_imports(roots: Sequence[str]) -> None:
    """From now on, rewrite the modules below ``roots`` (files, or folders) as they are imported."""
    install()
    sys.meta_path.insert(0, _Finder(roots))  # pyright: ignore[reportArgumentType] - a finder


def retrace(spec: ModuleSpec) -> None:
    """Let a module that is loaded from its file, past the finders, be rewritten like the others."""
    for finder in sys.meta_path:
        if type(finder) is _Finder:
            finder.claim(spec)


def roots_of_target(place: str, directory: str) -> list[str]:
    """The files and folders that hold the code of a target, before anything is imported.

    Args:
        place: ``package.module`` or ``path/to/file.py``.
        directory: what relative file names refer to.
    """
    if place.endswith(".py"):
        return [str(Path(directory, place).resolve().parent)]
    top, _, rest = place.partition(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    folders = list(spec.submodule_search_locations or ())
    if top == "knitbone":
        # Of this package only the named module, never what the sandbox itself runs on.
        return [str(Path(folder, *rest.split(".")).with_suffix(".py")) for folder in folders]
    if folders:
        return folders
    origin = spec.origin or ""
    inside = any(part in origin for part in _INSTALLED)
    return [origin if inside else str(Path(origin).parent)] if origin.endswith(".py") else []


class _Loader(SourceFileLoader):
    """Compiles from source, always."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return compile_traced(self.get_data(path), path)


class _Finder:
    """Asks the other finders, and changes the loader of what is the tool's own."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self._busy = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        finally:
            self._busy = False
        return spec if spec is not None and self.claim(spec) else None

    def claim(self, spec: ModuleSpec) -> bool:
        """Change the loader of a module of the tool's own; whether it is one."""
        loader: Any = spec.loader
        if type(loader) is not SourceFileLoader or not self._is_own(loader.path):
            return False
        spec.loader = _Loader(loader.name, loader.path)
        spec.cached = None
        return True

    def _is_own(self, file: str) -> bool:
        real = os.path.realpath(file)
        for root in self._roots:
            if real == root:
                return True
            inside = real.startswith(root + os.sep)
            if inside and not any(part in real[len(root) :] for part in _INSTALLED):
                return not real.startswith(_OWN_PACKAGE)
        return False
