"""LiteLLM's ``completion`` and ``acompletion``; requests and answers are in OpenAI's form.

Code that imported the functions by name before the first session keeps those it has; what they do
through OpenAI's SDK is recorded there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from knitbone.common.function_watch import watch
from knitbone.tethering.capture.calls import guarded
from knitbone.tethering.capture.model_calls import ModelWatch, model_watch
from knitbone.tethering.capture.openai_chat import CHAT
from knitbone.tethering.capture.patching import Patch
from knitbone.tethering.capture.protocol import ModelRequest

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """Both functions, in the package and in the module that defines them."""
    defining = sys.modules.get(f"{module.__name__}.main")
    for owner in (module, defining):
        for name in ("completion", "acompletion"):
            if owner is not None and hasattr(owner, name):
                yield Patch(owner, name, _hooked)


def _hooked(original: Callable[..., Any]) -> Any:
    return watch(original, _begin)


@guarded
def _begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ModelWatch | None:
    body = dict(zip(("model", "messages"), args, strict=False)) | kwargs
    return model_watch("litellm", _provider(body), CHAT, lambda: _request(body), made=_LitellmCall)


def _request(body: Mapping[str, Any]) -> ModelRequest:
    return CHAT.request(body)


def _provider(body: Mapping[str, Any]) -> str:
    """``anthropic`` of ``anthropic/claude-…``."""
    provider, separator, _ = str(body.get("model") or "").partition("/")
    named = body.get("custom_llm_provider")
    return str(named) if named else provider if separator else "litellm"


class _LitellmCall(ModelWatch):
    def returned(self, value: Any) -> Any:
        """Record the answer, or follow the stream."""
        if not hasattr(value, "choices") and (
            hasattr(value, "__next__") or hasattr(value, "__anext__")
        ):
            return self.streamed(value)
        return super().returned(value)
