"""One event as a span's attributes, and back without loss.

A field stands under the name that the GenAI semantic conventions have for it, and under
``knitbone.<kind>.<field>`` where they have none. The table of names is the whole mapping: a field
that the table does not name travels under its own, so that a new field is never lost.

An attribute holds a scalar or a list of scalars. Structure is JSON text, and its name then stands
in ``knitbone.json_attributes``: which text is JSON is said, never guessed.

Source: OpenTelemetry semantic conventions for generative AI (inference, agent, tool and retrieval
spans; evaluation results).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Adaptation,
    ErrorInfo,
    Event,
    EventBase,
    Intervention,
    Json,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    ToolCall,
    Usage,
)
from knitbone.tethering.interchange.spans.messages import (
    documents_json,
    message_json,
    own_document,
    own_message,
)
from knitbone.tethering.interchange.spans.values import is_native, parse_structure, to_json_text
from knitbone.tethering.interchange.untrusted_json import JsonPlace, describe

__all__ = ["INDEX", "KIND", "decode", "encode", "pack", "unpack"]

KIND = "knitbone.event.kind"
INDEX = "knitbone.event.index"
"""0-based position in the run."""

_JSON = "knitbone.json_attributes"
_FURTHER = "knitbone.attributes"
_KINDS: dict[str, type[EventBase]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (ModelCall, ToolCall, Retrieval, Message, Adaptation, Intervention, Outcome)
}
_SHARED_NAMES = {
    "id": "knitbone.event.id",
    "parent": "knitbone.event.parent",
    "agent": "gen_ai.agent.name",
    "position": "knitbone.event.position",
}
_NAMES: dict[str, dict[str, str]] = {
    "model_call": {
        "model": "gen_ai.request.model",
        "provider": "gen_ai.provider.name",
        "operation": "gen_ai.operation.name",
        "input": "gen_ai.input.messages",
        "output": "gen_ai.output.messages",
        "finish_reason": "gen_ai.response.finish_reasons",
    },
    "tool_call": {
        "name": "gen_ai.tool.name",
        "call_id": "gen_ai.tool.call.id",
        "arguments": "gen_ai.tool.call.arguments",
        "result": "gen_ai.tool.call.result",
    },
    "retrieval": {
        "query": "gen_ai.retrieval.query.text",
        "source": "gen_ai.data_source.id",
        "documents": "gen_ai.retrieval.documents",
    },
    "message": {"content": "gen_ai.input.messages"},
    "outcome": {
        "success": "gen_ai.evaluation.score.label",
        "reward": "gen_ai.evaluation.score.value",
        "reason": "gen_ai.evaluation.explanation",
    },
}
_CONSTANT: dict[str, dict[str, Json]] = {
    "tool_call": {"gen_ai.operation.name": "execute_tool"},
    "retrieval": {"gen_ai.operation.name": "retrieval"},
    "outcome": {"gen_ai.evaluation.name": "outcome"},
}
"""What the conventions require of such a span, and says nothing that the kind does not."""
_USAGE = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
}
_ERROR = {"type": "error.type"}
_APART = {"attributes", "error", "usage", "started_ns", "ended_ns"}
"""Fields that are no attribute of their own; a span has its times itself."""
_VERDICTS = {True: "pass", False: "fail"}


def _table(kind: str) -> dict[str, str]:
    """The attribute of each field of a kind of event."""
    names = _SHARED_NAMES | _NAMES.get(kind, {})
    fields = [field for field in _KINDS[kind].__struct_fields__ if field not in _APART]
    return {field: names.get(field, f"knitbone.{kind}.{field}") for field in fields}


_TABLES = {kind: _table(kind) for kind in _KINDS}
_USAGE_TABLE = {f: _USAGE.get(f, f"knitbone.usage.{f}") for f in Usage.__struct_fields__}
_ERROR_TABLE = {f: _ERROR.get(f, f"knitbone.error.{f}") for f in ErrorInfo.__struct_fields__}
_PARTS = {"usage": _USAGE_TABLE, "error": _ERROR_TABLE}
_RESERVED = {
    kind: frozenset(
        {KIND, INDEX, _JSON, _FURTHER, "knitbone.started_ns", "knitbone.ended_ns",
         *table.values(), *_CONSTANT.get(kind, ()), *_USAGE_TABLE.values(),
         *_ERROR_TABLE.values()}
    )
    for kind, table in _TABLES.items()
}  # fmt: skip


def encode(event: Event, index: int) -> dict[str, Json]:
    """All that the event says, but its times, as attributes."""
    fields: dict[str, Json] = msgspec.to_builtins(event, enc_hook=repr, str_keys=True)
    kind = fields.pop("kind")
    said: dict[str, Json] = {KIND: kind, INDEX: index, **_CONSTANT.get(kind, {})}
    fields |= _conventional(event)
    for field, name in _TABLES[kind].items():
        said[name] = fields.get(field)
    for part, table in _PARTS.items():
        values: dict[str, Json] = fields.get(part) or {}
        said |= {table[field]: value for field, value in values.items()}
    return pack(said, fields.get("attributes", {}), reserved=_RESERVED[kind])


def _conventional(event: Event) -> dict[str, Json]:
    """Fields whose conventional form is another than ours, and those that are required."""
    if isinstance(event, Message):
        spoken = {"role": event.role, "parts": [{"type": "text", "content": event.content}]}
        return {"content": [spoken]}
    if isinstance(event, Retrieval) and event.documents:
        return {"documents": documents_json(event.documents)}
    if isinstance(event, Outcome) and event.success is not None:
        return {"success": _VERDICTS[event.success]}
    if not isinstance(event, ModelCall):
        return {}
    made: dict[str, Json] = {"operation": event.operation}
    if event.input:
        made["input"] = [message_json(message) for message in event.input]
    if event.output is not None:
        made["output"] = [message_json(event.output, finish_reason=event.finish_reason)]
    if event.finish_reason is not None:
        made["finish_reason"] = [event.finish_reason]
    return made


def pack(
    said: Mapping[str, Json], further: Mapping[str, Json], *, reserved: frozenset[str]
) -> dict[str, Json]:
    """Attributes of a span: structure becomes JSON text, and nothing is left out as null.

    Args:
        further: attributes that stand under names of their own; where one of those means
            something here already, all of them travel apart.
    """
    packed = {name: value for name, value in said.items() if value is not None}
    if further and reserved.isdisjoint(further):
        packed |= further
    elif further:
        packed[_FURTHER] = dict(further)
    structured: list[Json] = []
    for name, value in packed.items():
        if not is_native(value):
            packed[name] = to_json_text(value)
            structured.append(name)
    return packed | {_JSON: structured} if structured else packed


def unpack(attributes: Mapping[str, Json], place: JsonPlace) -> dict[str, Json]:
    """The inverse of ``pack``, with what travelled apart left under its name.

    Raises:
        InputFormatError: text that should be JSON is none.
    """
    values = dict(attributes)
    structured = values.pop(_JSON, None)
    for name in cast("list[Any]", structured) if isinstance(structured, list) else ():
        text = values.get(name)
        try:
            values[name] = parse_structure(cast("str", text), place)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputFormatError(
                f"{place}, attribute {str(name)[:80]!r}: expected JSON text, found"
                f" {describe(text)}.",
                next_step="Was an attribute cut by a length limit on the way? Export again.",
            ) from error
    return values


def decode(
    attributes: Mapping[str, Json], place: JsonPlace, *, times: tuple[int, int | None]
) -> Event:
    """The event that ``encode`` was given.

    Args:
        times: when it started and ended, in nanoseconds.

    Raises:
        InputFormatError: the attributes are not those of an event.
    """
    values = unpack(attributes, place)
    kind = values.get(KIND)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputFormatError(
            f"{place}, attribute {KIND!r}: {describe(kind)} is no kind of event.",
            next_step=f"Known: {', '.join(_KINDS)}. Was it written by a newer knitbone?",
        )
    body: dict[str, Json] = {"kind": kind, "started_ns": times[0], "ended_ns": times[1]}
    try:
        for field, name in _TABLES[kind].items():
            if name in values:
                body[field] = _ours(kind, field, values[name])
        for part, table in _PARTS.items():
            found = {field: values[name] for field, name in table.items() if name in values}
            if found and part in _KINDS[kind].__struct_fields__:
                body[part] = found
        further = {n: v for n, v in values.items() if n not in _RESERVED[kind]}
        body["attributes"] = values.get(_FURTHER) or further
        return msgspec.convert(body, Event)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise InputFormatError(
            f"{place} says that it is a {kind} of knitbone, and is none:"
            f" {type(error).__name__}: {str(error)[:200]}.",
            next_step="Was the span changed on its way? Export the run again.",
        ) from error


def _ours(kind: str, field: str, value: Json) -> Json:
    """The inverse of ``_conventional``, for one field."""
    match kind, field:
        case "message", "content":
            return value[0]["parts"][0]["content"]
        case "retrieval", "documents":
            return [own_document(document) for document in value]
        case "outcome", "success":
            return {"pass": True, "fail": False}[value]
        case "model_call", "input":
            return [own_message(message) for message in value]
        case "model_call", "output":
            return own_message(value[0])
        case "model_call", "finish_reason":
            return value[0]
        case _:
            return value
