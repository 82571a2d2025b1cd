"""Readers: the application's own way of taking records out of a text, replayed.

A repair counts only if the code that consumes the value finds what the repair promises. So it is
verified with the application's own regular expression, or its own ``split``, behind the same string
methods that the application calls before it.
"""

from __future__ import annotations

import html
import inspect
import ipaddress
import textwrap
import uuid
from collections.abc import Callable, Iterable
from typing import Literal, cast

import msgspec

from knitbone.common.expressions import Method
from knitbone.common.matching import compiled, find_all, find_one

__all__ = [
    "FUNCTIONS", "LINE_STEPS", "PARSERS", "STEPS", "Reader", "Record", "Step", "after_step",
    "pieces_behind",
]  # fmt: skip

Record = tuple[str, ...]
"""The parts of one record as the code receives them: the groups of a match, or the parts of a
split."""

STEPS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "replace", "expandtabs"}
    | {"removeprefix", "removesuffix"}
)
"""String methods that are followed and replayed."""

FUNCTIONS: dict[str, Callable[[str], str]] = {
    "textwrap.dedent": textwrap.dedent,
    "inspect.cleandoc": inspect.cleandoc,
    "html.unescape": html.unescape,
}
"""Functions that are followed and replayed like string methods."""

PARSERS: dict[str, Callable[[str], object]] = {
    "ipaddress.IPv4Address": ipaddress.IPv4Address,
    "ipaddress.IPv6Address": ipaddress.IPv6Address,
    "ipaddress.ip_address": ipaddress.ip_address,
    "ipaddress.ip_interface": ipaddress.ip_interface,
    "ipaddress.ip_network": ipaddress.ip_network,
    "uuid.UUID": uuid.UUID,
}
"""Functions that read a text of one kind as a whole, and raise where it is another."""

LINE_STEPS = frozenset({"splitlines", "split"})
"""String methods that turn the text into lines; ``split`` only at a line break."""


class Step(msgspec.Struct, frozen=True):
    """One string method with its constant arguments."""

    name: str
    arguments: tuple[str | int | float | bool | None, ...] = ()


def after_step(step: Step, text: str) -> str:
    """Return what a step other than those of ``LINE_STEPS`` makes of a text."""
    if (function := FUNCTIONS.get(step.name)) is not None:
        return function(text)
    return getattr(text, step.name)(*step.arguments)


def pieces_behind(steps: Iterable[Step], text: str, *, first: int = 0) -> list[str]:
    """Return the text as the code sees it behind the steps: as a whole, or cut into its lines.

    Args:
        first: index of the first line that the code looks at.
    """
    pieces = [text]
    for step in steps:
        if step.name in LINE_STEPS:
            lines = (getattr(piece, step.name)(*step.arguments) for piece in pieces)
            pieces = [line for each in lines for line in each][first:]
        elif step.name != "iterate":
            pieces = [after_step(step, piece) for piece in pieces]
    return pieces


class Reader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The way in which the code takes records out of the value.

    ``regex``: ``method`` of the compiled ``pattern``; ``split``: ``method`` (``split`` or
    ``partition``) at ``separator``, a record being a unit that has both parts.
    """

    kind: Literal["regex", "split"]
    method: str
    pattern: str = ""
    flags: int = 0
    separator: str = ""
    numbered: bool = False
    """Whether the first part of a split has to contain a number."""
    digits: bool = False
    """Whether the first part of a split has to be nothing but digits."""
    steps: tuple[Step, ...] = ()
    name_steps: tuple[Step, ...] = ()
    """The string methods on the first part of a record before it is looked up as a name."""

    @property
    def splits_lines(self) -> bool:
        """True where the code looks at one line at a time."""
        return any(step.name in LINE_STEPS for step in self.steps)

    def read(self, text: str) -> list[Record]:
        """Return the records that the code finds in a text, in order.

        Raises:
            TimeoutError: its expression may take longer than there is time.
        """
        units = pieces_behind(self.steps, text)
        if self.kind == "split":
            return [record for unit in units if (record := self._split(unit)) is not None]
        return self._match(units)

    def transform(self, part: str) -> str:
        """Return a part of the text as the code sees it behind its string methods."""
        outer = LINE_STEPS | {"removeprefix", "removesuffix"}
        return pieces_behind([step for step in self.steps if step.name not in outer], part)[0]

    def name_of(self, record: Record) -> str:
        """Return the first part of a record as the code looks it up."""
        return pieces_behind(self.name_steps, record[0])[0]

    def _split(self, unit: str) -> Record | None:
        first, found, second = unit.partition(self.separator)
        if not found or (self.numbered and not any(c.isdigit() for c in first)):
            return None
        if self.digits and not first.isdigit():
            return None
        return first, second

    def _match(self, units: list[str]) -> list[Record]:
        pattern = compiled(self.pattern, self.flags)
        if self.method in ("findall", "finditer"):
            matches = find_all(pattern, units)
        else:
            matches = find_one(pattern, cast("Method", self.method), units)
        return [
            tuple(group or "" for group in match.groups()) or (match.group(),) for match in matches
        ]
