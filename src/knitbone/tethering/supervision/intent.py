"""The active intent: the task, and what guidance and memory want done (AgentTether §III.D)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from knitbone.tethering.guidance.records import Directive, Guidance
from knitbone.tethering.guidance.request import asks_for

__all__ = ["ActiveIntent", "RememberedDirective", "active_intent"]


class RememberedDirective(Protocol):
    """What is read of an entry of the repair memory."""

    @property
    def directive(self) -> Directive:
        """The directive."""
        ...

    @property
    def state(self) -> str:
        """``unresolved``, ``fixed`` or ``regressed``."""
        ...


class ActiveIntent(msgspec.Struct, frozen=True, kw_only=True):
    """What the run is held to."""

    task: str
    """In words."""
    key: str
    """Of the task, as hashes of values are made with it."""
    directives: tuple[Directive, ...] = ()
    """Those that are not known to be fixed, the nearest to the turning point first."""
    told: frozenset[str] = frozenset()
    """Identifiers of those whose words the agent was given; of the others only the family is
    named."""

    calls: int = 0
    """Tool calls of the attempt that the guidance was made from; 0 where nobody counted them."""

    def asks_for(self, tool: str) -> bool:
        """Whether the task's own words name a tool's action. An earlier attempt that tried a tool
        shows no need of it."""
        return asks_for(self.task, tool)

    @property
    def grounded(self) -> bool:
        """Whether there is guidance or memory to act on."""
        return bool(self.directives)


def active_intent(
    task: str, guidance: Guidance | None, memory: Iterable[RememberedDirective]
) -> ActiveIntent:
    """Task, directives of the guidance, and unresolved or regressed ones of the memory."""
    told = guidance.directives if guidance is not None else ()
    known = {directive.id for directive in told}
    kept = [
        entry.directive
        for entry in memory
        if entry.state != "fixed" and entry.directive.id not in known
    ]
    return ActiveIntent(
        task=task,
        key=guidance.task if guidance is not None else task,
        calls=guidance.calls if guidance is not None else 0,
        directives=tuple(sorted((*told, *kept), key=lambda directive: directive.distance)),
        told=frozenset(known),
    )
