"""Exceptions that tell of the machine and not of the tool: no network, no permission, no library.

A call that ends in one was not run: in the sandbox a name is not looked up and a host not reached,
whatever the tool would have made of the answer.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import ssl
from collections.abc import Iterator
from typing import Any

from knitbone.fuzzing.tools.injected_parameters import NotInjectedError

__all__ = ["text_of", "what_was_lacking"]

_CHAIN = 50
_NETWORK = frozenset(
    {
        errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.ENETUNREACH,
        errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.ETIMEDOUT,
    }
)  # fmt: skip
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_CLIENTS: dict[str, frozenset[str]] = {
    "requests": frozenset({"ConnectionError", "Timeout"}),
    "urllib3": frozenset({"MaxRetryError", "NewConnectionError", "ConnectTimeoutError",
                          "NameResolutionError", "ProtocolError", "ReadTimeoutError"}),
    "httpx": frozenset({"NetworkError", "TimeoutException", "ProxyError"}),
    "httpcore": frozenset({"NetworkError", "TimeoutException", "ProxyError"}),
    "aiohttp": frozenset({"ClientConnectionError"}),
    "botocore": frozenset({"HTTPClientError", "NoCredentialsError"}),
    "grpc": frozenset({"InactiveRpcError"}),
    "openai": frozenset({"APIConnectionError"}),
    "anthropic": frozenset({"APIConnectionError"}),
}  # fmt: skip
"""By package, the types (with those derived from them) by which a client says that it did not
reach its host. What a host answered is none of them."""


def what_was_lacking(
    error: BaseException, arguments: dict[str, Any], *, on_purpose: bool
) -> str | None:
    """What the machine lacked that the call failed of, in words; ``None`` where nothing tells.

    Args:
        on_purpose: the tool's own code raises it. What it raises is not looked at then, only what
            it goes back to.
    """
    for number, each in enumerate(_chain(error)):
        if number or not on_purpose:
            if isinstance(each, NotInjectedError):
                return "what the framework injects"
            if _is_unreachable(each):
                return "the network"
            if _is_forbidden(each):
                return "a permission"
            if _is_variable(each) and not _is_given(text_of(each).strip("'\""), arguments):
                return f"the environment variable {text_of(each)}"
        # Further on in the chain, somebody has dealt with it: ``zoneinfo`` looks for a library
        # where a zone is not known to the system, and then says that there is no such zone.
        # A tool's exception may say anything of itself when it is compared.
        direct = any(each is one for one in (error, error.__cause__, error.__context__))
        is_told = isinstance(each, ImportError) and direct and (number == 0 or on_purpose)
        if is_told and not _is_given(_library(each) or text_of(each), arguments):
            return f"the library {_library(each)}" if _library(each) else "a library"
    return None


def text_of(error: BaseException) -> str:
    """An exception's message, whatever its class makes of it."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a hostile __str__
        return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue and len(seen) < _CHAIN:
        each = queue.pop(0)
        if each is None or any(each is other for other in seen):
            continue
        seen.append(each)
        yield each
        queue += [each.__cause__, each.__context__]


def _is_unreachable(error: BaseException) -> bool:
    if isinstance(error, (socket.gaierror, socket.herror, ssl.SSLError)):
        return True
    if isinstance(error, OSError) and error.errno in _NETWORK:
        return True
    for kind in type(error).__mro__:
        if kind.__name__ in _CLIENTS.get(kind.__module__.partition(".")[0], ()):
            return True
    return False


def _is_forbidden(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _FORBIDDEN


def _is_variable(error: BaseException) -> bool:
    """Whether an environment variable was looked up that is not set."""
    if not isinstance(error, KeyError):
        return False
    traceback, last = error.__traceback__, None
    while traceback is not None:
        last, traceback = traceback.tb_frame.f_code, traceback.tb_next
    return (
        last is not None
        and last.co_name == "__getitem__"
        and os.path.basename(last.co_filename) in ("os.py", "<frozen os>")  # noqa: PTH119
    )


def _library(error: BaseException) -> str:
    return error.name or "" if isinstance(error, ImportError) else ""


def _is_given(name: str, arguments: dict[str, Any]) -> bool:
    try:
        return name in json.dumps(arguments, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        return False
