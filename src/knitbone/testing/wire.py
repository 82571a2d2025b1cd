"""What the server needs to know of a provider's protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from knitbone.testing.replies import Reply

__all__ = ["StreamPart", "Wire"]


class StreamPart(msgspec.Struct, frozen=True):
    """One server-sent event."""

    data: bytes
    spoken: bool = False
    """Whether it carries a piece of the answer: these are what ``stall_after`` counts."""


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's protocol: how a reply, a stream and an error look."""

    answer: Callable[[Reply, dict[str, Any], int], dict[str, Any]]
    """Of the reply, the request's body and the request's number."""
    stream: Callable[[Reply, dict[str, Any], int], Iterator[StreamPart]]
    error: Callable[[int, str], dict[str, Any]]
    """Of the HTTP status and the server's words."""
