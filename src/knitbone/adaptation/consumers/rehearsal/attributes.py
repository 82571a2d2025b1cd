"""Attributes, read without running a property of an unknown class."""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import functools
import inspect
import logging
import sys
import types
from collections.abc import Callable
from typing import Any

from knitbone.adaptation.consumers.rehearsal.machine import (
    OPAQUE,
    InterpretedFunction,
    Machine,
    Opaque,
    Unfollowed,
)
from knitbone.adaptation.consumers.rehearsal.plain import is_library, is_plain
from knitbone.adaptation.consumers.rehearsal.sources import is_own

__all__ = ["load_attribute"]

_MISSING = object()
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)


def load_attribute(machine: Machine, held: Any, name: str) -> Any:
    """``held.name``."""
    if isinstance(held, Opaque):
        return OPAQUE
    if isinstance(held, types.ModuleType):
        if name not in vars(held):
            raise Unfollowed(f"{held.__name__} has no {name} yet")
        return machine.current(vars(held)[name])
    if isinstance(held, InterpretedFunction):
        return held.name if name == "__name__" else OPAQUE
    if is_plain(held) or isinstance(held, (type, *_CALLABLE, logging.Logger)):
        return machine.current(getattr(held, name))
    return _of_object(machine, held, name)


def _of_object(machine: Machine, held: Any, name: str) -> Any:
    found = inspect.getattr_static(held, name, _MISSING)
    if found is _MISSING:
        if hasattr(type(held), "__getattr__"):
            return OPAQUE
        raise AttributeError(f"{type(held).__name__!r} object has no attribute {name!r}")
    if isinstance(found, types.FunctionType):
        return types.MethodType(found, held)
    if not (machine.made(held) or is_library(type(held)) or _is_own(machine, type(held))):
        return OPAQUE  # an object of an unknown library, which the code may have changed
    if isinstance(found, staticmethod | classmethod | types.MemberDescriptorType):
        return machine.current(getattr(held, name))
    if isinstance(found, property):
        return _computed(machine, found.fget, held)
    if isinstance(found, functools.cached_property):
        return _computed(machine, found.func, held)
    if is_library(type(held)):
        return machine.current(getattr(held, name))
    if hasattr(type(found), "__get__") and not callable(found):
        return OPAQUE
    return machine.current(found)


def _is_own(machine: Machine, kind: type) -> bool:
    """Return whether a class is one of the application."""
    module = sys.modules.get(kind.__module__)
    return is_own(str(getattr(module, "__file__", "")), machine.root)


def _computed(machine: Machine, function: Callable[[Any], Any] | None, held: Any) -> Any:
    return OPAQUE if function is None else machine.call(function, (held,), {})
