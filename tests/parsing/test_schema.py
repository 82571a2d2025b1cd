"""A schema accepts what jsonschema's validator accepts, and what it conforms it accepts."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.parsing.schema import JsonSchema

jsonschema = pytest.importorskip("jsonschema")

_NAMES = st.sampled_from(["a", "b"])
_SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -3, "", "a", "1", "true", "bee"])
_FEW = [1, "1", True, 1.0, "a", None]
_POOL: list[Any] = [
    *(None, True, False, 0, 1, 1.0, 2.5, -3, "", "a", "1", "true", "bee"),
    *(list(items) for size in range(3) for items in itertools.product(_FEW, repeat=size)),
    [[1], ["1"]], [{"a": 1}, {"a": 1.0}], [1, 2.5, "a"],
    *({"a": value} for value in _FEW), {}, {"b": "a"}, {"ab": 1}, {"a": 1, "b": "1"},
    {"a": {"a": 1}}, {"a": ["a", "a"], "b": {}},
]  # fmt: skip
"""Each schema is tried on all of these."""
_TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])


_GROUPS = [
    each.split()
    for each in (
        "properties required additionalProperties patternProperties",
        "properties propertyNames minProperties maxProperties dependentRequired",
        "items prefixItems minItems maxItems uniqueItems contains",
        "minLength maxLength pattern minimum exclusiveMaximum multipleOf type enum const",
        "anyOf oneOf allOf not if then else type",
    )
]


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of all keywords, a few at a time."""
    several = st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(_NAMES, inner, max_size=2)
    count = st.integers(0, 2)
    keywords = {
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
    }
    # Of one kind of value, and few at a time: else nearly every schema refuses everything.
    return st.sampled_from(_GROUPS).flatmap(
        lambda group: st.lists(st.sampled_from(group), max_size=3, unique=True).flatmap(
            lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
        )
    )


_SCHEMAS = st.recursive(_objects(st.just({})), _objects, max_leaves=4)


@given(schema=_SCHEMAS)
@settings(max_examples=1_500, deadline=None)
def test_it_accepts_what_another_validator_accepts(schema: dict[str, Any]) -> None:
    mine = JsonSchema(schema)
    other = jsonschema.Draft202012Validator(schema)
    for value in _POOL:
        accepted = other.is_valid(value)
        assert mine.accepts(value) is accepted, value
        assert bool(mine.reason(value)) is not accepted


@given(schema=_SCHEMAS)
@settings(max_examples=400, deadline=None)
def test_what_it_conforms_is_accepted_and_stays(schema: dict[str, Any]) -> None:
    mine = JsonSchema(schema)
    for value in _POOL:
        fit = mine.conform(value)
        if fit is None:
            assert not mine.accepts(value), value
            continue
        conformed, cost, changes = fit
        assert mine.accepts(conformed), value
        assert mine.conform(conformed) == (conformed, 0.0, ()), value
        assert bool(changes) is (cost > 0) is (not mine.accepts(value)), value


def test_a_schema_that_is_said_again_with_values_gives_the_values() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"room": {"type": "string"}, "degrees": {"type": "number"}},
        "required": ["room", "degrees"],
        "additionalProperties": False,
    }
    held = {"room": "hall", "degrees": 20.5}
    echo = schema | {"properties": held}
    assert knitbone.repair(json.dumps(echo), schema).unwrap() == held
    del echo["required"], echo["additionalProperties"]
    assert knitbone.repair(json.dumps(echo), schema).unwrap() == held
    assert not knitbone.repair(json.dumps(schema), schema).ok  # no values
    assert not knitbone.repair(json.dumps(echo | {"note": 1}), schema).ok
