"""What guidance may say of a run: names of tools and arguments, and no value.

Sentences of guidance are our own; only names enter them. A *name* is an identifier by which the
environment itself calls a tool or an argument: declared in a tool's schema, or part of a call that
went through, or a field of a record that a tool returned. What only a model made up, or an error
message spells, may be a value, and is not told.
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
_FIELD = re.compile(r"[a-z]{2,30}(?:_[a-z]{1,30}){0,3}")
_DIGIT = re.compile(r"\d")
_NO_TOOL = re.compile(
    r"\b(?:unknown|no such|invalid|undefined|unsupported|unrecogni[sz]ed)\b[^.\n]{0,20}"
    r"\b(?:tool|function|action|command)\b"
    r"|\b(?:tool|function|action|command)\b[^.\n]{0,80}\b(?:not found|unknown|not exist|n't exist|"
    r"not (?:a )?(?:valid|defined|available|registered|supported|recogni[sz]ed|callable))\b"
    r"|\bnot a (?:valid )?(?:tool|function|action|command)\b",
    re.IGNORECASE,
)
"""Errors that say that there is no such tool: what is called so is no name."""
_LONGEST_VALUE = 200
"""Characters up to which a text is a value, and no passage (ours)."""
_DEEPEST, _MOST = 40, 20_000
"""Levels and leaves of one value that are looked at (ours)."""


class RunNames:
    """The names that may be told of one run."""

    def __init__(self, run: Run, units: Iterable[TransitionUnit]) -> None:
        schemas = tool_schemas(run)
        self._tools = set(schemas)
        self._arguments = {name for schema in schemas.values() for name in _properties(schema)}
        self._values: set[str] = set()
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
                error = call.error or ""
                if not (call.result or error) or _NO_TOOL.search(error):
                    continue
                self._tools.add(call.tool)  # somebody knew it, if only to refuse the call
                self._arguments |= {
                    name for name in given if not _DIGIT.search(name) and name not in error
                }

    def _note(self, *values: Any) -> None:
        for leaf in leaves(*values):
            if len(leaf) <= _LONGEST_VALUE:
                self._values.add(_plain(leaf))

    def tool(self, name: str | None) -> str | None:
        """The name of a tool, where it may be told."""
        return name if name in self._tools and _IDENTIFIER.fullmatch(name) else None

    def argument(self, name: str | None) -> str | None:
        """The name of an argument, where it may be told. A name that no call used counts as well if
        a tool returned a field of that name and no value of the run is spelled like it."""
        known = name in self._arguments or (
            name in self._fields and not self.is_value(_plain(name))
        )
        return name if name and known and _IDENTIFIER.fullmatch(name) else None

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
            fields = (name for name in self._fields if "_" in name)
            known = (words_of(name) for name in (*self._tools, *self._arguments, *fields))
            self._words = frozenset(word for words in known for word in words if len(word) > 1)
        return self._words


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


def _properties(schema: dict[str, Any]) -> Iterator[str]:
    """The names in a schema's properties, the nested ones as ``outer.inner``, too."""
    for name, inner in object_of(schema.get("properties")).items():
        yield str(name)
        for below in object_of(object_of(inner).get("properties")):
            yield f"{name}.{below}"
