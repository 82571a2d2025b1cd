"""What guidance may say of a run: names of tools and arguments, and no value.

Sentences of guidance are our own; only names enter them. A *name* is an identifier by which the
environment itself calls a tool or an argument: declared in a tool's schema, or part of a call that
went through. What a model made up, or an error message spells, may hold a value: it counts as a
name only where it cannot be one (``RunNames.tool``, ``RunNames.argument``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from knitbone.record.events import ModelCall, Run, ToolCall
from knitbone.tethering.diagnosis.rules.schemas import tool_schemas
from knitbone.tethering.diagnosis.units import TransitionUnit
from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.wire.fields import object_of

__all__ = ["RunNames", "leaves"]

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,63}")
_FIELD = re.compile(r"[a-z]+(?:_[a-z]+){1,3}")
_DIGIT = re.compile(r"\d")
_NO_TOOL = re.compile(
    r"\b(?:tool|function|action|command|method)\b|\bunknown\b|\bno such\b|\bnot (?:a )?(?:valid|"
    r"defined|callable|implemented|registered|supported)\b",
    re.IGNORECASE,
)
"""Errors that may say that there is no such tool: what is called so is no name."""
_LONGEST_VALUE = 200
"""Characters up to which a text is a value, and no passage (ours)."""
_DEEPEST, _MOST = 40, 20_000
"""Levels and leaves of one value that are looked at (ours)."""
_GUESSED_WORDS = 3
"""Words of a name that only a model or an error gives; a longer one may be a sentence (ours)."""


class RunNames:
    """The names that may be told of one run."""

    def __init__(self, run: Run, units: Iterable[TransitionUnit]) -> None:
        schemas = tool_schemas(run)
        self._tools = set(schemas)
        self._arguments = {name for schema in schemas.values() for name in _properties(schema)}
        self._values: set[str] = set()
        self._proper: set[str] = set()
        self._fields: set[str] = set()
        self._words: frozenset[str] | None = None
        for event in run.events:
            if isinstance(event, ToolCall):
                self._note(event.arguments, event.result)
            elif isinstance(event, ModelCall) and event.output:
                for request in event.output.tool_calls:
                    self._note(request.arguments)
        for unit in units:
            for call in unit.calls:
                self._note(call.arguments, call.result)
                self._fields.update(_fields_of(call.result))
                given = object_of(call.arguments)
                if call.result and not call.error:
                    self._arguments |= {name for name in given if not _DIGIT.search(name)}
                if call.result and not _NO_TOOL.search(call.error or ""):
                    self._tools.add(call.tool)  # somebody knew it, if only to refuse the call

    def _note(self, *values: Any) -> None:
        for leaf in leaves(*values):
            if len(leaf) <= _LONGEST_VALUE:
                plain = _plain(leaf)
                self._values.add(plain)
                if not leaf.islower():
                    self._proper.add(plain)

    def tool(self, name: str | None) -> str | None:
        """The name of a tool, where it may be told."""
        return self._told(name, self._tools)

    def argument(self, name: str | None) -> str | None:
        """The name of an argument, where it may be told."""
        return self._told(name, self._arguments)

    def is_known(self, name: str) -> bool:
        """Whether the environment itself calls a tool or an argument so."""
        return name in self._tools or name in self._arguments

    def is_value(self, text: str) -> bool:
        """Whether a text in plain words is a value of the run, or one in its spelling."""
        return text in self._values

    @property
    def words(self) -> frozenset[str]:
        """The words of all names that the environment itself knows, of fields in what tools
        returned, too."""
        if self._words is None:
            known = (words_of(name) for name in (*self._tools, *self._arguments, *self._fields))
            self._words = frozenset(word for words in known for word in words if len(word) > 1)
        return self._words

    def _told(self, name: str | None, known: set[str]) -> str | None:
        if not name or not _IDENTIFIER.fullmatch(name):
            return None
        if name in known:
            return name
        words = words_of(name)
        guessed = _DIGIT.search(name) is None and len(words) <= _GUESSED_WORDS
        return name if guessed and not self._holds_value(words) else None

    def _holds_value(self, words: list[str]) -> bool:
        """Whether a name is a value, or holds one of several words or one written as a proper
        name; that ``deposit_check`` holds the kind "check" of some record is no disclosure."""
        whole = " ".join(words)
        return any(
            part in self._proper or (part in self._values and (" " in part or part == whole))
            for part in _parts(words)
        )


def leaves(*values: Any) -> Iterator[str]:
    """The texts and numbers in JSON values, as texts; a text that is JSON is read as JSON, too."""
    stack = [(value, 0) for value in reversed(values)]
    for _ in range(_MOST):
        if not stack:
            return
        value, level = stack.pop()
        if isinstance(value, dict):
            if level < _DEEPEST:
                inner = cast("dict[Any, Any]", value).values()
                stack.extend((item, level + 1) for item in reversed(list(inner)))
        elif isinstance(value, (list, tuple)):
            if level < _DEEPEST:
                stack.extend((item, level + 1) for item in reversed(cast("list[Any]", value)))
        elif isinstance(value, str):
            yield value
            if value.lstrip()[:1] in ("{", "["):
                read = _json(value)
                if read is not None:
                    stack.append((read, level + 1))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield str(value)


def _fields_of(result: str) -> Iterator[str]:
    """The names of fields in a tool's answer that is JSON; one that is no plain word or two may be
    an identifier that something is filed under."""
    stack = [_json(result)] if result.lstrip()[:1] in ("{", "[") else []
    for _ in range(_MOST):
        if not stack:
            return
        value = stack.pop()
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            yield from (name for name in fields if _FIELD.fullmatch(name))
            stack.extend(fields.values())
        elif isinstance(value, list):
            stack.extend(cast("list[Any]", value))


def _json(text: str) -> Any:
    try:
        return json.loads(text) if len(text) <= 1_000_000 else None
    except (ValueError, RecursionError):
        return None


def _plain(text: str) -> str:
    """A value as the words of a name would spell it: ``Ines Okafor`` and ``ines_okafor`` alike."""
    return " ".join(words_of(text)) or text.strip().lower()


def _parts(words: list[str]) -> Iterator[str]:
    """The sequences of words in a name; it has three at most."""
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            yield " ".join(words[start:end])


def _properties(schema: dict[str, Any]) -> Iterator[str]:
    """The names in a schema's properties, the nested ones as ``outer.inner``, too."""
    for name, inner in object_of(schema.get("properties")).items():
        yield str(name)
        for below in object_of(object_of(inner).get("properties")):
            yield f"{name}.{below}"
