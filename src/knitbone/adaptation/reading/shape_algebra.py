"""Operations on shapes of one value that several places of the code show: union and common part."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.adaptation.requirements.records import Field, Shape

__all__ = ["common_shape", "conflicting", "merge_shapes"]


def conflicting(shape: Shape) -> bool:
    """Return whether the uses of one value contradict one another."""
    if shape.items is not None and (shape.fields or conflicting(shape.items)):
        return True
    return any(conflicting(field.shape) for field in shape.fields)


def merge_shapes(first: Shape, second: Shape) -> Shape:
    """Return a shape that demands what either demands: what is declared, and what is read."""
    kinds = [shape.type for shape in (first, second) if shape.type != "any"]
    fields = {field.name: field for field in first.fields}
    for field in second.fields:
        known = fields.get(field.name)
        fields[field.name] = (
            field
            if known is None
            else Field(
                name=field.name,
                shape=merge_shapes(known.shape, field.shape),
                required=known.required or field.required,
            )
        )
    items = first.items or second.items
    if first.items is not None and second.items is not None:
        items = merge_shapes(first.items, second.items)
    return msgspec.structs.replace(
        first,
        type=kinds[0] if kinds else "any",
        convertible=first.convertible if first.type != "any" else second.convertible,
        fields=tuple(fields.values()),
        items=items,
        values=first.values or second.values,
        steps=first.steps if first.values else second.steps,
        nullable=first.nullable or second.nullable,
        name=first.name or second.name,
        reading=_one_reading(first, second),
    )


def _one_reading(first: Shape, second: Shape) -> str:
    """Return how a date is read; empty where two ways are known, of which each may be meant."""
    known = {shape.reading for shape in (first, second) if shape.reading}
    return known.pop() if len(known) == 1 else ""


def _same_values(first: Shape, other: Shape) -> bool:
    return (first.values, first.steps) == (other.values, other.steps)


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """Return what all of several shapes demand: which of them a value has, nobody knows."""
    first, *others = shapes
    for other in others:
        theirs = {field.name: field for field in other.fields}
        fields = tuple(
            Field(
                name=field.name,
                shape=common_shape((field.shape, theirs[field.name].shape)),
                required=field.required and theirs[field.name].required,
            )
            for field in first.fields
            if field.name in theirs
        )
        items = first.items
        if items is not None:
            items = None if other.items is None else common_shape((items, other.items))
        first = Shape(
            type=first.type if first.type == other.type else "any",
            convertible=first.convertible or other.convertible,
            fields=fields,
            items=items,
            values=first.values if _same_values(first, other) else (),
            steps=first.steps if _same_values(first, other) else (),
            nullable=first.nullable or other.nullable,
            name=first.name if first.name == other.name else "",
            reading=first.reading if first.reading == other.reading else "",
        )
    return first
