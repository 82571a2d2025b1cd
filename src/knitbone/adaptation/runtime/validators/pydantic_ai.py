"""Hooks of pydantic-ai: the arguments of output tools, and the texts of native, prompted and
automatic outputs, meet one processor of the output type.

Checked against pydantic-ai 2.68. Text beside calls of other tools may be tried as an output that
would cancel them: it is no answer yet, so nothing is repaired there. Nor is a part of a stream.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from knitbone.adaptation.runtime.validators.answers import Validation, validated
from knitbone.loading.patching import Patch

__all__ = ["patches"]

_tried: ContextVar[bool] = ContextVar("knitbone_tried_output", default=False)
"""Whether a text is only tried."""


def patches(module: ModuleType) -> Iterator[Patch]:
    """Yield the functions through which answers go to the validator."""
    processor = getattr(module, "ObjectOutputProcessor", None)
    if processor is not None:
        yield Patch(processor, "validate", _validate)
    node = getattr(module, "CallToolsNode", None)
    if hasattr(node, "_process_response_output"):
        yield Patch(node, "_process_response_output", _try)


def _validate(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def validate(self: Any, data: Any, *, allow_partial: bool = False, **others: Any) -> Any:
        def read(answer: Any) -> Any:
            return original(self, answer, allow_partial=allow_partial, **others)

        if allow_partial or _tried.get() or type(data) not in (str, dict):
            return read(data)
        schema, wrapper = self.object_def.json_schema, self.outer_typed_dict_key or ""
        return validated(data, Validation("pydantic-ai", schema, wrapper), read)

    return validate


def _try(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def process(*args: Any, **kwargs: Any) -> Any:
        token = _tried.set(True)
        try:
            return await original(*args, **kwargs)
        finally:
            _tried.reset(token)

    return process
