"""Whether every tool call and result that stands in a file is in the runs that were read from it.

A second look at the file, which knows no format: a call names a tool and passes arguments,
a result is what a tool's message or block holds, wherever they stand and whatever the keys around
them are called. An importer that passed one over has misread the file, which is refused: a
diagnosis of a run without its calls would be wrong, and look right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json, Message, ModelCall, Run, ToolCall
from knitbone.tethering.interchange.importers.messages import USER_CALLS
from knitbone.tethering.interchange.untrusted_json import JsonPlace, parse_lenient
from knitbone.wire.fields import object_of

__all__ = ["check_complete"]

_ARGUMENTS = ("arguments", "args", "input")
_IDENTIFIERS = ("id", "call_id", "tool_call_id", "tool_use_id", "callId", "toolCallId")
_CALLED = ("tool_use", "function_call", "tool_call", "tool-call", "functionCall", "toolUse")
_RESULTS = ("tool_result", "_call_output", "function_response", "tool-result", "toolResult",
            "functionResponse")  # fmt: skip
_TOOL_ROLES = ("tool", "function")
_LISTED = (
    "tool_calls", "toolCalls", "invalid_tool_calls", "function_call", "functionCall", "toolUse",
)  # fmt: skip
"""Fields that hold a call, or a list in which everything is one."""
_ANSWERED = ("tool_call_id", "tool_use_id", "toolCallId", "toolUseId")
_ENCODED = ("input", "output")
"""Where platforms keep values as JSON text."""
_DEFINED = ("description", "parameters", "strict")
"""What tells the definition of a tool from a call of it."""
_ASIDE = {
    *_IDENTIFIERS, "additional_kwargs", "annotations", "artifact", "cache_control", "caller",
    "created", "format", "index", "kind", "media_type", "mime_type", "object", "requestor",
    "response_metadata", "role", "signature", "status", "thoughtSignature", "thought_signature",
    "time", "timestamp", "turn_idx", "type",
}  # fmt: skip
"""Fields of a call or result that say nothing of what was asked or answered."""


class _Found(NamedTuple):
    """A call or a result that stands in the file."""

    what: str
    """The tool's name, of a call that has one."""
    words: tuple[str, ...]
    """The texts in it."""
    place: JsonPlace
    is_call: bool


_NAMING = {"action", "called", "fn", "func", "function", "name", "recipient", "tool"}
"""Words of keys that name a tool, such as ``toolName``; a key with another word says more."""
_PASSING = {"arg", "args", "arguments", "input", "inputs", "kwargs", "parameters", "params"}
_CALLING = {"action", "actions", "call", "calls", "invocation", "invocations"}
_TOOLS = {"function", "functions", "tool", "tools"}
"""Words of keys under which calls stand, ``toolRequests`` or ``calls``; ``tools`` alone defines."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[\w.:/-]{1,100}")


def check_complete(value: Json, runs: Sequence[Run], path: str) -> None:
    """Nothing, where every call and result of the file stands in the runs.

    Raises:
        InputFormatError: one does not.
    """
    read: _Read | None = None
    own = {run.origin.format for run in runs if run.origin is not None} == {"messages"}
    for item in _found(value, JsonPlace(path), told=own):
        read = read or _Read(runs)
        missing = next((words for words in item.words if not read.holds(words, item)), None)
        if missing is None:
            continue
        thing = f"a call of the tool {item.what[:60]!r}" if item.what else (
            "a tool call" if item.is_call else "a tool's result"
        )  # fmt: skip
        raise InputFormatError(
            f"{item.place} holds {thing} that would be lost: {missing[:60]!r} was not read.",
            next_step="The file is of a format that knitbone does not read, or was changed;"
            " docs/reference/interchange.md lists the formats. Please report it if it is"
            " one of them.",
        )


class _Read:
    """What of calls and results stands in the runs."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._asked: set[str] = set()
        self._answered: set[str] = set()
        for event in (event for run in runs for event in run.events):
            # What a user's own tools were asked stands in an attribute, what they answered is a
            # message of the environment.
            self._asked.update(_strings(event.attributes.get(USER_CALLS)))
            if isinstance(event, ToolCall):
                self._asked.update((event.name, *_strings(event.arguments)))
                self._answered.update(_strings([event.result, event.error and event.error.message]))
            elif isinstance(event, Message) and event.role == "environment":
                self._answered.add(event.content)
            elif isinstance(event, ModelCall):
                for said in (*event.input, *((event.output,) if event.output else ())):
                    for call in said.tool_calls:
                        self._asked.update((call.name, *_strings(call.arguments)))
                    if said.role == "tool":
                        self._answered.add(said.content)
        self._all = "\n".join(self._answered)

    def holds(self, text: str, item: _Found) -> bool:
        """Whether a text of a call or result was read as such, alone or among others."""
        if text in self._asked or not text.strip():
            return True
        if item.is_call:
            return False
        return (
            text in self._answered
            or text in self._all
            or json.dumps(text)[1:-1] in self._all
            or json.dumps(text, ensure_ascii=False)[1:-1] in self._all
        )


def _found(value: Json, place: JsonPlace, *, told: bool) -> Iterator[_Found]:
    """The calls and results in a value.

    Args:
        told: the value holds what happened in a run, as a message does, and not what should have
            happened, or how the run was judged: what looks like a call there is one.
    """
    stack: list[tuple[Json, JsonPlace, bool, str, bool]] = [(value, place, False, "", told)]
    while stack:
        item, at, listed, under, told = stack.pop()
        if isinstance(item, list):
            items = list(enumerate(cast("list[Any]", item)))
            stack.extend((each, at.at(n), listed, under, told) for n, each in items[::-1])
        if not isinstance(item, dict):
            continue
        body = cast("dict[str, Any]", item)
        is_result = not listed and _is_result(body)
        told = told or isinstance(body.get("role"), str)
        named = _named_call(body, under) if told and not is_result else ""
        if is_result or listed or _is_call(body) or named:
            name = body.get("name", object_of(body.get("function")).get("name", named))
            aside = _ASIDE if is_result else {*_ASIDE, "error"}  # of a call that a model garbled
            words = tuple(_strings({k: v for k, v in body.items() if k not in aside}))
            called = name if isinstance(name, str) and not is_result else ""
            yield _Found(called, words, at, is_call=not is_result)
            continue  # what stands in it may itself look like a call
        for key, each in list(body.items())[::-1]:
            inner = _decoded(each) if key in _ENCODED else each
            if isinstance(inner, (dict, list)):
                stack.append((cast("Json", inner), at.at(key), key in _LISTED, key, told))


def _named_call(body: Mapping[str, Any], under: str) -> str:
    """The tool of what looks like a call: a name beside arguments, one of them told by its key or
    both by the key that they stand under. Empty where it does not."""
    if (
        "messages" in body
        or "role" in body
        or any(key in body for key in ("description", "output"))
    ):
        return ""  # a record, a message, a definition, a span of a platform
    names = {
        key: value
        for key, value in body.items()
        if key not in _ASIDE and isinstance(value, str) and _NAME.fullmatch(value)
    }
    above = _words(under)
    defines = bool(above) and above <= _TOOLS
    passed = [
        key
        for key, value in body.items()
        if isinstance(given := _decoded(value), dict)
        and (given or not defines)
        and not {"properties", "$schema"} & set(cast("dict[str, Any]", given))
    ]
    called = bool(above & _CALLING or (above & _TOOLS and above - _TOOLS))
    for key, name in names.items():
        words = _words(key)
        naming = bool(words) and words <= _NAMING
        for other in passed:
            passing = bool(_words(other) & _PASSING)
            if other != key and (called or (naming and (passing or words != {"name"}))):
                return name
    return ""


def _words(key: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(key)}


def _is_call(body: Mapping[str, Any]) -> bool:
    function = object_of(body.get("function"))
    if "arguments" in function or set(body) == {"name", "arguments"}:
        return True
    if function and body.get("type", "function") == "function":
        return not any(key in function or key in body for key in _DEFINED)
    kind = _kind(body)
    if kind.endswith(_CALLED):
        return not any(key in body for key in _DEFINED)
    # A record of a platform has a name and an input, too, and with them an output.
    named = bool(body.get("name")) and any(key in body for key in _ARGUMENTS)
    marked = any(key in body for key in _IDENTIFIERS)
    return named and marked and "output" not in body and "outputs" not in body


def _is_result(body: Mapping[str, Any]) -> bool:
    if "tool_messages" in body:
        return False
    kind, made = _kind(body), body.get("id")
    if isinstance(made, list) and cast("list[Any]", made)[-1:] in (
        ["ToolMessage"],
        ["FunctionMessage"],
    ):
        return True
    if any(key in body for key in _ANSWERED) and not any(key in body for key in _ARGUMENTS):
        return True
    return body.get("role") in _TOOL_ROLES or kind.endswith(_RESULTS) or (
        kind in _TOOL_ROLES and any(key in body for key in ("content", "data", "tool_call_id"))
    )  # fmt: skip


def _kind(body: Mapping[str, Any]) -> str:
    kind = body.get("type")
    return kind if isinstance(kind, str) else ""


def _decoded(value: Json) -> Json:
    """A value that was written as JSON text, once or twice."""
    for _ in range(2):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        value = parse_lenient(value)
    return value


def _strings(value: Json) -> Iterator[str]:
    """The texts in a value, those in containers and in arguments that are JSON text, too."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            stack.extend(cast("Sequence[Any]", item))
        elif isinstance(item, dict):
            for key, each in cast("dict[str, Any]", item).items():
                if key in _ARGUMENTS and isinstance(each, str):
                    stack.append(parse_lenient(each))
                elif key not in _ASIDE or not isinstance(each, str):
                    stack.append(each)
