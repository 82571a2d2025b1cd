"""LangGraph's agent as an agent under test, over any ``ChatModel`` or LangChain model."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from knitbone.errors import KnitboneError, import_extra
from knitbone.fuzzing.agents.callable_agent import (
    CallableAgent,
    OfferedTool,
    OpenTrace,
    StepsUsedUpError,
)
from knitbone.fuzzing.agents.written_calls import read_written_calls
from knitbone.models.chat import ChatModel, Completion, ToolSpec
from knitbone.record.events import ChatMessage, ModelCall, ToolCallRequest
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import current_recorder
from knitbone.wire.content import joined_text
from knitbone.wire.fields import object_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["langgraph_agent"]

_NODES_A_STEP = 2
"""A step is the model's node and the tools' node."""
_GIVEN_UP = "Sorry, need more steps"
"""What ``create_react_agent`` answers in its model's place where the limit is near."""
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def langgraph_agent(
    model: ChatModel | BaseChatModel,
    *,
    max_steps: int = 6,
    name: str = "",
    trace: OpenTrace | None = None,
) -> CallableAgent:
    """LangGraph's agent that calls tools (langchain's ``create_agent``, else LangGraph's
    ``create_react_agent``), as an ``AgentUnderTest``.

    Args:
        model: one of knitbone's, also the simulated reader, or a LangChain model.
        max_steps: model calls that it may make.
        trace: as ``CallableAgent``; with a LangChain model, its calls are seen by a trace alone.

    Raises:
        KnitboneError: LangGraph is not installed.
        MissingExtraError: ``langchain-core`` is not installed.
    """
    create = _creator()
    tools_module = import_extra(
        "langchain_core.tools", extra="langchain", purpose="LangGraph's agent"
    )
    core = import_extra(
        "langchain_core.language_models", extra="langchain", purpose="LangGraph's agent"
    )
    ours = not isinstance(model, core.BaseChatModel)
    called = name or f"langgraph / {getattr(model, 'name', None) or type(model).__name__}"

    def work(query: str, tools: Sequence[OfferedTool]) -> str:
        chat: Any = _as_langchain(model, max_steps) if ours else model  # type: ignore[arg-type]
        offered = [_structured(tools_module.StructuredTool, tool) for tool in tools]
        with warnings.catch_warnings():
            # Of the two that make one, the older is deprecated in favour of the newer's package.
            warnings.simplefilter("ignore", DeprecationWarning)
            graph = create(chat, offered)
        limit = {"recursion_limit": _NODES_A_STEP * (max_steps + 1)}
        try:
            state = graph.invoke({"messages": [{"role": "user", "content": query}]}, limit)
        except Exception as error:
            if type(error).__name__ == "GraphRecursionError":
                raise _used_up(max_steps) from error
            raise
        said = joined_text(state["messages"][-1].content)
        if said.startswith(_GIVEN_UP):
            raise _used_up(max_steps)
        return said

    return CallableAgent(work, name=called, trace=trace)


def _used_up(max_steps: int) -> StepsUsedUpError:
    return StepsUsedUpError(f"no answer after {max_steps} steps")


def _creator() -> Callable[..., Any]:
    for module, function in (
        ("langchain.agents", "create_agent"),
        ("langgraph.prebuilt", "create_react_agent"),
    ):
        try:
            found = getattr(__import__(module, fromlist=[function]), function, None)
        except ImportError:
            continue
        if found is not None:
            return found
    raise KnitboneError(
        "LangGraph's agent was asked for, and LangGraph is not installed.",
        next_step="Install it: pip install langgraph",
    )


def _structured(kind: Any, tool: OfferedTool) -> Any:
    return kind.from_function(
        func=tool.__call__,
        name=tool.spec.name,
        description=tool.spec.description or tool.spec.name,
        args_schema={"title": tool.spec.name, "type": "object", **tool.spec.parameters},
    )


def _as_langchain(model: ChatModel, max_steps: int) -> Any:
    """A ``ChatModel`` as a LangChain model for one run of so many calls."""
    models = import_extra(
        "langchain_core.language_models", extra="langchain", purpose="LangGraph's agent"
    )
    outputs = import_extra("langchain_core.outputs", extra="langchain", purpose="LangGraph's agent")
    messages = import_extra(
        "langchain_core.messages", extra="langchain", purpose="LangGraph's agent"
    )

    steps = iter(range(max_steps))

    class KnitboneChatModel(models.BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "knitbone"

        def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
            return self.bind(offered=tuple(_spec(tool) for tool in tools), **kwargs)

        def _generate(
            self, asked: list[Any], stop: Any = None, run_manager: Any = None, **kwargs: Any
        ) -> Any:
            del stop, run_manager
            if next(steps, None) is None:
                raise _used_up(max_steps)
            offered: tuple[ToolSpec, ...] = kwargs.get("offered", ())
            answer = _ask(model, [_message(each) for each in asked], offered)
            calls = [_langchain_call(call) for call in answer.tool_calls]
            said = messages.AIMessage(content=answer.content, tool_calls=calls)
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=said)])

    return KnitboneChatModel()


def _langchain_call(call: ToolCallRequest) -> dict[str, Any]:
    # LangChain takes objects alone: the tool is called without what is none, and complains.
    arguments = object_of(call.arguments)
    return {"name": call.name, "args": arguments, "id": call.call_id or new_identifier()}


def _ask(model: ChatModel, asked: list[ChatMessage], tools: tuple[ToolSpec, ...]) -> ChatMessage:
    """The model's answer, recorded; calls that it wrote into its text are read there."""
    began = now_ns()
    completion: Completion = asyncio.run(model.complete(asked, tools=tools or None))
    if (recorder := current_recorder()) is not None:
        recorder.record(
            ModelCall(
                id=new_identifier(), started_ns=began, ended_ns=now_ns(), agent="langgraph",
                model=completion.model, input=tuple(asked), output=completion.message,
                finish_reason=completion.finish_reason, usage=completion.usage,
            )
        )  # fmt: skip
    message = completion.message
    if message.tool_calls or (written := read_written_calls(completion.text, tools)) is None:
        return message
    return ChatMessage(role="assistant", content=written.remark, tool_calls=written.calls)


def _spec(tool: Any) -> ToolSpec:
    schema: Any = tool.args_schema
    parameters: Any = object_of(schema) or schema.model_json_schema()
    return ToolSpec(name=tool.name, description=tool.description, parameters=parameters)


def _message(message: Any) -> ChatMessage:
    """A LangChain message as ours."""
    calls = tuple(
        ToolCallRequest(name=call["name"], arguments=call["args"], call_id=call["id"])
        for call in getattr(message, "tool_calls", ())
    )
    return ChatMessage(
        role=_ROLES.get(message.type, "user"),  # type: ignore[arg-type]
        content=joined_text(message.content),
        tool_calls=calls,
        tool_call_id=getattr(message, "tool_call_id", None),
    )
