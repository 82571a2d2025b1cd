"""What a fault is, and how it meets an output."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from knitbone_evals.adapt.cases import Base

__all__ = [
    "CONTENT",
    "SHAPE",
    "THINKING",
    "WRAPPER",
    "Fault",
    "Injected",
    "edit",
    "fault",
    "on_text",
]

CONTENT, SHAPE, WRAPPER = 0, 1, 2
"""What a fault touches: what is said, how it is written, what stands around it."""

Text = Callable[[str, random.Random], str | None]


class Injected(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs with a fault in them."""

    outputs: tuple[Any, ...]
    determined: bool = True
    """The right result still follows from the outputs: it is the clean one's."""
    accepted: tuple[Any, ...] = ()
    """Results that are as right as the clean one's."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One way to go wrong."""

    name: str
    defect: Literal[
        "template", "segmentation", "context", "syntax", "lexical", "behaviour", "semantics"
    ]
    inject: Callable[[Base, random.Random], Injected | None]
    layer: int = SHAPE
    determined: bool = True

    def combines_before(self, other: Fault) -> bool:
        """Whether this fault may happen to an output before the other one does."""
        return self.layer < other.layer and self.determined and other.determined


def on_text(
    name: str,
    defect: Any,
    change: Text,
    *,
    layer: int = SHAPE,
    determined: bool = True,
    tolerated: bool = False,
) -> Fault:
    """A fault that changes the text of one answer: the first that has what it breaks.

    ``tolerated``: not determined by the answer alone, but the clean result would be right too.
    """

    def inject(base: Base, rng: random.Random) -> Injected | None:
        for place in range(len(base.outputs)):
            outputs = edit(base.outputs, place, lambda text: change(text, rng))
            if outputs is not None:
                accepted = (base.expected,) if tolerated else ()
                return Injected(outputs=outputs, determined=determined, accepted=accepted)
        return None

    return Fault(name=name, defect=defect, inject=inject, layer=layer, determined=determined)


def edit(
    outputs: tuple[Any, ...], place: int, change: Callable[[str], str | None]
) -> tuple[Any, ...] | None:
    """The outputs with one changed: the text itself, or the arguments of its first tool call."""
    old = outputs[place]
    if isinstance(old, str):
        new: Any = change(old)
        same = new is None or new == old
    elif old.get("tool_calls"):
        first, *rest = old["tool_calls"]
        arguments = change(first["arguments"])
        same = arguments is None or arguments == first["arguments"]
        new = {**old, "tool_calls": [{**first, "arguments": arguments}, *rest]}
    else:
        return None
    return None if same else (*outputs[:place], new, *outputs[place + 1 :])


def fault(name: str, defect: Any, **more: Any) -> Callable[[Any], Fault]:
    """Decorates ``(Base, Random) -> Injected | None``."""

    def made(inject: Any) -> Fault:
        return Fault(name=name, defect=defect, inject=inject, **more)

    return made


def _think(text: str, rng: random.Random) -> str | None:
    thought = rng.choice(
        (
            "The user wants this form. I fill it in carefully.",
            "Okay, so first I look at what is asked for.\n\nThen I write it down, nothing else.",
        )
    )
    return f"<think>\n{thought}\n</think>\n\n{text}"


THINKING = on_text("thinking before", "template", _think, layer=WRAPPER)
"""What reasoning models leave in the answer when a server does not take it out."""
