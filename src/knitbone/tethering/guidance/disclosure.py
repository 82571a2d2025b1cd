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
_DIGIT = re.compile(r"\d")
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
        for event in run.events:
            if isinstance(event, ToolCall):
                self._note(event.arguments, event.result)
            elif isinstance(event, ModelCall) and event.output:
                for request in event.output.tool_calls:
                    self._note(request.arguments)
        for unit in units:
            for call in unit.calls:
                self._note(call.arguments, call.result)
                if call.result and not call.error:
                    self._tools.add(call.tool)
                    given = object_of(call.arguments)
                    self._arguments |= {name for name in given if not _DIGIT.search(name)}

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
