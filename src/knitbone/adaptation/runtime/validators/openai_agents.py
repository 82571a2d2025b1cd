"""Hook of the OpenAI Agents SDK: the final answer of an agent with an ``output_type``.

Checked against openai-agents 0.0.7 and 0.24.0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from knitbone.adaptation.runtime.validators.answers import Validation, validated
from knitbone.loading.patching import Patch

__all__ = ["patches"]

_WRAPPER = "response"
"""The key under which the SDK asks for a value that is no object."""


def patches(module: ModuleType) -> Iterator[Patch]:
    """Yield the function through which answers go to the validator."""
    yield Patch(module.AgentOutputSchema, "validate_json", _validate)


def _validate(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def validate_json(self: Any, json_str: str, *rest: Any, **named: Any) -> Any:
        def read(answer: str) -> Any:
            return original(self, answer, *rest, **named)

        # A second argument, which later releases do not have, says that the answer is not whole.
        if any(rest) or any(named.values()) or self.is_plain_text():
            return read(json_str)
        schema: dict[str, Any] = self.json_schema()
        wrapper = _WRAPPER if list(schema.get("properties", ())) == [_WRAPPER] else ""
        return validated(json_str, Validation("openai-agents", schema, wrapper), read)

    return validate_json
