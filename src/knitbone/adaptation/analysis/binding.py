"""Binding of call arguments to the parameters of an application's function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.program import Function
from knitbone.adaptation.analysis.values import (
    AppFunction,
    Bindings,
    CallArguments,
    FixedItems,
    Keyed,
    Tracked,
    Values,
)

__all__ = ["bind"]


def bind(
    evaluator: Evaluator,
    function: Function,
    callee: AppFunction,
    node: ast.Call | None,
    given: CallArguments,
) -> Bindings:
    """Return the values of the function's parameters, by name; ``node`` is the call, where it is
    seen."""
    if function.node is None:
        return ()
    signature = function.node.args
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    bound: dict[str, Values] = {}
    if callee.receiver and names:
        bound[names.pop(0)] = callee.receiver
    plain = _positional_arguments(evaluator, node, given)
    bound.update(zip(names, plain, strict=False))
    if signature.vararg is not None and len(plain) > len(names):
        bound[signature.vararg.arg] = (FixedItems(tuple(plain[len(names) :])),)
    known = {parameter.arg for parameter in function.parameters}
    extra: list[tuple[str, Values]] = []
    for name, values in _keyword_arguments(given):
        if name in known:
            bound[name] = values
        else:
            extra.append((name, values))
    for value in given.keywords.get(None, ()):
        if isinstance(value, Tracked) and node is not None:
            bound |= _spread_output(evaluator, value, signature, bound.keys(), node)
    if signature.kwarg is not None and extra:
        bound[signature.kwarg.arg] = (Keyed(tuple(extra)),)
    return tuple(sorted((name, values) for name, values in bound.items() if values))


def _positional_arguments(
    evaluator: Evaluator, node: ast.Call | None, given: CallArguments
) -> list[Values]:
    """Return the positional arguments, those of ``*items`` among them where they are known."""
    plain: list[Values] = []
    for index, values in enumerate(given.arguments):
        argument = node.args[index] if node is not None and index < len(node.args) else None
        if not isinstance(argument, ast.Starred):
            plain.append(values)
            continue
        for value in evaluator.values(argument.value):
            if isinstance(value, FixedItems):
                plain.extend(value.items)
    return plain


def _keyword_arguments(given: CallArguments) -> Iterator[tuple[str, Values]]:
    """Return the keyword arguments, those of ``**mapping`` among them where they are known."""
    for name, values in given.keywords.items():
        if name is not None:
            yield name, values
            continue
        for value in values:
            if isinstance(value, Keyed):
                for key, held in value.entries:
                    if isinstance(key, str):
                        yield key, held


def _spread_output(
    evaluator: Evaluator,
    value: Tracked,
    signature: ast.arguments,
    bound: Set[str],
    node: ast.Call,
) -> dict[str, Values]:
    """Read ``f(**data)``: each parameter that is left is a key that is read.

    Which of them must be there is not said: a dispatcher spreads the same data over one of several
    functions.
    """
    names = [p.arg for p in (*signature.args, *signature.kwonlyargs) if p.arg not in bound]
    return {name: (evaluator.use(value, ".get", node, (name,)),) for name in names}
