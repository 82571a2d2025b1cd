from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from pydantic import Field

from knitbone.config import ModelConfig
from knitbone.errors import (
    ModelError,
    ModelRequestError,
    ModelServerError,
    ModelTimeoutError,
)
from knitbone.models import ToolSpec, complete_sync
from knitbone.models.langchain import langchain_chat_model
from knitbone.record.events import ChatMessage, ToolCallRequest, Usage

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_core.language_models import BaseChatModel
    from langchain_core.language_models.fake_chat_models import (
        FakeListChatModel,
        GenericFakeChatModel,
    )
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

HELLO = [ChatMessage(role="user", content="hello")]
SCORE = {"type": "object", "properties": {"score": {"type": "integer"}}}


class Custom(BaseChatModel):
    """A model as applications write them: tools, usage, content as blocks."""

    answers: list[Any]
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    bound: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "custom"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        self.bound.extend(tools)
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.seen.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=answer)])


def test_a_langchain_model_answers() -> None:
    model = langchain_chat_model(FakeListChatModel(responses=["good morning"]))
    answer = complete_sync(model, HELLO)
    assert (answer.text, answer.finish_reason) == ("good morning", "stop")
    assert answer.usage == Usage()
    assert model.name == "FakeListChatModel"


def test_tools_usage_cost_and_blocks_are_read() -> None:
    answer = AIMessage(
        content=[{"type": "text", "text": "let me "}, {"type": "other"}, "see"],
        tool_calls=[{"name": "f", "args": {"x": 1}, "id": "a"}],
        invalid_tool_calls=[{"name": "f", "args": "{x", "id": "b", "error": "no JSON"}],
        usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
        response_metadata={"stop_reason": "tool_use", "model_name": "real-name"},
    )
    inner = Custom(answers=[answer])
    config = ModelConfig(
        name="m", price_input_usd_per_million=1.0, price_output_usd_per_million=2.0
    )
    read = complete_sync(
        langchain_chat_model(inner, config=config), HELLO, tools=[ToolSpec(name="f")]
    )
    assert read.text == "let me see"
    assert read.message.tool_calls == (
        ToolCallRequest(name="f", arguments={"x": 1}, call_id="a"),
        ToolCallRequest(name="f", arguments="{x", call_id="b"),
    )
    assert read.finish_reason == "tool_calls"
    assert read.usage == Usage(input_tokens=10, output_tokens=5, cost_usd=2e-5)
    assert read.model == "real-name"
    assert inner.bound[0]["function"]["name"] == "f"


def test_a_conversation_becomes_langchain_messages() -> None:
    inner = Custom(answers=[AIMessage(content="x")])
    conversation = [
        ChatMessage(role="system", content="s"),
        ChatMessage(role="user", content="u"),
        ChatMessage(
            role="assistant",
            tool_calls=(
                ToolCallRequest(name="f", arguments={"a": 1}),
                ToolCallRequest(name="g", arguments="{bad"),
            ),
        ),
        ChatMessage(role="tool", content="r"),
    ]
    complete_sync(langchain_chat_model(inner), conversation)
    system, user, assistant, tool = inner.seen[0]
    assert [message.type for message in inner.seen[0]] == ["system", "human", "ai", "tool"]
    assert (system.content, user.content) == ("s", "u")
    assert isinstance(assistant, AIMessage)
    assert assistant.tool_calls[0]["args"] == {"a": 1}
    assert assistant.invalid_tool_calls[0]["args"] == "{bad"
    assert tool.tool_call_id == assistant.tool_calls[0]["id"]  # type: ignore[attr-defined]


def test_a_schema_goes_through_the_models_own_tool_calling() -> None:
    call = {"name": "answer", "args": {"score": 3}, "id": "a"}
    inner = Custom(answers=[AIMessage(content="", tool_calls=[call])])
    answer = complete_sync(langchain_chat_model(inner), HELLO, schema=SCORE)
    assert answer.parsed == {"score": 3}
    assert (answer.finish_reason, answer.message.tool_calls) == ("stop", ())


def test_a_schema_is_asked_for_in_words_where_there_are_no_tools() -> None:
    inner = GenericFakeChatModel(messages=iter([AIMessage(content='{"score": 4}')]))
    answer = complete_sync(langchain_chat_model(inner), HELLO, schema=SCORE)
    assert answer.parsed == {"score": 4}


def test_an_answer_that_is_not_json_is_an_error_both_ways() -> None:
    for inner in (
        FakeListChatModel(responses=["three"]),
        Custom(answers=[AIMessage(content="three")]),
    ):
        with pytest.raises(ModelServerError, match="asked for JSON and said 'three'"):
            complete_sync(langchain_chat_model(inner), HELLO, schema=SCORE)


def test_a_model_without_tools_says_so() -> None:
    model = langchain_chat_model(FakeListChatModel(responses=["x"]))
    with pytest.raises(ModelRequestError, match="FakeListChatModel has no bind_tools"):
        complete_sync(model, HELLO, tools=[ToolSpec(name="f")])


def test_an_unknown_exception_is_an_error_of_the_model_with_its_words() -> None:
    model = langchain_chat_model(Custom(answers=[ValueError("odd\x1b[31m")]))
    with pytest.raises(ModelError, match="raised ValueError: odd") as raised:
        complete_sync(model, HELLO)
    assert "\x1b" not in str(raised.value)
    assert isinstance(raised.value.__cause__, ValueError)


def test_a_known_failure_is_named() -> None:
    model = langchain_chat_model(Custom(answers=[ConnectionError("gone")]))
    with pytest.raises(ModelServerError, match="cannot be reached: gone"):
        complete_sync(model, HELLO)


def test_a_model_that_says_nothing_times_out() -> None:
    class Silent(Custom):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
            await asyncio.sleep(30)
            raise AssertionError

    model = langchain_chat_model(Silent(answers=[]), config=ModelConfig(timeout_s=0.1))
    with pytest.raises(ModelTimeoutError, match=r"said nothing for 0.1 s"):
        complete_sync(model, HELLO)
