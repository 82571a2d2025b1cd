"""Fuzzing of agent tools: inputs that break them, found before release.

Names load on first use: the sandbox's own processes import only what they need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knitbone.fuzzing.api import fuzz
    from knitbone.fuzzing.engine import replay
    from knitbone.fuzzing.records import Campaign, Finding, FuzzEvent

_HOMES = {
    "Campaign": "knitbone.fuzzing.records",
    "Finding": "knitbone.fuzzing.records",
    "FuzzEvent": "knitbone.fuzzing.records",
    "fuzz": "knitbone.fuzzing.api",
    "replay": "knitbone.fuzzing.engine",
}

__all__ = ["Campaign", "Finding", "FuzzEvent", "fuzz", "replay"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'knitbone.fuzzing' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
