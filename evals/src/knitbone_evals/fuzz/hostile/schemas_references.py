"""Schemas whose references loop, multiply, or lead out of the document."""

from __future__ import annotations

from typing import Any

from .schema_parts import Hostile, Schema, object_of, ref


def _endless_required() -> Schema:
    node = object_of({"value": {"type": "integer"}, "next": {"$ref": "#"}})
    return node


def _mutual() -> Schema:
    a = object_of({"left": ref("b"), "right": ref("b")})
    b = {"allOf": [{"anyOf": [ref("c"), ref("a")]}, object_of({"again": ref("a")})]}
    c = object_of({"items": {"type": "array", "minItems": 2, "items": ref("a")}})
    return object_of({"tree": ref("a")}, **{"$defs": {"a": a, "b": b, "c": c}})


def _ref_loops() -> Schema:
    loops: Schema = {
        "self": ref("self"),
        "one": ref("two"),
        "two": ref("three"),
        "three": {"allOf": [ref("one")]},
        "any": {"anyOf": [ref("any"), ref("one_of")]},
        "one_of": {"oneOf": [ref("any"), ref("any")]},
        "not": {"not": ref("not")},
        "if": {"if": ref("if"), "then": ref("if"), "else": ref("if")},
        "name": {"type": "object", "propertyNames": ref("name"), "minProperties": 1},
    }
    properties = {key: ref(key) for key in loops}
    properties["deep"] = {"$ref": "#/properties/deep"}
    properties["into"] = {"$ref": "#/properties/into/items", "items": {"$ref": "#/properties/into"}}
    return object_of(properties, **{"$defs": loops})


def _ref_doubling() -> Schema:
    # No loop, 40 small definitions: inlining them gives 2^40 copies ("billion laughs").
    defs: Schema = {"d0": {"type": "string"}}
    for n in range(1, 41):
        defs[f"d{n}"] = object_of({"a": ref(f"d{n - 1}"), "b": ref(f"d{n - 1}")})
    return object_of({"root": ref("d40")}, **{"$defs": defs})


def _ref_chain() -> Schema:
    defs: Schema = {f"d{n}": ref(f"d{n + 1}") for n in range(5_000)}
    defs["d5000"] = {"type": "integer"}
    return object_of({"root": ref("d0")}, **{"$defs": defs})


def _ref_outside() -> Schema:
    return object_of(
        {
            "passwd": {"$ref": "file:///etc/passwd"},
            "zero": {"$ref": "file:///dev/zero"},
            "tty": {"$ref": "file:///proc/self/fd/0"},
            "relative": {"$ref": "../../../../../../etc/hostname#/a"},
            "share": {"$ref": "\\\\192.0.2.1\\share\\x.json"},
            "http": {"$ref": "http://127.0.0.1:9/schema.json"},
            "metadata": {"$ref": "http://169.254.169.254/latest/meta-data/"},
            "https": {"$ref": "https://schema.invalid/a.json#/x"},
            "ftp": {"$ref": "ftp://127.0.0.1:9/x"},
            "data": {"$ref": "data:application/json,%7B%22type%22:%22string%22%7D"},
            "python": {"$ref": "python:os.system"},
            "meta": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
        **{"$schema": "http://127.0.0.1:9/meta.json"},
    )


def _ref_malformed() -> Schema:
    pointers: list[Any] = [
        "",
        "#/",
        "#//",
        "#/$defs/~2~",
        "#/$defs/%00",
        "#/%ZZ",
        "#/required/0",
        "#/required/-1",
        "#/properties/p0/$ref",
        "#" + "/a" * 50_000,
        "#/title",
        "//[::1",
        "http://[",
        "\ud800",
        7,
        None,
        ["#"],
        {"$ref": "#"},
        True,
    ]
    properties = {f"p{n}": {"$ref": pointer} for n, pointer in enumerate(pointers)}
    return object_of(properties, title="x")


def _dynamic() -> Schema:
    tree = {
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        "required": ["children"],
    }
    strict = {
        "$id": "strict",
        "$dynamicAnchor": "node",
        "$ref": "#/$defs/tree",
        "properties": {"children": {"minItems": 2}},
        "unevaluatedProperties": False,
    }
    return object_of(
        {
            "tree": {"$dynamicRef": "#node"},
            "strict": {"$ref": "strict"},
            "old": {"$recursiveRef": "#"},
        },
        **{
            "$dynamicAnchor": "node",
            "$recursiveAnchor": True,
            "$defs": {"tree": tree, "s": strict},
        },
    )


def _ids() -> Schema:
    # The same identifier thrice, bases that change under way, and one that is the meta-schema's.
    return object_of(
        {
            "a": {"$id": "http://127.0.0.1:9/a/", "$ref": "b"},
            "b": {"$id": "http://127.0.0.1:9/a/b", "$ref": "../a/"},
            "c": {"$id": "http://127.0.0.1:9/a/b", "type": "string", "minLength": 10**9},
            "d": {"$id": "#", "$ref": "#"},
            "e": {"$id": 5, "$anchor": ["x"], "$ref": "#x"},
            "f": {"$id": "https://json-schema.org/draft/2020-12/schema", "type": "null"},
            "g": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
            "h": {"$ref": "#/properties/a/$ref"},
            "i": {"$id": "file:///etc/", "$ref": "passwd"},
        },
        **{
            "$id": "http://127.0.0.1:9/a/",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
        },
    )


def _towers() -> Schema:
    # References share the branches, as text on the wire can: 2^150 paths in 15 KB.
    defs: Schema = {"t150": {"const": "end"}}
    for n in range(150):
        below = ref(f"t{n + 1}")
        defs[f"t{n}"] = {"if": {"not": {"const": n}}, "then": below, "else": {"not": below}}
    negations: Schema = {"type": "integer"}
    for n in range(200):
        negations = {"not": negations if n % 2 else {"allOf": [negations, {"not": {"const": n}}]}}
    return object_of({"conditions": ref("t0"), "negations": negations}, **{"$defs": defs})


def _product() -> Schema:
    # 40 groups of 8 alternatives: a product in normal form has 8^40 terms.
    groups = [{"oneOf": [object_of({f"g{n}": {"const": k}}) for k in range(8)]} for n in range(40)]
    return {"type": "object", "allOf": groups}


def _nested_product() -> Schema:
    defs: Schema = {"v0": {"type": "integer"}}
    for n in range(1, 31):
        below = ref(f"v{n - 1}")
        bounded = {"allOf": [below, {"minimum": n}]}
        defs[f"v{n}"] = {"anyOf": [below, bounded, {"oneOf": [below]}]}
    return object_of({"value": ref("v30")}, **{"$defs": defs})


def _dependents() -> Schema:
    # Every field asks for the next one, and each brings a schema that asks for two more.
    count = 3_000
    return object_of(
        {"k0": {"type": "string"}},
        dependentRequired={f"k{n}": [f"k{n + 1}", f"k{n * 2}"] for n in range(count)},
        dependentSchemas={
            f"k{n}": {"required": [f"k{n + 1}"], "properties": {f"k{n + 2}": {"$ref": "#"}}}
            for n in range(count)
        },
        dependencies={"k1": ["k1"], "k2": {"$ref": "#"}, "k3": 7},
    )


REFERENCES: tuple[Hostile, ...] = (
    Hostile("endless_required", "a required field that is the schema itself", _endless_required()),
    Hostile("mutual", "three definitions that need one another, doubling", _mutual()),
    Hostile("ref_loops", "references that only ever lead to themselves", _ref_loops()),
    Hostile("ref_doubling", "2^40 copies when references are inlined", _ref_doubling()),
    Hostile("ref_chain", "5,000 references in a row", _ref_chain()),
    Hostile("ref_outside", "references to files, devices and hosts", _ref_outside()),
    Hostile("ref_malformed", "references that are no pointers", _ref_malformed()),
    Hostile("dynamic", "$dynamicRef and $recursiveRef trees", _dynamic()),
    Hostile("ids", "$id that moves the base or claims another's name", _ids()),
    Hostile("towers", "if/then/else with 2^150 paths, 200 negations", _towers()),
    Hostile("product", "allOf of oneOf with 8^40 terms", _product()),
    Hostile("nested_product", "anyOf of allOf of oneOf, 3^30 alternatives", _nested_product()),
    Hostile("dependents", "fields that ask for ever more fields", _dependents()),
)
