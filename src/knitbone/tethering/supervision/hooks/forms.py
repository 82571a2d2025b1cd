"""The messages of each protocol, as supervision reads and changes them.

Requests are the application's: what has another shape than its protocol gives it is passed over,
and nothing that was given is changed in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, cast

from knitbone.tethering.supervision.hooks.call_history import AskedCall
from knitbone.wire.fields import elements, field, word

__all__ = [
    "ANTHROPIC_MESSAGES",
    "CHAT_MESSAGES",
    "RESPONSES_ITEMS",
    "FoundResult",
    "MessageForm",
    "behind",
]


class FoundResult(NamedTuple):
    """The result of a tool in a message."""

    part: int
    """Which part of the message."""
    call_id: str
    content: Any
    failed: bool = False
    tool: str | None = None
    """Its name, where the message says it."""


class MessageForm(Protocol):
    """How one protocol writes what a model and its tools said."""

    name: str

    def calls(self, message: Any) -> Iterable[AskedCall]:
        """The tool calls that the model asks for in a message."""
        ...

    def results(self, message: Any) -> Iterable[FoundResult]:
        """The results of tools in a message."""
        ...

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        """A copy of the message with texts behind its results, by their part."""
        ...

    def answer_text(self, message: Any) -> str | None:
        """The text of a message of the model; ``None`` of any other message."""
        ...

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        """An answer of the model, and the user message that sends it back."""
        ...

    def opens(self, message: Any) -> bool:
        """Whether a message belongs to the one behind it, so that nothing may come between."""
        ...


def behind(content: Any, text: str, *, kind: str = "text") -> Any:
    """The content of a result with a text behind it, once; a content of another shape as it is.

    Args:
        kind: type of a part that holds text.
    """
    if content is None:
        return text
    if isinstance(content, str):
        return content if text.strip() in content else content + text
    if isinstance(content, (list, tuple)):
        parts = list(cast("Iterable[Any]", content))
        if any(text.strip() in _text(part) for part in parts):
            return parts
        return [*parts, {"type": kind, "text": text}]
    return content


def _text(part: Any) -> str:
    return part if isinstance(part, str) else word(field(part, "text")) or ""


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join([text for part in elements(content) if (text := _text(part))])


def _spoken(text: str, said: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"role": "assistant", "content": text}, {"role": "user", "content": said}


def _chat_call(call: Any) -> AskedCall:
    function = field(call, "function")
    asked = field(call, "custom") if function is None else function  # a tool of free text
    given = field(asked, "input" if function is None else "arguments")
    return AskedCall(word(field(call, "id")), word(field(asked, "name")) or "", given)


class _ChatMessages:
    """OpenAI's chat completions."""

    name = "chat"

    def calls(self, message: Any) -> Iterable[AskedCall]:
        if field(message, "role") != "assistant":
            return ()
        return [_chat_call(call) for call in elements(field(message, "tool_calls"))]

    def results(self, message: Any) -> Iterable[FoundResult]:
        if field(message, "role") != "tool" or not isinstance(message, Mapping):
            return ()
        call_id = word(field(message, "tool_call_id"))
        return (FoundResult(0, call_id, field(message, "content")),) if call_id else ()

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        return {**message, "content": behind(message.get("content"), corrections[0])}

    def answer_text(self, message: Any) -> str | None:
        if field(message, "role") != "assistant":
            return None
        return _texts(field(message, "content")) or word(field(message, "refusal"))

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        return _spoken(text, said)

    def opens(self, message: Any) -> bool:
        del message
        return False


class _ResponsesItems:
    """The items of OpenAI's Responses API."""

    name = "responses"

    def calls(self, message: Any) -> Iterable[AskedCall]:
        if field(message, "type") not in ("function_call", "custom_tool_call"):
            return ()
        given = field(message, "arguments")
        given = field(message, "input") if given is None else given
        call_id = word(field(message, "call_id")) or word(field(message, "id"))
        return (AskedCall(call_id, word(field(message, "name")) or "", given),)

    def results(self, message: Any) -> Iterable[FoundResult]:
        kind, call_id = field(message, "type"), word(field(message, "call_id"))
        output = isinstance(kind, str) and kind.endswith("_call_output")
        if not output or not call_id or not isinstance(message, Mapping):
            return ()
        return (FoundResult(0, call_id, field(message, "output")),)

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        output = behind(message.get("output"), corrections[0], kind="input_text")
        return {**message, "output": output}

    def answer_text(self, message: Any) -> str | None:
        return _texts(field(message, "content")) if field(message, "role") == "assistant" else None

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        return _spoken(text, said)

    def opens(self, message: Any) -> bool:
        return field(message, "type") == "reasoning"


class _AnthropicMessages:
    """Anthropic's messages."""

    name = "anthropic"

    def calls(self, message: Any) -> Iterable[AskedCall]:
        if field(message, "role") != "assistant":
            return ()
        return [
            AskedCall(
                word(field(block, "id")), word(field(block, "name")) or "", field(block, "input")
            )
            for block in elements(field(message, "content"))
            if field(block, "type") == "tool_use"
        ]

    def results(self, message: Any) -> Iterable[FoundResult]:
        if field(message, "role") != "user" or not isinstance(message, Mapping):
            return ()
        return [
            FoundResult(part, call_id, field(block, "content"), field(block, "is_error") is True)
            for part, block in enumerate(elements(field(message, "content")))
            if field(block, "type") == "tool_result" and isinstance(block, Mapping)
            if (call_id := word(field(block, "tool_use_id")))
        ]

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        blocks = list(elements(message.get("content")))
        for part, text in corrections.items():
            block = blocks[part]
            blocks[part] = {**block, "content": behind(block.get("content"), text)}
        return {**message, "content": blocks}

    def answer_text(self, message: Any) -> str | None:
        return _texts(field(message, "content")) if field(message, "role") == "assistant" else None

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        return _spoken(text, said)

    def opens(self, message: Any) -> bool:
        del message
        return False


CHAT_MESSAGES: MessageForm = _ChatMessages()
RESPONSES_ITEMS: MessageForm = _ResponsesItems()
ANTHROPIC_MESSAGES: MessageForm = _AnthropicMessages()
