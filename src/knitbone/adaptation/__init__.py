"""Adapt: read from the code what it expects of a model's answer, and repair the answer that does
not fit before that code sees it (Comfrey)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knitbone.adaptation.decorators import adapt, report, source

__all__ = ["adapt", "report", "source"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: a process that ``knitbone run`` starts may need none of it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("knitbone.adaptation.decorators"), name)
    globals()[name] = value
    return value
