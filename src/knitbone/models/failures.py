"""What went wrong in a call, and which error of ours says so.

The client libraries retry by themselves; what they raise in the end is translated here. They raise
their own classes, over transports that changed names; failures are recognised by what they carry (a
status code, a class name of the library), so that one reading serves all providers and every
version, and no library is imported to tell that it failed.
"""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import (
    ModelAuthenticationError,
    ModelError,
    ModelRateLimitError,
    ModelRequestError,
    ModelServerError,
    ModelTimeoutError,
)
from knitbone.record.redaction import Redactor

__all__ = ["BrokenAnswerError", "Endpoint", "model_error"]

MAX_WORDS = 300
"""Characters of the server's own words that a message repeats."""
_LIBRARIES = {"openai", "anthropic", "httpx", "httpx2", "httpcore", "httpcore2", "requests"}

_UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError, RecursionError)
"""What the libraries let through when they read a body that is no JSON, or absurdly deep."""


class BrokenAnswerError(Exception):
    """The server answered with something that is not the protocol's answer."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Which model, and where, as messages name it."""

    model: str
    host: str | None = None
    key_env: str | None = None
    """The environment variable that holds the key."""
    key: str | None = None

    def __repr__(self) -> str:
        return f"Endpoint(model={self.model!r}, host={self.host!r})"

    def __str__(self) -> str:
        name = repr(printable(self.model, limit=80))
        return f"The model {name}" + (f" at {printable(self.host)}" if self.host else "")


def model_error(error: BaseException, endpoint: Endpoint, *, timeout_s: float) -> ModelError | None:
    """The error to raise for an exception of a client library, which has retried what it retries;
    ``None`` if it is no failure of a call."""
    names = _library_names(error)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _status_error(error, status, endpoint)
    if isinstance(error, TimeoutError) or names & {
        "APITimeoutError",
        "TimeoutException",
        "Timeout",
    }:
        return ModelTimeoutError(
            f"{endpoint} said nothing for {timeout_s:g} s.",
            next_step="Check that it is up, or raise timeout_s in the model's configuration.",
        )
    if isinstance(error, (BrokenAnswerError, *_UNREADABLE)) or names & {
        "APIResponseValidationError",
        "DecodingError",
    }:
        words = _words(str(error), endpoint)
        return ModelServerError(
            f"{endpoint} gave an answer that is not its protocol's: {words}",
            next_step="Check that base_url leads to the right API (OpenAI's ends in /v1).",
        )
    if isinstance(error, ConnectionError) or names & {
        "APIConnectionError",
        "TransportError",
        "ConnectionError",
    }:
        words = _words(_innermost(error), endpoint) or "the connection failed"
        return ModelServerError(
            f"{endpoint} cannot be reached: {words}.",
            next_step="Check base_url and that the server runs.",
        )
    return None


def _words(text: str, endpoint: Endpoint) -> str:
    """Words of a server, short and without the key."""
    redactor = Redactor(secrets=[endpoint.key] if endpoint.key else ())
    return printable(redactor.text(text[:10_000]), limit=MAX_WORDS)


def _status_error(error: BaseException, status: int, endpoint: Endpoint) -> ModelError:
    body = getattr(error, "body", None)
    details = _details(body)
    said = details.get("message") or (body if isinstance(body, str) else None)
    words = _words(str(said or getattr(error, "message", "") or error), endpoint)
    message = f"{endpoint} answered {status}: {words}"
    if status in (401, 403):
        where = f"the key in {endpoint.key_env}" if endpoint.key_env else "the key"
        return ModelAuthenticationError(
            message, next_step=f"Check {where}, and that it may use this model."
        )
    if status == 408:
        return ModelTimeoutError(message, next_step="Try again later, or with a shorter request.")
    if status == 429:
        step = "Wait, ask less at once, or raise max_retries in the model's configuration."
        if "insufficient_quota" in (details.get("code"), details.get("type")):
            step = "The account's quota is used up: check its plan and billing."
        return ModelRateLimitError(message, next_step=step)
    if status >= 500:
        return ModelServerError(message, next_step="The server failed; try again later.")
    if status == 404:
        return ModelRequestError(message, next_step="Check the model's name and base_url.")
    return ModelRequestError(message, next_step="Correct the request or the model's configuration.")


def _details(body: Any) -> dict[str, Any]:
    """The error object: OpenAI's client unwraps it, Anthropic's does not."""
    if not isinstance(body, dict):
        return {}
    table = cast("dict[str, Any]", body)
    inner = table.get("error")
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else table


def _library_names(error: BaseException) -> set[str]:
    return {
        kind.__name__
        for kind in type(error).__mro__
        if kind.__module__.partition(".")[0] in _LIBRARIES
    }


def _innermost(error: BaseException) -> str:
    """The words of the cause: "Connection error." alone does not help."""
    seen: set[int] = set()
    while error.__cause__ is not None and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__
    return str(error) or type(error).__name__
