"""What a function that carries ``@knitbone.source`` gives: a text, or texts in a list or an object.

The mark says that a model or retriever said it; how the value is built, the function's own code or
its annotation says. Outputs that a generator yields are answers one by one; any other texts are the
pieces of one answer, as of a stream.
"""

from __future__ import annotations

import ast

from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.output_sites import TEXT_FIELDS, OutputSites
from knitbone.adaptation.analysis.program import Function
from knitbone.adaptation.analysis.values import (
    AppInstance,
    Awaitable,
    Constant,
    FixedItems,
    Keyed,
    Series,
    Value,
    Values,
    join,
    tracked_in,
)

__all__ = ["marked_call"]

_LISTS = frozenset({"list", "List", "Sequence", "Iterable", "Collection", "tuple", "Tuple"})
"""Annotations of functions that return several texts."""


def marked_call(
    evaluator: Evaluator, outputs: OutputSites, function: Function, result: Values, node: ast.expr
) -> Values:
    """Return what a call of a marked function gives, or its ``await``.

    Args:
        result: what its code gives, as far as that is known.
    """
    name = f"{function.qualname} (@knitbone.source)"
    if function.is_generator:
        return _generated(outputs, result, node, name)
    inner = join(*(v.inner if isinstance(v, Awaitable) else (v,) for v in result))
    if function.returns in _LISTS or any(isinstance(v, Series | FixedItems) for v in inner):
        return (Series((outputs.source_site(node, name, node),)),)
    for value in inner:
        if isinstance(value, Keyed):
            fields = [key for key, _ in value.entries if key in TEXT_FIELDS]
            if fields:
                text = outputs.source_site(node, name, node, "message")
                held = ((k, (text,) if k == fields[0] else v) for k, v in value.entries)
                return (Keyed(tuple(held), value.rest),)
        if isinstance(value, AppInstance):
            made = _marked_object(evaluator, outputs, value, node, name)
            if made is not None:
                return (made,)
    return (outputs.source_site(node, name, node),)


def _generated(outputs: OutputSites, result: Values, node: ast.expr, name: str) -> Values:
    """Return what a marked generator gives: outputs that it yields as they are, one by one, or else
    the pieces of one answer."""
    items = join(*(value.items for value in result if isinstance(value, Series)))
    if next(tracked_in(items), None) is not None:
        return result
    return (outputs.source_site(node, name, node),)


def _marked_object(
    evaluator: Evaluator, outputs: OutputSites, value: AppInstance, node: ast.expr, name: str
) -> Value | None:
    """Return an object of the application with an output in the field that holds its text."""
    klass = evaluator.state.program.class_of(value.key)
    fields = [] if klass is None else [f for f in klass.annotations if f in TEXT_FIELDS]
    if klass is None or not fields:
        return None
    made = AppInstance(
        value.key, evaluator.state.creation_name(value.key, evaluator.place(node)) or value.made
    )
    for field in klass.annotations:
        held = evaluator.state.attributes.get((value.made or value.key, field), ())
        plain = tuple(v for v in held if isinstance(v, Constant))
        text: Values = (outputs.source_site(node, name, node, "message"),)
        evaluator.state.store_on(made, field, text if field == fields[0] else plain)
    return made
