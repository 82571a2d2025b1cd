"""τ-bench results: a list of ``{task_id, reward, info, traj, trial}`` (arXiv 2406.12045).

``traj`` is an OpenAI chat message list. The gold actions and outputs in ``info`` are labels; the
reward is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from knitbone.record.events import Annotation, Json, Run
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.messages import build_run, chat_turns, outcome_from
from knitbone.tethering.interchange.untrusted_json import JsonPlace, as_object, first_object
from knitbone.wire.fields import object_of

__all__ = ["is_numbered", "is_trajectory", "read", "read_as", "recognises"]

FORMAT = "tau-bench"


def recognises(value: Json) -> bool:
    """Trajectories as τ-bench writes them; AgentRx's are numbered."""
    return is_trajectory(value) and not (isinstance(value, list) and is_numbered(value))


def is_trajectory(value: Json) -> bool:
    """An object with a list ``traj`` and its task or reward, or a list of such objects."""
    first = first_object(value)
    return (
        first is not None
        and isinstance(first.get("traj"), list)
        and not {"task_id", "reward"}.isdisjoint(first)
    )


def is_numbered(value: Json) -> bool:
    """Whether trajectories have what AgentRx adds: ``records``, or an ``index`` in each message."""
    first = first_object(value) or {}
    return "records" in first or "index" in (first_object(first.get("traj")) or {})


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of a τ-bench results file."""
    return read_as(FORMAT, value, path)


def read_as(source_format: str, value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of a file laid out as τ-bench's, under the name of another format."""
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        info = _object_or_empty(record.get("info"))
        task = _object_or_empty(info.get("task"))
        identity = {key: record[key] for key in ("task_id", "trial") if key in record}
        instruction = task.get("instruction")
        run = build_run(
            chat_turns(record.get("traj"), place.at("traj")),
            source_format=source_format, place=place, identity=identity,
            name=", ".join(f"{key.removesuffix('_id')} {value}" for key, value in identity.items()),
            task=instruction if isinstance(instruction, str) else "",
            outcome=outcome_from(record, place),
        )  # fmt: skip
        yield ImportedRun(run=run, labels=_labels(run, info, task))


def _labels(run: Run, info: Mapping[str, Any], task: Mapping[str, Any]) -> tuple[Annotation, ...]:
    body = {
        "gold_actions": task.get("actions"),
        "gold_outputs": task.get("outputs"),
        "reward_info": info.get("reward_info"),
    }
    if all(value is None for value in body.values()):
        return ()
    return (Annotation(id=f"{run.id}.label", run=run.id, kind="label", body=body),)


def _object_or_empty(value: Json) -> Mapping[str, Any]:
    return object_of(value)
