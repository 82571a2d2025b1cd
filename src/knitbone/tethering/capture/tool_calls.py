"""One execution of a tool, one query to a retriever, as they are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knitbone.record.events import Document, ErrorInfo, Json, Retrieval, ToolCall
from knitbone.record.identifiers import now_ns
from knitbone.record.plain import snapshot
from knitbone.record.recorder import Recorder
from knitbone.tethering.capture.calls import (
    Execution,
    Kind,
    current_cause,
    guarded,
    previous_call,
    recorder_for,
)
from knitbone.tethering.capture.state import RunState
from knitbone.wire.tool_calls import names_same_tool

__all__ = ["RetrievalWatch", "ToolWatch", "retrieval_watch", "tool_watch"]


@guarded
def tool_watch(
    layer: str,
    name: str,
    arguments: Callable[[], Json],
    *,
    call_id: str | None = None,
    read: Callable[[Any], tuple[Json, ErrorInfo | None]] = lambda value: (value, None),
) -> ToolWatch | None:
    """Watch a tool call that begins now, unless a library above has it already."""
    recorder = recorder_for("tool")
    if recorder is None:
        return None
    cause = current_cause()
    if (
        cause is not None
        and cause.kind == "tool"
        and cause.layer != layer
        and names_same_tool(cause.name, name)
    ):
        return None
    # As they are now: the tool may change them.
    return ToolWatch(recorder, layer, name, snapshot(arguments()), call_id, read)


@guarded
def retrieval_watch(
    source: str, query: str, read: Callable[[Any], tuple[Document, ...]]
) -> RetrievalWatch | None:
    """Watch a query to a retriever, unless a retriever above passes it on."""
    recorder = recorder_for("retrieval")
    return None if recorder is None else RetrievalWatch(recorder, source, query, read)


class ToolWatch(Execution):
    """One execution of a tool.

    Args:
        read: from what the tool gave, the result and what it says went wrong.
    """

    kind: Kind = "tool"

    def __init__(
        self,
        recorder: Recorder,
        layer: str,
        name: str,
        arguments: Json,
        call_id: str | None,
        read: Callable[[Any], tuple[Json, ErrorInfo | None]],
    ) -> None:
        super().__init__(recorder, layer, name)
        self._arguments = arguments
        self._read = read
        self._before = previous_call()
        asker, self._call_id = recorder.state(RunState).claim(
            name, arguments, call_id, previous=self._before.get("knitbone.previous_call")
        )
        self.parent = asker or self.parent

    def event(self, value: Any, error: ErrorInfo | None) -> ToolCall:
        result, error = (None, error) if error is not None else self._read(value)
        return ToolCall(
            id=self.id,
            started_ns=self.started_ns,
            ended_ns=now_ns(),
            parent=self.parent,
            agent=self.agent,
            attributes=self._before,
            name=self.name,
            call_id=self._call_id,
            arguments=self._arguments,
            result=result,
            error=error,
        )


class RetrievalWatch(Execution):
    """One query to a retriever."""

    kind: Kind = "retrieval"

    def __init__(
        self,
        recorder: Recorder,
        source: str,
        query: str,
        read: Callable[[Any], tuple[Document, ...]],
    ) -> None:
        super().__init__(recorder, "retriever", source)
        self._query = query
        self._read = read

    def event(self, value: Any, error: ErrorInfo | None) -> Retrieval:
        attributes: dict[str, Json] = {}
        if error is not None:
            attributes = {"error.type": error.type, "error.message": error.message}
        return Retrieval(
            id=self.id,
            started_ns=self.started_ns,
            ended_ns=now_ns(),
            parent=self.parent,
            agent=self.agent,
            attributes=attributes,
            query=self._query,
            source=self.name,
            documents=self._read(value) if error is None else (),
        )
