"""Operations that turn a text into a value of another type, or test that it is one."""

from __future__ import annotations

from collections.abc import Iterable

from knitbone.adaptation.requirements.reading.names import function_name
from knitbone.adaptation.requirements.records import Shape, ValueType
from knitbone.adaptation.requirements.uses import Operation, Use
from knitbone.core.structured.dates import FUNCTIONS, is_reading

__all__ = ["DIGIT_TESTS", "conversion", "converted_shape", "reading_of", "type_of"]

DIGIT_TESTS = frozenset({".isdigit", ".isnumeric", ".isdecimal"})

_TYPES: dict[str, ValueType] = {
    "int": "integer",
    "operator.index": "integer",
    "numpy.int64": "integer",
    "numpy.int32": "integer",
    "float": "number",
    "complex": "number",
    "decimal.Decimal": "number",
    "fractions.Fraction": "number",
    "numpy.float32": "number",
    "numpy.float64": "number",
    "datetime.datetime.strptime": "date",
    "datetime.datetime.fromisoformat": "date",
    "datetime.date.fromisoformat": "date",
    "datetime.time.fromisoformat": "date",
    "dateutil.parser.parse": "date",
    "dateutil.parser.isoparse": "date",
    "time.strptime": "date",
    "pandas.to_datetime": "date",
    "pandas.Timestamp": "date",
    "pendulum.parse": "date",
    "dateparser.parse": "date",
    "arrow.get": "date",
    "distutils.util.strtobool": "boolean",
    "setuptools._distutils.util.strtobool": "boolean",
}


def type_of(name: str) -> ValueType | None:
    """The type that a function makes of a text; ``None`` where it makes none."""
    if name in _TYPES:
        return _TYPES[name]
    if function_name(name) in ("strptime", "fromisoformat") and name.startswith("datetime"):
        return "date"
    return None


def reading_of(operation: Operation) -> str:
    """How a function makes a date of a text, in the words of ``core.structured.dates``; empty
    where that is not known."""
    name = operation.name
    if function_name(name) == "strptime":
        form = operation.keyword("format", 0)
        return form if isinstance(form, str) and is_reading(form) else ""
    reading = name.removeprefix("datetime.")
    return reading if reading in FUNCTIONS else ""


def conversion(uses: Iterable[Use]) -> tuple[ValueType, Use] | None:
    """The first conversion among operations, or else the first test for digits."""
    tested: tuple[ValueType, Use] | None = None
    for use in uses:
        kind = type_of(use.operation.name)
        if kind is not None:
            return kind, use
        if tested is None and use.operation.name in DIGIT_TESTS:
            tested = "integer", use
    return tested


def converted_shape(converted: tuple[ValueType, Use]) -> Shape:
    """The shape of a text that is converted so."""
    kind, use = converted
    return Shape(type=kind, convertible=True, reading=reading_of(use.operation))
