"""Changes that bring a value into its shape: changes, misfits, and their words for people."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import msgspec

__all__ = ["Conformed", "Misfit", "Path", "ValueChange", "clip", "kind_of", "shown"]

_SHOWN = 40
"""Characters of content that a rule shows."""

Path = tuple[str | int, ...]


class ValueChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change to a value."""

    path: Path
    """Keys and indexes from the root, in the value as it was."""
    action: Literal["replace", "quote", "rename", "unwrap", "wrap", "remove"]
    """``replace`` the value by ``value``; ``quote`` it: its own spelling, as a text; ``rename``
    its key to ``value``; ``unwrap``: its only member, at ``value``, takes its place; ``wrap`` it
    in an array; ``remove`` it with its key."""
    value: Any = None
    rule: str
    """For people."""
    element: bool = False
    """Whether it counts as an element (a key of another name, a wrapper), not as punctuation."""


class Misfit(msgspec.Struct, frozen=True, kw_only=True):
    """A place that cannot be made to fit."""

    path: Path
    reason: str


class Conformed(msgspec.Struct, frozen=True, kw_only=True):
    """A value in its shape, or the reasons why it is not."""

    value: Any
    """The same object where nothing changed."""
    changes: tuple[ValueChange, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    """Empty: the value is what the shape asks for."""

    @property
    def fits(self) -> bool:
        """Tell whether the value is now what the shape asks for."""
        return not self.misfits

    @property
    def edits(self) -> int:
        """How many changes."""
        return len(self.changes)

    @property
    def rules(self) -> tuple[str, ...]:
        """The changes for people, each kind once."""
        counted = Counter(change.rule for change in self.changes)
        return tuple(f"{rule} in {n} fields" if n > 1 else rule for rule, n in counted.items())

    @property
    def reason(self) -> str:
        """The first misfit, and how many there are."""
        if not self.misfits:
            return ""
        first = self.misfits[0]
        more = f" (and {len(self.misfits) - 1} more)" if len(self.misfits) > 1 else ""
        return f"{written_path(first.path)}: {first.reason}{more}"


def kind_of(value: Any) -> str:
    """Name what a value is, in the words of its format."""
    if value is None:
        return "null"
    names = {bool: "truth value", int: "number", float: "number", str: "text", dict: "object"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "array")


def shown(value: Any) -> str:
    """A value in a rule: short, or only what it is."""
    if isinstance(value, str):
        return f'"{clip(value)}"'
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        long = isinstance(value, int) and abs(value) >= 10**_SHOWN
        return "a long number" if long else str(value)
    return kind_of(value)


def clip(text: str) -> str:
    """As much of a text as a rule may show."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def written_path(path: Path) -> str:
    """``items[2].qty``."""
    written = "".join(f"[{p}]" if isinstance(p, int) else f".{clip(p)}" for p in path)
    return written.removeprefix(".") or "the value"
