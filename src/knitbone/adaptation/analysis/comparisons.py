"""Comparisons of outputs with constants: what the code accepts.

``answer == "yes"`` records the operation ``eq`` with ``"yes"`` on the output.
"""

from __future__ import annotations

import ast
from typing import Any

from knitbone.adaptation.analysis.arguments import as_argument, as_choice, constant_texts
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.values import Tracked

__all__ = ["compare"]

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare(evaluator: Evaluator, node: ast.Compare) -> None:
    """Record the comparisons of ``a < b < c``: each output is compared with its neighbours."""
    left_node = node.left
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        _compare_pair(evaluator, node, operator, left_node, right_node)
        left_node = right_node


def _compare_pair(
    evaluator: Evaluator,
    node: ast.Compare,
    operator: ast.cmpop,
    left_node: ast.expr,
    right_node: ast.expr,
) -> None:
    """Record one comparison, from either side."""
    left, right = evaluator.values(left_node), evaluator.values(right_node)
    name = _COMPARISONS.get(type(operator))
    argument = as_argument(evaluator, right, right_node)
    for value in (v for v in left if isinstance(v, Tracked)):
        if name:
            _record_comparison(evaluator, value, name, constant_texts(right), argument, node)
        elif isinstance(operator, ast.In | ast.NotIn):
            evaluator.use(value, "in", node, (argument,))
        elif isinstance(operator, ast.Is | ast.IsNot) and argument is None:
            evaluator.use(value, "is_none", node)
        elif isinstance(operator, ast.Is | ast.IsNot) and isinstance(argument, bool):
            evaluator.use(value, "is", node, (argument,))
    for value in (v for v in right if isinstance(v, Tracked)):
        if name:
            mirrored = _MIRRORED.get(name, name)
            argument = as_argument(evaluator, left, left_node)
            _record_comparison(evaluator, value, mirrored, constant_texts(left), argument, node)
        elif isinstance(operator, ast.In | ast.NotIn):
            evaluator.use(value, "contains", node, (as_choice(evaluator, left, left_node),))


def _record_comparison(
    evaluator: Evaluator,
    value: Tracked,
    name: str,
    texts: tuple[str, ...],
    argument: Any,
    node: ast.expr,
) -> None:
    """Record a comparison; one with each of several texts in a loop asks if it is one of them."""
    if name == "eq" and len(texts) > 1:
        evaluator.use(value, "in", node, (texts,))
    else:
        evaluator.use(value, name, node, (argument,))
