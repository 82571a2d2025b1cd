"""The parts of a ``split`` or ``partition`` that code uses: ``parts[1]``, a loop, a join."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from knitbone.adaptation.reading.text_consumers import Consumer, leaves_text
from knitbone.adaptation.requirements.uses import Use

__all__ = ["Parts", "parts_of"]

_LISTS = frozenset({"list", "tuple", "set", "sorted", "reversed", "filter", "iter"})


class Parts(NamedTuple):
    """The accesses, together for all splits of one text at one mark."""

    nodes: dict[int, list[Use]]
    """By the place of the part: 0 before the first mark, 1 behind it, ..."""
    items: list[Use]
    """Loops over the parts."""
    joined: list[Use]
    listed: bool
    """True if the parts are the items of a list."""
    ends_early: bool
    """True if the code leaves out what stands behind the last mark: ``split("|")[1:-1]``."""
    from_end: bool
    """True if a part is counted from the end, which is the whole text where there is no mark."""
    seen: bool
    """True if anything is done with the parts."""


class _Accesses:
    """The accesses found so far."""

    def __init__(self) -> None:
        self.nodes: dict[int, list[Use]] = {}
        self.ends: list[Use] = []
        self.items: list[Use] = []
        self.joined: list[Use] = []
        self.many = False
        self.ends_early = False
        self.seen = False


def parts_of(splits: Iterable[Consumer]) -> Parts:
    """Return the parts that code takes of some splits at one mark."""
    found = _Accesses()
    for consumer in splits:
        partition = consumer.name in (".partition", ".rpartition")
        _collect(consumer.use, found, partition=partition, offset=0)
    for node in found.ends:
        found.nodes.setdefault(max(1, *found.nodes) if found.nodes else 1, []).append(node)
    items = [item for item in found.items if not found.nodes or _leads_on(item)]
    listed = found.many and not (found.nodes and not items)
    ends = bool(found.ends)
    return Parts(found.nodes, items, found.joined, listed, found.ends_early, ends, found.seen)


def _leads_on(item: Use) -> bool:
    """Return whether anything is read from the items of a loop. ``[cell.strip() for cell in
    cells]`` alone only makes a list whose items are then taken by their place."""
    below = (use.operation.name for use in item.walk() if use is not item)
    return any(not leaves_text(name) and name not in ("truth", "len") for name in below)


def _collect(use: Use, found: _Accesses, *, partition: bool, offset: int) -> None:
    """Note every access below one split; ``offset`` is the place at which a slice of it begins."""
    for child in use.uses:
        name, arguments = child.operation.name, child.operation.arguments
        found.seen = True
        index = arguments[0] if arguments else None
        if name == "unpack" and arguments[1:] == (None,):
            found.many = True
            found.items.append(child)
        elif name in ("getitem", "unpack", ".pop") and isinstance(index, int):
            _part(child, index, found, partition=partition, offset=offset)
        elif name == ".pop":
            found.ends.append(child)
        elif name == "next":
            found.nodes.setdefault(0, []).append(child)
        elif name == "slice":
            start = index if isinstance(index, int) and index > 0 else 0
            found.ends_early = found.ends_early or arguments[1:2] == (-1,)
            _collect(child, found, partition=False, offset=offset + start)
            found.many = found.many or not child.uses
        elif name in _LISTS:
            _collect(child, found, partition=partition, offset=offset)
        elif name == "enumerate":
            found.many = True
            for pair in child.uses:
                found.items.extend(
                    part for part in pair.uses if part.operation.arguments[:1] == (1,)
                )
        elif name == "iterate":
            found.many = True
            found.items.append(child)
        elif name == "join":
            found.many = True
            found.joined.append(child)
        elif name in ("contains", ".append", ".extend", ".index", "map"):
            found.many = True


def _part(child: Use, index: int, found: _Accesses, *, partition: bool, offset: int) -> None:
    """Note the access to the part at one index."""
    if partition:
        if index in (1, -2):
            return  # the mark itself
        index = {2: 1, -1: 1, -3: 0}.get(index, index)
        found.nodes.setdefault(index, []).append(child)
    elif index == -1:
        found.ends.append(child)
    elif index < 0:
        found.nodes.setdefault(0, []).append(child)
    else:
        found.nodes.setdefault(index + offset, []).append(child)
