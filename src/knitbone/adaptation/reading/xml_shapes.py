"""Shapes of XML documents, from the paths that code looks for: ``root.findall("item/name")``."""

from __future__ import annotations

from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.inferred_shapes import values_shape
from knitbone.adaptation.requirements.records import Field, Shape
from knitbone.adaptation.requirements.uses import Use

__all__ = ["xml_shape"]

_MAX_DEPTH = 12
_FIND_ONE = frozenset({".find", ".findtext", ".select_one", ".getElementsByTagName"})
"""Methods that find one element."""
_FIND_ALL = frozenset(
    {".findall", ".iter", ".iterfind", ".find_all", ".findAll", ".xpath", ".select"}
)
"""Methods that find all elements of a path."""
_PASSING = frozenset({".getroot", "iterate", "getitem", "list", "next", "truth", ".strip"})
"""Operations that lead to the same element, or to its children."""


def xml_shape(node: Use, depth: int = 0) -> Shape:
    """Return the elements and attributes (written ``@name``) that code reads below an element."""
    fields: dict[str, Field] = {}
    _collect(node, fields, depth)
    if not fields:
        converted = conversion(_texts(node))
        if converted is not None:
            return converted.shape
        return values_shape([inner for use in node.uses if _is_text(use) for inner in use.uses])
    return Shape(type="object", fields=tuple(fields.values()))


def _texts(node: Use) -> list[Use]:
    """Find the operations on the text of an element."""
    return [inner for use in node.uses if _is_text(use) for inner in (*use.uses, use)]


def _is_text(use: Use) -> bool:
    """Return whether a use takes the text of an element."""
    return use.operation.name == "getattr" and use.operation.arguments[:1] in (
        ("text",),
        ("string",),
    )


def _collect(node: Use, fields: dict[str, Field], depth: int) -> None:
    """Add the elements and attributes that are read below a node."""
    if depth > _MAX_DEPTH:
        return
    for use in node.uses:
        if use.branch != "core" and not use.alternative:
            continue
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if name in _FIND_ONE | _FIND_ALL and isinstance(first, str):
            shape = xml_shape(use, depth + 1)
            if name == ".findtext":
                converted = conversion(use.uses)
                shape = values_shape(use.uses) if converted is None else converted.shape
            _add_path(fields, first, shape, use)
        elif name == ".get" and isinstance(first, str):
            _add_field(fields, Field(name=f"@{first}", shape=Shape(), required=False))
        elif name == "getitem" and isinstance(first, str):
            _add_field(fields, Field(name=f"@{first}", shape=Shape()))
        elif name == "getattr" and first == "attrib":
            for key in use.uses:
                if key.operation.arguments and isinstance(key.operation.arguments[0], str):
                    required = key.operation.name == "getitem"
                    label = f"@{key.operation.arguments[0]}"
                    _add_field(fields, Field(name=label, shape=Shape(), required=required))
        elif name in _PASSING:
            _collect(use, fields, depth + 1)


def _add_path(fields: dict[str, Field], path: str, shape: Shape, use: Use) -> None:
    """Add a path such as ``./items/item``: nested objects, an array at its end where several are
    looked for."""
    steps = [s for s in path.replace("//", "/").split("/") if s not in ("", ".")]
    if not steps or any(not _is_name(step) for step in steps):
        return
    many = use.operation.name in _FIND_ALL or use.operation.name == ".getElementsByTagName"
    # ``findtext(path, default)``: the code has an answer where there is none.
    default = use.operation.name == ".findtext" and use.operation.keyword("default", 1) is not None
    asked = any(child.operation.name in ("is_none", "truth") for child in use.uses)
    required = use.operation.name != ".iter" and not default and not asked
    inner = Shape(type="array", items=shape) if many else shape
    for step in reversed(steps[1:]):
        inner = Shape(type="object", fields=(Field(name=step, shape=inner, required=required),))
    _add_field(fields, Field(name=steps[0], shape=inner, required=required))


def _is_name(step: str) -> bool:
    """Return whether a step of a path is a name only."""
    return all(c.isalnum() or c in "_-.:" for c in step)


def _add_field(fields: dict[str, Field], field: Field) -> None:
    """Add a field unless more is known of it already."""
    known = fields.get(field.name)
    if known is None or (known.shape == Shape() and field.shape != Shape()):
        fields[field.name] = field
