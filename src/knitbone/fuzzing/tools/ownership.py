"""Which source files are the tool's own code: what a finding points at."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

__all__ = ["is_owned", "own_roots"]


def own_roots(module_name: str | None, code_file: str | None) -> tuple[str, ...]:
    """The files (or folders, ending in a separator) that hold the code of a tool.

    That is the top-level package of its module; for a module outside any package, the module and
    its neighbours, unless it lies among installed libraries.
    """
    roots: list[str] = []
    top = (module_name or "").partition(".")[0]
    package: Any = sys.modules.get(top)
    folders: list[str] = list(getattr(package, "__path__", ()))
    if folders and package is not None:
        roots.extend(os.path.realpath(folder) + os.sep for folder in folders)
    module_file = getattr(sys.modules.get(module_name or ""), "__file__", None)
    for file in (module_file, code_file):
        if file is None or file.startswith("<"):
            continue
        real = os.path.realpath(file)
        if not folders and not _is_library(real):
            roots.append(str(Path(real).parent) + os.sep)
        roots.append(real)
    return tuple(dict.fromkeys(roots))


def is_owned(file: str, roots: tuple[str, ...]) -> bool:
    """Whether ``file`` (a real path) is one of ``roots`` or lies below one."""
    return any(file == root or (root.endswith(os.sep) and file.startswith(root)) for root in roots)


def _is_library(file: str) -> bool:
    if "site-packages" in file or "dist-packages" in file:
        return True
    return file.startswith(os.path.realpath(sysconfig.get_paths()["stdlib"]) + os.sep)
