"""The execution of Python's statements in a rehearsal: one function for each node of the syntax
tree.
"""
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
import contextlib
import io
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knitbone.adaptation.consumers.rehearsal.attributes import load_attribute
from knitbone.adaptation.consumers.rehearsal.calls import call
from knitbone.adaptation.consumers.rehearsal.effect_free import is_plain
from knitbone.adaptation.consumers.rehearsal.expressions import assign, function_of, iterate, truth
from knitbone.adaptation.consumers.rehearsal.machine import (
    OPAQUE,
    Environment,
    Machine,
    Opaque,
    Signal,
    Unfollowed,
)

__all__ = ["STATEMENTS", "matches", "run_handlers"]


# The patterns of ``match`` statements in a rehearsal.

# Values are the application's own, of any type.


_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is the value itself."""


def matches(machine: Machine, pattern: ast.pattern, value: Any, env: Environment) -> bool:
    """Return whether a value has the form of a pattern; names of the pattern are bound as far as
    it goes."""
    if isinstance(value, Opaque):
        raise Unfollowed("a match of what is not known")
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None and not matches(machine, pattern.pattern, value, env):
            return False
        if pattern.name is not None:
            env.store(pattern.name, value)
        return True
    if isinstance(pattern, ast.MatchValue):
        expected = machine.value(pattern.value, env)
        return is_plain(value) and is_plain(expected) and value == expected
    if isinstance(pattern, ast.MatchSingleton):
        return value is pattern.value
    if isinstance(pattern, ast.MatchOr):
        return any(matches(machine, each, value, env) for each in pattern.patterns)
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(machine, pattern.patterns, value, env)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(machine, pattern, value, env)
    if isinstance(pattern, ast.MatchClass):
        return _class(machine, pattern, value, env)
    raise Unfollowed(f"{type(pattern).__name__} is not followed")


def _sequence(
    machine: Machine, patterns: Sequence[ast.pattern], value: Any, env: Environment
) -> bool:
    """Return whether a value has the form of a sequence pattern."""
    if not isinstance(value, list | tuple):
        return False
    starred = next((n for n, p in enumerate(patterns) if isinstance(p, ast.MatchStar)), None)
    if starred is None:
        return len(value) == len(patterns) and all(
            matches(machine, each, item, env) for each, item in zip(patterns, value, strict=True)
        )
    behind = len(patterns) - starred - 1
    if len(value) < starred + behind:
        return False
    end = len(value) - behind
    star = patterns[starred]
    if isinstance(star, ast.MatchStar) and star.name is not None:
        env.store(star.name, machine.make(list(value[starred:end])))
    return _sequence(machine, patterns[:starred], value[:starred], env) and _sequence(
        machine, patterns[starred + 1 :], value[end:], env
    )


def _mapping(machine: Machine, pattern: ast.MatchMapping, value: Any, env: Environment) -> bool:
    if not isinstance(value, Mapping) or not is_plain(value):
        return False
    keys = [machine.value(key, env) for key in pattern.keys]
    if not all(key in value for key in keys):
        return False
    if pattern.rest is not None:
        rest = {key: held for key, held in value.items() if key not in keys}
        env.store(pattern.rest, machine.make(rest))
    return all(
        matches(machine, each, value[key], env)
        for key, each in zip(keys, pattern.patterns, strict=True)
    )


def _class(machine: Machine, pattern: ast.MatchClass, value: Any, env: Environment) -> bool:
    """Return whether a value has the form of a class pattern."""
    kind = machine.value(pattern.cls, env)
    if not isinstance(kind, type):
        raise Unfollowed("a class that is not known")
    if not isinstance(value, kind):
        return False
    names = list(getattr(kind, "__match_args__", ()))
    if kind in _WHOLE and pattern.patterns:
        return len(pattern.patterns) == 1 and matches(machine, pattern.patterns[0], value, env)
    placed = zip(names, pattern.patterns, strict=False)
    named = zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
    for name, each in (*placed, *named):
        try:
            held = load_attribute(machine, value, name)
        except AttributeError:
            return False
        if not matches(machine, each, held, env):
            return False
    return True


# Values are the application's own, of any type.


_ENTERED = (contextlib.suppress, contextlib.nullcontext, io.StringIO)
"""Context managers that are entered; others are taken as having no say in what the code reads."""
_AUGMENTED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}


def _expression(machine: Machine, node: ast.Expr, env: Environment) -> None:
    machine.value(node.value, env)


def _assign(machine: Machine, node: ast.Assign, env: Environment) -> None:
    value = machine.value(node.value, env)
    for target in node.targets:
        assign(machine, target, value, env)


def _annotated(machine: Machine, node: ast.AnnAssign, env: Environment) -> None:
    if node.value is not None:
        value = machine.value(node.value, env)
        if isinstance(node.annotation, ast.Name) and isinstance(node.target, ast.Name):
            machine.declare(value, node.annotation.id, f"{node.target.id!r}")
        assign(machine, node.target, value, env)


def _augmented(machine: Machine, node: ast.AugAssign, env: Environment) -> None:
    function = _AUGMENTED.get(type(node.op))
    loaded: Any = ast.copy_location(_as_read(node.target), node.target)
    old, new = machine.value(loaded, env), machine.value(node.value, env)
    if isinstance(old, Opaque) or isinstance(new, Opaque):
        assign(machine, node.target, machine.give_away(((new,), {})), env)
        return
    if function is None or not (is_plain(old) and is_plain(new)):
        raise Unfollowed("an operator in place")
    if isinstance(old, list) and isinstance(node.op, ast.Add):
        new = list(new)
    assign(machine, node.target, machine.make(function(old, new)), env)


def _as_read(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    assert isinstance(target, ast.Subscript)  # noqa: S101 - the grammar's third
    return ast.Subscript(target.value, target.slice, ast.Load())


def _return(machine: Machine, node: ast.Return, env: Environment) -> Signal:
    return Signal("return", None if node.value is None else machine.value(node.value, env))


def _raise(machine: Machine, node: ast.Raise, env: Environment) -> None:
    if node.exc is None:
        caught = env.load(_CAUGHT)
        raise caught
    error = machine.value(node.exc, env)
    if isinstance(error, type):
        error = call(machine, error, (), {})
    if not isinstance(error, BaseException):
        raise Unfollowed("what is raised is not known")
    raise error


def _if(machine: Machine, node: ast.If, env: Environment) -> Signal | None:
    return machine.block(node.body if truth(machine.value(node.test, env)) else node.orelse, env)


def _for(machine: Machine, node: ast.For | ast.AsyncFor, env: Environment) -> Signal | None:
    for item in iterate(machine, machine.value(node.iter, env)):
        assign(machine, node.target, item, env)
        signal = machine.block(node.body, env)
        if signal is not None and signal.kind == "return":
            return signal
        if signal is not None and signal.kind == "break":
            return None
    return machine.block(node.orelse, env)


def _while(machine: Machine, node: ast.While, env: Environment) -> Signal | None:
    while truth(machine.value(node.test, env)):
        signal = machine.block(node.body, env)
        if signal is not None and signal.kind == "return":
            return signal
        if signal is not None and signal.kind == "break":
            return None
    return machine.block(node.orelse, env)


_CAUGHT = "<caught>"


def _try(machine: Machine, node: ast.Try, env: Environment) -> Signal | None:
    return run_handlers(machine, node, env, lambda: machine.block(node.body, env))


def run_handlers(
    machine: Machine, node: Any, env: Environment, body: Callable[[], Signal | None]
) -> Signal | None:
    """Run a ``try`` statement with this body."""
    try:
        try:
            signal = body()
        except (RecursionError, MemoryError) as error:
            raise Unfollowed("the code needs too much") from error
        except Exception as error:  # noqa: BLE001 - the handlers of the application decide
            signal = _handle(machine, node, env, error)
        else:
            signal = signal or machine.block(node.orelse, env)
    except Unfollowed:
        raise
    except BaseException:
        if (last := machine.block(node.finalbody, env)) is not None:
            return last
        raise
    last = machine.block(node.finalbody, env)
    return last if last is not None else signal


def _handle(machine: Machine, node: Any, env: Environment, error: Exception) -> Signal | None:
    for handler in node.handlers:
        kinds = Exception if handler.type is None else machine.value(handler.type, env)
        if isinstance(kinds, Opaque):
            raise Unfollowed("what is caught is not known")
        if isinstance(error, kinds):
            machine.handled = True
            env.values[_CAUGHT] = error
            if handler.name is not None:
                env.store(handler.name, error)
            return machine.block(handler.body, env)
    raise error


def _with(machine: Machine, node: ast.With | ast.AsyncWith, env: Environment) -> Signal | None:
    with contextlib.ExitStack() as stack:
        for item in node.items:
            held = machine.value(item.context_expr, env)
            known = isinstance(held, _ENTERED) and machine.was_made(held)
            entered = stack.enter_context(held) if known else OPAQUE
            if item.optional_vars is not None:
                assign(machine, item.optional_vars, entered, env)
        return machine.block(node.body, env)
    return None  # ``contextlib.suppress`` has caught it


def _match(machine: Machine, node: ast.Match, env: Environment) -> Signal | None:
    subject = machine.value(node.subject, env)
    for case in node.cases:
        if matches(machine, case.pattern, subject, env) and (
            case.guard is None or truth(machine.value(case.guard, env))
        ):
            return machine.block(case.body, env)
    return None


def _function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment
) -> None:
    if node.decorator_list:
        raise Unfollowed("a decorated function inside the function")
    env.store(node.name, function_of(machine, node, env))


def _assert(machine: Machine, node: ast.Assert, env: Environment) -> None:
    if not truth(machine.value(node.test, env)):
        raise AssertionError


def _import(machine: Machine, node: ast.Import, env: Environment) -> None:
    for alias in node.names:
        whole = _module(alias.name)
        top = alias.name.partition(".")[0]
        env.store(alias.asname or top, whole if alias.asname else _module(top))


def _import_from(machine: Machine, node: ast.ImportFrom, env: Environment) -> None:
    if node.level or node.module is None:
        raise Unfollowed("a relative import")
    module = _module(node.module)
    for alias in node.names:
        if not hasattr(module, alias.name):
            raise Unfollowed("a module that is not loaded")
        env.store(alias.asname or alias.name, getattr(module, alias.name))


def _module(name: str) -> Any:
    if name not in sys.modules:
        raise Unfollowed("a module that is not loaded")
    return sys.modules[name]


def _outer(machine: Machine, node: ast.Global | ast.Nonlocal, env: Environment) -> None:
    env.declared |= frozenset(node.names)


def _delete(machine: Machine, node: ast.Delete, env: Environment) -> None:
    for target in node.targets:
        if not isinstance(target, ast.Name):
            raise Unfollowed("an item is deleted")
        env.values.pop(target.id, None)


STATEMENTS: dict[type[Any], Callable[[Machine, Any, Environment], Signal | None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.Delete: _delete,
    ast.Pass: lambda machine, node, env: None,
    ast.Break: lambda machine, node, env: Signal("break"),
    ast.Continue: lambda machine, node, env: Signal("continue"),
}
