"""How long a regular expression may take on a text, told before it runs."""

from knitbone.adaptation.expressions.cost import Expression, Method, expression_of

__all__ = ["Expression", "Method", "expression_of"]
