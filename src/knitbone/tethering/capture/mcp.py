"""Tools of MCP servers, called through the client session of the ``mcp`` library.

Its newer ``Client`` calls through the session, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import ModuleType
from typing import Any, cast

from knitbone.common.function_watch import watch
from knitbone.record.events import ErrorInfo, Json
from knitbone.tethering.capture.calls import guarded
from knitbone.tethering.capture.patching import Patch
from knitbone.tethering.capture.protocol import text_of
from knitbone.tethering.capture.tool_calls import ToolWatch, tool_watch
from knitbone.wire.fields import field

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """``ClientSession.call_tool``."""
    yield Patch(module.ClientSession, "call_tool", partial(watch, begin=_begin))


@guarded
def _begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolWatch | None:
    given: dict[str, Any] = dict(zip(("name", "arguments"), args[1:], strict=False)) | kwargs
    arguments: Json = given.get("arguments")
    if arguments is None:
        arguments = cast("Json", {})
    return tool_watch("mcp", str(given.get("name")), lambda: arguments, read=_read)


def _read(value: Any) -> tuple[Json, ErrorInfo | None]:
    text = text_of(field(value, "content"))
    failed = field(value, "is_error") or field(value, "isError")
    structured = field(value, "structured_content") or field(value, "structuredContent")
    if failed:
        return text, ErrorInfo(type="tool error", message=text)
    return text or structured, None
