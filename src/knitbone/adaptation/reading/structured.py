"""Family of readers: data that a parser makes of a text, and the keys that code reads from it.

``json.loads(text)["score"]`` demands JSON with a key ``score``. ``data_parsers.py`` knows the
parsers, ``inferred_shapes.py`` reads the shape of most data, ``xml_shape`` that of XML.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.data_parsers import DataParser, data_parser
from knitbone.adaptation.reading.inferred_shapes import (
    declared_shape,
    fields_of,
    shape_of,
    values_shape,
)
from knitbone.adaptation.reading.shape_algebra import common_shape, conflicting, merge_shapes
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    consumers_of,
    lowest_confidence,
    unknown,
)
from knitbone.adaptation.requirements.operation_names import class_name
from knitbone.adaptation.requirements.records import (
    Field,
    ParserSyntax,
    Requirement,
    Shape,
    StructuredFormat,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.uses import Computed, Operation, Use

__all__ = ["first_reading", "read_parsed_value", "read_structured", "xml_shape"]


# Shapes of XML documents, from the paths that code looks for: ``root.findall("item/name")``.

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


_CLASS_PARSERS = frozenset(
    {"PydanticOutputParser", "PydanticOutputFunctionsParser", "PydanticToolsParser"}
    | {"PydanticAttrOutputFunctionsParser"}
)
"""Parsers that demand what a class of the application declares."""
_READING_OPERATIONS = frozenset(
    {
        "getattr",
        "getitem",
        ".get",
        ".pop",
        "contains",
        "iterate",
        "unpack",
        "construct",
        "enumerate",
    }
)
"""Operations that take something out of a parsed value."""


_STRING = Shape(type="string")


def read_structured(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for each parser of structured data."""
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        parser = data_parser(consumer.use.operation)
        if parser is None:
            continue
        claimed.add(index)
        requirements.extend(_read_one(consumer, parser, read_on))
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _read_one(consumer: Consumer, parser: DataParser, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements of one parser, and of the texts in the fields that it returns."""
    text = consumer.text
    if text.lost:
        return [unknown(consumer, text.lost)]
    operation = consumer.use.operation
    kind = parser.format
    if kind == "json" and text.lines:
        kind = "jsonl"
    shape = _shape(consumer.use, parser)
    made: list[Requirement] = []
    if kind in ("yaml", "xml") and shape == Shape():
        made.append(_syntax(consumer, kind))
    else:
        made.append(_template(consumer, kind, shape))
    return [*made, *_inside(consumer.use, text.then(operation.name, exact=False), read_on)]


def _shape(use: Use, parser: DataParser) -> Shape:
    """Return the shape of what a parser returns."""
    name = use.operation.name
    if parser.format == "xml" and "xmltodict" not in name and class_name(name) != "XMLOutputParser":
        shape = xml_shape(use)
        if parser.declared is not None:
            shape = merge_shapes(parser.declared, shape)
    else:
        shape = shape_of(use, parser.declared)
    if name.endswith((".safe_load_all", ".raw_decode")):
        shape = shape.items or Shape()
    return shape


def _template(consumer: Consumer, kind: StructuredFormat, shape: Shape) -> StructuredTemplate:
    """Return the template of one parser."""
    text, use = consumer.text, consumer.use
    open_ended = class_name(use.operation.name) in _CLASS_PARSERS and shape == Shape()
    return StructuredTemplate(
        format=kind,
        shape=shape,
        parser=use.operation.name,
        delimiter=_delimiter(use.operation) if kind == "csv" else ",",
        columns=_columns(use) if use.operation.name == "csv.reader" else (),
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        # Read as an object and as a list: the code tells them apart in a way that is not seen.
        # Or a class decides, and which it is is not known.
        confidence=lowest_confidence("medium", text.confidence)
        if open_ended or conflicting(shape)
        else text.confidence,
        alternative=text.alternative,
        when=text.when,
    )


def _delimiter(operation: Operation) -> str:
    """Return the character between the cells of a CSV file; empty where other settings of the
    parser decide how it reads."""
    if any(isinstance(argument, str | tuple | Computed) for argument in operation.arguments):
        return ""
    delimiter = ","
    for name, value in operation.keywords:
        if name not in ("delimiter", "sep") or not isinstance(value, str) or len(value) != 1:
            return ""
        delimiter = value
    return delimiter


def _columns(reader: Use) -> tuple[Shape, ...]:
    """Return the shape of each cell, where every row is unpacked to the same number of names, and
    one with more or fewer cells is an error."""
    of_rows = [use for rows in reader.uses if rows.operation.name == "iterate" for use in rows.uses]
    cells: dict[int, Shape] = {}
    widths: set[int] = set()
    for use in of_rows:
        if use.operation.name == "truth":
            continue  # an empty line is passed over
        place, width = (*use.operation.arguments, None, None)[:2]
        taken = use.operation.name == "unpack" and use.on_violation == "raises"
        if not (taken and isinstance(place, int) and isinstance(width, int)):
            return ()
        cells[place] = merge_shapes(shape_of(use), cells.get(place, Shape()))
        widths.add(width)
    return tuple(cells.get(n, Shape()) for n in range(widths.pop())) if len(widths) == 1 else ()


def _syntax(consumer: Consumer, language: str) -> ParserSyntax:
    """Return a requirement that the text parses, where nothing is read by key."""
    text, use = consumer.text, consumer.use
    return ParserSyntax(
        language=language,
        parser=use.operation.name,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=text.confidence,
        alternative=text.alternative,
        when=text.when,
    )


def _inside(use: Use, text: Text, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements of texts in fields of the data: run, matched, parsed again."""
    found: list[Requirement] = []
    for way, node in fields_of(use):
        inside = text._replace(nested=True, lines=False)
        for step, argument in way:
            inside = inside.then(step, argument, exact=False)
        found.extend(read_on(consumers_of(node, inside)))
    return found


def read_parsed_value(
    use: Use, kind: StructuredFormat, text: Text, read_on: ReadOn, parser: str
) -> list[Requirement]:
    """Return the requirements of a value that was parsed before the code receives it.

    Its callers may declare it differently, or read it each for itself.
    """
    text = text._replace(alternative=text.alternative or use.alternative)
    declarations = [child for child in use.uses if child.operation.name == "annotate"]
    read = [child for child in declarations if child.uses]
    made: list[Requirement] = []
    if len(declarations) > 1 and not read:
        shapes = [shape for child in declarations if (shape := declared_shape(child.operation))]
        unsure = text._replace(confidence=lowest_confidence("medium", text.confidence))
        if shapes:
            made.append(_object_template(use, kind, unsure, parser, common_shape(shapes), use))
    elif len(read) > 1:
        # Nobody knows for which of them an output is: one that suits one of them is enough.
        mark = text.alternative or f"{use.evidence.file}:{use.evidence.line}"
        text = text._replace(alternative=mark)
        made.extend(
            _object_template(
                use, kind, text, parser, shape_of(_with_one_child(use, child)), _evidence(child)
            )
            for child in read
        )
    else:
        shape = shape_of(use, declared_shape(use.operation))
        if not parser and shape.items is not None and shape.items in (Shape(), _STRING):
            # A list of texts may have been made of lines or words as well.
            text = text._replace(confidence=lowest_confidence("medium", text.confidence))
        if shape.fields or shape.items is not None or shape.name:
            # What parsed it made sure that it is an object: that alone is no demand.
            only = declarations[0] if len(declarations) == len(use.uses) == 1 else use
            made.append(_object_template(use, kind, text, parser, shape, _evidence(only)))
    return [*made, *_inside(use, text, read_on)]


def _with_one_child(use: Use, child: Use) -> Use:
    """Return the use with one of its children only."""
    return msgspec.structs.replace(use, uses=(child,))


def _evidence(node: Use) -> Use:
    """Return the use that demands the form of an object: where the code that reads it declares it
    for itself, or else where it reads it first."""
    declarations: list[Use] = []
    while node.operation.name == "annotate" and len(node.uses) == 1:
        declarations.append(node)
        node = node.uses[0]
    if node.operation.name == "annotate":
        declarations.append(node)
    if len(declarations) > 1:
        return declarations[-1]
    return first_reading(node.uses) if node.uses else node


def first_reading(uses: Sequence[Use]) -> Use:
    """Return the first of some uses of a parsed value that takes something out of it."""
    return next((use for use in uses if use.operation.name in _READING_OPERATIONS), uses[0])


def _object_template(
    use: Use, kind: StructuredFormat, text: Text, parser: str, shape: Shape, place: Use
) -> StructuredTemplate:
    """Return the template of an object that was parsed before the code receives it."""
    return StructuredTemplate(
        format=kind,
        shape=shape,
        parser=parser,
        on_violation=use.on_violation,
        evidence=place.evidence,
        confidence=text.confidence,
        alternative=text.alternative,
        when=text.when,
    )
