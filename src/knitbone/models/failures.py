"""What went wrong in a call, and which error of ours says so.

The client libraries raise their own classes, over transports that changed names; failures are
recognised by what they carry (a status code, a class name of the library), so that one reading
serves all providers and every version, and no library is imported to tell that it failed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal, cast

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

__all__ = ["BrokenAnswerError", "Endpoint", "ModelFailure", "failure_of", "model_error"]

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


class ModelFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A failed attempt."""

    kind: Literal["status", "timeout", "connection", "broken"]
    words: str = ""
    status: int | None = None
    retry_after_s: float | None = None
    code: str | None = None
    """The server's own code, such as ``insufficient_quota``."""

    @property
    def retriable(self) -> bool:
        """Whether the same request may succeed later."""
        if self.kind != "status" or self.status is None:
            return True
        if self.code == "insufficient_quota":
            return False
        return self.status in (408, 409, 429) or self.status >= 500


def failure_of(error: BaseException) -> ModelFailure | None:
    """What an exception of a client library means; ``None`` if it is no failure of a call."""
    if isinstance(error, BrokenAnswerError):
        return ModelFailure(kind="broken", words=str(error))
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return ModelFailure(kind="timeout")
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _status_failure(error, status)
    names = _library_names(error)
    if names & {"APITimeoutError", "TimeoutException", "Timeout"}:
        return ModelFailure(kind="timeout")
    if "APIResponseValidationError" in names:
        return ModelFailure(kind="broken", words=str(error))
    if "APIConnectionError" in names:
        return ModelFailure(kind="connection", words=_innermost(error))
    if names & {"TransportError", "ConnectionError"} or isinstance(error, ConnectionError):
        return ModelFailure(kind="connection", words=_innermost(error))
    if "DecodingError" in names or isinstance(error, _UNREADABLE):
        return ModelFailure(kind="broken", words=str(error))
    return None


def model_error(
    failure: ModelFailure, endpoint: Endpoint, *, attempts: int, timeout_s: float
) -> ModelError:
    """The error to raise for a failure that is not retried again."""
    words = printable(
        Redactor(secrets=[endpoint.key] if endpoint.key else ()).text(failure.words[:10_000]),
        limit=MAX_WORDS,
    )
    tried = f" ({attempts} attempts)" if attempts > 1 else ""
    if failure.kind == "timeout":
        return ModelTimeoutError(
            f"{endpoint} said nothing for {timeout_s:g} s{tried}.",
            next_step="Check that it is up, or raise timeout_s in the model's configuration.",
        )
    if failure.kind == "connection":
        return ModelServerError(
            f"{endpoint} cannot be reached{tried}: {words or 'the connection failed'}.",
            next_step="Check base_url and that the server runs.",
        )
    if failure.kind == "broken":
        return ModelServerError(
            f"{endpoint} gave an answer that is not its protocol's{tried}: {words}",
            next_step="Check that base_url leads to the right API (OpenAI's ends in /v1).",
        )
    return _status_error(failure, f"{endpoint} answered {failure.status}{tried}: {words}", endpoint)


def _status_error(failure: ModelFailure, message: str, endpoint: Endpoint) -> ModelError:
    status = failure.status or 0
    if status in (401, 403):
        where = f"the key in {endpoint.key_env}" if endpoint.key_env else "the key"
        return ModelAuthenticationError(
            message, next_step=f"Check {where}, and that it may use this model."
        )
    if status == 408:
        return ModelTimeoutError(message, next_step="Try again later, or with a shorter request.")
    if status == 429:
        step = "Wait, ask less at once, or raise max_retries in the model's configuration."
        if not failure.retriable:
            step = "The account's quota is used up: check its plan and billing."
        return ModelRateLimitError(message, next_step=step)
    if status >= 500:
        return ModelServerError(message, next_step="The server failed; try again later.")
    if status == 404:
        return ModelRequestError(message, next_step="Check the model's name and base_url.")
    return ModelRequestError(message, next_step="Correct the request or the model's configuration.")


def _status_failure(error: BaseException, status: int) -> ModelFailure:
    body = getattr(error, "body", None)
    details = _details(body)
    kind = details.get("type")
    said = details.get("message") or (body if isinstance(body, str) else None)
    code = details.get("code")
    return ModelFailure(
        kind="status",
        status=status,
        words=str(said or getattr(error, "message", "") or error),
        code=str(code if code is not None else kind),
        retry_after_s=_retry_after(getattr(error, "response", None)),
    )


def _details(body: Any) -> dict[str, Any]:
    """The error object: OpenAI's client unwraps it, Anthropic's does not."""
    if not isinstance(body, dict):
        return {}
    table = cast("dict[str, Any]", body)
    inner = table.get("error")
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else table


def _retry_after(response: Any) -> float | None:
    """Seconds that the server asks to wait; RFC 9110 §10.2.3: seconds, or a date."""
    headers = getattr(response, "headers", None)
    if not isinstance(headers, Mapping):
        return None
    said = str(cast("Mapping[str, str]", headers).get("retry-after", "")).strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124 - not a number


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
