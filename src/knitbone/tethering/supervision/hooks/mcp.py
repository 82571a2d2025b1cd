"""Tools of MCP servers, called through the client session of the ``mcp`` library: a correction is a
further text behind the content of the result.

A call that the protocol itself fails raises, and is judged where the application tells the model of
it, if it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps
from types import ModuleType
from typing import Any, cast

from knitbone.loading.patching import Patch
from knitbone.record.events import Json
from knitbone.tethering.capture.protocol import text_of
from knitbone.tethering.supervision.active import Supervised, current
from knitbone.tethering.supervision.hooks.error_guard import guarded
from knitbone.tethering.supervision.hooks.second_requests import judged_aside
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.wire.fields import elements, field, word

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """``call_tool`` of the session, and ``list_tools``, which tells of their risks."""
    text_content: Any = module.types.TextContent
    yield Patch(module.ClientSession, "call_tool", partial(_calling, text_content))
    yield Patch(module.ClientSession, "list_tools", _listing)


def _calling(text_content: Callable[..., Any], original: Any) -> Any:
    @wraps(original)
    async def call_tool(*args: Any, **kwargs: Any) -> Any:
        value = await original(*args, **kwargs)
        run = current()
        if run is None or run.supervisor is None:
            return value
        given: dict[str, Any] = dict(zip(("name", "arguments"), args[1:], strict=False)) | kwargs
        corrected = await judged_aside(run, lambda: _corrected(run, given, value, text_content))
        return value if corrected is None else corrected

    return call_tool


@guarded
def _corrected(
    run: Supervised, given: dict[str, Any], value: Any, text_content: Callable[..., Any]
) -> Any:
    content = field(value, "content")
    if not isinstance(content, list):  # a server that wants more input first
        return None
    text = text_of(cast("list[Any]", content))
    structured: Json = field(value, "structured_content") or field(value, "structuredContent")
    failed = bool(field(value, "is_error") or field(value, "isError"))
    arguments: Json = given.get("arguments")
    call = ReturnedCall(
        tool=str(given.get("name")),
        arguments=cast("Json", {}) if arguments is None else arguments,
        result=text or structured,
        error=text if failed else None,
    )
    correction = run.judge(call)
    run.ledger.executed(call, correction, text=text)
    if correction is None:
        return None
    behind = text_content(type="text", text=correction.strip())
    return value.model_copy(update={"content": [*cast("list[Any]", content), behind]})


def _listing(original: Any) -> Any:
    @wraps(original)
    async def list_tools(*args: Any, **kwargs: Any) -> Any:
        value = await original(*args, **kwargs)
        run = current()
        if run is not None and run.supervisor is not None:
            _teach_risks(run, value)
        return value

    return list_tools


@guarded
def _teach_risks(run: Supervised, listed: Any) -> None:
    risks = getattr(run.supervisor, "risks", None)
    if risks is None:
        return
    for tool in elements(field(listed, "tools")):
        name, hints = word(field(tool, "name")), field(tool, "annotations")
        if name:
            told: Any = {} if hints is None else hints.model_dump(by_alias=True, exclude_none=True)
            schema = field(tool, "input_schema") or field(tool, "inputSchema")
            risks.learn(name, annotations=told, schema=schema)
            run.ledger.taught.add(name)
