"""A run in the behaviour schema as the arrays that the transformer takes.

Nodes are of four types: units, the values they pass, the answers they got (one a unit) and
messages. Every edge has its opposite as a relation of its own. Row 0 of every type is padding and
every relation has one edge between paddings, so that no array is ever empty.

What is scored is hidden first: in fold ``f`` the fields, the answer and the edges of every
``FOLDS``-th unit are taken out, and the model has to recover them from the rest.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from knitbone.tethering.diagnosis.behaviour import FIELDS, Behaviour
from knitbone.tethering.diagnosis.provenance import NEAR, ValueKind, ValueOrigin

__all__ = [
    "AGREEMENTS",
    "CANDIDATES",
    "CANDIDATE_NODES",
    "FOLDS",
    "NUMBERS",
    "RELATIONS",
    "USES",
    "Arrays",
    "Floats",
    "RunArrays",
    "arrays_of",
    "forward_only",
    "masked",
]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Arrays = dict[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]]
"""By the names of the model's inputs."""

_Number = TypeVar("_Number", np.int64, np.float32)

FOLDS = 4
"""A unit in four is hidden at a time: its neighbours on both sides stay visible."""

RELATIONS: dict[str, tuple[str, str]] = {
    "follows": ("unit", "unit"),
    "followed": ("unit", "unit"),
    "passes": ("value", "unit"),
    "passed": ("unit", "value"),
    "answers": ("result", "unit"),
    "answered": ("unit", "result"),
    "heard": ("message", "unit"),
    "hears": ("unit", "message"),
    "told": ("message", "value"),
    "tells": ("value", "message"),
    "brought": ("result", "value"),
    "brings": ("value", "result"),
    "reused": ("unit", "value"),
    "reuses": ("value", "unit"),
    "tool before": ("unit", "unit"),
    "tool again": ("unit", "unit"),
    "depends": ("unit", "unit"),
    "supports": ("unit", "unit"),
    "precedes": ("unit", "query"),
    "prompts": ("message", "query"),
}
"""Types of source and target of each relation. A relation and its opposite stand in pairs, the one
that goes forward in time first; nothing comes back from a query."""

_BACKWARD = tuple(RELATIONS)[1:-2:2]
"""The opposites: the second of each pair. The last two relations have none."""

NUMBERS = {"unit": 4, "value": 7, "result": 2, "message": 3, "query": 4}
"""Numeric attributes of each type of node."""

AGREEMENTS = 4
CANDIDATE_NODES: tuple[str | None, ...] = (
    None,
    *3 * ("message",),
    *(NEAR + 1) * ("result",),
    "unit",
)
"""Places that a value may have come from, with the type of their node: nowhere, the last message,
the one before, the first one, each of the last answers, an answer further back, an earlier step."""
CANDIDATES = len(CANDIDATE_NODES)

USES = ("never", "at once", "later")
"""Whether a later unit passes what an answer brought."""

_KINDS: tuple[str, ...] = get_args(ValueKind)
_LAST, _BEFORE, _FIRST, _NEAR, _FAR, _STEP = 1, 2, 3, 4, 4 + NEAR, 5 + NEAR


class RunArrays(msgspec.Struct, frozen=True, kw_only=True):
    """A run's arrays before anything is hidden; indices start at 0."""

    fields: Integers
    """units x fields"""
    numbers: dict[str, Floats]
    kinds: Integers
    """of the values"""
    owners: Integers
    """unit of each value"""
    edges: dict[str, Integers]
    """2 x edges, of every other relation: source, target."""
    edge_units: dict[str, Integers]
    """2 x edges: an edge is hidden together with either of these units; -1 for none."""
    candidates: Integers
    """values x candidates: node of its type, -1 where there is none."""
    origin: Integers
    """Of each value: candidate * AGREEMENTS + agreement."""
    repetition: Integers
    uses: Integers
    ordinals: Integers
    """Ordinal of each unit in its run."""


def arrays_of(behaviour: Behaviour) -> RunArrays:
    """The arrays of one run; linear in the number of its units."""
    units = behaviour.units
    values = [(k, value) for k, unit in enumerate(units) for value in unit.values]
    builder = _Edges()
    uses = _uses(behaviour)
    candidates: list[list[int]] = []
    origin: list[int] = []
    for number, (k, value) in enumerate(values):
        builder.add("passes", number, k)
        choices = _choices(behaviour, k)
        place, position = value.origin.place, value.origin.position
        origin.append(_place(choices, k, value.origin) * AGREEMENTS + value.origin.agreement)
        candidates.append(choices)
        if place == "message":
            builder.add("told", position, number, hidden=(k, -1))
        elif place == "result":
            builder.add("brought", position, number, hidden=(k, position))
        elif place == "earlier step":
            builder.add("reused", position, number, hidden=(k, -1))
    _add_units(builder, behaviour)
    edges, hidden = builder.arrays()
    return RunArrays(
        fields=np.array([u.fields for u in units], dtype=np.int64).reshape(-1, len(FIELDS)),
        numbers={
            "unit": _floats([(u.fresh, u.since, u.calls, u.same_tool) for u in units], 4),
            "value": _floats(
                [
                    (v.length, v.siblings, v.place, v.listed, v.named, v.known_name, v.just_named)
                    for _, v in values
                ],
                7,
            ),
            "query": _floats([(u.fresh, u.since, u.pending, u.settled) for u in units], 4),
            "result": _floats([(u.returned_length, u.returned_values) for u in units], 2),
            "message": _floats([(m.length, m.values, m.first) for m in behaviour.messages], 3),
        },
        kinds=np.array([_KINDS.index(v.kind) for _, v in values], dtype=np.int64),
        owners=np.array([k for k, _ in values], dtype=np.int64),
        edges=edges,
        edge_units=hidden,
        candidates=np.array(candidates, dtype=np.int64).reshape(-1, CANDIDATES),
        origin=np.array(origin, dtype=np.int64),
        repetition=np.array([u.repetition for u in units], dtype=np.int64),
        uses=np.array(uses, dtype=np.int64),
        ordinals=np.arange(len(units), dtype=np.int64),
    )


def _add_units(builder: _Edges, behaviour: Behaviour) -> None:
    """The edges between units, and between units and messages."""
    for k, unit in enumerate(behaviour.units):
        if k:
            builder.add("follows", k - 1, k)
            builder.add("precedes", k - 1, k)
        builder.add("answers", k, k)
        if unit.message is not None:
            builder.add("heard", unit.message, k)
            builder.add("prompts", unit.message, k)
        if unit.tool_before is not None:
            builder.add("tool before", unit.tool_before, k)
        for source in unit.depends:
            builder.add("depends", source, k, hidden=(k, source))


class _Edges:
    """Edges as they are found, each with its opposite."""

    def __init__(self) -> None:
        self._edges: dict[str, list[tuple[int, int]]] = {name: [] for name in RELATIONS}
        self._hidden: dict[str, list[tuple[int, int]]] = {name: [] for name in RELATIONS}

    def add(
        self, relation: str, source: int, target: int, *, hidden: tuple[int, int] = (-1, -1)
    ) -> None:
        self._edges[relation].append((source, target))
        self._hidden[relation].append(hidden)

    def arrays(self) -> tuple[dict[str, Integers], dict[str, Integers]]:
        names = list(RELATIONS)
        edges: dict[str, Integers] = {}
        hidden: dict[str, Integers] = {}
        for name in names:
            edges[name] = np.array(self._edges[name], dtype=np.int64).reshape(-1, 2).T
            hidden[name] = np.array(self._hidden[name], dtype=np.int64).reshape(-1, 2).T
        for name, opposite in zip(names[:-2:2], _BACKWARD, strict=True):
            edges[opposite], hidden[opposite] = edges[name][::-1], hidden[name]
        return edges, hidden


def _uses(behaviour: Behaviour) -> list[int]:
    """For each unit an index into ``USES``."""
    found = [0] * len(behaviour.units)
    for k, unit in enumerate(behaviour.units):
        for value in unit.values:
            if value.origin.place == "result":
                source = value.origin.position
                found[source] = 1 if k == source + 1 else found[source] or 2
    return found


def _choices(behaviour: Behaviour, k: int) -> list[int]:
    """The nodes that a value of unit ``k`` may have come from, by ``CANDIDATES``."""
    choices = [-1] * CANDIDATES
    choices[0] = 0
    last = behaviour.units[k].message
    if last is not None:
        choices[_LAST] = last
        if last > 0:
            choices[_BEFORE] = last - 1
        if last > 1:
            choices[_FIRST] = 0
    for back in range(1, NEAR + 1):
        if k - back >= 0:
            choices[_NEAR + back - 1] = k - back
    # Where the true origin is none of these, it takes the place of what stands here.
    if k - NEAR - 1 >= 0:
        choices[_FAR] = k - NEAR - 1
    if k:
        choices[_STEP] = k - 1
    return choices


def _place(choices: list[int], k: int, origin: ValueOrigin) -> int:
    """Return the candidate that is the origin; if it is none of the choices, put it in place of one
    in ``choices``."""
    position = origin.position
    if origin.place == "nowhere":
        return 0
    if origin.place == "earlier step":
        choices[_STEP] = position
        return _STEP
    if origin.place == "result":
        back = k - position
        if 1 <= back <= NEAR:
            return _NEAR + back - 1
        choices[_FAR] = position
        return _FAR
    for candidate in (_LAST, _FIRST):
        if choices[candidate] == position:
            return candidate
    choices[_BEFORE] = position
    return _BEFORE


def _floats(rows: Sequence[tuple[float, ...]], width: int) -> Floats:
    return np.array(rows, dtype=np.float32).reshape(-1, width)


def forward_only(run: RunArrays) -> Arrays:
    """The model's inputs with nothing hidden and no edge back in time: what a unit's query
    gathers is what was known before the unit acted."""
    arrays = masked(run, np.zeros(len(run.fields), dtype=np.bool_))
    for name in _BACKWARD:
        arrays[_input(name)] = np.zeros((2, 1), dtype=np.int64)
    return arrays


def masked(run: RunArrays, hidden: npt.NDArray[np.bool_]) -> Arrays:
    """The model's inputs with some units hidden.

    Args:
        hidden: one flag a unit.
    """
    classes = np.array([len(names) for names in FIELDS.values()], dtype=np.int64)
    fields = np.where(hidden[:, None], classes, run.fields)
    answers = np.where(hidden[:, None], 0, run.numbers["result"]).astype(np.float32)
    arrays: Arrays = {
        "unit_fields": _padded(fields),
        "unit_numbers": _padded(run.numbers["unit"]),
        "value_kinds": np.concatenate([[0], run.kinds]).astype(np.int64),
        "value_numbers": _padded(run.numbers["value"]),
        "value_owners": np.concatenate([[0], run.owners + 1]).astype(np.int64),
        "result_numbers": _padded(answers),
        "message_numbers": _padded(run.numbers["message"]),
        "query_numbers": _padded(run.numbers["query"]),
        "candidates": _padded(run.candidates + 1),
    }
    flags = np.append(hidden, False)  # index -1 reads the last
    for name in RELATIONS:
        shown = ~flags[run.edge_units[name]].any(axis=0)
        edges = run.edges[name][:, shown] + 1
        arrays[_input(name)] = np.concatenate([np.zeros((2, 1), np.int64), edges], axis=1)
    return arrays


def _input(relation: str) -> str:
    return "edges_" + relation.replace(" ", "_")


def _padded(rows: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    return np.concatenate([np.zeros((1, rows.shape[1]), rows.dtype), rows])
