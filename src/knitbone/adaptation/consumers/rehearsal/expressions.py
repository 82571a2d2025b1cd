"""The evaluation of Python's expressions in a rehearsal: one function for each node of the syntax
tree.

Operators run on plain values only; the result for an opaque operand is opaque.
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from knitbone.adaptation.consumers.rehearsal.attributes import load_attribute
from knitbone.adaptation.consumers.rehearsal.calls import call
from knitbone.adaptation.consumers.rehearsal.effect_free import is_enumeration, is_plain
from knitbone.adaptation.consumers.rehearsal.machine import (
    OPAQUE,
    YIELDED,
    Environment,
    InterpretedFunction,
    Machine,
    Opaque,
    Unfollowed,
)

__all__ = ["EXPRESSIONS", "assign", "function_of", "iterate", "truth"]

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
"""Without powers and shifts: numbers of an answer could ask for any amount of memory."""
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_MAX_SIZE = 10_000_000
"""Items or characters that a multiplication may make (ours)."""


def _are_plain(*values: Any) -> bool:
    """Return whether operators do on these values what they do on plain ones; on opaque ones they
    do not."""
    if any(isinstance(value, Opaque) for value in values):
        return False
    if all(is_plain(value) for value in values):
        return True
    raise Unfollowed("an operator of a class of the application")


def _constant(machine: Machine, node: ast.Constant, env: Environment) -> Any:
    return node.value


def _name(machine: Machine, node: ast.Name, env: Environment) -> Any:
    return machine.current(env.load(node.id))


def _attribute(machine: Machine, node: ast.Attribute, env: Environment) -> Any:
    return load_attribute(machine, machine.value(node.value, env), node.attr)


def _binary(machine: Machine, node: ast.BinOp, env: Environment) -> Any:
    left, right = machine.value(node.left, env), machine.value(node.right, env)
    function = _BINARY.get(type(node.op))
    if function is None:
        raise Unfollowed(f"{type(node.op).__name__} is not followed")
    if isinstance(node.op, ast.Div) and not is_plain(left):
        return OPAQUE  # a path, a pipe of a framework
    if not _are_plain(left, right):
        return OPAQUE
    if isinstance(node.op, ast.Mult) and _size(left, right) > _MAX_SIZE:
        raise Unfollowed("a multiplication makes too much")
    if isinstance(node.op, ast.Mult | ast.Add):
        _note_calculation(machine, (node.left, left), (node.right, right))
    return machine.make(function(left, right))


def _note_calculation(
    machine: Machine, one: tuple[ast.expr, Any], other: tuple[ast.expr, Any]
) -> None:
    """Note that numbers are wanted where the answer has texts or lists: ``"3" * 2`` is ``"33"``."""
    numbers = any(isinstance(value, int | float) for _, value in (one, other))
    if numbers and any(id(value) in machine.lists for _, value in (one, other)):
        machine.doubt("the code calculates with a list of the answer, which would be repeated")
    texts = [(node, value) for node, value in (one, other) if isinstance(value, str)]
    fixed = any(isinstance(node, ast.Constant | ast.JoinedStr) for node, _ in texts)
    if texts and not fixed and all(machine.is_of_answer(value) for _, value in texts):
        machine.calculate(one[1], other[1])


def _size(left: Any, right: Any) -> int:
    for many, number in ((left, right), (right, left)):
        if hasattr(many, "__len__") and isinstance(number, int):
            return len(many) * number
    return 0


def _unary(machine: Machine, node: ast.UnaryOp, env: Environment) -> Any:
    value = machine.value(node.operand, env)
    if isinstance(node.op, ast.Not):
        return not truth(value)
    return _UNARY[type(node.op)](value) if _are_plain(value) else OPAQUE


def truth(value: Any) -> bool:
    """Return whether a value counts as true.

    Raises:
        Unfollowed: that is not known.
    """
    kind = type(value)
    if is_plain(value) or not (hasattr(kind, "__bool__") or hasattr(kind, "__len__")):
        return bool(value)
    if isinstance(value, Opaque):
        return bool(value)
    raise Unfollowed("the truth of an object of the application")


def _boolean(machine: Machine, node: ast.BoolOp, env: Environment) -> Any:
    value: Any = None
    for part in node.values:
        value = machine.value(part, env)
        if truth(value) == isinstance(node.op, ast.Or):
            return value
    return value


def _compare(machine: Machine, node: ast.Compare, env: Environment) -> Any:
    """Evaluate a chain of comparisons; opaque where an operand is."""
    left = machine.value(node.left, env)
    result: Any = True
    for operation, part in zip(node.ops, node.comparators, strict=True):
        right = machine.value(part, env)
        same = isinstance(operation, ast.Is | ast.IsNot)
        if same and (left is OPAQUE or right is OPAQUE):
            # What a library gives back is something.
            other = right if left is OPAQUE else left
            if other is not None:
                return OPAQUE
        elif not same and not _are_plain(left, right):
            return OPAQUE
        result = _COMPARISONS[type(operation)](left, right)
        if isinstance(operation, ast.In | ast.NotIn) and isinstance(right, dict):
            machine.read_key(right, left)
        elif isinstance(operation, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and isinstance(right, str):
            _note_calculation(machine, (node.left, left), (part, right))
        _note_comparison(machine, operation, (node.left, left), (part, right))
        if not result:
            return result
        left = right
    return result


def _note_comparison(
    machine: Machine, operation: ast.cmpop, one: tuple[ast.expr, Any], other: tuple[ast.expr, Any]
) -> None:
    """Note a text that is compared with one of the application's own, or looked for among them."""
    (left, text), (right, named) = one, other
    if isinstance(operation, ast.Eq | ast.NotEq):
        if isinstance(left, ast.Constant):
            machine.compare(named, text)
        elif isinstance(right, ast.Constant):
            machine.compare(text, named)
    elif isinstance(operation, ast.In | ast.NotIn) and isinstance(text, str):
        own = isinstance(right, ast.Set) or not machine.was_made(named)
        held = isinstance(named, list | tuple | dict | set | frozenset)
        if own and held and text not in named:
            machine.miss(text, named)


def _conditional(machine: Machine, node: ast.IfExp, env: Environment) -> Any:
    return machine.value(node.body if truth(machine.value(node.test, env)) else node.orelse, env)


def _items(machine: Machine, nodes: Iterable[ast.expr], env: Environment) -> Iterator[Any]:
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from iterate(machine, machine.value(node.value, env))
        else:
            yield machine.value(node, env)


def iterate(machine: Machine, value: Any) -> Iterator[Any]:
    """Return the items of a value; an iterator of the application's own would be used up."""
    if isinstance(value, Opaque):
        raise Unfollowed("a loop over what is not known")
    if not (is_enumeration(value) or is_plain(value) or machine.was_made(value)):
        raise Unfollowed("a loop over an object of the application")
    machine.read_whole(value)
    return iter(value)


def _list(machine: Machine, node: ast.List, env: Environment) -> Any:
    return machine.make(list(_items(machine, node.elts, env)))


def _tuple(machine: Machine, node: ast.Tuple, env: Environment) -> Any:
    return tuple(_items(machine, node.elts, env))


def _set(machine: Machine, node: ast.Set, env: Environment) -> Any:
    return machine.make(set(_items(machine, node.elts, env)))


def _dict(machine: Machine, node: ast.Dict, env: Environment) -> Any:
    made: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = machine.value(value, env)
            if not isinstance(inner, dict):
                raise Unfollowed("the items of what is no dictionary")
            machine.read_whole(inner)
            made.update(inner)
        else:
            made[machine.value(key, env)] = machine.value(value, env)
    return machine.make(made)


def _text(machine: Machine, node: ast.JoinedStr, env: Environment) -> Any:
    parts = [machine.value(part, env) for part in node.values]
    return OPAQUE if any(part is OPAQUE for part in parts) else "".join(parts)


def _formatted(machine: Machine, node: ast.FormattedValue, env: Environment) -> Any:
    value = machine.value(node.value, env)
    form = machine.value(node.format_spec, env) if node.format_spec is not None else ""
    if not is_plain(value) or not isinstance(form, str):
        return OPAQUE
    convert: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    return format(convert[node.conversion](value) if node.conversion in convert else value, form)


def _subscript(machine: Machine, node: ast.Subscript, env: Environment) -> Any:
    held = machine.value(node.value, env)
    key = machine.value(node.slice, env)
    plain = is_enumeration(held) or is_plain(held)
    if plain and not isinstance(key, Opaque):
        if isinstance(held, dict):
            machine.read_key(held, key)
            if key not in held and not machine.was_made(held):
                machine.miss(key, held)
        return machine.current(held[key])
    if isinstance(held, type) and not isinstance(key, Opaque):
        return cast("Any", held)[key]  # ``list[str]``
    method = getattr(type(held), "__getitem__", None)
    if isinstance(held, Opaque) or method is None:
        return OPAQUE
    return call(machine, method, (held, key), {})


def _slice(machine: Machine, node: ast.Slice, env: Environment) -> Any:
    bounds = (node.lower, node.upper, node.step)
    return slice(*(None if bound is None else machine.value(bound, env) for bound in bounds))


def _call(machine: Machine, node: ast.Call, env: Environment) -> Any:
    function = machine.value(node.func, env)
    arguments = tuple(_items(machine, node.args, env))
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = machine.value(keyword.value, env)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            machine.read_whole(value)
            keywords.update(value)
        else:
            raise Unfollowed("keywords out of what is no dictionary")
    return call(machine, function, arguments, keywords)


def function_of(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, env: Environment
) -> InterpretedFunction:
    """Return the interpreted function that a definition makes."""
    defaults = tuple(machine.value(each, env) for each in node.args.defaults)
    named = {
        each.arg: machine.value(value, env)
        for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if value is not None
    }
    return machine.make(InterpretedFunction(machine, node, env, defaults, named))


def _named(machine: Machine, node: ast.NamedExpr, env: Environment) -> Any:
    value = machine.value(node.value, env)
    scope = env
    while _COMPREHENSION in scope.values and scope.outer is not None:
        scope = scope.outer
    scope.store(node.target.id, value)
    return value


_COMPREHENSION = "<comprehension>"


def _rounds(
    machine: Machine, generators: list[ast.comprehension], env: Environment
) -> Iterator[Environment]:
    first, *rest = generators
    for item in iterate(machine, machine.value(first.iter, env)):
        assign(machine, first.target, item, env)
        if all(truth(machine.value(test, env)) for test in first.ifs):
            if rest:
                yield from _rounds(machine, rest, env)
            else:
                yield env


def _comprehension(
    machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, env: Environment
) -> Any:
    inner = Environment(env.world, env, {_COMPREHENSION: True})
    found = [machine.value(node.elt, each) for each in _rounds(machine, node.generators, inner)]
    if isinstance(node, ast.GeneratorExp):
        return machine.make(iter(found))
    return machine.make(set(found) if isinstance(node, ast.SetComp) else found)


def _dict_comprehension(machine: Machine, node: ast.DictComp, env: Environment) -> Any:
    inner = Environment(env.world, env, {_COMPREHENSION: True})
    made = machine.make(
        {
            machine.value(node.key, each): machine.value(node.value, each)
            for each in _rounds(machine, node.generators, inner)
        }
    )
    for key in made:
        machine.note_entry(made, key)
    return made


def _awaited(machine: Machine, node: ast.Await, env: Environment) -> Any:
    return machine.value(node.value, env)


def _yielded(machine: Machine, node: ast.Yield, env: Environment) -> Any:
    value = machine.value(node.value, env) if node.value is not None else None
    env.load(YIELDED).append(value)


def _yielded_from(machine: Machine, node: ast.YieldFrom, env: Environment) -> Any:
    env.load(YIELDED).extend(iterate(machine, machine.value(node.value, env)))


def assign(machine: Machine, target: ast.expr, value: Any, env: Environment) -> None:
    """Bind a value to a target: a name, several names, an item or an attribute."""
    if isinstance(target, ast.Name):
        env.store(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, target.elts, list(iterate(machine, value)), env)
    elif isinstance(target, ast.Subscript):
        held, key = machine.value(target.value, env), machine.value(target.slice, env)
        if isinstance(held, Opaque) or not is_plain(held):
            machine.give_away(((key, value), {}))
        else:
            filled = machine.writable(held)
            filled[key] = value
            if isinstance(filled, dict):
                machine.note_entry(filled, key)
    elif isinstance(target, ast.Attribute):
        held = machine.value(target.value, env)
        if isinstance(held, Opaque):
            machine.give_away(((value,), {}))
        else:
            setattr(machine.writable(held), target.attr, value)
    else:
        raise Unfollowed(f"{type(target).__name__} is not set")


def _unpack(machine: Machine, targets: list[ast.expr], values: list[Any], env: Environment) -> None:
    """Bind several targets, one of them perhaps starred, to the items of a value."""
    starred = next((n for n, each in enumerate(targets) if isinstance(each, ast.Starred)), None)
    if starred is None:
        if len(values) != len(targets):
            raise ValueError(f"{len(values)} values to unpack, not {len(targets)}")
        for target, value in zip(targets, values, strict=True):
            assign(machine, target, value, env)
        return
    behind = len(targets) - starred - 1
    if len(values) < starred + behind:
        raise ValueError("not enough values to unpack")
    end = len(values) - behind
    many = targets[starred]
    assert isinstance(many, ast.Starred)  # noqa: S101 - for the type checker
    _unpack(machine, targets[:starred], values[:starred], env)
    assign(machine, many.value, machine.make(values[starred:end]), env)
    _unpack(machine, targets[starred + 1 :], values[end:], env)


EXPRESSIONS: dict[type[Any], Callable[[Machine, Any, Environment], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.JoinedStr: _text,
    ast.FormattedValue: _formatted,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.Lambda: function_of,
    ast.NamedExpr: _named,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Await: _awaited,
    ast.Yield: _yielded,
    ast.YieldFrom: _yielded_from,
}
