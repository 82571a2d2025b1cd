"""The check of a tool call's arguments: a JSON object that the tool's schema describes.

Beside the faults of any JSON text, arguments come encoded twice, whole or in one of their values;
empty, where a tool needs none; and with null for what should have been left out. A missing
argument is never made up: its default is the tool's business.

Source: Comfrey §4.3.1 (structured templates), with the schema of the tool in place of the shape
that the code reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.repair.structured.json import prepare_json
from knitbone.adaptation.repair.structured.json_consumer import NotCompiledError
from knitbone.adaptation.repair.structured.json_value import decoded_changes
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.changes import Path, ValueChange, clip, written_path
from knitbone.common.structured.json_edit import apply_changes, without_members
from knitbone.common.structured.names import match_names
from knitbone.common.structured.shape import Shape
from knitbone.parsing.json_values import parse_json

__all__ = ["HEURISTICS", "Demands", "prepare_arguments"]

HEURISTICS = ("structured.encoded", "structured.nulls")
_MAX_TEXT = 4_000_000
"""Characters of arguments that are looked at; as of JSON in answers."""


class Demands(NamedTuple):
    """The demands of a schema of an object beyond its shape."""

    closed: bool = False
    """Whether there may be no other keys."""
    names: frozenset[str] = frozenset()
    """Its keys."""
    absent: frozenset[str] = frozenset()
    """Keys that may be left out, but not be null."""
    below: tuple[tuple[str, Demands], ...] = ()
    """The demands of the objects in it, by key."""
    items: Demands | None = None
    """For an array: the demands of the objects in it."""

    @property
    def forbids_all(self) -> bool:
        """True where an object in it may have no keys at all."""
        inner = [demands for _, demands in self.below] + ([self.items] if self.items else [])
        return (self.closed and not self.names) or any(each.forbids_all for each in inner)


def prepare_arguments(requirement: StructuredTemplate, demands: Demands | None = None) -> Check:
    """Build the check of a tool call's arguments.

    Args:
        requirement: what the code reads, or the schema's shape. A shape that demands nothing
            means an object: arguments are one.
        demands: what the schema says beyond the shape; ``None``: there is no schema.
    """
    shape = requirement.shape
    if shape == Shape():
        shape = Shape(type="object")
        requirement = msgspec.structs.replace(requirement, shape=shape)
    structured = prepare_json(requirement)
    assert structured is not None  # noqa: S101 - JSON can always be checked
    beyond = demands or Demands()
    fits_surely = _exact_decoder(shape, beyond)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if fits_surely(text):
            return conforming(text)
        if len(text) > _MAX_TEXT:
            return structured(text, invocation)  # refused there, unless it conforms
        draft = _decode_twice_encoded(text, shape, invocation, empty=demands is not None)
        verdict = structured(draft.text, invocation)
        if verdict.disposition not in ("conforming", "repaired"):
            return refused(text, verdict.reason)
        last = _without_extras(draft.beside(verdict), beyond, invocation)
        if last.refusal:
            return refused(text, last.refusal)
        if last.text == text:
            return conforming(text)
        if invocation.config.mode == "strict" and _equal_under_schema(text, last.text):
            return conforming(text)
        if not _is_proven(last.text, beyond, structured, invocation):
            return refused(text, "the repair is not what the tool's schema asks for")
        return repaired(last.text, *last.rules, edits=last.edits, reason=verdict.reason)

    return check


class _ArgumentDraft(NamedTuple):
    """A text on its way to the form that the schema asks for."""

    text: str
    rules: tuple[str, ...] = ()
    edits: int = 0
    refusal: str = ""

    def with_edit(self, text: str, *rules: str) -> _ArgumentDraft:
        return _ArgumentDraft(text, (*self.rules, *rules), self.edits + len(rules))

    def beside(self, verdict: Verdict) -> _ArgumentDraft:
        return _ArgumentDraft(
            verdict.text, (*self.rules, *verdict.rules), self.edits + verdict.edits
        )


def _decode_twice_encoded(
    text: str, shape: Shape, invocation: Invocation, *, empty: bool
) -> _ArgumentDraft:
    """Return the text without a second encoding, around it or around one of its values.

    Args:
        empty: whether no arguments may be meant by a text that holds none.
    """
    draft = _ArgumentDraft(text)
    if not invocation.uses("structured.encoded"):
        return draft
    value = _parse_or_none(text)
    if isinstance(value, str):
        draft = draft.with_edit(value, "encoded twice -> once")
        value = _parse_or_none(value)
    invocation.deadline.check()
    needless = empty and not any(field.required for field in shape.fields)
    if needless and draft.text.strip() in ("", "null"):
        return draft.with_edit("{}", "no arguments -> {}")
    if isinstance(value, dict):
        changes = list(decoded_changes(cast("object", value), shape))
        if changes:
            rules = (change.rule for change in changes)
            return draft.with_edit(apply_changes(draft.text, changes), *rules)
    return draft


def _parse_or_none(text: str) -> Any:
    """Return the value of a JSON text; ``None`` where it is none."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return None


def _without_extras(
    draft: _ArgumentDraft, demands: Demands, invocation: Invocation
) -> _ArgumentDraft:
    """Return the arguments without null for what may only be left out, and without keys that the
    tool does not take."""
    if demands == Demands():
        return draft
    value = _parse_or_none(draft.text)
    if not isinstance(value, dict):
        return draft
    known = cast("dict[str, Any]", value)
    if demands.closed and invocation.uses("structured.keys"):
        draft, known = _with_known_keys(draft, known, demands)
    nulls = [key for key in known if key in demands.absent and known[key] is None]
    if nulls and invocation.uses("structured.nulls"):
        rules = (f'"{clip(key)}": null left out' for key in nulls)
        draft = draft.with_edit(without_members(draft.text, nulls), *rules)
        known = {key: inner for key, inner in known.items() if key not in nulls}
    refusal = next(_schema_violations(known, demands, ()), "")
    return draft._replace(refusal=refusal)


def _with_known_keys(
    draft: _ArgumentDraft, value: dict[str, Any], demands: Demands
) -> tuple[_ArgumentDraft, dict[str, Any]]:
    """Return the arguments, as text and as a value, with misspelt keys as the schema has them."""
    others = [key for key in value if key not in demands.names]
    lacking = [name for name in sorted(demands.names) if name not in value]
    pairs = match_names(others, lacking)
    if not pairs:
        return draft, value
    renamed = [_key_change(key, name) for key, name, _ in pairs]
    rules = (change.rule for change in renamed)
    names = {key: name for key, name, _ in pairs}
    edited = draft.with_edit(apply_changes(draft.text, renamed), *rules)
    return edited, {names.get(key, key): inner for key, inner in value.items()}


def _key_change(key: str, name: str) -> ValueChange:
    rule = f'key "{clip(key)}" -> "{clip(name)}"'
    return ValueChange(path=(key,), action="rename", value=name, rule=rule)


def _schema_violations(value: object, demands: Demands, path: Path) -> Iterator[str]:
    """Yield the reasons why a value is not what the schema allows."""
    if isinstance(value, list) and demands.items is not None:
        for index, item in enumerate(cast("list[object]", value)):
            yield from _schema_violations(item, demands.items, (*path, index))
    if not isinstance(value, dict):
        return
    known = cast("dict[str, object]", value)
    for key in known:
        if demands.closed and key not in demands.names:
            yield f'{written_path(path)}: there is no argument "{clip(key)}"'
        if key in demands.absent and known[key] is None:
            yield f"{written_path((*path, key))}: null where it may only be left out"
    for name, inner in demands.below:
        if name in known:
            yield from _schema_violations(known[name], inner, (*path, name))


def _equal_under_schema(text: str, other: str) -> bool:
    """Return whether two texts are equal to a schema, for which ``4.0`` is a whole number.

    Code may mind, so it is written ``4`` where values are repaired, but nothing is violated.
    Source: JSON Schema 2020-12, validation §6.1.1.
    """
    try:
        said, meant = (json.loads(t, parse_float=_as_number) for t in (text, other))
    except (ValueError, RecursionError):
        return False
    return json.dumps(said) == json.dumps(meant)


def _as_number(spelling: str) -> int | float:
    number = float(spelling)
    return int(number) if number.is_integer() else number


def _is_proven(text: str, demands: Demands, structured: Check, invocation: Invocation) -> bool:
    """Return whether the schema accepts the text as it is."""
    value = _parse_or_none(text)
    return (
        isinstance(value, dict)
        and next(_schema_violations(cast("object", value), demands, ()), None) is None
        and structured(text, invocation).disposition == "conforming"
    )


def _exact_decoder(shape: Shape, demands: Demands) -> Callable[[str], bool]:
    """Compile a decoder that allows no key and no null which the shape does not name.

    What it accepts, the schema does; of the rest nothing is known.
    """
    try:
        if demands.forbids_all or _may_be_null(shape, demands):
            raise NotCompiledError  # where a shape names no keys, the decoder allows all
        decode = msgspec.json.Decoder(_type_of(shape)).decode
    except (NotCompiledError, TypeError, ValueError, RecursionError):
        return lambda _: False

    def is_sure(text: str) -> bool:
        try:
            decode(text)
        except (ValueError, RecursionError):
            return False
        return True

    return is_sure


def _may_be_null(shape: Shape, demands: Demands) -> bool:
    """Return whether the decoder would take null for a field that may only be left out: one of
    several types is any value to it."""
    below = dict(demands.below)
    return any(
        (field.name in demands.absent and _plain_type(field.shape) is Any)
        or _may_be_null(field.shape, below.get(field.name, Demands()))
        for field in shape.fields
    ) or bool(shape.items and demands.items and _may_be_null(shape.items, demands.items))


def _type_of(shape: Shape) -> Any:
    kind = _plain_type(shape)
    return kind | None if shape.nullable and kind is not Any and kind is not None else kind


def _plain_type(shape: Shape) -> Any:
    """Return the type that the decoder checks for a shape without its null."""
    if shape.fields:
        return _struct_of(shape)
    if shape.type == "object":
        return dict[str, Any]
    if shape.type == "array" or shape.items is not None:
        return list[Any] if shape.items is None else list[_type_of(shape.items)]  # type: ignore[misc]
    if shape.values:
        if shape.steps or not all(type(value) is str for value in shape.values):
            raise NotCompiledError
        return Literal[shape.values]  # pyright: ignore[reportInvalidTypeForm]
    plain: dict[str, Any] = {"any": Any, "string": str, "integer": int, "number": int | float}
    plain |= {"boolean": bool, "null": None, "date": str}
    if shape.convertible or shape.reading:
        raise NotCompiledError
    return plain[shape.type]


def _struct_of(shape: Shape) -> Any:
    names = {f"f{index}": field.name for index, field in enumerate(shape.fields)}
    if len(set(names.values())) < len(names):
        raise NotCompiledError
    kinds = [(name, _type_of(f.shape), f) for name, f in zip(names, shape.fields, strict=True)]
    fields: list[Any] = [
        (name, kind) if field.required else (name, kind, None) for name, kind, field in kinds
    ]
    make = partial(msgspec.defstruct, "Arguments", rename=names, kw_only=True, gc=False)
    return make(fields, forbid_unknown_fields=True)
