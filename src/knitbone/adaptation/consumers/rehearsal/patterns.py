"""The patterns of ``match`` statements in a rehearsal."""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from knitbone.adaptation.consumers.rehearsal.attributes import load_attribute
from knitbone.adaptation.consumers.rehearsal.effect_free import is_plain
from knitbone.adaptation.consumers.rehearsal.machine import Environment, Machine, Opaque, Unfollowed

__all__ = ["matches"]

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
