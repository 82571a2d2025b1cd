"""Items of OpenAI's Responses API: ``message``, ``reasoning``, ``function_call`` and its output.

A list of items is one run; so is an object with ``input`` and ``output`` (a request and its
response), or ``items`` (a conversation). Items that one model call gave (reasoning, a message, the
calls) are one turn: they stand together until something else answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json, ToolCallRequest
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.messages import (
    ImportedMessage,
    build_run,
    outcome_from,
)
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    describe,
    first_object,
    parse_lenient,
    text_of_json,
)

__all__ = ["read", "recognises"]

FORMAT = "openai-responses"

_SPEAKERS = {"developer": "system", "system": "system", "user": "user"}
_HELD = ("input", "output", "items")
"""Where an object keeps items, in the order of the conversation."""
_ARGUMENTS = ("arguments", "input", "action", "actions", "operation", "code", "queries", "query")
"""Where a call, by its type, keeps what it passes."""
_ANSWERS = ("output", "result", "tools")
_MAX_LOOKED_AT = 200


def recognises(value: Json) -> bool:
    """A list with an item that only this API has, or objects that hold such lists."""
    first = first_object(value)
    if first is None:
        return False
    if first.get("object") == "response":
        return True
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else []
    for key in _HELD:
        if isinstance(first.get(key), list):
            items = [*items, *cast("list[Any]", first[key])]
    return any(_is_particular(item) for item in items[:_MAX_LOOKED_AT])


def _is_particular(item: Json) -> bool:
    if not isinstance(item, dict):
        return False
    body = cast("dict[str, Any]", item)
    kind = body.get("type")
    if not isinstance(kind, str):
        return False
    if _is_answer(kind) or (_is_call(kind) and kind != "tool_call"):
        return True
    parts: Json = body.get("content")
    inner = first_object(parts) if isinstance(parts, list) else None
    return kind == "message" and inner is not None and inner.get("type") in (
        "input_text", "output_text", "refusal",
    )  # fmt: skip


def _is_call(kind: str) -> bool:
    return kind.endswith("_call") or kind == "program"


def _is_answer(kind: str) -> bool:
    return kind.endswith("_call_output") or kind in ("tool_search_output", "program_output")


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of lists of items.

    Raises:
        InputFormatError: an item is not laid out as its type promises.
    """
    first = first_object(value) or {}
    holds = any(isinstance(first.get(key), list) for key in _HELD)
    if isinstance(value, list) and not holds:
        place = JsonPlace(path)
        yield ImportedRun(run=build_run(_turns(value, place), source_format=FORMAT, place=place))
        return
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = JsonPlace(path, number if many else None)
        record = as_object(item, place)
        run = build_run(
            _held(record, place), source_format=FORMAT, place=place,
            identity={"id": record["id"]} if isinstance(record.get("id"), str) else {},
            outcome=outcome_from(record, place),
        )  # fmt: skip
        yield ImportedRun(run=run)


def _held(record: Mapping[str, Any], place: JsonPlace) -> list[ImportedMessage]:
    """The turns of an object; indices count on from list to list."""
    turns: list[ImportedMessage] = []
    if isinstance(record.get("instructions"), str):
        turns.append(ImportedMessage(speaker="system", content=record["instructions"], index=None))
    items: list[Json] = []
    for key in _HELD:
        held = record.get(key)
        if isinstance(held, str):  # a plain question in place of a list
            items.append({"role": "user", "content": held})
        elif held is not None:
            items.extend(as_list(held, place.at(key)))
    return turns + _turns(items, place)


class _ModelTurn:
    """What one model call gave, while its items come."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.said: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[ToolCallRequest] = []
        self._first: int | None = None
        self._action: int | None = None

    def take(self, index: int, *, acts: bool) -> None:
        """Note an item of this turn; its place is that of the first word or call."""
        self._first = index if self._first is None else self._first
        if acts and self._action is None:
            self._action = index

    def close(self) -> list[ImportedMessage]:
        """The turn, if anything came; the next item begins another."""
        if self._first is None:
            return []
        turn = ImportedMessage(
            speaker="agent", content="\n".join(self.said), thoughts="\n".join(self.thoughts),
            tool_calls=tuple(self.calls),
            index=self._first if self._action is None else self._action,
        )  # fmt: skip
        self._clear()
        return [turn]


def _turns(value: Json, place: JsonPlace) -> list[ImportedMessage]:
    turns: list[ImportedMessage] = []
    model = _ModelTurn()
    for index, item in enumerate(as_list(value, place)):
        at = place.at(index)
        body = as_object(item, at)
        kind = body.get("type") or ("message" if "role" in body else None)
        if not isinstance(kind, str):
            raise InputFormatError(
                f"{at.at('type')}: expected the type of an item, found {describe(body)}.",
                next_step="Known: message, reasoning, function_call, function_call_output, ...",
            )
        if _is_answer(kind):
            turns += [*model.close(), _answer(body, index, at)]
        elif _is_call(kind):
            turns += _called(model, body, kind, index, at)
        elif kind == "reasoning":
            model.thoughts.append(_parts(body.get("summary") or body.get("content"), at))
            model.take(index, acts=False)
        elif kind == "message":
            turns += _message(model, body, index, at)
        # What else there is (item_reference, compaction, mcp_list_tools) is no step of the agent.
    return turns + model.close()


def _message(
    model: _ModelTurn, body: Mapping[str, Any], index: int, at: JsonPlace
) -> list[ImportedMessage]:
    role = as_text(body.get("role"), at.at("role"))
    content = _parts(body.get("content"), at.at("content"))
    if role == "assistant":
        model.said.append(content)
        model.take(index, acts=True)
        return []
    speaker: Any = _SPEAKERS.get(role)
    if speaker is None:
        raise InputFormatError(
            f"{at.at('role')}: {role[:60]!r} is not a role of the Responses API.",
            next_step="Known: assistant, developer, system, user.",
        )
    return [*model.close(), ImportedMessage(speaker=speaker, content=content, index=index)]


def _called(
    model: _ModelTurn, body: Mapping[str, Any], kind: str, index: int, at: JsonPlace
) -> list[ImportedMessage]:
    """A call that the application answers, or one that the provider ran and answered itself."""
    name = body.get("name")
    arguments = next((body[k] for k in _ARGUMENTS if body.get(k) is not None), None)
    call_id = body.get("call_id") or body.get("id")
    request = ToolCallRequest(
        name=as_text(name, at.at("name")) if name is not None else kind.removesuffix("_call"),
        arguments=parse_lenient(arguments) if isinstance(arguments, str) else arguments,
        call_id=call_id if isinstance(call_id, str) else None,
    )
    model.calls.append(request)
    model.take(index, acts=True)
    results = [body[k] for k in ("output", "outputs", "results", "result") if body.get(k)]
    error = body.get("error")
    if not results and not error:
        return []
    answer = ImportedMessage(
        speaker="tool", content=text_of_json(results[0]) if results else text_of_json(error),
        index=index, call_id=request.call_id, tool=request.name,
        error=text_of_json(error)[:500] if error else None,
    )  # fmt: skip
    return [*model.close(), answer]


def _answer(body: Mapping[str, Any], index: int, at: JsonPlace) -> ImportedMessage:
    held = next((k for k in _ANSWERS if body.get(k) is not None), "output")
    output = body.get(held)
    call_id = body.get("call_id") or body.get("id")  # a local shell's answer has the latter alone
    content = _parts(output, at.at(held)) if isinstance(output, list) else text_of_json(output)
    failed = body.get("status") == "failed"  # a patch that could not be applied
    return ImportedMessage(
        speaker="tool", content=content, index=index,
        call_id=call_id if isinstance(call_id, str) else None,
        error=content[:500] or "failed" if failed else None,
    )  # fmt: skip


def _parts(value: Json, place: JsonPlace) -> str:
    """The text of parts; what is no text, such as an image, stays as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    texts: list[str] = []
    for number, item in enumerate(as_list(value, place)):
        part = as_object(item, place.at(number))
        text = next((part[k] for k in ("text", "refusal") if isinstance(part.get(k), str)), None)
        texts.append(text_of_json(part) if text is None else text)
    return "\n".join(texts)
