"""AgentRx's labelled trajectories: τ-bench retail runs, and Magentic-One message lists.

The labels stand in files of their own (``*_ground_truth.json``): their ``step_number`` is
1-based over the run's message list, ``failure_id`` is an integer or a string.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, cast

import msgspec

from knitbone.record.events import Json
from knitbone.tethering.interchange.importers.imported_run import ImportedRun, LabelsOnlyError
from knitbone.tethering.interchange.importers.messages import build_run
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    first_object,
)
from knitbone.wire.fields import object_of
from knitbone_evals.formats import tau_bench
from knitbone_evals.formats.who_and_when import ROLE, TURN, agent_turns

__all__ = ["RootCause", "read", "read_ground_truth", "recognises"]

FORMAT = "agentrx"

_LONGEST = 500
"""Characters of a role (ours)."""


class RootCause(msgspec.Struct, frozen=True, kw_only=True):
    """What the annotators called the root cause of one trajectory."""

    trajectory: str
    index: int
    """0-based position in the run's message list (the file's ``step_number`` less one)."""
    category: str = ""
    agent: str = ""


def recognises(value: Json) -> bool:
    """τ-bench records with numbered messages; a message list whose roles name agents and what they
    do, such as ``Orchestrator (thought)``; or the file of labels."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    if tau_bench.is_trajectory(cast("list[Any]", value)):
        return tau_bench.is_numbered(cast("list[Any]", value))
    if _is_ground_truth(cast("list[Any]", value)):
        return True
    messages = [object_of(item) for item in cast("list[Any]", value)]
    return all(set(message) <= TURN for message in messages) and any(
        role == "human" or ROLE.fullmatch(role[:_LONGEST]) is not None
        for message in messages
        if isinstance(role := message.get("role"), str)
    )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of an AgentRx run file, of either kind.

    Raises:
        LabelsOnlyError: it is the file of labels.
        InputFormatError: a record is not laid out as such.
    """
    if _is_ground_truth(value):
        raise LabelsOnlyError(
            f"{path} holds ground-truth labels, no runs.",
            next_step="Give the file or folder of the runs themselves.",
        )
    if tau_bench.is_trajectory(value):
        yield from tau_bench.read_as(FORMAT, value, path)
        return
    place = JsonPlace(path)
    stem = PurePath(path).stem
    run = build_run(
        agent_turns(value, place),
        source_format=FORMAT, place=place, identity={"trajectory_id": stem}, name=stem,
    )  # fmt: skip
    yield ImportedRun(run=run)


def _is_ground_truth(value: Json) -> bool:
    """Whether this is a file of labels: records of a trajectory and its failures, no messages."""
    first = first_object(value) if isinstance(value, list) else None
    return first is not None and {"trajectory_id", "failures"} <= set(first)


def read_ground_truth(value: Json, path: str) -> Iterator[RootCause]:
    """The root causes of a ground-truth file; a record without a usable one is passed over."""
    for number, item in enumerate(as_list(value, JsonPlace(path))):
        place = JsonPlace(path, number)
        record = as_object(item, place)
        wanted = str(as_object(record.get("root_cause"), place.at("root_cause")).get("failure_id"))
        for at, failure in enumerate(as_list(record.get("failures"), place.at("failures"))):
            body = as_object(failure, place.at("failures").at(at))
            step = str(body.get("step_number"))
            if str(body.get("failure_id")) == wanted and step.isascii() and step.isdigit():
                yield RootCause(
                    trajectory=str(record.get("trajectory_id")), index=int(step) - 1,
                    category=str(body.get("failure_category", "")),
                    agent=str(body.get("failed_agent", "")),
                )  # fmt: skip
                break
