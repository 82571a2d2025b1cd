"""Message lists: the base that all the public formats share, and OpenAI's chat messages.

``build_run`` turns turns into events: what an agent said is a ``ModelCall``, what a tool
answered is a ``ToolCall`` that names the model call which asked for it, everything else is a
``Message``. Every event carries its 0-based position in the source's own list.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    ChatMessage,
    ErrorInfo,
    Event,
    Json,
    Message,
    ModelCall,
    Origin,
    Outcome,
    Position,
    Run,
    ToolCall,
    ToolCallRequest,
    Usage,
    success_of,
)
from knitbone.tethering.interchange.importers.imported_run import ImportedRun, fingerprint
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    describe,
    first_object,
    parse_lenient,
)
from knitbone.wire.fields import object_of

__all__ = [
    "STANDARD_ROLES",
    "THOUGHTS",
    "USER_CALLS",
    "ImportedMessage",
    "Requests",
    "build_run",
    "chat_turns",
    "outcome_from",
    "read",
    "recognises",
    "text_of",
]

FORMAT = "messages"

STANDARD_ROLES = {
    "assistant": "agent",
    "developer": "system",
    "function": "tool",
    "system": "system",
    "tool": "tool",
    "user": "user",
}
"""OpenAI's roles, the older names included, and who speaks."""

DEFINITIONS = "gen_ai.tool.definitions"
"""The attribute of a model call that holds the tools that the model was offered."""
THOUGHTS = "knitbone.message.thoughts"
"""The attribute of a model call that holds what the model thought before it spoke."""

USER_CALLS = "knitbone.user.tool_calls"
"""The attribute of a user's message that holds the tools which the user called: no decision of the
agent's."""
UNREAD = "knitbone.import.unread"
"""The attribute of a run or event that holds the fields of its source which have no other place:
the agent may have seen what they say."""

Speaker = Literal["agent", "user", "system", "environment", "tool"]


class ImportedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a source, its format's peculiarities already resolved."""

    speaker: Speaker
    content: str
    index: int | None
    """0-based position in the source's list; ``None`` for what stands elsewhere in the file."""
    agent: str | None = None
    mode: str | None = None
    """What kind of utterance it is where the source says so, such as ``thought``."""
    tool_calls: tuple[ToolCallRequest, ...] = ()
    call_id: str | None = None
    """For a tool's answer: the call that it answers."""
    tool: str | None = None
    """For a tool's answer: the tool."""
    error: str | None = None
    """For a tool's answer: what the source itself calls an error."""
    thoughts: str = ""
    """What a model thought before it spoke, where the source keeps it apart."""
    model: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    started_ns: int = 0
    attributes: dict[str, Json] = {}


_LATER = ("error", "thoughts", "model", "finish_reason", "usage", "started_ns", "attributes")
"""Fields that came later: where they are empty, a run keeps the identifier that it had before."""


class Requests:
    """Calls that models asked for and no tool has answered yet."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[str, ToolCallRequest]] = {}
        self._by_id: dict[str, deque[int]] = {}
        self._by_name: dict[str, deque[int]] = {}
        self._in_order: deque[int] = deque()
        self._count = 0

    def add(self, event: str, calls: Sequence[ToolCallRequest]) -> None:
        for call in calls:
            self._open[self._count] = (event, call)
            if call.call_id is not None:
                self._by_id.setdefault(call.call_id, deque()).append(self._count)
            self._by_name.setdefault(call.name, deque()).append(self._count)
            self._in_order.append(self._count)
            self._count += 1

    def answer(
        self, call_id: str | None, tool: str | None
    ) -> tuple[str | None, ToolCallRequest | None]:
        """The request that is answered: by identifier, else by name, else by order.

        Returns the event that asked, and what it asked for.
        """
        queues: list[deque[int] | None] = []
        if call_id is not None:
            queues.append(self._by_id.get(call_id))
        if tool is not None:
            queues.append(self._by_name.get(tool))
        if not queues:
            queues.append(self._in_order)
        for queue in queues:
            while queue:
                found = self._open.pop(queue.popleft(), None)
                if found is not None:
                    return found
        return None, None


def build_run(
    turns: Sequence[ImportedMessage],
    *,
    source_format: str,
    place: JsonPlace,
    identity: dict[str, Json] | None = None,
    name: str = "",
    task: str = "",
    outcome: tuple[bool | None, float | None] | None = None,
    attributes: dict[str, Json] | None = None,
) -> Run:
    """The run that the turns describe.

    Args:
        outcome: success and reward as far as the source knows them; ``None`` adds no verdict.
    """
    identity = identity or {}
    said = [_identity(turn) for turn in turns]
    run_id = fingerprint(source_format, identity, place.record, said)
    requests = Requests()
    events: list[Event] = []
    for number, turn in enumerate(turns):
        events.append(_event(f"{run_id}.{number}", turn, requests))
    if outcome is not None:
        success, reward = outcome
        events.append(Outcome(id=f"{run_id}.outcome", success=success, reward=reward))
    origin = Origin(
        format=source_format, path=place.path, record=place.record or 0, identity=identity
    )
    return Run(
        id=run_id, name=name, task=task or _first_request(turns), origin=origin,
        attributes=attributes or {}, events=tuple(events), ended_ns=0,
    )  # fmt: skip


def _identity(turn: ImportedMessage) -> dict[str, Json]:
    fields: dict[str, Json] = msgspec.to_builtins(turn)
    return {name: value for name, value in fields.items() if value or name not in _LATER}


def _event(event_id: str, turn: ImportedMessage, requests: Requests) -> Event:
    position = Position(index=turn.index) if turn.index is not None else None
    attributes = dict(turn.attributes)
    if turn.mode:
        attributes["knitbone.message.mode"] = turn.mode
    if turn.thoughts:
        attributes[THOUGHTS] = turn.thoughts
    if turn.speaker == "agent":
        requests.add(event_id, turn.tool_calls)
        said = ChatMessage(role="assistant", content=turn.content, tool_calls=turn.tool_calls)
        return ModelCall(
            id=event_id, agent=turn.agent, position=position, attributes=attributes, output=said,
            started_ns=turn.started_ns, model=turn.model, finish_reason=turn.finish_reason,
            usage=turn.usage,
        )  # fmt: skip
    if turn.speaker == "tool":
        parent, request = requests.answer(turn.call_id, turn.tool)
        return ToolCall(
            id=event_id, parent=parent, agent=turn.agent, position=position,
            attributes=attributes, started_ns=turn.started_ns,
            error=ErrorInfo(type="tool error", message=turn.error) if turn.error else None,
            name=turn.tool or (request.name if request else "unknown"),
            call_id=turn.call_id or (request.call_id if request else None),
            arguments=request.arguments if request else None, result=turn.content,
        )  # fmt: skip
    return Message(
        id=event_id, agent=turn.agent, position=position, attributes=attributes,
        role=turn.speaker, content=turn.content, started_ns=turn.started_ns,
    )  # fmt: skip


def _first_request(turns: Sequence[ImportedMessage]) -> str:
    return next((turn.content for turn in turns if turn.speaker == "user"), "")


def recognises(value: Json) -> bool:
    """A list of chat messages, or objects that hold one under ``messages``."""
    first = first_object(value)
    if first is None:
        return False
    if isinstance(first.get("messages"), list):
        return True
    return isinstance(value, list) and first.get("role") in tuple(STANDARD_ROLES)


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of OpenAI chat message lists.

    A bare list of messages is one run. An object holds ``messages`` and may say ``id``, ``task``,
    ``success`` (true or false), ``reward`` (a number) and ``tools``, as the model was offered them;
    a list or JSON lines of such objects is many runs.
    """
    if isinstance(value, list) and not any(
        _holds_messages(item) for item in cast("list[Any]", value)
    ):
        turns = chat_turns(value, JsonPlace(path))
        yield ImportedRun(run=build_run(turns, source_format=FORMAT, place=JsonPlace(path)))
        return
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        identity = {
            key: record[key]
            for key in ("id", "trajectory_id", "task_id", "trial")
            if isinstance(record.get(key), (str, int))
        }
        task = record.get("task")
        turns = chat_turns(record.get("messages"), place.at("messages"))
        unread = _unread(record, _RECORD_FIELDS)
        if unread and all(turn.speaker != "agent" for turn in turns):
            raise InputFormatError(
                f"{place.at('messages')} holds nothing that the agent said, and beside it stands"
                f" what is not read: {', '.join(sorted(set(record) - _RECORD_FIELDS))[:60]}.",
                next_step="Put the agent's answers into the messages, with the role 'assistant'.",
            )
        run = build_run(
            _offered(turns, record.get("tools")),
            source_format=FORMAT, place=place, identity=identity,
            name=", ".join(f"{key.removesuffix('_id')} {value}" for key, value in identity.items()),
            task=task if isinstance(task, str) else "",
            outcome=outcome_from(record, place), attributes=unread,
        )  # fmt: skip
        yield ImportedRun(run=run)


def _offered(turns: list[ImportedMessage], tools: Json) -> list[ImportedMessage]:
    """The turns, of which the agent's first one says which tools it was offered."""
    first = next((k for k, turn in enumerate(turns) if turn.speaker == "agent"), None)
    if isinstance(tools, list) and tools and first is not None:
        attributes: dict[str, Json] = {**turns[first].attributes, DEFINITIONS: tools}
        turns[first] = msgspec.structs.replace(turns[first], attributes=attributes)
    return turns


def _holds_messages(item: Json) -> bool:
    return isinstance(item, dict) and "messages" in item


def outcome_from(record: Any, place: JsonPlace) -> tuple[bool | None, float | None] | None:
    """The verdict in ``success`` and ``reward``."""
    success, reward = record.get("success"), record.get("reward")
    if success is None and reward is None:
        return None
    if success is not None and not isinstance(success, bool):
        raise InputFormatError(
            f"{place.at('success')}: expected true, false or null, found {describe(success)}.",
            next_step="Correct the file.",
        )
    if reward is not None and (isinstance(reward, bool) or not isinstance(reward, (int, float))):
        raise InputFormatError(
            f"{place.at('reward')}: expected a number, found {describe(reward)}.",
            next_step="Correct the file.",
        )
    try:
        number = None if reward is None else float(reward)
    except OverflowError:
        number = math.inf  # refused with its place when the run is checked
    return success_of(success, number), number


def chat_turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    """The turns of OpenAI chat messages.

    Raises:
        InputFormatError: not a list of such messages.
    """
    turns: list[ImportedMessage] = []
    for index, item in enumerate(as_list(value, place)):
        at = place.at(index)
        message = as_object(item, at)
        role = as_text(message.get("role"), at.at("role"))
        speaker = STANDARD_ROLES.get(role)
        if speaker is None:
            raise InputFormatError(
                f"{at.at('role')}: {role[:60]!r} is not a role of chat messages.",
                next_step=f"Known: {', '.join(STANDARD_ROLES)}. Of several agents, "
                "each message names its own under 'name'.",
            )
        if _SAYS.isdisjoint(message) or (speaker == "tool" and "content" not in message):
            raise InputFormatError(
                f"{at}: a message of the role {role!r} without a content: {describe(message)}.",
                next_step="Put what was said under 'content'; null where nothing was.",
            )
        name = message.get("name")
        call_id = message.get("tool_call_id")
        is_tool = speaker == "tool"
        turns.append(
            ImportedMessage(
                speaker=cast("Speaker", speaker),
                index=index,
                content=text_of(message.get("content"), at.at("content")),
                agent=name if isinstance(name, str) and not is_tool else None,
                tool_calls=_tool_calls(message, at),
                call_id=call_id if isinstance(call_id, str) else None,
                tool=name if isinstance(name, str) and is_tool else None,
                attributes=_unread(message, _FIELDS, parts=message.get("content")),
            )
        )
    return turns


_FIELDS = frozenset({"content", "function_call", "name", "role", "tool_call_id", "tool_calls"})
_RECORD_FIELDS = frozenset(
    {"id", "messages", "reward", "success", "task", "task_id", "tools", "trajectory_id", "trial"}
)
"""Fields of a message, and of an object that holds a list of them, that are read."""


def _unread(
    body: Mapping[str, Json], known: frozenset[str], *, parts: Json = None
) -> dict[str, Json]:
    """What stands beside the fields that are read, and beside the texts of a content in parts."""
    kept: dict[str, Json] = {key: value for key, value in body.items() if key not in known}
    beside: list[Json] = []
    for part in map(object_of, cast("list[Any]", parts) if isinstance(parts, list) else ()):
        if isinstance(part.get("text"), str):  # else it is kept as it is
            beside.append({k: v for k, v in part.items() if k not in ("text", "type")})
    if any(beside):
        kept["content"] = beside
    return {UNREAD: kept} if any(value not in (None, "", [], {}) for value in kept.values()) else {}


_SAYS = frozenset({"audio", "content", "function_call", "refusal", "tool_calls"})
"""Fields of a chat message that say something; one without any is of another format."""


def text_of(content: Json, place: JsonPlace) -> str:
    """The text of a message: plain, absent, or in parts (what is no text stays as JSON)."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return json.dumps(content)
    texts: list[str] = []
    for part in as_list(content, place):
        text: Json = cast("dict[str, Any]", part).get("text") if isinstance(part, dict) else part
        texts.append(text if isinstance(text, str) else json.dumps(part))
    return "\n".join(texts)


def _tool_calls(message: Any, place: JsonPlace) -> tuple[ToolCallRequest, ...]:
    raw = message.get("tool_calls")
    at = place.at("tool_calls")
    if raw is None:
        legacy = message.get("function_call")
        if legacy is None:
            return ()
        raw, at = [{"function": legacy}], place.at("function_call")
    calls: list[ToolCallRequest] = []
    for number, item in enumerate(as_list(raw, at)):
        call = as_object(item, at.at(number))
        function = as_object(call.get("function", call), at.at(number).at("function"))
        arguments = function.get("arguments")
        call_id = call.get("id")
        calls.append(
            ToolCallRequest(
                name=as_text(function.get("name"), at.at(number).at("name")),
                arguments=parse_lenient(arguments) if isinstance(arguments, str) else arguments,
                call_id=call_id if isinstance(call_id, str) else None,
            )
        )
    return tuple(calls)
