"""Python files as modules: the small programs that a task runs."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["load_module"]


def load_module(path: Path, name: str = "", **variables: Any) -> ModuleType:
    """Execute a file and return it as a module, which other modules can import.

    Args:
        name: of the module; the file's own where it is empty.
        variables: are set in the module before it is executed.

    Raises:
        FileNotFoundError: there is no such file.
    """
    name = name or path.stem
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise FileNotFoundError(f"{path} is not there.")
    module = importlib.util.module_from_spec(found)
    vars(module).update(variables)
    sys.modules[name] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # people write "\\d" without an r
        found.loader.exec_module(module)
    return module
