"""Shapes that the application declares: pydantic models, dataclasses, ``TypedDict``, annotations.

``class Item(BaseModel): qty: int`` becomes an object with the integer ``qty``. What code merely
reads from parsed data is inferred in ``reading/inferred_shapes.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import msgspec

from knitbone.adaptation.analysis.program import Class, Module, Program
from knitbone.adaptation.requirements import Field, Shape
from knitbone.adaptation.requirements.records import ValueType
from knitbone.common.source import parse_source

__all__ = ["DeclaredShapes"]

_ANY = Shape()
_BASIC_TYPES: dict[str, ValueType] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "complex": "number",
    "Decimal": "number",
    "bool": "boolean",
    "dict": "object",
    "Dict": "object",
    "Mapping": "object",
    "list": "array",
    "List": "array",
    "Sequence": "array",
    "Iterable": "array",
    "tuple": "array",
    "Tuple": "array",
    "set": "array",
    "Set": "array",
    "date": "date",
    "datetime": "date",
    "None": "null",
}
_DATES = frozenset({"date", "datetime"})
_PYDANTIC = frozenset({"BaseModel", "SQLModel", "BaseSettings"})
"""Bases of classes that make dates of texts by themselves."""
_WRAPPERS = frozenset({"Annotated", "Required", "Final", "ClassVar", "Type", "type"})
"""Annotations around the declared type."""
_ENUM_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag"})
_MODEL_BASES = frozenset(
    {"BaseModel", "TypedDict", "NamedTuple", "SQLModel", "Struct", "BaseSettings"}
)
_MAX_DEPTH = 8


class DeclaredShapes:
    """Reads the declarations of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, Shape] = {}
        self._patterns: dict[str, tuple[str, ...]] = {}

    def is_model(self, klass: Class) -> bool:
        """Return whether the class declares fields (or members, for an enumeration)."""
        return bool(self._kind(klass))

    def bases(self, klass: Class, depth: int = 0) -> list[str]:
        """Return the dotted names of the library classes that it derives from, nearest first."""
        found: list[str] = []
        for base in klass.node.bases:
            node = base.value if isinstance(base, ast.Subscript) else base
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            target = self._program.resolve(klass.module, ast.unparse(node))
            if target.klass is not None and depth < _MAX_DEPTH and target.klass is not klass:
                found.extend(self.bases(target.klass, depth + 1))
            elif target.external:
                found.append(target.external)
        return found

    def parents(self, klass: Class) -> list[Class]:
        """Return the class and those of the application that it derives from, nearest first."""
        found, pending = [klass], [klass]
        while pending and len(found) < 16:
            current = pending.pop(0)
            for base in current.node.bases:
                node = base.value if isinstance(base, ast.Subscript) else base
                if isinstance(node, ast.Name | ast.Attribute):
                    target = self._program.resolve(current.module, ast.unparse(node))
                    if target.klass is not None and target.klass not in found:
                        found.append(target.klass)
                        pending.append(target.klass)
        return found

    def of_class(self, klass: Class, depth: int = 0) -> Shape:
        """Return the shape that a class declares."""
        if klass.key in self._known:
            return self._known[klass.key]
        if depth > _MAX_DEPTH:
            return Shape(type="object", name=klass.node.name)
        self._known[klass.key] = Shape(type="object", name=klass.node.name)  # recursion ends here
        kind = self._kind(klass)
        self._patterns[klass.node.name] = tuple(_declared_patterns(klass))
        shape = self._enumeration(klass) if kind == "enum" else self._object(klass, depth)
        if not kind:
            shape = Shape(type="object", name=klass.node.name)
        self._known[klass.key] = shape
        return shape

    def patterns_of(self, name: str) -> tuple[str, ...]:
        """Return the regular expressions that the class of that name declares for its fields."""
        return self._patterns.get(name, ())

    def _kind(self, klass: Class) -> str:
        """Return how a class declares its fields: ``enum``, ``dataclass``, the name of its base;
        empty where it does not."""
        for base in self.bases(klass):
            last = base.rpartition(".")[2]
            if last in _ENUM_BASES:
                return "enum"
            if last in _MODEL_BASES:
                return last
        for one in self.parents(klass):
            for decorator in one.node.decorator_list:
                node = decorator.func if isinstance(decorator, ast.Call) else decorator
                written = ast.unparse(node).rpartition(".")[2]
                if written in ("dataclass", "define", "frozen", "attrs", "s", "mutable"):
                    return "dataclass"
        return ""

    def _enumeration(self, klass: Class) -> Shape:
        """Return the shape of an enumeration."""
        values = tuple(
            node.value
            for node in klass.attributes.values()
            if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float)
        )
        texts = all(isinstance(value, str) for value in values)
        return Shape(type="string" if texts else "any", values=values, name=klass.node.name)

    def _object(self, klass: Class, depth: int) -> Shape:
        """Return the shape of a class with fields."""
        fields: dict[str, Field] = {}
        by = "pydantic" if self._kind(klass) in _PYDANTIC and not self._prepares(klass) else ""
        for one in reversed(self.parents(klass)):
            total = not any(
                k.arg == "total" and isinstance(k.value, ast.Constant) and k.value.value is False
                for k in one.node.keywords
            )
            for name, annotation in one.annotations.items():
                if name.startswith("_") or name == "model_config" or _is_class_variable(annotation):
                    continue
                default = one.attributes.get(name)
                shape = _with_dates(self._annotated(annotation, one.module, depth + 1), by)
                required = total and _is_required(default) and not _not_required(annotation)
                fields[_alias(default) or name] = Field(
                    name=_alias(default) or name, shape=shape, required=required
                )
        return Shape(type="object", fields=tuple(fields.values()), name=klass.node.name)

    def _prepares(self, klass: Class) -> bool:
        """Return whether functions of the class get its values before they are read."""
        return any(
            keyword.arg in ("mode", "pre")
            and ast.unparse(keyword.value) not in ("'after'", "False")
            for one in self.parents(klass)
            for node in one.node.body
            if isinstance(node, ast.FunctionDef)
            for decorator in node.decorator_list
            if isinstance(decorator, ast.Call)
            for keyword in decorator.keywords
        )

    def of_annotation(self, node: ast.expr, module: Module, depth: int = 0) -> Shape:
        """Return the shape that an annotation declares."""
        return _with_dates(self._annotated(node, module, depth), "")

    def _annotated(self, node: ast.expr, module: Module, depth: int) -> Shape:
        """Return the shape of an annotation, with the class of a date as its reading."""
        if depth > _MAX_DEPTH:
            return _ANY
        if isinstance(node, ast.Constant):
            if node.value is None:
                return Shape(type="null")
            if isinstance(node.value, str):
                try:
                    inner = parse_source(node.value, mode="eval").body
                except (SyntaxError, ValueError, RecursionError):
                    return _ANY
                return self._annotated(inner, module, depth + 1)
            return _ANY
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union([node.left, node.right], module, depth)
        if isinstance(node, ast.Subscript):
            return self._generic(node, module, depth)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node, module, depth)
        return _ANY

    def _named(self, node: ast.Name | ast.Attribute, module: Module, depth: int) -> Shape:
        """Return the shape of a name in an annotation."""
        written = ast.unparse(node)
        target = self._program.resolve(module, written)
        if target.klass is not None:
            return self.of_class(target.klass, depth + 1) if self.is_model(target.klass) else _ANY
        if target.constant is not None:
            return self._annotated(target.constant[1], target.constant[0], depth + 1)
        last = written.rpartition(".")[2]
        return Shape(type=_BASIC_TYPES.get(last, "any"), reading=last if last in _DATES else "")

    def _generic(self, node: ast.Subscript, module: Module, depth: int) -> Shape:
        """Return the shape of a generic annotation such as ``list[Item]``."""
        name = ast.unparse(node.value).rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("Optional", "NotRequired"):
            shape = self._annotated(inner[0], module, depth + 1)
            return _nullable(shape) if name == "Optional" else shape
        if name == "Union":
            return self._union(inner, module, depth)
        if name == "Literal":
            values = tuple(
                n.value
                for n in inner
                if isinstance(n, ast.Constant) and not isinstance(n.value, bytes | complex)
            )
            texts = all(isinstance(value, str) for value in values)
            plain = tuple(v for v in values if v is None or isinstance(v, str | int | float))
            return Shape(type="string" if texts else "any", values=plain)
        if name in _WRAPPERS:
            shape = self._annotated(inner[0], module, depth + 1)
            # A function beside the type may change the text before.
            changes = any("Validator" in ast.unparse(beside) for beside in inner[1:])
            return _with_dates(shape, "") if changes else shape
        kind = _BASIC_TYPES.get(name, "any")
        if kind == "array":
            return Shape(type="array", items=self._annotated(inner[0], module, depth + 1))
        return Shape(type=kind)

    def _union(self, nodes: Sequence[ast.expr], module: Module, depth: int) -> Shape:
        """Return the shape of a union; a union of several types allows anything."""
        shapes = [self._annotated(node, module, depth + 1) for node in nodes]
        real = [shape for shape in shapes if shape.type != "null"]
        if len(real) == 1:
            return _nullable(real[0]) if len(shapes) > 1 else real[0]
        return Shape(nullable=len(real) < len(shapes))


def _declared_patterns(klass: Class) -> Iterator[str]:
    """Find the patterns of ``Field(pattern=...)`` and ``constr(regex=...)``."""
    for statement in klass.node.body:
        if isinstance(statement, ast.AnnAssign):
            for node in ast.walk(statement):
                given = node.value if isinstance(node, ast.keyword) else None
                named = isinstance(node, ast.keyword) and node.arg in ("pattern", "regex")
                if named and isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value


def _nullable(shape: Shape) -> Shape:
    """Return the shape with ``None`` allowed."""
    return msgspec.structs.replace(shape, convertible=False, nullable=True)


def _with_dates(shape: Shape, library: str) -> Shape:
    """Return the shape with the dates that a field declares as the library reads them; a class
    below it has its own library."""
    reading = shape.reading
    if reading in _DATES:
        reading = f"{library}.{reading}" if library else ""
    items = shape.items if shape.items is None else _with_dates(shape.items, library)
    return msgspec.structs.replace(shape, reading=reading, items=items)


def _is_class_variable(annotation: ast.expr) -> bool:
    """Return whether an annotation declares no field."""
    return "ClassVar" in ast.unparse(annotation)


def _not_required(annotation: ast.expr) -> bool:
    """Return whether an annotation says that the key may be missing."""
    return "NotRequired" in ast.unparse(annotation)


def _is_required(default: ast.expr | None) -> bool:
    """Return whether a field with this default must be given."""
    if default is None:
        return True
    if isinstance(default, ast.Call) and ast.unparse(default.func).rpartition(".")[2] in (
        "Field",
        "field",
    ):
        first = default.args[0] if default.args else None
        if isinstance(first, ast.Constant) and first.value is Ellipsis:
            return True
        return first is None and not any(
            keyword.arg in ("default", "default_factory", "factory") for keyword in default.keywords
        )
    return isinstance(default, ast.Constant) and default.value is Ellipsis


def _alias(default: ast.expr | None) -> str:
    """Return the name of a field in the data, where it is another one."""
    if isinstance(default, ast.Call):
        for keyword in default.keywords:
            if (
                keyword.arg in ("alias", "validation_alias")
                and isinstance(keyword.value, ast.Constant)
                and isinstance(keyword.value.value, str)
            ):
                return keyword.value.value
    return ""
