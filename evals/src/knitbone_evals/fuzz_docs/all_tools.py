"""The forty tools as one target, for an agent that has all of them in its hands. Each call starts a
process that imports this, so it imports nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from knitbone_evals.modules import load_module

__all__ = ["all_tools"]

_FOLDER = Path(__file__).parent / "tools"


def all_tools() -> list[Callable[..., Any]]:
    """The function of each file, by its name."""
    found: list[Callable[..., Any]] = []
    for path in sorted(_FOLDER.glob("[!_]*.py")):
        found.append(getattr(load_module(path), path.stem))
    return found
