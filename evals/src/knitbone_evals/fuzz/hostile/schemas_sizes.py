"""Schemas whose values are endless: giant lengths, lists, enums, depths."""

from __future__ import annotations

from typing import Any

from .schema_parts import Hostile, Schema, object_of, ref


def _huge_lengths() -> Schema:
    return object_of(
        {
            "text": {"type": "string", "minLength": 10**12},
            "list": {"type": "array", "minItems": 10**10, "items": {"type": "integer"}},
            "map": {"type": "object", "minProperties": 10**9},
            "bound": {"type": "string", "minLength": 2**63, "maxLength": 2**64},
            "longest": {"type": "string", "minLength": 10**400},
        }
    )


def _many_large() -> Schema:
    # Each number looks modest alone: 40 fields of 4 million letters are 160 MB a call.
    return object_of({f"f{n}": {"type": "string", "minLength": 4_000_000} for n in range(40)})


def _nested_items() -> Schema:
    def nested(levels: int, width: int) -> Schema:
        schema: Schema = {"type": "string", "minLength": 10}
        for _ in range(levels):
            schema = {"type": "array", "minItems": width, "maxItems": width, "items": schema}
        return schema

    return object_of({"wide": nested(12, 10), "binary": nested(40, 2)})


def _unique_items() -> Schema:
    return object_of(
        {
            "bits": {
                "type": "array",
                "uniqueItems": True,
                "minItems": 3,
                "items": {"type": "boolean"},
            },
            "ones": {"type": "array", "uniqueItems": True, "minItems": 2, "items": {"const": 1}},
            "equal": {
                "type": "array",
                "uniqueItems": True,
                "minItems": 300_000,
                "items": {"type": "array", "items": {"enum": [0, 1]}, "minItems": 20},
            },
        }
    )


def _large_enums() -> Schema:
    return object_of(
        {
            "number": {"enum": list(range(100_000))},
            "word": {"type": "string", "enum": [f"w{n}" for n in range(100_000)]},
            "lists": {"enum": [[n, [n]] for n in range(20_000)], "uniqueItems": True},
            "mixed": {"enum": [None, True, 1, 1.0, "1", [1], {"a": 1}, float("nan"), -0.0]},
        }
    )


def _deep_const() -> Schema:
    value: Any = 1
    text: Any = "x"
    for _ in range(450):
        value = [value]
        text = {"k": text}
    return object_of(
        {"list": {"const": value}, "map": {"default": text, "examples": [value, text]}}
    )


def _deep_schema() -> Schema:
    schema: Schema = {"type": "string"}
    for level in range(5_000):
        kind = level % 4
        if kind == 0:
            schema = object_of({"a": schema})
        elif kind == 1:
            schema = {"type": "array", "minItems": 1, "items": schema}
        elif kind == 2:
            schema = {"anyOf": [schema]}
        else:
            schema = {"allOf": [schema]}
    return object_of({"deep": schema})


def _many_properties() -> Schema:
    return object_of({f"p{n}": {"type": "string"} for n in range(50_000)})


def _contains() -> Schema:
    return object_of(
        {
            "many": {"type": "array", "contains": {"const": 1}, "minContains": 10**9},
            "none": {"type": "array", "contains": {"type": "integer"}, "minContains": 3,
                     "maxContains": 2},
            "tuple": {"type": "array", "prefixItems": [{"type": "string"} for _ in range(10_000)],
                      "minItems": 10_000, "items": False},
            "rest": {"type": "array", "contains": ref("x"), "unevaluatedItems": False,
                     "minItems": 10**8},
        },
        **{"$defs": {"x": {"type": "array", "contains": ref("x"), "minContains": 2}}},
    )  # fmt: skip


def _numbers() -> Schema:
    infinite, nan = float("inf"), float("nan")
    return object_of(
        {
            "infinite": {"type": "number", "minimum": infinite, "maximum": infinite},
            "below": {"type": "integer", "maximum": -infinite},
            "nan": {"type": "number", "minimum": nan, "maximum": nan, "multipleOf": nan},
            "huge": {"type": "number", "minimum": 10**400, "maximum": 10**401},
            "digits": {"type": "integer", "minimum": 10**4_299},
            "wide": {"type": "integer", "minimum": -(10**4_000), "maximum": 10**4_000},
            "zero": {"type": "number", "multipleOf": 0},
            "minus": {"type": "number", "multipleOf": -1},
            "tiny": {"type": "number", "multipleOf": 5e-324, "minimum": 1},
            "vast": {"type": "integer", "multipleOf": 10**300, "minimum": 1},
            "inexact": {"type": "number", "multipleOf": 1e-320, "minimum": 1e308},
            "narrow": {"type": "number", "exclusiveMinimum": 1.0,
                       "exclusiveMaximum": 1.0000000000000002},
            "true": {"type": "integer", "minimum": True, "exclusiveMinimum": True},
            "length": {"type": "string", "minLength": nan, "maxLength": infinite},
            "fraction": {"type": "array", "minItems": 2.5, "maxItems": -1},
        }
    )  # fmt: skip


def _formats() -> Schema:
    names: list[Any] = ["unknown", "", "regex", "__import__('os')", "../../etc/passwd", "idn-email"]
    names += ["%s%n", "{0.__class__}", "date-time", "uuid", "binary", None, 5, ["date"], {}, True]
    return object_of(
        {
            f"f{n}": {"type": "string", "format": name, "minLength": 5_000_000}
            for n, name in enumerate(names)
        },
        required=[],
        **{"$vocabulary": {"http://127.0.0.1:9/v": True}},
    )


def _long_texts() -> Schema:
    return object_of(
        {
            "a": {"type": "string", "title": "T" * 5_000_000, "description": "e.g. `x`, " * 20_000},
            "b": {"type": "string", "description": "[" * 100_000 + "(a" * 50_000},
            "c": {"type": "string", "default": "d" * 1_000_000, "$comment": "c" * 1_000_000},
        }
    )


def _needle() -> Schema:
    # Satisfiable, but only a solver finds the value: trying at random never ends.
    needle = {"type": "integer", "multipleOf": 1_000_000_007, "minimum": 10**17, "maximum": 10**30}
    return object_of(
        {
            "number": {**needle, "not": {"multipleOf": 2}, "allOf": [{"multipleOf": 998_244_353}]},
            "text": {"allOf": [{"pattern": f"{n:03d}"} for n in range(200)], "type": "string"},
            "word": {"type": "string", "pattern": "^(?=.*q7)(?=.*z9)(?!.*a).{900,901}x$"},
        }
    )


SIZES: tuple[Hostile, ...] = (
    Hostile("huge_lengths", "minimum lengths of terabytes", _huge_lengths()),
    Hostile("many_large", "modest lengths that add up to 160 MB", _many_large()),
    Hostile("nested_items", "10^12 and 2^40 leaves by nested minItems", _nested_items()),
    Hostile("unique_items", "more unique values than exist, or costly ones", _unique_items()),
    Hostile("large_enums", "enums of 100,000 values", _large_enums()),
    Hostile("deep_const", "const, default and examples 450 levels deep", _deep_const()),
    Hostile("deep_schema", "a schema 5,000 levels deep", _deep_schema()),
    Hostile("many_properties", "50,000 required fields", _many_properties()),
    Hostile("contains", "minContains of 10^9, contradictions, a wide tuple", _contains()),
    Hostile("numbers", "infinite, NaN, zero and giant numbers as bounds", _numbers()),
    Hostile("formats", "unknown formats with long minimum lengths", _formats()),
    Hostile("long_texts", "a title of 5 MB and other long texts", _long_texts()),
    Hostile("needle", "values that exist, never found by trying", _needle()),
)
