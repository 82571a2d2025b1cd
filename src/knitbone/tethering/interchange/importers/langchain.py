"""LangChain and LangGraph message lists, in each form that the library writes.

``messages_to_dict`` (``{type, data}``), ``dumpd`` and ``dumps`` (``{lc, type: constructor, id,
kwargs}``), ``model_dump`` (the fields, with ``type`` for who speaks); bare, or as the state of a
graph under ``messages`` or ``values.messages``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json, ToolCallRequest
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.messages import (
    ImportedMessage,
    build_run,
    outcome_from,
)
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    describe,
    first_object,
    parse_lenient,
    text_of_json,
)
from knitbone.wire.content import CALLS, THOUGHTS
from knitbone.wire.fields import object_of
from knitbone.wire.usage import LANGCHAIN_COUNTS, read_usage

__all__ = ["message_fields", "plain_message", "read", "recognises"]

FORMAT = "langchain"

_SPEAKERS = {
    "ai": "agent",
    "AIMessageChunk": "agent",
    "assistant": "agent",
    "function": "tool",
    "human": "user",
    "HumanMessageChunk": "user",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "user": "user",
}
_CLASSES = {
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "ChatMessage": "chat",
    "FunctionMessage": "function",
    "HumanMessage": "human",
    "HumanMessageChunk": "human",
    "RemoveMessage": "remove",
    "SystemMessage": "system",
    "SystemMessageChunk": "system",
    "ToolMessage": "tool",
    "ToolMessageChunk": "tool",
}
_CALLS = (*CALLS, "server_tool_call")
"""Parts of a content that ``tool_calls`` says again."""
_THOUGHTS = (*THOUGHTS, "redacted_thinking")


def message_fields(item: Json) -> dict[str, Any] | None:
    """The fields of a message in any of the forms, ``type`` among them; ``None`` if it is none."""
    if not isinstance(item, dict):
        return None
    body = cast("dict[str, Any]", item)
    name = body.get("id")
    if body.get("type") == "constructor" and isinstance(body.get("kwargs"), dict):
        last: Any = cast("list[Any]", name)[-1] if isinstance(name, list) and name else None
        kind = _CLASSES.get(last) if isinstance(last, str) else None
        return None if kind is None else {**cast("dict[str, Any]", body["kwargs"]), "type": kind}
    if isinstance(body.get("type"), str) and isinstance(body.get("data"), dict):
        return {**cast("dict[str, Any]", body["data"]), "type": body["type"]}
    if body.get("type") in (*_SPEAKERS, "chat", "remove") and "content" in body:
        return body
    return None


def plain_message(body: dict[str, Any]) -> dict[str, Any]:
    """A message in any of the forms, or in any other, with the names of chat messages: ``role``,
    ``content``, ``tool_calls``; a tool's content that is no text as JSON text."""
    fields = dict(message_fields(body) or body)
    role = fields.get("role", _ROLES.get(str(fields.get("type"))))
    further = fields.get("additional_kwargs")
    calls: Any = (
        cast("dict[str, Any]", further).get("tool_calls") if isinstance(further, dict) else None
    )
    if calls and not fields.get("tool_calls"):
        fields["tool_calls"] = calls
    content = fields.get("content")
    if isinstance(content, dict) or (role == "tool" and isinstance(content, list)):
        fields["content"] = text_of_json(cast("Json", content))
    return fields if role is None else fields | {"role": role}


_ROLES = {
    kind: "assistant" if speaker == "agent" else speaker for kind, speaker in _SPEAKERS.items()
}


def _messages(value: Json) -> tuple[Json, str] | None:
    """The list of messages in an object, and where it stands; ``None`` where it has none."""
    if not isinstance(value, dict):
        return None
    body = cast("dict[str, Any]", value)
    if isinstance(body.get("messages"), list):
        return body["messages"], "messages"
    values = body.get("values")
    if isinstance(values, dict):
        inner: Any = cast("dict[str, Any]", values).get("messages")
        return (cast("Json", inner), "values.messages") if isinstance(inner, list) else None
    return None


def recognises(value: Json) -> bool:
    """A list of such messages, an object that holds one, or a list of such objects."""
    first = first_object(value)
    if first is None:
        return False
    held = _messages(first)
    if held is not None:
        first = first_object(held[0])
    fields = message_fields(first)
    return fields is not None and "role" not in (first or {})


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of LangChain messages; what an object says beside them is read as for ``messages``.

    Raises:
        InputFormatError: an entry is no message.
    """
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    bare = isinstance(value, list) and _messages(first_object(cast("Any", value))) is None
    if bare:
        items = [{"messages": items}]
    many = isinstance(value, list) and not bare
    for number, item in enumerate(items):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        held = _messages(record)
        if held is None:
            raise InputFormatError(
                f"{place}: expected messages, found {describe(item)}.",
                next_step="Give the state of a graph, or a list of messages.",
            )
        messages, where = held
        at = JsonPlace(path) if bare else place.at(where)
        run = build_run(
            _turns(messages, at), source_format=FORMAT, place=place,
            outcome=outcome_from(record, place),
        )  # fmt: skip
        yield ImportedRun(run=run)


def _turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    turns: list[ImportedMessage] = []
    for index, item in enumerate(as_list(value, place)):
        at = place.at(index)
        fields = message_fields(item)
        if fields is None:
            raise InputFormatError(
                f"{at}: expected a LangChain message, found {describe(item)}.",
                next_step="Write the messages with messages_to_dict, dumpd or model_dump.",
            )
        if fields["type"] != "remove":
            turns.append(_turn(fields, index, at))
    return turns


def _turn(fields: Mapping[str, Any], index: int, at: JsonPlace) -> ImportedMessage:
    kind = fields["type"]
    if kind == "chat":  # a role of the user's own choice
        kind = fields.get("role")
    speaker: Any = _SPEAKERS.get(kind) if isinstance(kind, str) else None
    name = fields.get("name")
    content, thoughts = _content(fields.get("content"), at.at("content"))
    is_tool = speaker == "tool"
    call_id = fields.get("tool_call_id")
    failed = is_tool and fields.get("status") == "error"
    answered = object_of(fields.get("response_metadata"))
    model = next((v for k in ("model_name", "model") if isinstance(v := answered.get(k), str)), "")
    reason = answered.get("finish_reason", answered.get("stop_reason"))
    return ImportedMessage(
        speaker=speaker or "environment",
        index=index, content=content, thoughts=thoughts,
        agent=name if isinstance(name, str) and not is_tool else None,
        tool_calls=_calls(fields, at) if speaker == "agent" else (),
        call_id=call_id if isinstance(call_id, str) else None,
        tool=name if isinstance(name, str) and is_tool else None,
        error=content[:500] if failed else None,
        model=model,
        finish_reason=reason if isinstance(reason, str) else None,
        usage=read_usage(LANGCHAIN_COUNTS, object_of(fields.get("usage_metadata"))),
    )  # fmt: skip


def _content(value: Json, place: JsonPlace) -> tuple[str, str]:
    """What was said, and what was thought before; calls stand elsewhere, other parts are JSON."""
    if value is None or isinstance(value, str):
        return value or "", ""
    said: list[str] = []
    thought: list[str] = []
    for number, part in enumerate(as_list(value, place)):
        if isinstance(part, str):
            said.append(part)
            continue
        body = as_object(part, place.at(number))
        kind = body.get("type")
        if kind in _CALLS:
            continue
        text = next((body[k] for k in ("text", "thinking", "reasoning") if k in body), None)
        to = thought if kind in _THOUGHTS else said
        to.append(text_of_json(text if isinstance(text, str) else body))
    return "\n".join(said), "\n".join(thought)


def _calls(fields: Mapping[str, Any], at: JsonPlace) -> tuple[ToolCallRequest, ...]:
    calls: list[ToolCallRequest] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        for number, item in enumerate(as_list(fields.get(key) or [], at.at(key))):
            where = at.at(key).at(number)
            call = as_object(item, where)
            arguments, call_id = call.get("args"), call.get("id")
            name = call.get("name")
            calls.append(
                ToolCallRequest(
                    # A call that the model garbled may lack even its name.
                    name="unknown" if name is None else as_text(name, where.at("name")),
                    arguments=parse_lenient(arguments) if isinstance(arguments, str) else arguments,
                    call_id=call_id if isinstance(call_id, str) else None,
                )
            )
    return tuple(calls)
