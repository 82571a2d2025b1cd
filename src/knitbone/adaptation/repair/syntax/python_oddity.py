"""Oddities of Python: constructs that parse, and that nobody writes.

Two repairs of one fault are told apart by them: ``x = f(a), b`` and ``x = f(a, b)`` both parse,
``print(a) + b`` and ``print(a + b)`` as well.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from functools import lru_cache

__all__ = ["oddity"]

_NO_OPERAND = frozenset({"print", "range", "enumerate", "zip", "open"})
"""Functions whose result is not computed with: ``range(1, n) + 1``."""
_NO_CONDITION = frozenset({"len", "range", "abs", "int", "float", "sorted", "open", "enumerate"})
"""Functions that take no comparison: ``len(x > 3)``."""
_NO_ATTRIBUTES = frozenset({"print", "len", "range", "isinstance", "int", "sorted", "sum", "any"})
"""Functions of whose result no attribute is taken: ``sorted(x).items()``."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def oddity(tree: ast.AST, text: str) -> int:
    """Count the constructs of a program that nobody writes."""
    lines = text.split("\n")
    return sum(_odd(node, lines) for node in ast.walk(tree))


def _odd(node: ast.AST, lines: list[str]) -> int:
    """Return how odd one node of the syntax tree is: 0 for what people write."""
    match node:
        # A statement that computes a value and drops it. So does the last line of a notebook cell:
        # it counts in both repairs that are compared.
        case ast.Expr(value=ast.BinOp() | ast.Compare() | ast.BoolOp() | ast.UnaryOp()):
            return 1
        case ast.Expr(value=ast.Tuple() | ast.Name() | ast.Attribute() | ast.Subscript()):
            return 1
        case ast.Assign(value=ast.Tuple() as value):
            # Columns count bytes; what stands before the value is a name as a rule.
            return not lines[value.lineno - 1][value.col_offset :].startswith("(")
        case ast.Call():
            return _odd_call(node)
        case ast.UnaryOp(op=ast.UAdd()):
            return 1
        case ast.Attribute(value=ast.Call(func=ast.Name(id=name))):
            return name in _NO_ATTRIBUTES
        case ast.Subscript():
            return _odd_subscript(node)
        case ast.Set(elts=items):
            return any(isinstance(item, ast.List | ast.Dict | ast.Set) for item in items)
        case ast.BinOp(op=op, left=left, right=right):
            return _odd_operand(op, left) + _odd_operand(op, right)
        case ast.BoolOp(values=[*conditions, _]):
            return any(isinstance(each, ast.Constant) for each in conditions)
        case ast.Compare(left=left):
            return isinstance(left, ast.Tuple | ast.GeneratorExp | ast.ListComp)
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return isinstance(iterated, ast.BinOp | ast.Compare | ast.Tuple)
        case _:
            return 0


def _odd_subscript(node: ast.Subscript) -> bool:
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Name(id=name))) if name in _NO_OPERAND:
            return True
        case ast.Subscript(value=ast.Call(args=[], keywords=[]), slice=ast.Tuple()):
            return True
        case ast.Subscript(value=ast.Constant(value=str()), slice=ast.Constant(value=str())):
            return True
        case _:
            made = (ast.List, ast.Dict, ast.Set, ast.Tuple, *_COMPREHENSIONS)
            return isinstance(node.value, made)


def _odd_operand(operator: ast.operator, node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()):
            return isinstance(operator, ast.Sub | ast.Div)
        case ast.Call(func=ast.Name(id=name)):
            return name in _NO_OPERAND
        case _:
            return isinstance(node, _COMPREHENSIONS)


def _odd_call(call: ast.Call) -> int:
    odd = int(isinstance(call.func, ast.Constant | ast.List | ast.Dict | ast.Tuple))
    if isinstance(call.func, ast.Name):
        odd += not _takes(call.func.id, call)
        compared = any(isinstance(argument, ast.Compare | ast.BoolOp) for argument in call.args)
        odd += compared and call.func.id in _NO_CONDITION
    return odd + _splits_list(call.args)


def _splits_list(arguments: list[ast.expr]) -> bool:
    """Return whether the last items of a list stand outside of it: ``[1], 2, 3``."""
    for index, argument in enumerate(arguments[:-1]):
        rest = arguments[index + 1 :]
        if isinstance(argument, ast.List | ast.Tuple | ast.Set):
            kinds = {type(x.value) for x in argument.elts if isinstance(x, ast.Constant)}
            if len(kinds) == 1 and all(
                isinstance(x, ast.Constant) and type(x.value) in kinds for x in rest
            ):
                return True
    return False


@lru_cache(maxsize=256)
def _bounds(name: str) -> tuple[int, int] | None:
    """Return the least and the most positional arguments of a built-in function.

    ``None`` where they are not known. The table is there because ``inspect`` has the signatures of
    only some of these functions.
    """
    known = {"print": (0, 99), "range": (1, 3), "int": (0, 2), "str": (0, 3), "dict": (0, 1)}
    known |= {"list": (0, 1), "tuple": (0, 1), "set": (0, 1), "float": (0, 1), "bool": (0, 1)}
    known |= {"isinstance": (2, 2), "len": (1, 1), "max": (1, 99), "min": (1, 99), "type": (1, 3)}
    if name in known:
        return known[name]
    function = getattr(builtins, name, None)
    if not callable(function):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return None
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.default is p.empty for p in places), len(places)


def _takes(name: str, call: ast.Call) -> bool:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    bounds = _bounds(name)
    if bounds is None:
        return True
    least, most = bounds
    return len(call.args) <= most and len(call.args) + len(call.keywords) >= least
