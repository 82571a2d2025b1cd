"""Structured data: what a value must look like, and how texts and values are brought there."""

from knitbone.common.structured.changes import Conformed, Misfit, ValueChange
from knitbone.common.structured.conformance import conform, fits
from knitbone.common.structured.shape import Field, Shape, ValueType

__all__ = [
    "Conformed",
    "Field",
    "Misfit",
    "Shape",
    "ValueChange",
    "ValueType",
    "conform",
    "fits",
]
