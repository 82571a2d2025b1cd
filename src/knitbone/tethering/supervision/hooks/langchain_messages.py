"""LangChain's messages, as supervision reads and changes them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from knitbone.tethering.capture.langchain_messages import chat_message
from knitbone.tethering.supervision.active import Supervised
from knitbone.tethering.supervision.hooks.forms import FoundResult, MessageForm, behind
from knitbone.tethering.supervision.hooks.ledger import AskedCall
from knitbone.wire.fields import elements, field, word

__all__ = ["LANGCHAIN_MESSAGES", "guided_langchain"]


_ASSISTANT = ("ai", "AIMessageChunk")


class _LangchainMessages:
    """The classes of ``langchain_core.messages``."""

    name = "langchain"

    def calls(self, message: Any) -> Iterable[AskedCall]:
        if getattr(message, "type", None) not in _ASSISTANT:
            return ()
        return [
            AskedCall(word(field(call, "id")), word(field(call, "name")) or "", field(call, "args"))
            for call in elements(message.tool_calls)
        ]

    def results(self, message: Any) -> Iterable[FoundResult]:
        if getattr(message, "type", None) != "tool" or not word(message.tool_call_id):
            return ()
        failed = message.status == "error"
        return (FoundResult(0, message.tool_call_id, message.content, failed, word(message.name)),)

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        return message.model_copy(update={"content": behind(message.content, corrections[0])})

    def answer_text(self, message: Any) -> str | None:
        said = getattr(message, "type", None) in _ASSISTANT
        return chat_message(message).content if said else None

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        messages: Any = importlib.import_module("langchain_core.messages")
        return messages.AIMessage(content=text), messages.HumanMessage(content=said)

    def opens(self, message: Any) -> bool:
        del message
        return False


LANGCHAIN_MESSAGES: MessageForm = _LangchainMessages()

_ROLES = {"ai": "assistant", "human": "user", "system": "system", "tool": "tool"}


def guided_langchain(run: Supervised, messages: Sequence[Any]) -> list[Any]:
    """The messages with the guidance in them."""
    if run.guidance is None or not run.guidance.text:
        return list(messages)
    # The same in OpenAI's shape: what is another object afterwards was changed or added.
    shown = [_shown(message) for message in messages]
    numbers = {id(each): number for number, each in enumerate(shown)}
    guided: list[dict[str, Any]] = run.guided(cast("list[Any]", shown))
    kept = {numbers[id(each)] for each in guided if id(each) in numbers}
    replaced = iter([number for number in range(len(shown)) if number not in kept])
    found: list[Any] = []
    for each in guided:
        number = numbers.get(id(each))
        number = next(replaced, None) if number is None else number
        if number is None:
            found.append(_made(each))
        elif id(each) in numbers:
            found.append(messages[number])
        else:
            found.append(messages[number].model_copy(update={"content": each["content"]}))
    return found


def _shown(message: Any) -> dict[str, Any]:
    return {"role": _ROLES.get(message.type, message.type), "content": message.content}


def _made(message: Mapping[str, Any]) -> Any:
    messages: Any = importlib.import_module("langchain_core.messages")
    kind = messages.SystemMessage if message["role"] == "system" else messages.HumanMessage
    return kind(content=message["content"])
