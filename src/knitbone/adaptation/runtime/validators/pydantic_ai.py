"""Hooks of pydantic-ai: the arguments of output tools, and the texts of native, prompted and
automatic outputs, meet one processor of the output type. Where an agent ends by a call of an output
tool, a call that the model wrote as text is handed on as a call.

Checked against pydantic-ai 2.68. Text beside calls of other tools may be tried as an output that
would cancel them: it is no answer yet, so nothing is repaired there. Nor is a part of a stream.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from knitbone.adaptation.runtime.validators.answers import Validation, call_in_text, validated
from knitbone.loading.patching import Patch

__all__ = ["patches"]

_tried: ContextVar[bool] = ContextVar("knitbone_tried_output", default=False)
"""Whether a text is only tried."""
_taken: ContextVar[str] = ContextVar("knitbone_taken_arguments", default="")
"""The arguments of a call that was written as text, which are repaired and counted already."""


def patches(module: ModuleType) -> Iterator[Patch]:
    """Yield the functions through which answers go to the validator."""
    processor = getattr(module, "ObjectOutputProcessor", None)
    if processor is not None:
        yield Patch(processor, "validate", _validate)
    node = getattr(module, "CallToolsNode", None)
    if hasattr(node, "_process_response_output"):
        yield Patch(node, "_process_response_output", _try)
    if hasattr(node, "_run_stream"):
        yield Patch(node, "_run_stream", _take_calls)


def _validate(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def validate(self: Any, data: Any, *, allow_partial: bool = False, **others: Any) -> Any:
        def read(answer: Any) -> Any:
            return original(self, answer, allow_partial=allow_partial, **others)

        if allow_partial or _tried.get() or type(data) not in (str, dict):
            return read(data)
        if data and data == _taken.get():
            return read(data)
        return validated(data, _validation_of(self), read)

    return validate


def _validation_of(processor: Any) -> Validation:
    schema, wrapper = processor.object_def.json_schema, processor.outer_typed_dict_key or ""
    return Validation("pydantic-ai", schema, wrapper)


def _try(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def process(*args: Any, **kwargs: Any) -> Any:
        token = _tried.set(True)
        try:
            return await original(*args, **kwargs)
        finally:
            _tried.reset(token)

    return process


def _take_calls(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def run_stream(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
        _take_call(self.model_response, ctx.deps.output_schema)
        return original(self, ctx, *args, **kwargs)

    return run_stream


def _take_call(response: Any, output: Any) -> None:
    """Put a call of an output tool in the place of the text that it was written as."""
    messages, outputs = (sys.modules[f"pydantic_ai.{name}"] for name in ("messages", "_output"))
    parts: list[Any] = response.parts
    texts = [part for part in parts if isinstance(part, messages.TextPart)]
    others = [part for part in parts if not isinstance(part, messages.TextPart)]
    only_text = texts and all(isinstance(part, messages.ThinkingPart) for part in others)
    reads_text = output.text_processor is not None
    if not only_text or output.toolset is None:
        return
    if reads_text and not isinstance(output.text_processor, outputs.BaseObjectOutputProcessor):
        return  # any text is an answer
    processors: dict[str, Any] = output.toolset.processors
    tools = {name: (_validation_of(each), each.validate) for name, each in processors.items()}
    token = _tried.set(True)
    try:
        call = call_in_text("".join(part.content for part in texts), tools, named=reads_text)
    finally:
        _tried.reset(token)
    if call is not None:
        arguments = bytes(call.arguments).decode()
        _taken.set(arguments)
        response.parts = [*others, messages.ToolCallPart(call.name, arguments)]
