"""The check of an answer that a library validates itself: the typed output of an agent.

The output type has a schema, and the library's own validator decides: what it accepts is not
looked at. A refused answer is repaired in three steps: keys, wrappers and syntax; then the numbers
and options among its values, one by one, where the validator refuses them; then whatever else the
schema's types, dates and options tell. What comes of it is delivered only where the validator
accepts it.

Source: Comfrey §4.3.1 (structured templates; type conversion of elements that violate the schema).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    PromptMessage,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.repair.positional.constants import Constants, find_constant
from knitbone.adaptation.repair.positional.number_prompt import NumberPrompt
from knitbone.adaptation.repair.positional.values import find_value
from knitbone.adaptation.repair.structured.json import MAX_TEXT, prepare_json
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.adaptation.requirements.schema_shapes import shape_of_schema
from knitbone.adaptation.requirements.schema_simplification import simplify_schema
from knitbone.common.structured.changes import Path, ValueChange, shown
from knitbone.common.structured.json_edit import apply_changes
from knitbone.common.structured.shape import Field, Shape
from knitbone.parsing.json_values import parse_json

__all__ = ["OutputType", "RefusedValue", "Validate", "output_type_of", "prepare_typed_output"]

_MAX_VALUES = 64
"""Refused values of one answer that are looked at (ours)."""


class RefusedValue(NamedTuple):
    """A value of an answer that a validator refuses."""

    path: Path
    kind: Literal["integer", "number", "option", "other"]


Validate: TypeAlias = Callable[[str], tuple[RefusedValue, ...] | None]
"""What a validator refuses of an answer; ``None``: it accepts it."""


class OutputType(NamedTuple):
    """An output type, as its schema tells it."""

    schema: Mapping[str, Any]
    """Simplified, with the descriptions of fields."""
    shape: Shape
    wrapper: str = ""
    """The key under which a value that is no object stands."""


def output_type_of(schema: Mapping[str, Any], wrapper: str = "") -> OutputType:
    """Read an output type off the JSON schema that the model is told."""
    plain = simplify_schema(schema, keep=("format", "description"))
    return OutputType(plain, shape_of_schema(plain, dates=True), wrapper)


def prepare_typed_output(
    requirement: StructuredTemplate, output: OutputType, validate: Validate
) -> Check:
    """Build the check of one answer."""
    outline = _check_of(requirement, _outline(output.shape), "")
    lenient, exact = (_check_of(requirement, output.shape, p) for p in ("validate_json", ""))

    def mended(text: str, invocation: Invocation) -> Verdict:
        drawn = outline(text, invocation)
        if drawn.disposition not in ("conforming", "repaired"):
            return refused(text, drawn.reason)
        written, rules = _with_values(drawn.text, output, validate(drawn.text), invocation)
        reason = "the library's validator does not accept the repair"
        for structured in (lenient, exact):
            whole = structured(written, invocation)
            if whole.disposition not in ("conforming", "repaired"):
                reason = whole.reason
            elif whole.text != text and validate(whole.text) is None:
                if key := _stray_key(parse_json(whole.text), output.shape):
                    return refused(text, f"the key {shown(key)} may stand for a field that is left")
                every = (*drawn.rules, *rules, *whole.rules)
                return repaired(whole.text, *every, edits=max(1, len(every)))
        return refused(text, reason)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if validate(text) is None:
            return conforming(text)
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has more than {MAX_TEXT} characters")
        verdict = mended(text, invocation)
        if verdict.disposition == "repaired" or not output.wrapper:
            return verdict
        wrapped = _wrapped(text, output)
        if wrapped is None:
            return verdict
        rule = f'value put under the key "{output.wrapper}"'
        if validate(wrapped) is None:
            return repaired(wrapped, rule)
        inner = mended(wrapped, invocation)
        if inner.disposition != "repaired":
            return verdict
        return repaired(inner.text, rule, *inner.rules, edits=inner.edits + 1)

    return check


def _check_of(requirement: StructuredTemplate, shape: Shape, parser: str) -> Check:
    check = prepare_json(msgspec.structs.replace(requirement, shape=shape, parser=parser))
    assert check is not None  # noqa: S101 - JSON can always be checked
    return check


def _outline(shape: Shape) -> Shape:
    """Return the keys and lists of a shape, with any values in them."""
    if shape.fields:
        fields = (Field(name=f.name, shape=_outline(f.shape), required=f.required)
                  for f in shape.fields)  # fmt: skip
        return msgspec.structs.replace(shape, fields=tuple(fields))
    if shape.items is not None:
        return msgspec.structs.replace(shape, items=_outline(shape.items))
    return shape if shape.type in ("object", "array") else Shape()


def _wrapped(text: str, output: OutputType) -> str | None:
    """Return an answer that is the value alone under its key; ``None`` where it is an object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text.strip()
    if not value or isinstance(value, dict) or (isinstance(value, str) and "{" in value):
        return None
    return json.dumps({output.wrapper: value}, ensure_ascii=False)


def _with_values(
    text: str,
    output: OutputType,
    places: tuple[RefusedValue, ...] | None,
    invocation: Invocation,
) -> tuple[str, tuple[str, ...]]:
    """Return an answer whose refused numbers and options are written as the type has them, and what
    was done."""
    if not places or not invocation.uses("positional.values"):
        return text, ()
    try:
        document = parse_json(text)
    except (ValueError, RecursionError):
        return text, ()
    changes: dict[Path, ValueChange] = {}
    for place in places[:_MAX_VALUES]:
        invocation.deadline.check()
        path, said = _found_at(document, place.path)
        if path in changes or not isinstance(said, str):
            continue
        meant = _meant(said, place._replace(path=path), output, invocation)
        if meant is not None:
            rule = f"{shown(said)} -> {shown(meant)}"
            changes[path] = ValueChange(path=path, action="replace", value=meant, rule=rule)
    rules = tuple(change.rule for change in changes.values())
    return apply_changes(text, changes.values()) if changes else text, rules


def _meant(
    said: str, place: RefusedValue, output: OutputType, invocation: Invocation
) -> str | int | float | None:
    """Return the value that a text holds, where it is one and no doubt is left."""
    if place.kind == "option":
        options = tuple(v for v in _shape_at(output.shape, place.path).values if type(v) is str)
        named = find_constant(said, Constants(options, "whole", False)) if options else None
        return None if named is None else named.option
    if place.kind == "other":
        return None
    # Only what the type says of this field tells what its number is: a document in the prompt may
    # name units, scales and sums of anything.
    told = " ".join(_words_of(output.schema, place.path))
    asked = Invocation(invocation.config, asked=lambda: [PromptMessage(role="system", text=told)])
    found = find_value(said, place.kind, asked=NumberPrompt(asked))
    if found is None:
        return None
    return int(found.text) if place.kind == "integer" else float(found.text)


def _found_at(document: Any, place: Path) -> tuple[Path, Any]:
    """Return the way to a value, and the value. A validator's place names members of unions, too,
    which are no steps of the document."""
    path: list[str | int] = []
    held: Any = document
    for step in place:
        items = cast("list[Any]", held) if isinstance(held, list) else []
        members = cast("dict[Any, Any]", held) if isinstance(held, dict) else {}
        if step in members:
            held = members[step]
        elif isinstance(step, int) and step < len(items):
            held = items[step]
        else:
            continue
        path.append(step)
    return tuple(path), cast("Any", held)


def _shape_at(shape: Shape, path: Path) -> Shape:
    for step in path:
        inner = (field.shape for field in shape.fields if field.name == step)
        found = shape.items if isinstance(step, int) else next(inner, None)
        if found is None:
            return Shape()
        shape = found
    return shape


def _words_of(schema: Mapping[str, Any], path: Path) -> Iterator[str]:
    """Yield the name and the description of a field, and of what holds it."""
    for step in path:
        inside = schema.get("items") if isinstance(step, int) else None
        named: Mapping[str, Any] = schema.get("properties", {})
        schema = inside or named.get(str(step), {})
        if isinstance(step, str):
            yield step.replace("_", " ")
        yield str(schema.get("description", ""))


def _stray_key(value: Any, shape: Shape) -> str:
    """Return a key that the type does not name, in an object that lacks a field which may be left
    out: it may be that field, and its value would be lost; empty: there is none."""
    if isinstance(value, list) and shape.items is not None:
        items = (_stray_key(item, shape.items) for item in cast("list[Any]", value))
        return next(filter(None, items), "")
    if not isinstance(value, dict) or not shape.fields:
        return ""
    known = cast("dict[str, Any]", value)
    named = {field.name: field.shape for field in shape.fields}
    strange = [key for key in known if key not in named]
    if strange and not named.keys() <= known.keys():
        return strange[0]
    below = (_stray_key(known[name], inner) for name, inner in named.items() if name in known)
    return next(filter(None, below), "")
