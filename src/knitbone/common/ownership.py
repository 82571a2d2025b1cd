"""Which files are the application's own, which are a library's, and which are knitbone's.

Loads the standard library only: every Python process below ``knitbone run`` starts with it. Files
are real paths, as ``os.path.realpath`` gives them, unless a function says otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = [
    "PACKAGE", "is_installed", "is_library", "is_ours", "is_own", "is_standard", "python_files",
]  # fmt: skip

PACKAGE = os.path.realpath(Path(__file__).parents[1]) + os.sep
"""The folder of knitbone itself."""
_STANDARD = os.path.realpath(Path(os.__file__).parent) + os.sep
_SAMPLES = os.path.join(PACKAGE, "samples") + os.sep  # noqa: PTH118 - texts are compared

_INSTALLED = frozenset({"site-packages", "dist-packages", "__pypackages__"})
"""Folders that package managers install into."""
_FOREIGN = _INSTALLED | {"node_modules", "__pycache__"}
_BUILT = frozenset({"build", "dist", "env", "venv"})
"""Usual names of folders that hold build products and environments."""


def is_own(file: str, *roots: str) -> bool:
    """Return whether a file is the application's: one of ``roots``, or below one and neither
    installed there nor hidden.

    Args:
        roots: files and folders, these with or without a separator at their end.
    """
    return any(_is_below(file, root) for root in roots)


def _is_below(file: str, root: str) -> bool:
    if file == root:
        return True
    folder = root.rstrip(os.sep) + os.sep
    if not file.startswith(folder):
        return False
    between = file[len(folder) :].split(os.sep)[:-1]  # noqa: PTH206 - asked often, pathlib is slow
    return not any(part in _FOREIGN or part.startswith(".") for part in between)


def is_ours(file: str) -> bool:
    """Return whether a file is knitbone's. Its samples are not: they are applications."""
    return file.startswith(PACKAGE) and not file.startswith(_SAMPLES)


def is_library(file: str) -> bool:
    """Return whether a file is installed, or of the standard library."""
    return is_installed(file) or is_standard(file)


def is_installed(file: str) -> bool:
    """Return whether a package manager has put a file where it is."""
    return any(part in _INSTALLED for part in file.split(os.sep))  # noqa: PTH206


def is_standard(file: str) -> bool:
    """Return whether a file is of the standard library."""
    return file.startswith(_STANDARD) and not is_installed(file)


def python_files(folder: str | Path, *, with_builds: bool = False) -> Iterator[Path]:
    """Yield the Python files of an application below a folder, a folder's own files first.

    Args:
        with_builds: also below folders that are named as build products and environments usually
            are, such as ``build``: in a package they may be its modules.
    """
    skipped = _FOREIGN if with_builds else _FOREIGN | _BUILT
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if name not in skipped
            and not name.startswith(".")
            and not name.endswith(".egg-info")
            and not Path(place, name, "pyvenv.cfg").exists()
        )
        yield from (Path(place, name) for name in sorted(names) if name.endswith(".py"))
