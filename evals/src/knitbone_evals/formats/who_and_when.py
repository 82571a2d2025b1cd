"""Who&When failure logs (arXiv 2505.00212): one run a file, several agents in one ``history``.

In algorithm-generated logs ``name`` says who speaks and ``role`` only which side of the chat; in
hand-crafted ones (Magentic-One) the role carries the agent: ``Orchestrator (thought)``,
``WebSurfer``. ``mistake_agent``, ``mistake_step``, its reason and ``ground_truth`` are labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Annotation, Json
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.messages import (
    STANDARD_ROLES,
    ImportedMessage,
    Speaker,
    build_run,
    text_of,
)
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    first_object,
)
from knitbone.wire.fields import object_of

__all__ = ["ROLE", "TURN", "agent_turns", "read", "recognises"]

FORMAT = "who-and-when"

_EXECUTOR = re.compile(
    r"exitcode: -?\d+ \(execution|There is no code from the last \d+ message|"
    r"The script ran\b|No code block detected in the messages"
)
"""How AutoGen's and Magentic-One's code executors begin everything they say."""

_OWN = frozenset({
    "question", "question_ID", "ground_truth", "mistake_agent", "mistake_reason", "mistake_step",
    "mistake_type", "is_correct", "is_corrected",
})  # fmt: skip
"""Keys of which a log has at least one."""
TURN = frozenset({"content", "name", "role"})
"""All that a turn of these logs has; what has more, such as calls, is of another format."""
_KNOWN = TURN | {"id", "index", "metadata", "source", "timestamp", "type"}
"""What else may stand beside a turn without changing what was said (AgentRx)."""

ROLE = re.compile(r"([^()]{1,200}?)\s*\((?:->\s*)?([^()]{1,200})\)\s*")


def recognises(value: Json) -> bool:
    """An object with a list ``history`` of plain turns, and a question or label beside it (or a
    list of such objects)."""
    first = first_object(value)
    if first is None or not isinstance(first.get("history"), list):
        return False
    return not _OWN.isdisjoint(first) and all(
        set(object_of(item)) <= TURN  # what is no object is said by ``read``
        for item in cast("list[Any]", first["history"])
    )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The run of a Who&When file (or the runs of a list of such objects)."""
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        turns = [
            *_prompts(record.get("system_prompt")),
            *agent_turns(record.get("history"), place.at("history")),
        ]
        question = record.get("question")
        question_id = record.get("question_ID")
        identity: dict[str, Json] = {"file": PurePath(path).stem}
        if isinstance(question_id, (str, int)):
            identity["question_ID"] = question_id
        verdict = record.get("is_correct", record.get("is_corrected"))
        run = build_run(
            turns, source_format=FORMAT, place=place, identity=identity, name=PurePath(path).name,
            task=question if isinstance(question, str) else "",
            outcome=(verdict, None) if isinstance(verdict, bool) else None,
        )  # fmt: skip
        yield ImportedRun(run=run, labels=_labels(run.id, record))


def _labels(run_id: str, record: Any) -> tuple[Annotation, ...]:
    step = record.get("mistake_step")
    text = str(step)[:12] if isinstance(step, (str, int)) else ""
    body = {
        "index": int(text) if text.isascii() and text.isdigit() else None,
        "agent": record.get("mistake_agent"),
        "reason": record.get("mistake_reason"),
        "category": record.get("mistake_type"),
        "ground_truth": record.get("ground_truth"),
    }
    if all(value is None for value in body.values()):
        return ()
    return (Annotation(id=f"{run_id}.label", run=run_id, kind="label", body=body),)


def _prompts(prompts: Json) -> Iterator[ImportedMessage]:
    if not isinstance(prompts, dict):
        return
    for agent, prompt in cast("dict[str, Any]", prompts).items():
        if isinstance(prompt, str):
            yield ImportedMessage(speaker="system", agent=agent, content=prompt, index=None)


def agent_turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    """The turns of a log of several agents; who is a code executor shows in what it says.

    A speaker counts as the environment when everything it says is an executor's report.

    Raises:
        InputFormatError: not a list of messages.
    """
    spoken: list[tuple[str, str | None, str]] = []
    for index, item in enumerate(as_list(value, place)):
        message = as_object(item, place.at(index))
        role = as_text(message.get("role"), place.at(index).at("role"))
        if unknown := next((key for key in message if key not in _KNOWN), None):
            raise InputFormatError(
                f"{place.at(index)} has the field {unknown!r}, which logs of several agents have"
                " not; it would be lost.",
                next_step="Name the format that it is with --format.",
            )
        name = message.get("name")
        who, mode = (name, None) if isinstance(name, str) and name else _split_role(role)
        content = text_of(message.get("content"), place.at(index).at("content"))
        spoken.append((who, mode, content))
    agents = {who for who, _, content in spoken if not _EXECUTOR.match(content)}
    return [
        ImportedMessage(
            speaker=_speaker(who, agents),
            content=content,
            index=index,
            mode=mode,
            agent=None if who in STANDARD_ROLES or who == "human" else who,
        )
        for index, (who, mode, content) in enumerate(spoken)
    ]


def _split_role(role: str) -> tuple[str, str | None]:
    match = ROLE.fullmatch(role[:500])
    return (match[1], match[2].strip()) if match else (role, None)


def _speaker(who: str, agents: set[str]) -> Speaker:
    if who in ("human", "user"):
        return "user"
    if who in ("system", "developer"):
        return "system"
    return "agent" if who in agents else "environment"
