"""Bounds on the time that a regular expression may take on a text, computed without running it."""

from knitbone.common.expressions.cost import Expression, Method, expression_of

__all__ = ["Expression", "Method", "expression_of"]
