"""What ``package.module:name`` or ``path/to/file.py:name`` names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from knitbone.errors import TargetError

__all__ = ["NAME_SYNTAX", "named_object"]

NAME_SYNTAX = "Write it as package.module:name or path/to/file.py:name."
_FILES = "knitbone hooks of "


def named_object(name: str, *, directory: str | Path = ".") -> Any:
    """Import the module or file, and look the name up in it; dots lead into classes.

    Args:
        directory: what relative file names refer to, and where modules are looked for, too.

    Raises:
        TargetError: the name has no two parts.
        Exception: whatever the module raises when it is imported, ``AttributeError`` where the
            name is not in it.
    """
    place, _, attribute = name.partition(":")
    if not place or not attribute:
        raise TargetError(f"{name!r} names no function in a module or file.", next_step=NAME_SYNTAX)
    folder = Path(directory).resolve()
    value: Any
    value = _file(folder / place) if place.endswith(".py") else _module(place, folder)
    for part in attribute.split("."):
        value = getattr(value, part)
    return value


def _module(place: str, folder: Path) -> ModuleType:
    _search(folder)
    return importlib.import_module(place)


def _search(folder: Path) -> None:
    """Look for modules in a folder, too, as Python does beside a program."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _file(path: Path) -> ModuleType:
    path = path.resolve()
    for module in list(sys.modules.values()):
        # The tool's own module: a second copy of it would have a state of its own.
        if getattr(module, "__file__", None) == str(path):
            return module
    _search(path.parent)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Known from now on: two hooks of one file share its state, as a hook and the tool do.
    sys.modules[f"{_FILES}{path}"] = module
    spec.loader.exec_module(module)
    return module
