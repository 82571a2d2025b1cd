"""τ²-bench results: ``{info, tasks, simulations}``, or simulations alone (arXiv 2506.07982).

A simulation's ``messages`` are the conversation; the simulated user may call tools, too, which is
what the environment did, not a decision of the agent. The agent's policy stands once for all
simulations, in ``info.environment_info``, or in the simulation. ``reward_info`` and a task's
``evaluation_criteria`` are labels; the reward is the verdict.

Large results are a folder: ``results.json`` without simulations, and a file a simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Annotation, Json, Run, ToolCallRequest, Usage
from knitbone.tethering.interchange.importers.imported_run import ImportedRun, LabelsOnlyError
from knitbone.tethering.interchange.importers.messages import (
    USER_CALLS,
    ImportedMessage,
    build_run,
    outcome_from,
)
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    first_object,
    text_of_json,
)
from knitbone.wire.fields import integer_of, number_of, object_of
from knitbone.wire.usage import CHAT_COUNTS

__all__ = ["read", "recognises"]

FORMAT = "tau2-bench"

_OF_A_SIMULATION = frozenset({"reward_info", "termination_reason"})


def recognises(value: Json) -> bool:
    """An object with ``simulations`` or an index of them, or one simulation or a list of them."""
    first = first_object(value)
    if first is None:
        return False
    if _is_index(value) or isinstance(first.get("simulations"), list):
        return True
    return isinstance(first.get("messages"), list) and not _OF_A_SIMULATION.isdisjoint(first)


def _is_index(value: Json) -> bool:
    """Whether these are results whose simulations stand in files of their own."""
    body = object_of(value)
    return isinstance(body.get("simulation_index"), list) and not body.get("simulations")


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of a τ²-bench results file.

    Raises:
        LabelsOnlyError: it only lists the simulations.
        InputFormatError: a simulation is not laid out as such; one of a voice conversation holds
            ticks in place of messages and cannot be read.
    """
    if _is_index(value):
        raise LabelsOnlyError(
            f"{path} lists the simulations of τ²-bench and holds none.",
            next_step="Give the folder simulations/ beside it.",
        )
    place = JsonPlace(path)
    tasks: dict[str, Mapping[str, Any]] = {}
    policy: Json = None
    simulations: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if isinstance(value, dict) and "simulations" in value:
        results = cast("dict[str, Any]", value)
        simulations = list(as_list(results["simulations"], place.at("simulations")))
        policy = _policy(results)
        for number, item in enumerate(as_list(results.get("tasks") or [], place.at("tasks"))):
            task = as_object(item, place.at("tasks").at(number))
            tasks[str(task.get("id"))] = task
    for number, item in enumerate(simulations):
        record = as_object(item, JsonPlace(path, number))
        task = tasks.get(str(record.get("task_id")), {})
        yield _simulation(record, task, record.get("policy") or policy, JsonPlace(path, number))


def _policy(results: Mapping[str, Any]) -> Json:
    held: Json = results
    for name in ("info", "environment_info", "policy"):
        held = cast("dict[str, Any]", held).get(name) if isinstance(held, dict) else None
    return held


def _simulation(
    record: Mapping[str, Any], task: Mapping[str, Any], policy: Json, place: JsonPlace
) -> ImportedRun:
    if not record.get("messages") and record.get("ticks"):
        raise InputFormatError(
            f"{place}: a voice simulation, which holds ticks and no messages.",
            next_step="Give the results of a text simulation.",
        )
    identity: dict[str, Json] = {
        key: record[key] for key in ("task_id", "trial", "id") if record.get(key) is not None
    }
    info: Json = record.get("reward_info")
    reward = cast("dict[str, Any]", info).get("reward") if isinstance(info, dict) else None
    shown = (f"{key.removesuffix('_id')} {identity[key]}" for key in identity if key != "id")
    turns = _turns(record.get("messages"), place.at("messages"))
    if isinstance(policy, str) and policy:
        turns.insert(0, ImportedMessage(speaker="system", content=policy, index=None))
    run = build_run(
        turns,
        source_format=FORMAT, place=place, identity=identity, name=", ".join(shown),
        task=_asked(task),
        outcome=outcome_from({"reward": reward}, place.at("reward_info")),
    )  # fmt: skip
    return ImportedRun(run=run, labels=_labels(run, record, task))


def _asked(task: Mapping[str, Any]) -> str:
    """The user's instructions: a text, or an object with reason, knowledge and instructions.

    An agent that works without a user has a ticket instead.
    """
    scenario: Json = task.get("user_scenario")
    body = object_of(scenario)
    instructions: Json = body.get("instructions")
    if not isinstance(instructions, dict):
        return text_of_json(instructions or task.get("ticket"))
    parts = cast("dict[str, Any]", instructions)
    names = ("reason_for_call", "known_info", "unknown_info", "task_instructions")
    return "\n".join(parts[name] for name in names if isinstance(parts.get(name), str))


def _labels(run: Run, record: Mapping[str, Any], task: Mapping[str, Any]) -> tuple[Annotation, ...]:
    body = {
        "gold": task.get("evaluation_criteria"),
        "reward_info": record.get("reward_info"),
        "termination_reason": record.get("termination_reason"),
    }
    if all(value is None for value in body.values()):
        return ()
    return (Annotation(id=f"{run.id}.label", run=run.id, kind="label", body=body),)


def _turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    turns: list[ImportedMessage] = []
    for index, item in enumerate(as_list(value, place)):
        at = place.at(index)
        message = as_object(item, at)
        role = as_text(message.get("role"), at.at("role"))
        if role == "tool" and isinstance(message.get("tool_messages"), list):
            for number, answer in enumerate(cast("list[Any]", message["tool_messages"])):
                inner = at.at("tool_messages").at(number)
                turns.append(_answer(as_object(answer, inner), index))
        elif role == "tool":
            turns.append(_answer(message, index))
        else:
            turns.append(_said(message, role, index, at))
    return turns


def _said(message: Mapping[str, Any], role: str, index: int, at: JsonPlace) -> ImportedMessage:
    calls = _calls(message, at.at("tool_calls"))
    # Of a message that was spoken, the content may be the sound, and this the words.
    spoken = message.get("audio_script_gold") if message.get("is_audio") is True else None
    content = text_of_json(spoken or message.get("content"))
    when = _time(message.get("timestamp"))
    if role == "assistant":
        return ImportedMessage(
            speaker="agent", content=content, index=index, tool_calls=calls, started_ns=when,
            usage=_usage(message),
        )  # fmt: skip
    if role not in ("user", "system"):
        raise InputFormatError(
            f"{at.at('role')}: {role[:60]!r} is not a role of τ²-bench.",
            next_step="Known: assistant, user, system, tool.",
        )
    asked = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return ImportedMessage(
        speaker="user" if role == "user" else "system", content=content, index=index,
        started_ns=when, attributes={USER_CALLS: asked} if asked else {},
    )  # fmt: skip


def _answer(message: Mapping[str, Any], index: int) -> ImportedMessage:
    """What a tool answered: the agent, or, as a report of the environment, the user."""
    content = text_of_json(message.get("content"))
    call_id = message.get("id")
    when = _time(message.get("timestamp"))
    if message.get("requestor") == "user":
        return ImportedMessage(speaker="environment", content=content, index=index, started_ns=when)
    return ImportedMessage(
        speaker="tool", content=content, index=index, started_ns=when,
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        error=content[:500] or "error" if message.get("error") is True else None,
    )  # fmt: skip


def _calls(message: Mapping[str, Any], at: JsonPlace) -> tuple[ToolCallRequest, ...]:
    calls: list[ToolCallRequest] = []
    for number, item in enumerate(as_list(message.get("tool_calls") or [], at)):
        call = as_object(item, at.at(number))
        call_id = call.get("id")
        calls.append(
            ToolCallRequest(
                name=as_text(call.get("name"), at.at(number).at("name")),
                arguments=call.get("arguments"),
                call_id=call_id if isinstance(call_id, str) and call_id else None,
            )
        )
    return tuple(calls)


def _usage(message: Mapping[str, Any]) -> Usage | None:
    counts = object_of(message.get("usage"))
    cost = number_of(message, "cost")
    if not counts and cost is None:
        return None
    return Usage(
        input_tokens=integer_of(counts, *CHAT_COUNTS.input),
        output_tokens=integer_of(counts, *CHAT_COUNTS.output),
        cost_usd=cost,
    )


def _time(value: Json) -> int:
    """An ISO 8601 time as nanoseconds, UTC where it names no zone; 0 where it is none."""
    try:
        when = datetime.fromisoformat(value) if isinstance(value, str) and value else None
    except ValueError:
        return 0
    if when is None:
        return 0
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return int(when.timestamp() * 1_000_000) * 1_000
