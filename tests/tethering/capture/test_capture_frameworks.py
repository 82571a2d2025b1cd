"""LangChain, MCP and LiteLLM: one call is recorded once, whatever lies below it.

LangChain and MCP are the real libraries. LiteLLM is a small stand-in module of the same shape
(``completion``, ``acompletion``, a wrapper class for streams), since the package is no dependency.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import types

import openai
import pytest
from agents_under_trace import ASK, answer, recorded
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool as langchain_tool

import knitbone
from knitbone.testing import ModelServer


@pytest.fixture
def store(tmp_path):
    return tmp_path / "runs.sqlite"


@pytest.fixture
def server():
    with ModelServer(answer) as made:
        yield made


class OverSdk(BaseChatModel):
    """A LangChain model over OpenAI's SDK, as the provider packages are."""

    model_name: str = "m"
    temperature: float = 0.4
    url: str

    @property
    def _llm_type(self):
        return "over-sdk"

    @contextlib.contextmanager
    def _client(self):
        with openai.OpenAI(base_url=self.url, api_key="unused-key") as client:
            yield client

    def _sent(self, messages):
        roles = {"human": "user", "ai": "assistant"}
        return [{"role": roles.get(m.type, m.type), "content": m.text} for m in messages]

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        with self._client() as client:
            raw = client.chat.completions.with_raw_response.create(
                model="m", messages=self._sent(messages)
            )
            said = raw.parse().choices[0].message
        calls = [
            {"name": c.function.name, "args": {"guests": 4}, "id": c.id}
            for c in said.tool_calls or ()
        ]
        message = AIMessage(
            said.content, tool_calls=calls,
            usage_metadata={"input_tokens": 5, "output_tokens": 6, "total_tokens": 11},
            response_metadata={"model_name": "m-1", "finish_reason": "tool_calls"},
        )  # fmt: skip
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        with self._client() as client:
            for chunk in client.chat.completions.create(
                model="m", messages=self._sent(messages), stream=True
            ):
                for choice in chunk.choices:
                    message = AIMessageChunk(choice.delta.content or "")
                    yield ChatGenerationChunk(message=message)


@langchain_tool
def find_table(guests: int) -> str:
    """Find a table."""
    return f"table {guests + 3}"


def test_a_langchain_model_over_an_sdk_is_recorded_once(server, store):
    model = OverSdk(url=server.base_url)
    messages = [SystemMessage("Seat guests."), HumanMessage("four guests")]
    with knitbone.trace(store=store):
        said = model.bind(tools=[{"name": "find_table"}]).invoke(messages)
        found = find_table.invoke({**said.tool_calls[0], "type": "tool_call"})
        streamed = list(model.stream([*messages, said, found]))
        asyncio.run(model.ainvoke(messages))
        assert len(asyncio.run(_all(model.astream(messages)))) == len(list(model.stream(messages)))
        model.batch([messages, messages])
    assert type(found) is ToolMessage
    first, tool, last, *rest = recorded(store)
    assert len(server.requests) == 7
    assert len(rest) == 5
    assert [event.operation for event in rest] == ["chat"] * 5
    assert (first.provider, first.model, first.finish_reason) == ("over-sdk", "m", "tool_calls")
    assert first.attributes["gen_ai.response.model"] == "m-1"
    assert first.attributes["gen_ai.request.temperature"] == 0.4
    assert first.attributes["gen_ai.tool.definitions"] == [{"name": "find_table"}]
    assert (first.usage.input_tokens, first.usage.output_tokens) == (5, 6)
    assert first.output.tool_calls == ASK
    assert (tool.name, tool.arguments, tool.result) == ("find_table", {"guests": 4}, "table 7")
    assert (tool.parent, tool.call_id) == (first.id, "call_a")
    assert [m.role for m in last.input] == ["system", "user", "assistant", "tool"]
    assert last.output.content == "".join(chunk.text for chunk in streamed)


async def _all(items):
    return [item async for item in items]


def test_several_conversations_of_one_call_are_several_events(store):
    model = GenericFakeChatModel(messages=iter(["one", "two"]))
    with knitbone.trace(store=store):
        model.generate([[HumanMessage("a")], [HumanMessage("b")]])
    assert [(e.input[0].content, e.output.content) for e in recorded(store)] == [
        ("a", "one"), ("b", "two"),
    ]  # fmt: skip


def test_a_langchain_stream_that_is_left_says_so(store):
    model = GenericFakeChatModel(messages=iter([AIMessage("one two three")]))
    with knitbone.trace(store=store):
        stream = model.stream("x")
        next(stream)
        stream.close()
    (event,) = recorded(store)
    assert event.output.content == "one"
    assert event.attributes["knitbone.stream.unfinished"] is True


def test_errors_of_langchain_go_on_and_are_recorded(store):
    @langchain_tool
    def broken(x: int) -> int:
        """Break."""
        return x // 0

    class Failing(GenericFakeChatModel):
        def _generate(self, *args, **kwargs):
            raise ConnectionError("gone")

    with knitbone.trace(store=store):
        with pytest.raises(ZeroDivisionError):
            broken.invoke({"x": 1})
        with pytest.raises(ConnectionError):
            Failing(messages=iter([])).invoke("x")
    tool, model = recorded(store)
    assert tool.error.type == "ZeroDivisionError"
    assert (model.error.type, model.output) == ("ConnectionError", None)


def test_a_marked_function_below_a_langchain_tool_is_one_call(store):
    @langchain_tool
    @knitbone.tool
    def seat(guests: int) -> str:
        """Seat them."""
        return "seated"

    with knitbone.trace(store=store):
        seat.invoke({"guests": 2})
        asyncio.run(seat.ainvoke({"guests": 3}))
    assert [event.arguments for event in recorded(store)] == [{"guests": 2}, {"guests": 3}]


def test_retrievers_are_recorded_with_what_they_found(store):
    from langchain_core.documents import Document

    class Tables(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            if query == "broken":
                raise LookupError("no index")
            return [Document("Table 7", metadata={"seats": 4}, id="d7")]

    with knitbone.trace(store=store):
        found = Tables().invoke("free tables")
        asyncio.run(Tables().ainvoke("more"))
        with pytest.raises(LookupError):
            Tables().invoke("broken")
    one, _, broken = recorded(store)
    assert found[0].page_content == "Table 7"
    assert (one.query, one.source) == ("free tables", "Tables")
    assert [(d.text, d.id, d.metadata) for d in one.documents] == [("Table 7", "d7", {"seats": 4})]
    assert broken.attributes["error.type"] == "LookupError"


def test_the_node_of_a_graph_is_the_agent(store):
    model = GenericFakeChatModel(messages=iter(["a", "b"]))
    chain = RunnableLambda(lambda x: x) | model
    with knitbone.trace(store=store):
        chain.invoke("x", config={"metadata": {"langgraph_node": "planner"}})
        inner = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "researcher:1|agent:2"}
        list(model.stream("x", config={"metadata": inner}))
    assert [event.agent for event in recorded(store)] == ["planner", "researcher"]


def test_mcp_tools_are_recorded_below_a_framework_once(store):
    from mcp import Client
    from mcp.server import MCPServer

    server = MCPServer("restaurant")

    @server.tool()
    def find(guests: int) -> str:
        if guests > 9:
            raise ValueError("too many")
        return f"table for {guests}"

    async def work():
        async with Client(server) as client:

            @langchain_tool("restaurant_find")
            async def through(guests: int) -> str:
                """Find."""
                return (await client.call_tool("find", {"guests": guests})).content[0].text

            with knitbone.trace(store=store):
                assert (await client.call_tool("find", {"guests": 4})).content[0].text
                await client.session.call_tool("find", {"guests": 10})
                assert await through.ainvoke({"guests": 2}) == "table for 2"

    asyncio.run(work())
    good, bad, through = recorded(store)
    assert (good.name, good.arguments, good.result) == ("find", {"guests": 4}, "table for 4")
    assert (bad.error.type, bad.error.message) == ("tool error", "Error executing tool find")
    assert (through.name, through.result) == ("restaurant_find", "table for 2")


class StreamWrapper:
    """Of LiteLLM's shape: an iterator with a class of its own."""

    def __init__(self, chunks):
        self.completion_stream = iter(chunks)
        self.model = "m"

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.completion_stream)

    def __aiter__(self):
        return self

    async def __anext__(self):
        for chunk in self.completion_stream:
            return chunk
        raise StopAsyncIteration


@pytest.fixture
def litellm(monkeypatch, server):
    module = types.ModuleType("litellm")

    def completion(model, messages=(), stream=False, **kwargs):
        with openai.OpenAI(base_url=server.base_url, api_key="unused-key") as client:
            answered = client.chat.completions.create(
                model=model, messages=messages, stream=stream, **kwargs
            )
            return StreamWrapper(list(answered)) if stream else answered

    async def acompletion(model, messages=(), **kwargs):
        return completion(model, messages, **kwargs)

    module.completion, module.acompletion = completion, acompletion
    monkeypatch.setitem(sys.modules, "litellm", module)
    return module


def test_litellm_plain_streamed_and_asynchronous(litellm, store):
    asked = [{"role": "user", "content": "four guests"}]
    before = litellm.completion
    with knitbone.trace(store=store):
        litellm.completion("anthropic/claude", asked, temperature=0.1)
        stream = litellm.completion("m", messages=asked, stream=True)
        assert isinstance(stream, StreamWrapper)
        assert stream.model == "m"
        assert len(list(stream)) > 3
        dropped = litellm.completion("m", messages=asked, stream=True)
        next(iter(dropped))
        del dropped

        async def work():
            stream = await litellm.acompletion("m", asked, stream=True)
            return [chunk async for chunk in stream]

        asyncio.run(work())
    assert litellm.completion is before
    plain, streamed, dropped, later = recorded(store)
    assert (plain.provider, plain.model) == ("anthropic", "anthropic/claude")
    assert plain.attributes["gen_ai.request.temperature"] == 0.1
    assert plain.output.tool_calls == streamed.output.tool_calls == later.output.tool_calls == ASK
    assert dropped.attributes["knitbone.stream.unfinished"] is True
