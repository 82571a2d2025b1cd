"""Message lists of Anthropic's Messages API: contents in blocks, tool results inside user turns.

A list of messages is one run; an object holds them under ``messages`` (a request), with ``system``
beside them, and what an object says of the outcome is read as for chat messages.
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
    first_object,
    text_of_json,
)
from knitbone.wire.fields import object_of

__all__ = ["read", "recognises"]

FORMAT = "anthropic"

_PARTICULAR = ("redacted_thinking", "thinking", "tool_result", "tool_use")
"""How the types end that only this API has: ``mcp_tool_use``, ``web_fetch_tool_result``, ..."""
_ROLES = ("user", "assistant", "system")
_MAX_LOOKED_AT = 200


def recognises(value: Json) -> bool:
    """Messages of user and assistant of which one has a block that only this API has."""
    first = first_object(value)
    if first is None:
        return False
    held: Json = first.get("messages") if isinstance(first.get("messages"), list) else value
    if not isinstance(held, list):
        return False
    for item in cast("list[Any]", held)[:_MAX_LOOKED_AT]:
        body = object_of(item)
        if body.get("role") not in _ROLES or "tool_calls" in body:
            return False
        blocks: Json = body.get("content")
        for block in cast("list[Any]", blocks) if isinstance(blocks, list) else ():
            shown = object_of(block)
            if str(shown.get("type")).endswith(_PARTICULAR):
                return True
    return False


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of such message lists.

    Raises:
        InputFormatError: a message or block is not laid out as its type promises.
    """
    first = first_object(value) or {}
    if isinstance(value, list) and "messages" not in first:
        place = JsonPlace(path)
        yield ImportedRun(run=build_run(_turns(value, place), source_format=FORMAT, place=place))
        return
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        system = _text(record.get("system"), place.at("system"))
        turns = [ImportedMessage(speaker="system", content=system, index=None)] if system else []
        turns += _turns(record.get("messages"), place.at("messages"))
        identity = {k: record[k] for k in ("id", "task_id", "trial") if record.get(k) is not None}
        run = build_run(
            turns, source_format=FORMAT, place=place, identity=identity,
            outcome=outcome_from(record, place),
        )  # fmt: skip
        yield ImportedRun(run=run)


def _turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    turns: list[ImportedMessage] = []
    for index, item in enumerate(as_list(value, place)):
        at = place.at(index)
        message = as_object(item, at)
        role = as_text(message.get("role"), at.at("role"))
        if role not in _ROLES:
            raise InputFormatError(
                f"{at.at('role')}: {role[:60]!r} is not a role of Anthropic's messages.",
                next_step="Known: user, assistant, system.",
            )
        content = message.get("content")
        if isinstance(content, list):
            turns += _blocks(cast("list[Any]", content), role, index, at.at("content"))
        else:
            turns.append(_plain(role, _text(content, at.at("content")), index))
    return turns


def _plain(role: str, content: str, index: int) -> ImportedMessage:
    speaker: Any = {"assistant": "agent"}.get(role, role)
    return ImportedMessage(speaker=speaker, content=content, index=index)


def _blocks(blocks: list[Any], role: str, index: int, place: JsonPlace) -> list[ImportedMessage]:
    """The turns of one message: the results in it, then what was said or asked for."""
    said: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCallRequest] = []
    results: list[ImportedMessage] = []
    for number, item in enumerate(blocks):
        at = place.at(number)
        block = as_object(item, at)
        kind = as_text(block.get("type"), at.at("type"))
        if kind.endswith("tool_use"):
            calls.append(_call(block, at))
        elif kind.endswith("tool_result"):
            results.append(_result(block, index, at))
        elif kind == "thinking":
            thoughts.append(text_of_json(block.get("thinking")))
        elif kind == "text":
            said.append(as_text(block.get("text"), at.at("text")))
        elif kind != "redacted_thinking":
            said.append(text_of_json(block))
    text = "\n".join(said)
    if role == "assistant":
        turn = ImportedMessage(
            speaker="agent", content=text, index=index, tool_calls=tuple(calls),
            thoughts="\n".join(thoughts),
        )  # fmt: skip
        return [turn, *results]  # a result here is of a tool that the provider ran itself
    return [*results, *([_plain(role, text, index)] if text or not results else [])]


def _call(block: Mapping[str, Any], at: JsonPlace) -> ToolCallRequest:
    call_id = block.get("id")
    return ToolCallRequest(
        name=as_text(block.get("name"), at.at("name")),
        arguments=block.get("input"),
        call_id=call_id if isinstance(call_id, str) else None,
    )


def _result(block: Mapping[str, Any], index: int, at: JsonPlace) -> ImportedMessage:
    call_id = block.get("tool_use_id")
    answer: Json = block.get("content")
    content = _text(answer, at.at("content"))
    failed = block.get("is_error") is True
    if isinstance(answer, dict):  # of a tool that the provider runs: the answer, or an error
        failed = failed or "error_code" in answer
    return ImportedMessage(
        speaker="tool", content=content, index=index,
        call_id=call_id if isinstance(call_id, str) else None,
        error=content[:500] or "error" if failed else None,
    )  # fmt: skip


def _text(value: Json, place: JsonPlace) -> str:
    """A text, or the text of blocks; what is no text stays as JSON."""
    if not isinstance(value, list):
        return text_of_json(value)
    texts: list[str] = []
    for number, item in enumerate(cast("list[Any]", value)):
        block = as_object(item, place.at(number))
        text = block.get("text")
        texts.append(text if isinstance(text, str) else text_of_json(block))
    return "\n".join(texts)
