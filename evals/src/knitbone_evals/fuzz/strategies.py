"""The strategy that a diligent user of Hypothesis writes for a tool: from its types, no more."""

from __future__ import annotations

import inspect
import typing
from typing import Any

from hypothesis import strategies as st

__all__ = ["arguments_of"]

_TYPES = {
    "string": st.text(),
    "integer": st.integers(),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}
_ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def arguments_of(tool: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments by name: by the annotations of a function, by the JSON schema of a LangChain tool.
    Arguments with a default are left out at times."""
    if hasattr(tool, "args_schema"):
        schema = tool.tool_call_schema.model_json_schema()
        return _from_schema(schema, schema.get("$defs", {}))
    hints = typing.get_type_hints(tool)
    required, optional = {}, {}
    for name, parameter in inspect.signature(tool).parameters.items():
        strategy = _from_hint(hints.get(name, str))
        (required if parameter.default is parameter.empty else optional)[name] = strategy
    return st.fixed_dictionaries(required, optional=optional)


def _from_hint(hint: Any) -> st.SearchStrategy[Any]:
    if hasattr(hint, "model_json_schema"):
        schema = hint.model_json_schema()
        return _from_schema(schema, schema.get("$defs", {}))
    return st.from_type(hint)


def _from_schema(schema: dict[str, Any], shared: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that meet a JSON schema as pydantic writes it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return st.deferred(lambda: _from_schema(shared[name], shared))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return st.one_of(*(_from_schema(one, shared) for one in schema[several]))
    kind = schema.get("type")
    if kind == "array":
        items = _from_schema(schema.get("items", {}), shared)
        limits = {"min_size": schema.get("minItems", 0), "max_size": schema.get("maxItems")}
        return st.lists(items, **limits)
    if kind == "object":
        return _from_object(schema, shared)
    return _from_scalar(kind, schema)


def _from_object(schema: dict[str, Any], shared: dict[str, Any]) -> st.SearchStrategy[Any]:
    fields = {
        name: _from_schema(field, shared) for name, field in schema.get("properties", {}).items()
    }
    if not fields and isinstance(schema.get("additionalProperties"), dict):
        return st.dictionaries(st.text(), _from_schema(schema["additionalProperties"], shared))
    required = {name: fields.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=fields)


def _from_scalar(kind: str | None, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind == "string" and "pattern" in schema:
        return st.from_regex(schema["pattern"])
    if kind == "string":
        return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength"))
    if kind in ("integer", "number") and schema.keys() & {"minimum", "maximum"}:
        limits = {"min_value": schema.get("minimum"), "max_value": schema.get("maximum")}
        return st.integers(**limits) if kind == "integer" else st.floats(**limits)
    return _TYPES.get(kind or "", _ANY)
