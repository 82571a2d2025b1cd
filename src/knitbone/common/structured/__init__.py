"""Structured data: what a value must look like, and how texts and values are brought there."""

from knitbone.common.structured.changes import Change, Conformed, Misfit
from knitbone.common.structured.conform import conform, fits
from knitbone.common.structured.shape import Field, Shape, ValueType

__all__ = [
    "Change",
    "Conformed",
    "Field",
    "Misfit",
    "Shape",
    "ValueType",
    "conform",
    "fits",
]
