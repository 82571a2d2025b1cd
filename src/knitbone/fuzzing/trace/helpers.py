"""The helpers of rewritten code, by the names that it knows them by."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from knitbone.fuzzing.trace import operators
from knitbone.fuzzing.trace.calls import call

__all__ = ["HELPERS", "install"]

HELPERS: dict[str, Callable[..., Any]] = {
    **{f"__kb_{name}__": getattr(operators, name) for name in operators.__all__},
    "__kb_call__": call,
}


def install() -> None:
    """Make the helpers known to rewritten code."""
    for name, helper in HELPERS.items():
        setattr(builtins, name, helper)
