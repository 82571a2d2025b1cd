"""Replacement of the texts in a value: a copy of what changes, the rest shared, the original
untouched."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, cast

from knitbone.adaptation.runtime.values.texts import Key, Path, ValueText

__all__ = ["replace_texts"]


def replace_texts(
    value: Any, found: Sequence[ValueText], texts: Sequence[str], *, always: bool = False
) -> Any:
    """Return a value with texts replaced that were found before.

    Args:
        always: replace texts also by equal ones.
    """
    if len(found) != len(texts):
        raise ValueError(f"The value has {len(found)} texts, not {len(texts)}.")
    for part, text in zip(found, texts, strict=True):
        if not always and (text is part.text or text == part.text):
            continue
        for path in part.paths:
            value = _with_text_at(value, path, text)
    return value


def _with_text_at(value: Any, path: Path, text: str) -> Any:
    """Return a value with another text at a path."""
    if not path:
        return _same_class(value, text)
    key, *rest = path
    if isinstance(value, dict | list | tuple):
        child = cast("Any", value)[key]
    else:
        child = getattr(value, str(key))
    return _with_field(value, key, _with_text_at(child, tuple(rest), text))


def _same_class(old: Any, text: str) -> str:
    """Return a text of the class of the old one, with its attributes; one that held the old text
    holds the new one."""
    if type(old) is str:
        return text
    if isinstance(old, Enum):
        raise TypeError(f"a member of {type(old).__name__} cannot have another text")
    kind = cast("type[str]", type(old))
    new = str.__new__(kind, text)
    attributes: Any = getattr(old, "__dict__", None)
    before = str.__str__(old)
    if attributes:
        fields = cast("dict[str, Any]", attributes)
        vars(new).update({name: _in_its_place(held, before, text) for name, held in fields.items()})
    for name in _slots(kind):
        if hasattr(old, name):
            object.__setattr__(new, name, _in_its_place(getattr(old, name), before, text))
    return new


def _in_its_place(held: Any, before: str, text: str) -> Any:
    """Return what a field holds: the new text where it held the old one."""
    return _same_class(held, text) if isinstance(held, str) and held == before else held


def _slots(kind: type[Any]) -> Iterator[str]:
    """Yield the names of a class's own slots, as its attributes are called."""
    for each in kind.__mro__:
        slots: Any = vars(each).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and name.endswith("__"):
                continue  # ``__dict__`` and ``__weakref__`` are no fields
            private = name.startswith("__")
            yield f"_{each.__name__.lstrip('_')}{name}" if private else name


def _with_field(value: Any, key: Key, child: Any) -> Any:
    """Return a shallow copy with one field changed; validators of the type do not run again."""
    kind: Any = cast("Any", type(value))
    copied: Any
    if tuple in kind.__mro__:
        items: list[Any] = list(value)
        items[cast("int", key)] = child
        return getattr(kind, "_make", kind)(items)
    if dict in kind.__mro__ or list in kind.__mro__:
        copied = copy.copy(value)
        copied[key] = child
        return copied
    if hasattr(kind, "__pydantic_fields__"):
        return value.model_copy(update={str(key): child})
    copied = copy.copy(value)
    object.__setattr__(copied, str(key), child)
    return copied
