"""Chat messages and documents as the GenAI semantic conventions write them, both ways.

``gen_ai.input.messages`` and ``gen_ai.output.messages`` are lists of ``{role, parts}``; a part is
``text``, ``tool_call``, ``tool_call_response``, ``reasoning`` or any other type. Reading is
lenient: other libraries write ``content`` beside or in place of ``parts``, and OpenAI's shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from knitbone.record.events import ChatMessage, Document, Json, ToolCallRequest
from knitbone.tethering.interchange.untrusted_json import parse_lenient, text_of_json
from knitbone.wire.content import CALLS, RESULTS, THOUGHTS
from knitbone.wire.fields import object_of, word

__all__ = [
    "conversation_of",
    "document_of",
    "documents_json",
    "message_json",
    "message_of",
    "messages_of",
    "one_turn",
    "own_document",
    "own_message",
    "thoughts_of",
]

Role = Literal["system", "user", "assistant", "tool"]

ROLES: dict[str, Role] = {
    "ai": "assistant",
    "assistant": "assistant",
    "choice": "assistant",
    "developer": "system",
    "function": "tool",
    "human": "user",
    "model": "assistant",
    "system": "system",
    "tool": "tool",
    "tool-call": "assistant",
    "tool-response": "tool",
    "user": "user",
}
"""How instrumentations name who speaks."""


def message_json(message: ChatMessage, *, finish_reason: str | None = None) -> dict[str, Json]:
    """A message as ``{role, parts}``, without loss."""
    parts: list[Json] = []
    body: dict[str, Json] = {"role": message.role, "parts": parts}
    if message.name is not None:
        body["name"] = message.name
    if message.role == "tool":
        answer: dict[str, Json] = {"type": "tool_call_response", "response": message.content}
        if message.tool_call_id is not None:
            answer["id"] = message.tool_call_id
        parts.append(answer)
    else:
        if message.content:
            parts.append({"type": "text", "content": message.content})
        if message.tool_call_id is not None:
            body["tool_call_id"] = message.tool_call_id
    for call in message.tool_calls:
        part: dict[str, Json] = {"type": "tool_call", "name": call.name}
        if call.call_id is not None:
            part["id"] = call.call_id
        parts.append(part | {"arguments": msgspec.to_builtins(call.arguments, enc_hook=repr)})
    if finish_reason is not None:
        body["finish_reason"] = finish_reason
    return body


def own_message(body: Mapping[str, Any]) -> dict[str, Json]:
    """The inverse of ``message_json``, as the fields of a ``ChatMessage``.

    Raises:
        KeyError, TypeError, AttributeError: it is not what ``message_json`` wrote.
    """
    fields: dict[str, Json] = {k: body[k] for k in ("role", "name", "tool_call_id") if k in body}
    calls: list[Json] = []
    for part in body["parts"]:
        if part["type"] == "tool_call":
            arguments = part["arguments"]
            calls.append({"name": part["name"], "arguments": arguments, "call_id": part.get("id")})
        elif part["type"] == "tool_call_response":
            fields |= {"content": part["response"], "tool_call_id": part.get("id")}
        else:
            fields["content"] = part["content"]
    return fields | {"tool_calls": calls}


def messages_of(value: Json) -> list[ChatMessage]:
    """The messages of a list, of any library; what is no message is left out.

    A message that answers several tool calls becomes several messages.
    """
    found: list[ChatMessage] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else ():
        if isinstance(item, dict):
            found.extend(message_of(cast("dict[str, Any]", item)))
    return found


def conversation_of(value: Json) -> list[ChatMessage]:
    """What was said, in one value: messages, an object that holds them, or the text itself.

    Any of these may be JSON text. An object may say ``prompt`` in place of ``messages``.
    """
    body: Any = value
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        body = parse_lenient(value)
    if isinstance(body, dict):
        held = cast("dict[str, Any]", body)
        if "role" in held:
            return message_of(held)
        inner = next((held[k] for k in ("messages", "prompt") if held.get(k)), None)
        if isinstance(inner, (str, list)):
            return conversation_of(inner)
        body = text_of_json(value)
    if isinstance(body, list):
        return messages_of(cast("list[Any]", body))
    return [ChatMessage(role="user", content=body)] if isinstance(body, str) and body else []


def message_of(body: Mapping[str, Any]) -> list[ChatMessage]:
    """One message of any of the shapes in use; several where it answers several calls."""
    role = ROLES.get(str(body.get("role", "user")).lower(), "user")
    name = word(body.get("name"))
    texts: list[str] = []
    calls: list[ToolCallRequest] = []
    answers: list[ChatMessage] = []
    parts = body.get("parts", body.get("content"))
    if isinstance(parts, str):
        texts.append(parts)
    for part in cast("Sequence[Any]", parts) if isinstance(parts, list) else ():
        if isinstance(part, dict):
            _take_part(cast("dict[str, Any]", part), texts, calls, answers)
        else:
            texts.append(text_of_json(part))
    calls.extend(_openai_calls(body.get("tool_calls")))
    text = "\n".join(texts)
    if answers and not text and not calls:
        return [msgspec.structs.replace(answer, name=name) for answer in answers]
    call_id = body.get("tool_call_id", body.get("id")) if role == "tool" else None
    own = ChatMessage(
        role=role, content=text, tool_calls=tuple(calls), tool_call_id=word(call_id),
        name=name,
    )  # fmt: skip
    return [*answers, own]


def one_turn(messages: Sequence[ChatMessage]) -> ChatMessage:
    """What a model said in several messages that follow one another, as one."""
    return ChatMessage(
        role="assistant",
        content="\n".join(message.content for message in messages if message.content),
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
        name=messages[0].name,
    )


def thoughts_of(body: Mapping[str, Any]) -> str:
    """What a model thought before it said the message, where the parts tell it apart."""
    parts = body.get("parts", body.get("content"))
    texts: list[str] = []
    for item in cast("list[Any]", parts) if isinstance(parts, list) else ():
        part: dict[str, Any] = object_of(item)
        if part.get("type") in THOUGHTS:
            text = next((part[k] for k in ("content", "thinking", "text") if k in part), None)
            texts.append(text_of_json(text))
    return "\n".join(texts)


def _take_part(
    part: Mapping[str, Any],
    texts: list[str],
    calls: list[ToolCallRequest],
    answers: list[ChatMessage],
) -> None:
    kind = part.get("type")
    if kind in CALLS:
        arguments = next((part[k] for k in ("arguments", "input", "args") if k in part), None)
        calls.append(_request(part.get("name"), arguments, part.get("id")))
    elif kind in RESULTS:
        result = next((part[k] for k in ("response", "result", "content") if k in part), None)
        call_id = part.get("id", part.get("tool_use_id"))
        answers.append(
            ChatMessage(role="tool", content=text_of_json(result), tool_call_id=word(call_id))
        )
    elif kind in THOUGHTS:
        return  # see ``thoughts_of``
    else:
        text = next((part[k] for k in ("content", "text") if isinstance(part.get(k), str)), None)
        texts.append(text if text is not None else text_of_json(part))


def _openai_calls(value: Json) -> list[ToolCallRequest]:
    calls: list[ToolCallRequest] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else ():
        if isinstance(item, dict):
            call = cast("dict[str, Any]", item)
            function: Any = call.get("function", call)
            if isinstance(function, dict):
                body = cast("dict[str, Any]", function)
                arguments = body.get("arguments", body.get("args"))
                calls.append(_request(body.get("name"), arguments, call.get("id")))
    return calls


def _request(name: Json, arguments: Json, call_id: Json) -> ToolCallRequest:
    if isinstance(arguments, str):
        arguments = parse_lenient(arguments)
    return ToolCallRequest(
        name=name if isinstance(name, str) else "unknown",
        arguments=arguments,
        call_id=word(call_id),
    )


def documents_json(documents: Sequence[Document]) -> list[Json]:
    """Documents: ``id`` and ``score`` by convention, ``content`` and ``metadata`` beside them."""
    found: list[Json] = []
    for document in documents:
        body: dict[str, Json] = {"content": document.text}
        if document.id is not None:
            body["id"] = document.id
        if document.score is not None:
            body["score"] = document.score
        if document.metadata:
            body["metadata"] = msgspec.to_builtins(document.metadata, enc_hook=repr, str_keys=True)
        found.append(body)
    return found


def own_document(value: Json) -> dict[str, Json]:
    """The inverse of ``documents_json`` for one document, as the fields of a ``Document``."""
    body = dict(value)
    return {"text": body.pop("content")} | body


def document_of(value: Json) -> Document:
    """A document in any of the shapes in use."""
    if not isinstance(value, dict):
        return Document(text=text_of_json(value))
    body = cast("dict[str, Any]", value)
    text = next((body[k] for k in ("content", "text", "page_content") if k in body), None)
    score = body.get("score")
    metadata = body.get("metadata")
    return Document(
        text=text_of_json(text),
        id=word(body.get("id")),
        score=float(score) if isinstance(score, (int, float)) else None,
        metadata=cast("dict[str, Json]", metadata) if isinstance(metadata, dict) else {},
    )
