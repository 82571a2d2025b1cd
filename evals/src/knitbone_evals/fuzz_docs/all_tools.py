"""The forty tools as one target, for an agent that has all of them in its hands. Each call starts a
process that imports this, so it imports nothing else."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["all_tools"]

_FOLDER = Path(__file__).parent / "tools"


def all_tools() -> list[Callable[..., Any]]:
    """The function of each file, by its name."""
    found: list[Callable[..., Any]] = []
    for path in sorted(_FOLDER.glob("[!_]*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(getattr(module, path.stem))
    return found
