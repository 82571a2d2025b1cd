"""Import a tool's own modules so that they tell what they do.

Compiled files on disk are neither read nor written. A module that cannot be rewritten runs as it
is written; nothing is known of its insides then.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType

from knitbone.common.ownership import is_installed, is_ours, is_own
from knitbone.common.source import parse_source
from knitbone.fuzzing.trace.calls import own_files
from knitbone.fuzzing.trace.helpers import install
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.rewrite import rewrite, source_lines
from knitbone.loading.hook import ImportHook, compile_with

__all__ = ["compile_traced", "retrace", "roots_of_target", "trace_imports"]

_MAX_BYTES = 2_000_000
_roots: list[str] = []
"""Real paths of the files and folders that hold the tool's own modules."""


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
            tree = parse_source(source, filename)
            tree = rewrite(tree, source_lines(source), partial(RECORDER.add_site, filename))
            made = compile(tree, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        del RECORDER.sites[first:]
        return made
    own_files().add(filename)
    return made


def trace_imports(roots: Sequence[str]) -> None:
    """From now on, rewrite the modules below ``roots`` (files, or folders) as they are imported."""
    install()
    _roots.extend(os.path.realpath(root) for root in roots)
    _hook.install()


def retrace(spec: ModuleSpec) -> None:
    """Have a module rewritten where it is one of the tool's own; also one that is loaded from its
    file, past the finders."""
    if spec.origin is not None and _is_traced(spec.origin):
        compile_with(spec, _code_of)


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
    place = origin if is_installed(origin) else str(Path(origin).parent)
    return [place] if origin.endswith(".py") else []


def _code_of(path: str) -> CodeType:
    return compile_traced(Path(path).read_bytes(), path)


def _is_traced(file: str) -> bool:
    real = os.path.realpath(file)
    return real in _roots or (not is_ours(real) and is_own(real, *_roots))


_hook = ImportHook(retrace)
