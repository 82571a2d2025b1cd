"""Observations of one process, as a file that another process reads.

An application may run in several processes; each writes its trees, and ``knitbone learn`` puts them
together (``observed_trees.py``).
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from knitbone.adaptation.learning.taint import Node, RecordedOperation, Tree, Varying
from knitbone.common.source import evaluate_literal

__all__ = ["NodePart", "SitePart", "argument_of", "read_parts", "write_part"]


class NodePart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One operation, as ``learning.taint`` names it."""

    number: int
    parent: int
    """Number of the operation on whose result it works; -1: none."""
    name: str
    arguments: tuple[str, ...] = ()
    """Constants as ``repr`` writes them behind ``=``, others as the code does behind ``?``."""
    keywords: tuple[tuple[str, str], ...] = ()
    position: str = ""
    file: str = ""
    line: int = 0
    expression: str = ""


class AnswerPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The operations that reached one answer."""

    hits: tuple[int, ...]
    live: tuple[int, ...] = ()
    raised: tuple[int, ...] = ()
    states: tuple[tuple[str, str, str], ...] = ()
    """Function (``file:line:name``), name, value."""


class SitePart(msgspec.Struct, frozen=True, kw_only=True):
    """The operations on the outputs of one site."""

    site: str
    form: str
    nodes: tuple[NodePart, ...]
    answers: tuple[AnswerPart, ...]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(SitePart)


def write_part(trees: Iterable[Tree], folder: Path, name: str) -> None:
    """Write the trees of this process, whole or not at all, over what it wrote before.

    Raises:
        OSError: the folder cannot be written.
    """
    lines = [_encoder.encode(_site_part(tree)) for tree in trees if tree.answers]
    if not lines:
        return
    draft = folder / f"{name}.{uuid.uuid4().hex}.draft"
    draft.write_bytes(b"\n".join(lines) + b"\n")
    draft.replace(folder / f"{os.getpid()}-{name}.jsonl")


def read_parts(folder: Path) -> list[SitePart]:
    """Return all parts of a folder, in an order that does not depend on when they were written."""
    found: list[SitePart] = []
    for path in sorted(folder.glob("*.jsonl")):
        found.extend(_decoder.decode(line) for line in path.read_bytes().splitlines() if line)
    return sorted(found, key=lambda part: (part.site, _encoder.encode(part)))


def _site_part(tree: Tree) -> SitePart:
    """Return the tree of a site as a record."""
    nodes: list[NodePart] = []
    pending: list[tuple[Node, int]] = [(tree.root, -1)]
    while pending:
        node, parent = pending.pop()
        nodes.append(_node_part(node, parent))
        # Another thread may add a child meanwhile.
        pending.extend((child, node.number) for child in list(node.children.values()))
    answers = tuple(
        AnswerPart(
            hits=tuple(sorted(answer.hits)),
            live=tuple(sorted(answer.live)),
            raised=tuple(sorted(answer.raised)),
            states=tuple(
                (_safe(place), _safe(name), _safe(value))
                for (place, name), value in list(answer.states.items())
            ),
        )
        for answer in list(tree.answers)
    )
    form = tree.root.operation.arguments[0]
    return SitePart(site=tree.identity, form=form, nodes=tuple(nodes), answers=answers)


def _node_part(node: Node, parent: int) -> NodePart:
    """Return one operation as a record."""
    operation: RecordedOperation = node.operation
    return NodePart(
        number=node.number,
        parent=parent,
        name=_safe(operation.name),
        arguments=tuple(_written(value) for value in operation.arguments),
        keywords=tuple((_safe(key), _written(value)) for key, value in operation.keywords),
        position=operation.position,
        file=node.place.file,
        line=node.place.line,
        expression=_safe(node.place.expression) if node.place.line else "",
    )


def _written(value: Any) -> str:
    """Return an argument as text."""
    return _safe(f"?{value.expression}" if isinstance(value, Varying) else f"={value!r}")


def _safe(text: str) -> str:
    """Return text that UTF-8 can hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def argument_of(written: str) -> Any:
    """Return the argument that was written: a constant, or ``Varying``."""
    if written.startswith("="):
        return evaluate_literal(written[1:])
    return Varying(written[1:])
