"""LangChain, and with it LangGraph: chat models, tools and retrievers.

Hooked at the entry points of the base classes, not through callbacks: a callback handler may run
in another task or thread than the call that it reports, so it could not mark what happens inside
the call, and the provider's SDK below would record the same call a second time. Agents of
LangGraph call the same entry points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, cast

from knitbone.common.function_watch import watch
from knitbone.record.events import ChatMessage, Document, ErrorInfo, Json
from knitbone.tethering.capture.calls import guarded
from knitbone.tethering.capture.langchain_messages import LANGCHAIN, answer_of, chat_message
from knitbone.tethering.capture.model_calls import ModelWatch, model_watch
from knitbone.tethering.capture.patching import Patch
from knitbone.tethering.capture.protocol import Accumulator, ModelAnswer, ModelRequest
from knitbone.tethering.capture.tool_calls import (
    RetrievalWatch,
    ToolWatch,
    retrieval_watch,
    tool_watch,
)
from knitbone.wire.fields import elements, field, word

__all__ = ["patches"]

_PARAMETERS = {
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
}


def patches(module: ModuleType) -> Iterable[Patch]:
    """What is replaced in the module that has just been imported."""
    part = module.__name__.rpartition("langchain_core.")[2]
    if part == "tools.base":
        for name in ("run", "arun"):
            yield Patch(module.BaseTool, name, partial(watch, begin=_begin_tool))
    elif part == "retrievers":
        for name in ("invoke", "ainvoke"):
            yield Patch(module.BaseRetriever, name, partial(watch, begin=_begin_retrieval))
    else:
        for name in ("generate", "agenerate"):
            yield Patch(module.BaseChatModel, name, partial(watch, begin=_begin_batch))
        for name in ("stream", "astream"):
            yield Patch(module.BaseChatModel, name, partial(watch, begin=_begin_stream))


@guarded
def _begin_batch(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``generate(messages, stop, ...)``: a list of conversations, mostly of one."""
    model = args[0]
    conversations = kwargs["messages"] if "messages" in kwargs else args[1]
    calls: list[ModelWatch] = []
    for messages in elements(conversations):
        call = _model_watch(model, messages, kwargs, _BatchCall)
        if call is None:
            return None
        calls.append(call)
    return _Batch(calls) if len(calls) > 1 else next(iter(calls), None)


@guarded
def _begin_stream(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ModelWatch | None:
    """``stream(input, config, ...)``."""
    model = args[0]
    given = kwargs["input"] if "input" in kwargs else args[1]
    messages = model._convert_input(given).to_messages()
    return _model_watch(model, messages, kwargs, _StreamCall)


def _model_watch(
    model: Any, messages: Any, kwargs: Mapping[str, Any], made: type[ModelWatch]
) -> ModelWatch | None:
    provider = word(field(model, "_llm_type")) or type(model).__name__
    call = model_watch(
        "langchain", provider, LANGCHAIN, lambda: _request(model, messages, kwargs), made=made
    )
    if call is not None and call.agent is None:
        call.agent = _node(kwargs.get("metadata") or field(kwargs.get("config"), "metadata"))
    return call


def _node(metadata: Any) -> str | None:
    """The agent of a LangGraph: the subgraph that a node belongs to, else the node itself."""
    *outer, _ = (word(field(metadata, "langgraph_checkpoint_ns")) or "").split("|")
    if outer:
        return outer[-1].partition(":")[0]
    return word(field(metadata, "langgraph_node"))


def _request(model: Any, messages: Any, kwargs: Mapping[str, Any]) -> ModelRequest:
    name = word(field(model, "model_name")) or word(field(model, "model")) or type(model).__name__
    attributes: dict[str, Json] = {}
    for parameter, attribute in _PARAMETERS.items():
        value = kwargs.get(parameter, field(model, parameter))
        if isinstance(value, (int, float)):
            attributes[attribute] = value
    for parameter in ("stop", "tool_choice", "response_format"):
        if isinstance(kwargs.get(parameter), (str, list, dict)):
            attributes[f"knitbone.request.{parameter}"] = kwargs[parameter]
    tools = kwargs.get("tools")
    return ModelRequest(
        model=name,
        messages=tuple([chat_message(message) for message in elements(messages)]),
        attributes=attributes,
        tools=tools if isinstance(tools, list) else None,
    )


class _BatchCall(ModelWatch):
    """One conversation of ``generate``; its value is an ``LLMResult``."""

    def returned(self, value: Any) -> Any:
        """Record the answer to the only conversation."""
        self.generated(value, 0)
        return value

    @guarded
    def generated(self, value: Any, number: int) -> None:
        """Record the answer to one of several conversations."""
        generations = list(elements(field(value, "generations")))
        first = next(iter(elements(generations[number])), None)
        self.answered(answer_of(field(first, "message")))


class _Batch:
    """Several conversations in one call."""

    def __init__(self, calls: list[ModelWatch]) -> None:
        self._calls = calls

    def __enter__(self) -> None:
        self._calls[0].__enter__()

    def __exit__(self, *error: object) -> None:
        self._calls[0].__exit__(*error)

    def returned(self, value: Any) -> Any:
        for number, call in enumerate(self._calls):
            cast("_BatchCall", call).generated(value, number)
        return value

    def raised(self, error: BaseException) -> None:
        for call in self._calls:
            call.raised(error)


class _StreamCall(ModelWatch):
    """``stream``, a generator: its value is the list of the chunks that were consumed."""

    def returned(self, value: Any) -> Any:
        """Record what came."""
        self._heard(value)
        return value

    @guarded
    def _heard(self, chunks: Any) -> None:
        whole: Accumulator = LANGCHAIN.accumulator()
        for chunk in chunks:
            whole.add(chunk)
        answer: ModelAnswer = whole.answer()
        last = chunks[-1] if chunks else None
        self.answered(answer, unfinished=not _is_last(last, answer))


def _is_last(chunk: Any, answer: ModelAnswer) -> bool:
    """Whether a stream was consumed to its end, as far as its chunks show."""
    position = field(chunk, "chunk_position")
    return position == "last" or answer.finish_reason is not None


@guarded
def _begin_tool(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolWatch | None:
    tool = args[0]
    given = kwargs["tool_input"] if "tool_input" in kwargs else args[1]
    call_id = kwargs.get("tool_call_id")
    return tool_watch(
        "langchain",
        str(tool.name),
        lambda: cast("Json", given) if isinstance(given, dict) else {"input": given},
        call_id=word(call_id),
        read=_tool_result,
    )


def _tool_result(value: Any) -> tuple[Json, ErrorInfo | None]:
    """A plain result, or the message that LangChain makes of it."""
    if field(value, "type") != "tool":
        return value, None
    message: ChatMessage = chat_message(value)
    if field(value, "status") == "error":
        return message.content, ErrorInfo(type="tool error", message=message.content)
    return message.content, None


@guarded
def _begin_retrieval(args: tuple[Any, ...], kwargs: dict[str, Any]) -> RetrievalWatch | None:
    given = kwargs["input"] if "input" in kwargs else args[1]
    return retrieval_watch(type(args[0]).__name__, str(given), _documents)


def _documents(value: Any) -> tuple[Document, ...]:
    return tuple(
        [
            Document(
                text=str(field(each, "page_content")),
                id=word(field(each, "id")),
                metadata=dict(cast("dict[str, Any]", field(each, "metadata") or {})),
            )
            for each in elements(value)
        ]
    )
