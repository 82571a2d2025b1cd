"""The fields of a record of any library, read where they are kept: no attribute is asked for.

A field that its class does not print (``repr=False``, which is how secrets are marked) is left out,
and a class that prints itself in its own way may hide anything, so that none of it is read.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

__all__ = ["class_of", "fields_of", "held", "mro_of", "name_of"]

_LIBRARIES = ("pydantic.", "langchain_core.", "sqlmodel.")
"""Whose own ways to print a model show its fields."""

mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
"""The classes that one is made of, whatever its metaclass says."""
_vars_of: Callable[[type], types.MappingProxyType[str, Any]] = type.__dict__["__dict__"].__get__
_MISSING = object()


def name_of(kind: type[Any]) -> str:
    """A class's name with its module, whatever its metaclass says."""
    name = type.__getattribute__(kind, "__qualname__")
    module = type.__getattribute__(kind, "__module__")
    named = type(module) is str and module != "builtins"
    return f"{module}.{name}" if named else str(name)


def class_of(value: object) -> str:
    """The name of a value's class."""
    return name_of(type(value))


def fields_of(value: object, kind: type) -> dict[str, Any] | None:
    """The fields of a dataclass, an attrs class, a pydantic model or a msgspec struct, by their
    names; ``None`` for anything else, and for a class that prints itself in its own way."""
    names = _printed(kind)
    if names is None:
        return None
    found = {name: held(value, name) for name in names}
    extra = held(value, "__pydantic_extra__")
    if type(extra) is dict:
        found |= cast("dict[str, Any]", extra)
    return {name: item for name, item in found.items() if item is not _MISSING}


def held(value: object, name: str) -> Any:
    """What an object holds under a name, in its dictionary or a slot; a marker where nothing."""
    for base in mro_of(type(value)):
        own = _vars_of(base)
        place = own.get(name)
        if type(place) is types.MemberDescriptorType:
            try:
                return place.__get__(value)
            except AttributeError:
                return _MISSING
    for base in mro_of(type(value)):
        place = _vars_of(base).get("__dict__")
        if place is not None:
            if type(place) is types.GetSetDescriptorType:
                own = cast("dict[str, Any]", place.__get__(value))
                return own.get(name, _MISSING)
            return _MISSING  # a property of that name is the class's own
    return _MISSING


def _printed(kind: type) -> Iterable[str] | None:
    """The names of the fields that a class prints, where its library prints it."""
    printer: Any = _declared(kind, "__repr__")
    code: Any = getattr(getattr(printer, "__wrapped__", printer), "__code__", None)
    file = getattr(code, "co_filename", "")
    fields: Any = _declared(kind, "__dataclass_fields__")
    if type(fields) is dict and file == "<string>":  # made by dataclasses
        return [name for name, each in cast("dict[str, Any]", fields).items() if each.repr]
    attributes: Any = _declared(kind, "__attrs_attrs__")
    if attributes is not None and file.startswith("<attrs generated"):
        return [each.name for each in attributes if each.repr]
    owner = _owner(kind, "__repr__")
    if msgspec.Struct in mro_of(kind) and owner is not None and owner in mro_of(msgspec.Struct):
        return cast("Any", kind).__struct_fields__
    if any(name_of(base) == "pydantic.main.BaseModel" for base in mro_of(kind)):
        return _printed_of_a_model(kind)
    return None


def _printed_of_a_model(kind: type) -> list[str] | None:
    for name in ("__repr__", "__repr_args__"):
        owner = _owner(kind, name)
        if owner is None or not name_of(owner).startswith(_LIBRARIES):
            return None
    fields: Any = _declared(kind, "__pydantic_fields__") or _declared(kind, "model_fields")
    if type(fields) is not dict:
        return None
    return [name for name, each in cast("dict[str, Any]", fields).items() if each.repr]


def _declared(kind: type, name: str) -> Any:
    owner = _owner(kind, name)
    return None if owner is None else _vars_of(owner)[name]


def _owner(kind: type, name: str) -> type | None:
    """The class that declares a name."""
    return next((base for base in mro_of(kind) if name in _vars_of(base)), None)
