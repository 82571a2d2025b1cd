"""Structured data: what a value must look like, and how texts and values are brought there."""

from knitbone.core.structured.shape import Field, Shape, ValueType

__all__ = ["Field", "Shape", "ValueType"]
