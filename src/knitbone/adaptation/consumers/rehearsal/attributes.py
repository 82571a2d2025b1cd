"""Attribute access in a rehearsal, which runs no property of an unknown class."""

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

from knitbone.adaptation.consumers.rehearsal.effect_free import is_library, is_plain
from knitbone.adaptation.consumers.rehearsal.machine import (
    OPAQUE,
    InterpretedFunction,
    Machine,
    Opaque,
    Unfollowed,
)
from knitbone.adaptation.consumers.rehearsal.sources import is_of_application

__all__ = ["load_attribute"]

_MISSING = object()
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)


def load_attribute(machine: Machine, owner: Any, name: str) -> Any:
    """Return ``owner.name``, or an opaque value where reading it might run code with effects."""
    if isinstance(owner, Opaque):
        return OPAQUE
    if isinstance(owner, types.ModuleType):
        if name not in vars(owner):
            raise Unfollowed(f"{owner.__name__} has no {name} yet")
        return machine.current(vars(owner)[name])
    if isinstance(owner, InterpretedFunction):
        return owner.name if name == "__name__" else OPAQUE
    if is_plain(owner) or isinstance(owner, (type, *_CALLABLE, logging.Logger)):
        return machine.current(getattr(owner, name))
    return _of_object(machine, owner, name)


def _of_object(machine: Machine, owner: Any, name: str) -> Any:
    """Return an attribute of an object of the application or of a library.

    The order of the tests matters: properties are recognised, and interpreted, before ``getattr``
    is called on an object of a library, and objects of unknown classes are left alone before that.
    """
    attribute = inspect.getattr_static(owner, name, _MISSING)
    if attribute is _MISSING:
        if hasattr(type(owner), "__getattr__"):
            return OPAQUE
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
    kept = name in getattr(owner, "__dict__", ())  # what an object keeps itself is no method of it
    if isinstance(attribute, types.FunctionType):
        return attribute if kept else types.MethodType(attribute, owner)
    if isinstance(attribute, types.MethodDescriptorType) and not kept:
        # Of a builtin, from which the class inherits. Without the type, CPython 3.12 and 3.13 crash
        # on methods that are defined with their class, such as those of an XML element.
        return attribute.__get__(owner, type(owner))
    if not (machine.was_made(owner) or is_library(type(owner)) or _is_own(machine, type(owner))):
        return OPAQUE  # an object of an unknown library, which the code may have changed
    if isinstance(attribute, staticmethod | classmethod | types.MemberDescriptorType):
        return machine.current(getattr(owner, name))
    if isinstance(attribute, property):
        return _property_value(machine, attribute.fget, owner)
    if isinstance(attribute, functools.cached_property):
        return _property_value(machine, attribute.func, owner)
    if is_library(type(owner)):
        return machine.current(getattr(owner, name))
    if hasattr(type(attribute), "__get__") and not callable(attribute):
        return OPAQUE
    return machine.current(attribute)


def _is_own(machine: Machine, kind: type) -> bool:
    """Return whether a class is one of the application."""
    module = sys.modules.get(kind.__module__)
    return is_of_application(str(getattr(module, "__file__", "")), machine.root)


def _property_value(machine: Machine, function: Callable[[Any], Any] | None, owner: Any) -> Any:
    """Return the value of a property, whose function is interpreted."""
    return OPAQUE if function is None else machine.call(function, (owner,), {})
