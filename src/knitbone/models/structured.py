"""JSON answers: what is asked of the provider, and what is made of its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import ModelError, ModelRequestError, ModelServerError
from knitbone.models.chat import Completion
from knitbone.record.events import Json

__all__ = ["ANSWER_NAME", "allows_strict", "as_object_schema", "parse_structured", "unwrap"]

ANSWER_NAME = "answer"
"""Name of the schema, or of the tool that carries it."""
_WRAPPED = "value"
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def parse_structured(answer: Completion, schema: Mapping[str, Json] | None, who: str) -> Completion:
    """The answer with its JSON value in ``parsed``; as it is, where no schema was asked for.

    Nothing is repaired or guessed: servers that ignore the request for JSON often fence it, and
    one Markdown fence around the whole answer is the only thing taken off.

    Raises:
        ModelRequestError: the model declined to answer.
        ModelServerError: the text is not JSON, or its outermost type is not the schema's.
    """
    if schema is None:
        return answer
    said = printable(answer.refusal or answer.text)
    if answer.refusal is not None or answer.finish_reason == "content_filter":
        declined = ModelRequestError(
            f"{who} declined to answer: {said!r}.",
            next_step="Change the request, or configure another model for this role.",
        )
        raise _with_answer(declined, answer)
    try:
        parsed = msgspec.json.decode(_without_fence(answer.text))
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        step = "Use a model or server that supports JSON schemas."
        if answer.finish_reason == "length":
            step = "The answer was cut off: raise max_tokens in the model's configuration."
        unreadable = ModelServerError(
            f"{who} was asked for JSON and said {said!r} ({error}).", next_step=step
        )
        raise _with_answer(unreadable, answer) from None
    wanted = schema.get("type")
    if isinstance(wanted, str) and not _is_type(parsed, wanted):
        other = ModelServerError(
            f"{who} was asked for a JSON {wanted} and said {said!r}.",
            next_step="Use a model or server that supports JSON schemas.",
        )
        raise _with_answer(other, answer)
    return msgspec.structs.replace(answer, parsed=parsed)


def _with_answer(error: ModelError, answer: Completion) -> ModelError:
    error.completion = answer
    return error


def as_object_schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """A schema for a tool's arguments, which are always an object."""
    if schema.get("type") == "object":
        return dict(schema)
    return {"type": "object", "properties": {_WRAPPED: dict(schema)}, "required": [_WRAPPED]}


def unwrap(arguments: Json, schema: Mapping[str, Json]) -> Json:
    """The inverse of ``as_object_schema`` for the arguments that came back."""
    if schema.get("type") == "object" or not isinstance(arguments, dict):
        return arguments
    table = cast("dict[str, Json]", arguments)
    return table.get(_WRAPPED, table)


def allows_strict(schema: Json) -> bool:
    """Whether OpenAI's ``strict`` mode takes the schema.

    Source: OpenAI, Structured Outputs, "Supported schemas": every object lists all of its
    properties as required and allows no others.
    """
    if isinstance(schema, list):
        return all(allows_strict(item) for item in cast("list[Any]", schema))
    if not isinstance(schema, dict):
        return True
    table = cast("dict[str, Any]", schema)
    if table.get("type") == "object" or "properties" in table:
        properties: Any = table.get("properties")
        if table.get("additionalProperties") is not False or not isinstance(properties, dict):
            return False
        names = {str(name) for name in cast("dict[str, Any]", properties)}
        if set(table.get("required") or ()) != names:
            return False
    return all(allows_strict(item) for item in table.values())


def _without_fence(text: str) -> str:
    """The text inside one Markdown fence that encloses it all, or the text itself."""
    bare = text.strip()
    opening, newline, rest = bare.partition("\n")
    if not newline or not opening.startswith("```") or not rest.endswith("```"):
        return text
    return rest[: -len("```")]


def _is_type(value: Json, wanted: str) -> bool:
    kinds = _PYTHON_TYPES.get(wanted)
    if kinds is None:
        return True
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, kinds)
