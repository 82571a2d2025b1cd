"""Shapes of structured data, inferred from what code does with the parsed value.

``data["items"][0]["qty"] + 1`` shows an object with an array ``items`` of objects with a number
``qty``. What a class of the application declares is added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import cast, get_args

import msgspec

from knitbone.adaptation.reading.conversions import date_reading, type_of
from knitbone.adaptation.reading.shape_algebra import merge_shapes
from knitbone.adaptation.requirements.operation_names import function_name, library
from knitbone.adaptation.requirements.records import Field, Shape, ValueType
from knitbone.adaptation.requirements.schema_shapes import mapping_of, shape_of_schema
from knitbone.adaptation.requirements.uses import Computed, Operation, Use
from knitbone.common.structured.shape import TextStep

__all__ = ["declared_shape", "fields_of", "shape_of", "values_shape"]

_MAX_DEPTH = 12
_STRING_METHODS = frozenset(
    {".strip", ".lower", ".upper", ".split", ".splitlines", ".startswith", ".endswith", ".title"}
    | {".casefold", ".lstrip", ".rstrip", ".removeprefix", ".removesuffix", ".capitalize"}
    | {".partition", ".encode", ".isdigit", ".format"}
)
"""Methods that only a text has."""
_STEPS: dict[str, TextStep] = {f".{step}": step for step in get_args(TextStep)}
_OBJECT_METHODS = frozenset({".items", ".keys", ".values", ".update"})
"""Methods that only a dictionary has."""
_ARRAY_METHODS = frozenset({".append", ".extend", ".sort", ".insert"})
"""Methods that only a list has."""
_SAME = frozenset(
    {"list", "tuple", "sorted", "reversed", "dict", "copy.deepcopy", "copy.copy", "iter", "set"}
    | {"typing.cast", "slice", ".copy", "truth", "filter", "await"}
)
"""Operations whose result is the value itself, a copy or a part of the same kind."""
_CHECKS = frozenset(
    {"model_validate", "parse_obj", "parse_obj_as", "validate_python", "model_construct", "convert"}
    | {"structure", "from_dict", "validate", "iter_errors", "is_valid", "check_type", "load"}
)
"""Functions that make an object of a class from parsed data, or hold data against one."""
_VALIDATORS = frozenset({"jsonschema", "fastjsonschema", "jsonschema_rs"})
"""Libraries that check data against a JSON Schema."""
_ITEMS = frozenset({"unpack", "iterate", "next"})
_KEYED = frozenset({"getitem", "getattr", ".get", ".pop", ".setdefault"})
_ORDER = frozenset({"lt", "le", "gt", "ge"})
_TEXTS = frozenset({"format", "concat", "join"})
_FAILS = frozenset({"raises", "handled"})
"""What the code does where a key is missing that it demands."""
_LIST = Computed("list")
"""Stands for what an index is taken of: a list, which only whole numbers are places of."""
_GUARD_LINES = 3
"""How far below a key's reading the question whether it is there may stand: the two are one
expression, ``data["a"] if "a" in data else None``, over several lines (ours)."""


class _Draft:
    """The knowledge of one value so far: types, fields, items, allowed values."""

    def __init__(self) -> None:
        self.types: list[ValueType] = []
        self.fields: dict[str, _Draft] = {}
        self.read: dict[str, list[tuple[str, int]]] = {}
        """Where a key must be there, or else the code raises: file and line."""
        self.attributes: set[str] = set()
        """Names that are read as attributes only, which a declared class gives a default."""
        self.asked: dict[str, list[tuple[str, int]]] = {}
        """Where the code asks whether a key is there."""
        self.items: _Draft | None = None
        self.values: list[str | int | float | bool] = []
        self.closed = False
        self.stepped: list[Shape] = []
        """Of each text that the code makes of it by a step and looks for among values: the values,
        and the steps."""
        self.keys: list[tuple[str, ...]] = []
        """Of each dictionary that is written out and in which the value is looked up: its keys."""
        self.is_sought = False
        """True if the code asks if the value is in something that is not written out."""
        self.nullable = False
        self.convertible = False
        self.readings: set[str] = set()
        """The ways in which dates are made of it; empty: in a way that is not known."""
        self.is_whole = False
        """True if a number has to be a whole one: as a place in a list, by a check."""
        self.handed_on = False
        """True if it is given to other code as a whole."""
        self.by_place = False
        """True if an item is read by its place."""
        self.declared: Shape | None = None

    def field(self, name: str, use: Use, *, required: bool) -> _Draft:
        """Return the draft of a field that is read."""
        attribute = use.operation.name == "getattr"
        if name not in self.fields and attribute:
            self.attributes.add(name)
        elif not attribute:
            self.attributes.discard(name)
        if required:
            self.read.setdefault(name, []).append((use.evidence.file, use.evidence.line))
        return self.fields.setdefault(name, _Draft())

    def ask(self, name: str, use: Use) -> None:
        """Note that the code asks whether a key is there."""
        self.asked.setdefault(name, []).append((use.evidence.file, use.evidence.line))

    def _requires(self, name: str) -> bool:
        """Return whether some reading of a key is not guarded by a question whether it is there.

        Above the question in the same file the reading is a matter of another function: the
        question there only chooses among entries, and one without the key is lost.
        """
        return any(
            not any(
                asked_file != file or asked_line <= line + _GUARD_LINES
                for asked_file, asked_line in self.asked.get(name, ())
            )
            for file, line in self.read.get(name, ())
        )

    def _field_shape(self, name: str) -> Shape:
        """Return the shape of a field. It is no more than its kind where other code gets it as a
        whole and a field beside it, compared with constants, says which keys it has."""
        draft = self.fields[name]
        told = any(other.values for key, other in self.fields.items() if key != name)
        if draft.handed_on and told and draft.fields and draft.items is None:
            return Shape(type="object")
        return draft.shape()

    def item(self) -> _Draft:
        """Return the draft of the items."""
        self.items = self.items or _Draft()
        return self.items

    def shape(self) -> Shape:
        """Return the shape that is known so far."""
        self._hand_down()
        # What the program can read of a text, a date or a member of an enumeration is no data.
        made = self.attributes if self.declared is not None and _is_plain(self.declared) else ()
        fields = tuple(
            Field(name=name, shape=self._field_shape(name), required=self._requires(name))
            for name in self.fields
            if name not in made
        )
        items = self.items.shape() if self.items is not None else None
        if fields and items is not None and not (self.by_place or items.fields or items.items):
            items = None  # a loop over an object is one over its keys
        types: list[ValueType] = list(self.types)
        if fields:
            types.insert(0, "object")
        if items is not None:
            types.insert(0, "array")
        types = list(dict.fromkeys(types))
        if set(types) == {"integer", "number"} or (self.is_whole and types == ["number"]):
            types = ["integer"]
        # The code treats it as several things: it tells them apart somewhere, and we do not know.
        kind: ValueType = types[0] if len(types) == 1 else "any"
        values = self._allowed_values()
        steps: tuple[TextStep, ...] = ()
        if not values and len(self.stepped) == 1:
            values, steps = self.stepped[0].values, self.stepped[0].steps
        shape = Shape(
            type=kind,
            convertible=self.convertible and kind in ("integer", "number", "date", "boolean"),
            fields=fields,
            items=items,
            values=values,
            steps=steps,
            nullable=self.nullable,
            reading=next(iter(self.readings)) if len(self.readings) == 1 and kind == "date" else "",
        )
        return shape if self.declared is None else self._as_declared(self.declared, shape)

    def _allowed_values(self) -> tuple[str | int | float | bool, ...]:
        """Return the only values accepted: the keys of every dictionary in which it is looked up
        without being sought there before, or what it is compared with."""
        if self.keys and not self.is_sought:
            first, *others = self.keys
            common = tuple(key for key in first if all(key in keys for keys in others))
            if common:
                return common
        return tuple(dict.fromkeys(self.values)) if self.closed or len(self.values) > 1 else ()

    def _hand_down(self) -> None:
        """Give what a class declares of its attributes to the drafts of these."""
        if self.declared is None:
            return
        below = [(self.fields.get(f.name), f.shape) for f in self.declared.fields]
        for draft, shape in (*below, (self.items, self.declared.items)):
            if draft is not None and draft.declared is None:
                draft.declared = shape

    def _as_declared(self, declared: Shape, shape: Shape) -> Shape:
        """Return the shape with what a class declares. A class decides which of its attributes may
        be missing in the data; what else can be read from it is no field."""
        if declared.fields:
            known = {field.name for field in declared.fields}
            fields = [
                msgspec.structs.replace(field, required=False)
                if field.name in self.attributes
                else field
                for field in shape.fields
                if field.name in known or field.name not in self.attributes
            ]
            shape = msgspec.structs.replace(shape, fields=tuple(fields))
        return merge_shapes(declared, shape)


def _is_plain(shape: Shape) -> bool:
    """Return whether a class declares neither an object nor an array."""
    return bool(shape.values) or shape.type not in ("any", "object", "array")


def shape_of(node: Use, declared: Shape | None = None) -> Shape:
    """Return what the uses below a parsed value demand of it, beside what is declared of it."""
    draft = _Draft()
    draft.declared = declared
    _observe(node.uses, draft, 0)
    return draft.shape()


def declared_shape(operation: Operation) -> Shape | None:
    """Return a class of the application among what an operation was given, or the fields of several
    shapes; of a validator, the literal schema."""
    given = (
        *(value for _, value in operation.settings),
        *operation.arguments,
        *(value for _, value in operation.keywords),
    )
    for value in given:
        if isinstance(value, Shape):
            return value
        items = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
        shapes = [item for item in items if isinstance(item, Shape)]
        if shapes and len(shapes) == len(items):
            return reduce(merge_shapes, shapes)
    if library(operation.name) in _VALIDATORS:
        schemas = (mapping_of(value) for value in given)
        return next((shape_of_schema(s) for s in schemas if isinstance(s, dict)), None)  # pyright: ignore[reportUnknownArgumentType]
    return None


def _of_parameter(operation: Operation) -> Shape | None:
    """Return what a class declares of the value as a whole, or of the parameter that
    receives it."""
    shape, position = declared_shape(operation), operation.position
    if shape is None or operation.name != "construct":
        return shape
    for index, field in enumerate(shape.fields):
        if position in (field.name, str(index)):
            return field.shape
    return shape


def _core(uses: Iterable[Use]) -> list[Use]:
    """Return the uses on the way to the core work."""
    return [use for use in uses if use.branch == "core" or use.alternative]


def _observe(uses: Sequence[Use], draft: _Draft, depth: int) -> None:
    """Note what the uses of a value show."""
    if depth > _MAX_DEPTH:
        return
    core = _core(uses)
    for use in core:
        if not _note_structure(use, draft, depth):
            _note_scalar(use, draft)
    # Another format that is tried once the first has failed.
    others = [use for use in uses if use not in core and type_of(use.operation.name) == "date"]
    draft.readings.update(date_reading(use.operation) for use in others)


def _note_structure(use: Use, draft: _Draft, depth: int) -> bool:
    """Note keys, items and declared classes; return whether the use shows any."""
    name, arguments = use.operation.name, use.operation.arguments
    below = depth + 1
    if arguments and isinstance(arguments[0], str) and _note_key(use, arguments[0], draft, below):
        return True
    if name == "contains" and use.on_violation in _FAILS and (keys := _texts_of(arguments)):
        for key in keys:  # ``for key in ("a", "b"): if key not in data: raise``
            draft.field(key, use, required=True)
        return True
    if name in _ITEMS or _is_index(use.operation):
        draft.by_place = draft.by_place or name == "getitem"
        _observe(use.uses, draft.item(), below)
    elif name == "enumerate":
        _observe(
            [p for i in use.uses for p in i.uses if _is_enumerated_item(p)],
            _EnumeratedDraft(draft.item()),
            below,
        )
    elif name in ("construct", "annotate") or function_name(name) in _CHECKS:
        shape = _of_parameter(use.operation)
        if shape is not None:
            draft.declared = (
                shape if draft.declared is None else merge_shapes(draft.declared, shape)
            )
        _observe(use.uses, draft, below)
    elif name in _OBJECT_METHODS:
        draft.types.append("object")
    elif name in _ARRAY_METHODS:
        draft.types.append("array")
    elif name == "arithmetic":
        draft.types.append("number")
        draft.is_whole = draft.is_whole or any(c.operation.name == "index" for c in use.uses)
    elif name in _SAME:
        _copy(use, draft, below)
    else:
        return False
    return True


def _note_key(use: Use, key: str, draft: _Draft, depth: int) -> bool:
    """Note a field that is read, or asked for, by its name; return whether it is one."""
    name, arguments = use.operation.name, use.operation.arguments
    if name == "contains" and use.on_violation in _FAILS:
        draft.field(key, use, required=True)
        return True
    if name == "contains":
        draft.ask(key, use)
        return True
    if name not in _KEYED:
        return False
    required = name == "getitem" or (name in (".pop", "getattr") and len(arguments) < 2)
    _observe(use.uses, draft.field(key, use, required=required), depth)
    return True


def _texts_of(arguments: Sequence[object]) -> tuple[str, ...]:
    """Return the keys that one question asks for; empty where one of them is no text."""
    first = arguments[0] if arguments else ()
    keys = cast("tuple[object, ...]", first) if isinstance(first, tuple) else ()
    texts = tuple(key for key in keys if isinstance(key, str))
    return texts if len(texts) == len(keys) else ()


def _copy(use: Use, draft: _Draft, depth: int) -> None:
    """Note the uses of a copy, or of a part of the same kind.

    ``list(x)`` and a slice alone tell nothing: a text or an object can be listed as well.
    """
    below = {child.operation.name for child in use.uses} if use.operation.name == "slice" else ()
    converted = any(map(type_of, below))
    if converted or not _TEXTS.isdisjoint(below):
        draft.types.append("string")
    if not converted:  # what is made of a part says nothing of the whole
        _observe(use.uses, draft, depth)


def _is_index(operation: Operation) -> bool:
    """Return whether an item is taken by its place."""
    first = operation.arguments[0] if operation.arguments else None
    return operation.name == "getitem" and type(first) is int


def _is_enumerated_item(use: Use) -> bool:
    """Return whether a use takes the item of ``for index, item in enumerate(...)``."""
    return use.operation.name == "unpack" and use.operation.arguments[:1] == (1,)


class _EnumeratedDraft(_Draft):
    """A draft for the pairs of ``enumerate``, which notes all of the item itself."""

    def __init__(self, target: _Draft) -> None:
        super().__init__()
        self.target = target

    def item(self) -> _Draft:
        """Return the draft of the item."""
        return self.target


def _note_scalar(use: Use, draft: _Draft) -> None:
    """Note conversions, string methods and comparisons."""
    name, arguments = use.operation.name, use.operation.arguments
    first = arguments[0] if arguments else None
    converted = type_of(name)
    if converted is not None:
        draft.types.append(converted)
        draft.convertible = True
        if converted == "date":
            draft.readings.add(date_reading(use.operation))
    elif name in _STRING_METHODS or _into_text(use.operation):
        draft.types.append("string")
        _note_step(use, draft)
    elif name == "index" and isinstance(first, tuple):
        keys = cast("tuple[object, ...]", first)
        texts = tuple(key for key in keys if isinstance(key, str))
        if len(texts) == len(keys) and use.on_violation != "handled":
            draft.keys.append(texts)
    elif name == "index" and first == _LIST:
        draft.types.append("integer")
    elif name == "index" or (name == "isinstance" and first == Computed("int")):
        draft.is_whole = True
    elif function_name(name) in ("loads", "exec", "eval") and "." in name:
        draft.types.append("string")
    elif "." in name.lstrip(".") and not arguments:
        draft.handed_on = True
    else:
        _note_comparison(use, first, draft)


def _note_step(use: Use, draft: _Draft) -> None:
    """Note the values among which the code looks for a text after a step such as ``strip``."""
    if use.operation.name not in _STEPS or use.operation.arguments:
        return
    inner = values_shape(use.uses)
    if inner.values:
        steps = (_STEPS[use.operation.name], *inner.steps)
        draft.stepped.append(Shape(values=inner.values, steps=steps))


def values_shape(uses: Iterable[Use]) -> Shape:
    """Return the texts that the uses of a text accept, where they name them."""
    draft = _Draft()
    _observe(list(uses), draft, _MAX_DEPTH)
    found = draft.shape()
    texts = all(isinstance(value, str) for value in found.values)
    return Shape(values=found.values, steps=found.steps) if texts else Shape()


def _note_comparison(use: Use, first: object, draft: _Draft) -> None:
    """Note comparisons with constants."""
    name = use.operation.name
    if name == "is_none":
        draft.nullable = True
    elif name == "is" and isinstance(first, bool):
        draft.types.append("boolean")
        draft.nullable = True  # nothing is as good as the other truth value
    elif name in ("eq", "ne"):
        _note_value(first, draft)
        draft.closed = draft.closed or (use.on_violation == "raises" and name == "ne")
    elif name == "in" and isinstance(first, tuple):
        for value in cast("tuple[object, ...]", first):
            _note_value(value, draft)
        draft.closed = True
    elif name == "in":
        draft.is_sought = True
    elif name in _ORDER and _is_number(first):
        draft.types.append("number")


def _into_text(operation: Operation) -> bool:
    """Return whether the value becomes part of a text, as only a text can."""
    if operation.name == "join":
        return True
    return operation.name == "concat" and any(_is_text(a) for a in operation.arguments)


def _is_number(value: object) -> bool:
    """Return whether a constant, or a length, is a number."""
    if isinstance(value, Computed):
        return value.expression.startswith("len(")
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    """Return whether a constant is a text that is not empty."""
    return isinstance(value, str) and bool(value)


def _note_value(value: object, draft: _Draft) -> None:
    """Note a constant that the value is compared with."""
    if isinstance(value, Computed) or value is None or value == "":
        return
    if isinstance(value, str | int | float | bool):
        draft.values.append(value)


def fields_of(
    node: Use, path: tuple[tuple[str, object], ...] = ()
) -> Iterator[tuple[tuple[tuple[str, object], ...], Use]]:
    """Find every field of parsed data and the way to it, for readers of texts inside."""
    if len(path) > _MAX_DEPTH:
        return
    for use in node.uses:
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if name in ("getitem", ".get", ".pop", "getattr", "unpack") and arguments:
            way = (*path, ("getattr" if name == "getattr" else "getitem", first))
            yield way, use
            yield from fields_of(use, way)
        elif name in ("iterate", "next"):
            way = (*path, (name, None))
            yield way, use
            yield from fields_of(use, way)
        elif name in (".values", ".items", *_SAME):
            yield from fields_of(use, path)
