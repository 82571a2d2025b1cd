"""What a value is wanted for: a schema, keys, a type, a tool, or a format.

Source: ours. Types are read by pydantic where it is installed, by msgspec else.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

import msgspec

from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.json_edit import apply_changes
from knitbone.errors import SchemaError
from knitbone.parsing.decision import TargetVerdict
from knitbone.parsing.json_values import write_json
from knitbone.parsing.schema import JsonSchema
from knitbone.parsing.search import PlaceSchema

__all__ = ["FORMATS", "Format", "RepairTarget", "target_of"]

Format = Literal["json", "jsonl", "python", "xml", "csv", "yaml", "toml"]
FORMATS: tuple[str, ...] = typing.get_args(Format)
_KEYWORDS = frozenset({
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema",
    "$vocabulary", "additionalItems", "additionalProperties", "allOf", "anyOf", "const",
    "contains", "contentEncoding", "contentMediaType", "contentSchema", "default", "definitions",
    "dependencies", "dependentRequired", "dependentSchemas", "deprecated", "description", "else",
    "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items",
    "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
    "patternProperties", "prefixItems", "properties", "propertyNames", "readOnly", "required",
    "then", "title", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
    "writeOnly",
})  # fmt: skip
"""Of JSON Schema, from draft 4 to 2020-12, and of OpenAPI's schema objects."""


class RepairTarget:
    """A value that is wanted.

    Args:
        format: the notation; ``None``: it is recognised.
        schema: what the value must be; ``None``: any object or list will do.
        keys: of an object, or of each record.
        load: makes the value of a text in JSON; it raises ``ValueError`` where it refuses it.
    """

    def __init__(
        self,
        *,
        format: Format | None = None,  # noqa: A002 - the word of the public function
        schema: JsonSchema | None = None,
        keys: tuple[str, ...] = (),
        load: Callable[[str], Any] | None = None,
    ) -> None:
        self.format: Format | None = format
        self.schema = schema
        self.keys = keys
        self._load = load
        self.slot: PlaceSchema | None = schema.slot if schema is not None else None

    def judge(self, value: Any, text: str) -> TargetVerdict | str:
        """Accept a parsed value, with the changes that this takes, or say why not."""
        if self._load is not None:
            try:
                return TargetVerdict(self._load(text), 0.0)
            except ValueError as error:
                reason = _first_line(error)
        elif self.schema is None:
            return (
                TargetVerdict(value, 0.0)
                if isinstance(value, dict | list | tuple)
                else "no object and no list"
            )
        elif self.schema.accepts(value):
            return TargetVerdict(value, 0.0)
        else:
            reason = self.schema.reason(value)
        fit = self.schema.conform(value) if self.schema is not None else None
        if fit is None:
            return reason
        conformed, cost, changes = fit
        if self._load is not None:
            try:
                return TargetVerdict(self._load(json.dumps(conformed)), cost, changes, conformed)
            except ValueError as error:
                return _first_line(error)
        return TargetVerdict(conformed, cost, changes, conformed)

    def loaded(self, text: str) -> Any:
        """The value of a well-formed text.

        Raises:
            ValueError: the target refuses it.
        """
        assert self._load is not None  # noqa: S101 - asked only then
        return self._load(text)

    @property
    def loads(self) -> bool:
        """Whether a library makes the value."""
        return self._load is not None


def written(text: str, value: Any, changes: tuple[ValueChange, ...]) -> str:
    """A document with the changes of its value made in it; what they leave alone is spelt as it
    was, where that can be done."""
    if not changes:
        return text
    try:
        changed = apply_changes(text, changes)
        if json.loads(changed) == value:
            return changed
    except (ValueError, RecursionError):
        pass
    return write_json(value)


def _first_line(error: ValueError) -> str:
    """Why a library refuses a value, at the first place."""
    listed: Any = getattr(error, "errors", None)
    if callable(listed) and (found := cast("list[dict[str, Any]]", listed())):
        place = ".".join(map(str, found[0]["loc"])) or "the value"
        return f"{place}: {found[0]['msg']}"[:300]
    return " ".join(str(error).split())[:300]


def target_of(target: Any, example: Any = None) -> RepairTarget:
    """Read a target.

    Raises:
        SchemaError: it describes no value.
    """
    if target is None:
        return (
            RepairTarget(schema=JsonSchema(_schema_of_example(example)))
            if example is not None
            else RepairTarget()
        )
    if isinstance(target, str):
        if target not in FORMATS:
            raise SchemaError(
                f"{target!r} is no format.",
                next_step=f"Pass one of {', '.join(FORMATS)}, a schema or a type.",
            )
        return RepairTarget(format=cast("Format", target))
    if isinstance(target, Mapping):
        schema = _schema_of_tool(cast("Mapping[str, Any]", target))
        if schema and not _KEYWORDS & schema.keys():
            raise SchemaError(
                f"the keys {', '.join(map(repr, schema))[:80]} are no keywords of JSON Schema.",
                next_step="Pass a schema such as {'type': 'object', 'properties': {...}}, a list "
                "of keys, or a value of the wanted shape as the example.",
            )
        return RepairTarget(schema=_compiled(schema))
    if isinstance(target, list | tuple | set | frozenset):
        keys = tuple(cast("list[Any]", target))
        if not keys or not all(isinstance(key, str) for key in keys):
            raise SchemaError(
                f"the list {keys!r:.80} is no list of keys.",
                next_step="Pass the names of the keys, as texts.",
            )
        record: dict[str, Any] = {
            "type": "object",
            "properties": {key: {} for key in keys},
            "required": list(keys),
        }
        return RepairTarget(
            schema=JsonSchema({"anyOf": [record, {"type": "array", "items": record}]}), keys=keys
        )
    return _target_of_type(target)


_COMPILED: dict[bytes, JsonSchema] = {}
_MOST_COMPILED = 128


def _compiled(schema: Mapping[str, Any]) -> JsonSchema:
    """A schema, compiled once for all calls that pass an equal one."""
    try:
        key = msgspec.json.encode(schema)
    except (TypeError, ValueError, RecursionError):
        return JsonSchema(schema)
    known = _COMPILED.get(key)
    if known is None:
        if len(_COMPILED) >= _MOST_COMPILED:
            _COMPILED.clear()
        # Of a copy: whoever passed it may change it.
        known = _COMPILED[key] = JsonSchema(json.loads(key))
    return known


def _schema_of_tool(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a tool as the providers describe it, or the schema itself."""
    inner: Any = schema.get("function", schema) if schema.get("type") == "function" else schema
    if isinstance(inner, Mapping):
        held = cast("Mapping[str, Any]", inner)
        for name in ("parameters", "input_schema", "inputSchema"):
            found = held.get(name)
            if isinstance(found, Mapping) and isinstance(held.get("name"), str):
                return cast("Mapping[str, Any]", found)
    return schema


def _target_of_type(target: Any) -> RepairTarget:
    refusal: Exception | None = None
    if not _is_plain_type(target):
        try:
            import pydantic  # noqa: PLC0415 - only where a type needs it

            adapter = pydantic.TypeAdapter(target)
            return RepairTarget(
                schema=JsonSchema(adapter.json_schema()), load=adapter.validate_json
            )
        except ImportError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever pydantic says of a type
            refusal = error
    try:
        schema = msgspec.json.schema(target)
        decoder: Any = msgspec.json.Decoder(target)
    except (TypeError, ValueError) as error:
        raise _no_target(target, refusal or error) from error
    return RepairTarget(schema=JsonSchema(schema), load=decoder.decode)


def _no_target(target: Any, error: Exception) -> SchemaError:
    return SchemaError(
        f"{target!r:.80} is no target: {' '.join(str(error).split())[:200]}.",
        next_step="Pass a JSON Schema, a list of keys, a type, a tool's schema, or a format name.",
    )


def _is_plain_type(target: Any) -> bool:
    """Whether the standard library's own types describe it, so that msgspec reads it."""
    if isinstance(target, type):
        return (
            dataclasses.is_dataclass(target)
            or issubclass(target, enum.Enum | msgspec.Struct)
            or typing.is_typeddict(cast("Any", target))
            or target in (str, int, float, bool, dict, list)
        )
    return False


def _schema_of_example(value: Any) -> dict[str, Any]:
    """The keys and types of an example."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {
            "type": "object",
            "properties": {key: _schema_of_example(inner) for key, inner in members.items()},
            "required": list(members),
        }
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return {"type": "array", **({"items": _schema_of_example(items[0])} if items else {})}
    kinds: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
    kind = kinds.get(cast("type[Any]", type(value)))
    return {"type": kind} if kind else {}
