"""Functions that turn a text into a number, a date or a boolean, and tests for digits.

Readers ask ``conversion`` what a text must hold: ``int(text)`` demands an integer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from knitbone.adaptation.consumers.readers import PARSERS
from knitbone.adaptation.requirements.operation_names import function_name
from knitbone.adaptation.requirements.records import Element, Shape, ValueType
from knitbone.adaptation.requirements.uses import Operation, Use
from knitbone.common.structured.dates import FUNCTIONS, is_reading

__all__ = ["DIGIT_TESTS", "Conversion", "conversion", "date_reading", "type_of"]

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
"""Functions of Python and of libraries, with the type of what they make of a text."""


def type_of(name: str) -> ValueType | None:
    """Return the type that a function makes of a text; ``None`` where it makes none."""
    if name in _TYPES:
        return _TYPES[name]
    if name in PARSERS:
        return "string"
    if function_name(name) in ("strptime", "fromisoformat") and name.startswith("datetime"):
        return "date"
    return None


def date_reading(operation: Operation) -> str:
    """Return how a function reads a date, in the words of ``common.structured.dates``, or the name
    of a parser; empty where that is not known."""
    name = operation.name
    if name in PARSERS:
        return name
    if function_name(name) == "strptime":
        form = operation.keyword("format", 0)
        return form if isinstance(form, str) and is_reading(form) else ""
    reading = name.removeprefix("datetime.")
    return reading if reading in FUNCTIONS else ""


class Conversion(NamedTuple):
    """The type that code makes of a text, and the operation that does."""

    kind: ValueType
    use: Use
    reading: str = ""
    """Of a date: how it is read; empty where that is not known, or in several ways."""

    @property
    def shape(self) -> Shape:
        """Return the shape of a text that is converted so."""
        return Shape(type=self.kind, convertible=True, reading=self.reading)

    def slot(self, slot: Element) -> Element:
        """Return the slot with the type that the code converts its text to."""
        return msgspec.structs.replace(slot, type=self.kind, reading=self.reading)


def conversion(uses: Iterable[Use]) -> Conversion | None:
    """Return the first conversion among operations, or else the first test for digits."""
    found: Conversion | None = None
    tested: Conversion | None = None
    for use in uses:
        kind = type_of(use.operation.name)
        if kind is not None and found is None:
            found = Conversion(kind, use, date_reading(use.operation))
        elif kind == "date" and found is not None and date_reading(use.operation) != found.reading:
            found = found._replace(reading="")
        if tested is None and use.operation.name in DIGIT_TESTS:
            tested = Conversion("integer", use)
    return found or tested
