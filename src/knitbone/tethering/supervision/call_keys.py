"""What makes two calls of one run the same call, and two results the same result.

Inside one run an identifier is a thing that the agent chose (three files to attach have three), so
that, other than between two runs (``comparison/canonical.py``), it tells arguments apart; what
says only when or for which request a call is made does not. Keys are digests: they hold no value.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.comparison.canonical import canonical_text, result_key

__all__ = ["call_key", "outcome_key"]

_NONCE_NAMES = re.compile(
    r"^(?:time_?stamp|ts|now|nonce|uuid|etag|salt|cache_?bust(?:er)?"
    r"|(?:client|server|current|request)_?time"
    r"|(?:request|trace|span|correlation|idempotency|tool_?call|call|invocation)_?(?:id|key|token))$",
    re.IGNORECASE,
)
"""Names of arguments that say when or for which request, and nothing of what is asked."""
_DEEPEST = 40
"""Levels of a value that are looked at (ours)."""


def call_key(tool: str, arguments: Json) -> bytes:
    """Equal for calls of one tool that ask the same."""
    return _digest(f"{tool}\n{canonical_text(_without_nonces(arguments, 0))}")


def outcome_key(result: Json, error: str | None) -> bytes:
    """Equal for results, or errors, that say the same but for clocks, durations and identifiers
    drawn for them."""
    if error is not None:
        return _digest("error\n" + result_key(error))
    return _digest(result_key(result))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _without_nonces(value: Json, level: int) -> Json:
    if level >= _DEEPEST:
        return value
    if isinstance(value, dict):
        body = cast("dict[Any, Any]", value)
        return {
            str(name): _without_nonces(item, level + 1)
            for name, item in body.items()
            if not _NONCE_NAMES.match(str(name))
        }
    if isinstance(value, (list, tuple)):
        return [_without_nonces(item, level + 1) for item in cast("list[Any]", value)]
    return value
