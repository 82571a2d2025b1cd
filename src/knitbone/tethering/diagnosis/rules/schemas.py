"""Rules from the JSON schemas of the tools, where the run carries them.

Looked for under ``gen_ai.tool.definitions`` (OpenTelemetry's GenAI conventions) in the attributes
of any event, as a list or as its JSON text; OpenAI's, Anthropic's and MCP's spellings of a
definition are read. The library ``jsonschema`` judges the arguments, with the keywords for which a
step can be blamed without doubt: a ``pattern`` from an untrusted schema may never end.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any, cast

from knitbone.errors import import_extra
from knitbone.record.events import Run
from knitbone.tethering.diagnosis.rules.records import RuleKind, StepRule

__all__ = ["DEFINITIONS", "broken_by", "tool_schemas"]

DEFINITIONS = "gen_ai.tool.definitions"
MAX_DEFINITIONS = 1_000_000
"""Characters of a text of definitions that are read."""

_PURPOSE = "Checking steps against the schemas of their tools"
_KINDS: dict[str, RuleKind] = {
    "required": "missing argument",
    "additionalProperties": "unknown argument",
    "type": "wrong type",
    "enum": "value not allowed",
    "const": "value not allowed",
}
_APPLIED = (*_KINDS, "properties", "items", "anyOf", "oneOf", "allOf", "$ref")
MAX_REFERENCES = 2_000
"""References followed for one call (ours): twenty of them that fan out are a million paths."""
_left: ContextVar[int] = ContextVar("knitbone_schema_references")


def tool_schemas(run: Run) -> dict[str, dict[str, Any]]:
    """The schema of each tool's arguments, by the tool's name; the last definition wins."""
    found: dict[str, dict[str, Any]] = {}
    seen: set[int] = set()
    for event in run.events:
        definitions: Any = event.attributes.get(DEFINITIONS)
        if not definitions or id(definitions) in seen:
            continue
        seen.add(id(definitions))
        for definition in _list_of(definitions):
            body = _object(definition.get("function")) or definition
            name = body.get("name")
            schema = next(
                (_object(body[key]) for key in ("parameters", "input_schema", "inputSchema")
                 if _object(body.get(key))),
                None,
            )  # fmt: skip
            if isinstance(name, str) and schema:
                found[name] = schema
    return found


def broken_by(tool: str, schema: Mapping[str, Any], arguments: Any) -> Iterator[StepRule]:
    """The demands of a tool's schema that the arguments do not meet, each once.

    A schema that cannot be judged (not a schema, a reference to elsewhere, too deep, over
    ``MAX_REFERENCES``) gives none.

    Raises:
        MissingExtraError: jsonschema is not installed.
    """
    jsonschema: Any = import_extra("jsonschema", extra="tether", purpose=_PURPOSE)
    referencing: Any = import_extra("referencing", extra="tether", purpose=_PURPOSE)
    seen: set[tuple[str, str]] = set()
    _left.set(MAX_REFERENCES)
    try:
        validator = _validator()(dict(schema), registry=referencing.Registry())
        errors = list(validator.iter_errors({} if arguments is None else arguments))
    except (
        jsonschema.exceptions.UnknownType, referencing.exceptions.Unresolvable,
        AttributeError, KeyError, RecursionError, TypeError, ValueError,
    ):  # fmt: skip
        return  # the schema is at fault, not the step
    for error in errors:
        if error.validator not in _KINDS:
            continue
        field = _field(error)
        if (error.validator, field) in seen:
            continue
        seen.add((error.validator, field))
        yield StepRule(
            kind=_KINDS[error.validator], source="schema", tools=(tool,), field=field,
            evidence=f"schema of {tool[:80]}: {_demand(error, field)}"[:300],
            allowed=_values(error.validator_value) if error.validator == "enum" else (),
        )  # fmt: skip


@functools.cache
def _validator() -> Any:
    """The validator's class: draft 2020-12, with the keywords that are applied here alone."""
    jsonschema: Any = import_extra("jsonschema", extra="tether", purpose=_PURPOSE)
    known: Any = jsonschema.Draft202012Validator
    further = known.VALIDATORS["additionalProperties"]

    def additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
        # With patterns for names it cannot be judged without running them.
        if not schema.get("patternProperties"):
            yield from further(validator, allowed, instance, schema)

    def reference(validator: Any, target: Any, instance: Any, schema: Any) -> Iterator[Any]:
        left = _left.get() - 1
        if left < 0:
            raise ValueError("too many references")
        _left.set(left)
        yield from known.VALIDATORS["$ref"](validator, target, instance, schema)

    return jsonschema.validators.create(
        meta_schema=known.META_SCHEMA,
        validators={name: known.VALIDATORS[name] for name in _APPLIED}
        | {"additionalProperties": additional, "$ref": reference},
        type_checker=known.TYPE_CHECKER,
        id_of=known.ID_OF,
    )


def _field(error: Any) -> str:
    path = [str(part) for part in error.absolute_path if not isinstance(part, int)]
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        path.append(next((str(n) for n in missing if repr(n) in error.message), ""))
    elif error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        path.append(next((str(name) for name in error.instance if name not in known), ""))
    return ".".join(path)[:80]


def _values(allowed: Any) -> tuple[str, ...]:
    values = cast("list[Any]", allowed) if isinstance(allowed, list) else []
    return tuple(str(value)[:60] for value in values[:20])


def _demand(error: Any, field: str) -> str:
    if error.validator == "required":
        return f"{field} is required"
    if error.validator == "additionalProperties":
        return f"has no argument {field}"
    return f"{field or 'the arguments'}: {error.validator} {json.dumps(error.validator_value)}"


def _list_of(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, str):
        if len(value) > MAX_DEFINITIONS:
            return []
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if not isinstance(value, (list, tuple)):
        return []
    return [item for item in map(_object, cast("list[Any]", value)) if item]


def _object(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
