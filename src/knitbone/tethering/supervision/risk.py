"""The harm that a wrong call of a tool may do, read from what is known of the tool.

In this order, the first that knows decides: what somebody configured; the hints of its MCP server;
the verb in its name; its schema. Nothing of it known: ``write``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.diagnosis.vocabulary import READING, WRITING, intent_of_tool, words_of
from knitbone.tethering.supervision.records import Risk

__all__ = ["ToolRisks", "tool_risk"]

_LOSSES = """
ban block cancel clear close deactivate delete destroy disable discard drop erase expire kill
overwrite pay purge refund remove reset revoke shutdown terminate transfer truncate uninstall
unsubscribe void wipe wire withdraw
"""
_DESTRUCTIVE = frozenset(_LOSSES.split())
"""Verbs of what cannot be taken back, or not without loss."""
_DESTRUCTIVE_PAIRS = frozenset(
    {
        *(("format", what) for what in ("disk", "disc", "drive", "volume", "partition", "device")),
        *(("fire", who) for who in ("employee", "worker", "person", "user", "staff")),
    }
)
"""Verbs that are harmless with most words: ``format_date``."""
_FORCES = frozenset({"force", "permanent", "permanently", "recursive", "overwrite", "harddelete"})
"""Arguments that only tools have which may do harm."""
_UNKNOWN: Risk = "write"
_HARMLESS = frozenset({"compute", "plan"})


def tool_risk(
    name: str, *, annotations: Mapping[str, Json] | None = None, schema: Json = None
) -> Risk:
    """The risk of a tool.

    Args:
        annotations: MCP's ``ToolAnnotations`` as a mapping (``readOnlyHint``, ``destructiveHint``).
        schema: JSON schema of the arguments.
    """
    known: Risk | None = _hinted(annotations or {}) or _by_name(name) or _by_schema(schema)
    return known or _UNKNOWN


class ToolRisks:
    """What is known of the tools of a run; names that nobody told of are read.

    Args:
        configured: tool → risk, which no hint overrules.
    """

    def __init__(self, configured: Mapping[str, Risk] | None = None) -> None:
        self._configured: dict[str, Risk] = dict(configured or {})
        self._learned: dict[str, Risk] = {}

    def learn(
        self, name: str, *, annotations: Mapping[str, Json] | None = None, schema: Json = None
    ) -> None:
        """Take in what a server or a request says of a tool."""
        self._learned[name] = tool_risk(name, annotations=annotations, schema=schema)

    def of(self, name: str) -> Risk:
        """The risk of a tool."""
        if name in self._configured:
            return self._configured[name]
        return self._learned[name] if name in self._learned else tool_risk(name)


def _hinted(annotations: Mapping[str, Json]) -> Risk | None:
    if annotations.get("readOnlyHint") is True:
        return "read"
    destructive = annotations.get("destructiveHint")
    if destructive is True:
        return "destructive"
    return "write" if destructive is False else None


def _by_name(name: str) -> Risk | None:
    """By the first verb that is known, as ``intent_of_tool`` reads names."""
    words = words_of(name)
    for place, word in enumerate(words):
        if word in _DESTRUCTIVE or tuple(words[place : place + 2]) in _DESTRUCTIVE_PAIRS:
            return "destructive"
        if word in WRITING:
            return "write"
        if word in READING or intent_of_tool(word) in _HARMLESS:
            return "read"
    return None


def _by_schema(schema: Json) -> Risk | None:
    if not isinstance(schema, dict):
        return None
    properties = cast("dict[str, Any]", schema).get("properties")
    if not isinstance(properties, dict):
        return None
    names = {str(name).lower().replace("_", "") for name in cast("dict[Any, Any]", properties)}
    return "destructive" if names & _FORCES else None
