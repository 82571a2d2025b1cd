"""A schema accepts what jsonschema's validator accepts, and what it conforms it accepts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.parsing.schema import JsonSchema

jsonschema = pytest.importorskip("jsonschema")

_NAMES = st.sampled_from(["a", "b", "bee"])
_SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -3, "", "a", "1", "true", "bee"])
_INSTANCES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("ab") | _NAMES, inner, max_size=3)
    ),
    max_leaves=6,
)
_TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of all keywords, a few at a time."""
    several = st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(_NAMES, inner, max_size=2)
    count = st.integers(0, 2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(_SCALARS, min_size=1, max_size=3),
            "const": _SCALARS,
            "properties": named,
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "additionalProperties": inner | st.booleans(),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "propertyNames": st.sampled_from([{"maxLength": 1}, {"pattern": "^a"}]),
            "minProperties": count,
            "maxProperties": count,
            "dependentRequired": st.dictionaries(_NAMES, st.lists(_NAMES, max_size=1), max_size=1),
            "items": inner,
            "prefixItems": several,
            "minItems": count,
            "maxItems": count,
            "uniqueItems": st.booleans(),
            "contains": inner,
            "minLength": count,
            "maxLength": count,
            "pattern": st.sampled_from(["^a", "e+$", "[0-9]"]),
            "minimum": st.sampled_from([0, 1.5]),
            "exclusiveMaximum": st.sampled_from([1, 2.5]),
            "multipleOf": st.sampled_from([1, 0.5]),
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )


_SCHEMAS = st.recursive(_objects(st.just({})), _objects, max_leaves=4)


@given(schema=_SCHEMAS, value=_INSTANCES)
@settings(max_examples=1_500, deadline=None)
def test_it_accepts_what_another_validator_accepts(schema: dict[str, Any], value: Any) -> None:
    mine = JsonSchema(schema)
    accepted = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert mine.accepts(value) is accepted
    assert bool(mine.reason(value)) is not accepted


@given(schema=_SCHEMAS, value=_INSTANCES)
@settings(max_examples=800, deadline=None)
def test_what_it_conforms_is_accepted_and_stays(schema: dict[str, Any], value: Any) -> None:
    mine = JsonSchema(schema)
    fit = mine.conform(value)
    if fit is None:
        assert not mine.accepts(value)
        return
    conformed, cost, changes = fit
    assert mine.accepts(conformed)
    assert mine.conform(conformed) == (conformed, 0.0, ())
    if mine.accepts(value):
        assert (conformed, cost, changes) == (value, 0.0, ())
    else:
        assert changes
        assert cost > 0
