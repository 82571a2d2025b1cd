"""The helpers of rewritten code, by the names that it knows them by."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from knitbone.fuzzing.trace import loops, operators, texts
from knitbone.fuzzing.trace.calls import call, call_spread

__all__ = ["HELPERS", "install"]

HELPERS: dict[str, Callable[..., Any]] = {
    **{f"__kb_{name}__": getattr(operators, name) for name in operators.__all__},
    **{f"__kb_{name}__": getattr(texts, name) for name in texts.__all__},
    **{f"__kb_{name}__": getattr(loops, name) for name in ("loop", "spread", "unpack")},
    "__kb_call__": call,
    "__kb_call_spread__": call_spread,
    "__kb_slice__": slice,
}


def install() -> None:
    """Make the helpers known to rewritten code."""
    for name, helper in HELPERS.items():
        setattr(builtins, name, helper)
