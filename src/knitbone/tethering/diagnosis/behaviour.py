"""The behaviour schema: a run without the vocabulary of its tools, agents and texts.

The offline detector was trained on other applications than the one it judges, so it sees how a
run behaves and nothing of what it is about (AgentTether §III.C.2: a behaviour-oriented telemetry
schema). A name or a text never passes; what passes are the classes below, counts and lengths, and
the edges: what follows what, which value came from where, which call was made before.

Typed context nodes around a unit are the values that it passes, the answer that it got, and the
message that was heard before it. A renamed tool, argument or value gives the same behaviour, as
long as the verb in a tool's name keeps its meaning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from knitbone.tethering.diagnosis.artifacts import artifacts_of_text
from knitbone.tethering.diagnosis.provenance import (
    Memory,
    PassedValue,
    ValueKind,
    ValueOrigin,
    passed_values,
)
from knitbone.tethering.diagnosis.units import Phase, TransitionUnit
from knitbone.tethering.diagnosis.vocabulary import Intent, Status

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["FIELDS", "REPETITIONS", "Behaviour", "behaviour_of"]

CallRole = Literal["speaks", "calls", "calls several"]
Returned = Literal["nothing", "empty", "value", "record", "list", "text"]
Repetition = Literal[
    "first of its tool", "other arguments", "after a failure", "after a change", "nothing changed"
]

FIELDS: dict[str, tuple[str, ...]] = {
    "family": get_args(Intent),
    "status": get_args(Status),
    "role": get_args(CallRole),
    "phase": get_args(Phase),
    "outcome": get_args(Returned),
}
"""The categorical fields of a unit that are masked and recovered, with their classes."""

_MAX_PENDING = 60
"""Values of a message that are waited for; a pasted document is no list of orders."""

REPETITIONS: tuple[str, ...] = get_args(Repetition)
"""How a unit relates to the last one of the same tool."""


class BehaviourValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a unit passes."""

    kind: ValueKind
    length: float
    """Characters, log scale."""
    siblings: float
    """Values of the unit, log scale."""
    place: float
    """Position among them, log scale."""
    listed: bool
    named: bool
    known_name: bool
    """An answer brought something under the same name before."""
    just_named: bool
    """The last answer did."""
    origin: ValueOrigin


class HeardMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message from outside."""

    length: float
    values: float
    """Artifacts in it, log scale."""
    first: bool


class BehaviourUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A transition unit in the schema."""

    fields: tuple[int, ...]
    """Classes of ``FIELDS``, in their order."""
    message: int | None
    """The last message before it."""
    fresh: bool
    """That message came since the unit before."""
    since: float
    """Units since that message, log scale."""
    pending: float
    """Values that the message told and that no call has passed yet, log scale."""
    settled: float
    """Those that one has, log scale."""
    calls: float
    same_tool: float
    """Earlier units of the same tool, log scale."""
    tool_before: int | None
    """The latest of those."""
    repetition: int
    """Index into ``REPETITIONS``."""
    values: tuple[BehaviourValue, ...]
    returned_length: float
    returned_values: float
    depends: tuple[int, ...]
    """Earlier units that it depends on in the critical transition graph."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the schema."""

    units: tuple[BehaviourUnit, ...]
    messages: tuple[HeardMessage, ...]


def behaviour_of(graph: CriticalTransitionGraph) -> Behaviour:
    """Map a run into the schema; time and memory linear in the number of its units."""
    mapping = _Mapping()
    units = [
        mapping.unit(unit, sorted({d.source for d in graph.dependencies_into.get(k, ())}))
        for k, unit in enumerate(graph.units)
    ]
    return Behaviour(units=tuple(units), messages=tuple(mapping.messages))


class _Mapping:
    """What of a run is remembered on the way through it."""

    def __init__(self) -> None:
        self.messages: list[HeardMessage] = []
        self._memory = Memory()
        self._since = 0
        self._pending: set[str] = set()
        self._settled = 0
        self._by_tool: dict[str, list[int]] = {}
        self._by_action: dict[str, int] = {}
        self._failed: set[int] = set()
        self._last_change = -1

    def unit(self, unit: TransitionUnit, depends: list[int]) -> BehaviourUnit:
        fresh = bool(unit.observed)
        if fresh:
            self._hear(unit)
        passed = passed_values(unit)
        values = tuple(self._value(unit, k, passed) for k in range(len(passed)))
        tool = f"{unit.agent}\n{unit.tool or ''}"
        before = self._by_tool.setdefault(tool, [])
        repetition = self._repetition(unit, bool(before))
        returned = self._memory.returned(unit)
        mapped = BehaviourUnit(
            fields=_fields(unit),
            message=len(self.messages) - 1 if self.messages else None,
            fresh=fresh,
            since=math.log1p(self._since),
            pending=math.log1p(len(self._pending)),
            settled=math.log1p(self._settled),
            calls=math.log1p(len(unit.calls)),
            same_tool=math.log1p(len(before)),
            tool_before=before[-1] if before else None,
            repetition=REPETITIONS.index(repetition),
            values=values,
            returned_length=math.log1p(sum(len(call.result) for call in unit.calls)),
            returned_values=math.log1p(returned),
            depends=tuple(depends),
        )
        self._remember(unit, passed, before)
        return mapped

    def _hear(self, unit: TransitionUnit) -> None:
        self._memory.hear(len(self.messages), unit.observation)
        self.messages.append(
            HeardMessage(
                length=math.log1p(len(unit.observation)),
                values=math.log1p(len(unit.observed)),
                first=not self.messages,
            )
        )
        self._since = 0
        self._pending = set(sorted(artifacts_of_text(unit.observation))[:_MAX_PENDING])
        self._settled = 0

    def _value(
        self, unit: TransitionUnit, place: int, passed: tuple[PassedValue, ...]
    ) -> BehaviourValue:
        value = passed[place]
        return BehaviourValue(
            kind=value.kind,
            length=math.log1p(len(value.plain)),
            siblings=math.log1p(len(passed)),
            place=math.log1p(place),
            listed=value.listed,
            named=bool(value.key),
            known_name=bool(value.key) and value.key in self._memory.keys,
            just_named=bool(value.key) and value.key in self._memory.last_keys,
            origin=self._memory.origin(unit, value),
        )

    def _repetition(self, unit: TransitionUnit, tool_known: bool) -> Repetition:
        same = self._by_action.get(_action(unit))
        if same is None:
            return "other arguments" if tool_known else "first of its tool"
        if same in self._failed:
            return "after a failure"
        return "after a change" if self._last_change > same else "nothing changed"

    def _remember(
        self, unit: TransitionUnit, passed: tuple[PassedValue, ...], before: list[int]
    ) -> None:
        self._memory.passed(unit, passed)
        if unit.calls:
            said = "\n".join(value.plain for value in passed)
            done = {artifact for artifact in self._pending if artifact in said}
            self._pending -= done
            self._settled += len(done)
        before.append(unit.ordinal)
        if unit.status == "error":
            self._failed.add(unit.ordinal)
        elif unit.side_effect:
            self._last_change = unit.ordinal
        self._by_action[_action(unit)] = unit.ordinal
        self._since += 1


def _action(unit: TransitionUnit) -> str:
    return f"{unit.agent}\n{unit.action[:2_000]}"


def _fields(unit: TransitionUnit) -> tuple[int, ...]:
    role: CallRole = "speaks" if not unit.calls else "calls"
    if len(unit.calls) > 1:
        role = "calls several"
    classes = (unit.intent, unit.status, role, unit.phase, _returned(unit))
    return tuple(names.index(value) for names, value in zip(FIELDS.values(), classes, strict=True))


def _returned(unit: TransitionUnit) -> Returned:
    """What shape of answer came back; of several, the richest."""
    shapes = [_shape(call.result) for call in unit.calls]
    if not shapes and unit.produced:
        shapes = ["text"]
    order: tuple[Returned, ...] = get_args(Returned)
    return order[max((order.index(shape) for shape in shapes), default=0)]


def _shape(result: str) -> Returned:
    text = result.strip()
    if not text:
        return "nothing"
    if text in ("{}", "[]", '""', "null", "None", "none"):
        return "empty"
    if text[0] == "{":
        return "record"
    if text[0] == "[" or text.startswith("- "):
        return "list"
    return "value" if len(text.split()) <= 3 else "text"
