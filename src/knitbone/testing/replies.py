"""What the test server answers: one ``Reply`` a request, in the vocabulary of all providers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, cast

import msgspec

from knitbone.record.events import ToolCallRequest, Usage

__all__ = ["ARGUMENT_PIECE", "COUNTED", "Replies", "Reply", "Script", "argument_text"]

COUNTED: Final = "counted"
"""Usage is counted in words: plausible numbers, not a tokenizer's."""

ARGUMENT_PIECE = 12
"""Characters of a tool call's arguments that travel in one part of a stream."""

_SPOKEN = frozenset({"messages", "system", "instructions", "content", "text", "input", "output"})
"""Fields of a request in which words may stand."""
_WORD = re.compile(r"\s*\S+|\s+")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the test server.

    The same reply serves all protocols; ``finish_reason`` uses OpenAI's words (``stop``,
    ``length``, ``tool_calls``, ``content_filter``) and is translated for Anthropic's.
    """

    text: str = ""
    parts: tuple[str, ...] = ()
    """The text as it is cut when streamed; by default a word each. Replaces ``text``."""
    tool_calls: tuple[ToolCallRequest, ...] = ()
    """Arguments given as ``str`` travel as they are: malformed ones can be scripted."""
    refusal: str | None = None
    """The model declines: OpenAI's ``refusal`` field, Anthropic's ``refusal`` stop reason."""
    finish_reason: str | None = None
    """By default ``tool_calls`` where there are any, else ``stop``."""
    usage: Usage | Literal["counted"] | None = COUNTED
    """``None`` leaves the usage out of the answer."""
    status: int = 200
    """Another HTTP status than 200 answers with an error."""
    error: str = "This error was scripted."
    """The server's words when ``status`` is not 200."""
    retry_after: float | str | None = None
    """The ``Retry-After`` header: seconds, or an HTTP date as text."""
    delay_s: float = 0.0
    """Seconds before anything is sent."""
    stall_after: int | None = None
    """Sends this many parts, then nothing more, with the connection left open. An answer that is
    not streamed stalls after its headers."""
    close_after: int | None = None
    """Like ``stall_after``, but the connection is cut."""
    raw: bytes | None = None
    """The body as it is, valid or not, in place of an answer."""
    headers: dict[str, str] = {}
    """Further response headers."""

    @property
    def whole_text(self) -> str:
        """The text of the answer, however it is cut."""
        return "".join(self.parts) if self.parts else self.text

    def text_parts(self) -> tuple[str, ...]:
        """The text as a stream delivers it."""
        return self.parts or tuple(_WORD.findall(self.text))

    def reason(self) -> str:
        """The finish reason, in OpenAI's words."""
        if self.finish_reason is not None:
            return self.finish_reason
        return "tool_calls" if self.tool_calls else "stop"

    def used(self, request: Mapping[str, Any]) -> Usage | None:
        """The usage to report for this request."""
        if self.usage != COUNTED:
            return self.usage
        spoken = [self.whole_text, *(argument_text(call) for call in self.tool_calls)]
        return Usage(
            input_tokens=sum(len(text.split()) for text in _texts(request)),
            output_tokens=sum(len(text.split()) for text in spoken),
        )


Replies = str | Reply | Iterable[str | Reply] | Callable[[dict[str, Any]], str | Reply]
"""A reply for every request, replies in order, or a function of the request's body."""


class Script:
    """Hands out the replies; safe to use from several threads.

    One text or ``Reply`` is given to every request; an iterable is consumed in order, and a
    request after its end is answered with an error that says so; a callable decides itself.
    """

    def __init__(self, replies: Replies) -> None:
        self._lock = threading.Lock()
        self._given = 0
        self._same: str | Reply | None = None
        self._function: Callable[[dict[str, Any]], str | Reply] | None = None
        self._rest: Iterator[str | Reply] = iter(())
        if isinstance(replies, (str, Reply)):
            self._same = replies
        elif isinstance(replies, Iterable):
            self._rest = iter(cast("Iterable[str | Reply]", replies))
        else:
            self._function = replies

    def next(self, body: dict[str, Any]) -> Reply:
        """The reply to this request. A fault of the script itself is a reply with status 400,
        which no client retries."""
        try:
            reply = self._choose(body)
        except Exception as error:  # noqa: BLE001 - the user's function; its failure is the answer
            return Reply(status=400, error=f"The script raised {type(error).__name__}: {error}")
        if reply is None:
            return Reply(
                status=400,
                error=f"The script's {self._given} replies are used up; this request has none.",
            )
        if isinstance(reply, str):
            return Reply(text=reply)
        if not isinstance(reply, Reply):  # pyright: ignore[reportUnnecessaryIsInstance]
            return Reply(
                status=400, error=f"The script gave a {type(reply).__name__}, not a str or Reply."
            )
        return reply

    def _choose(self, body: dict[str, Any]) -> str | Reply | None:
        if self._function is not None:
            return self._function(body)
        if self._same is not None:
            return self._same
        with self._lock:
            reply = next(self._rest, None)
            self._given += reply is not None
            return reply


def argument_text(call: ToolCallRequest) -> str:
    """A tool call's arguments as the text that travels."""
    if isinstance(call.arguments, str):
        return call.arguments
    return msgspec.json.encode({} if call.arguments is None else call.arguments).decode()


def _texts(value: Any) -> Iterator[str]:
    """Every text of the request's messages, however nested."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(
                inner  # pyright: ignore[reportUnknownArgumentType]
                for key, inner in item.items()  # pyright: ignore[reportUnknownVariableType]
                if key in _SPOKEN
            )
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)  # pyright: ignore[reportUnknownArgumentType]
