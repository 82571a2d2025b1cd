"""Small traces and message lists as real libraries write them, rebuilt by hand for these tests.

The shapes were taken from what these libraries produced: openinference-instrumentation-langchain
and -openai, OpenLLMetry's instrumentations (0.40 and 0.62), opentelemetry-util-genai,
pydantic-ai (2.68), Strands Agents (1.62), the AI SDK (6.0), langfuse (5.0), MLflow (3.17), the
anthropic SDK's own spans (2.12), and langchain-core; the Responses and Anthropic items are written
from knowledge of these interfaces.
"""

from __future__ import annotations

import json

TRACE = "0af7651916cd43dd8448eb211c80319c"
BASE = 1_790_000_000_000_000_000


def value_of(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [value_of(item) for item in value]}}
    return {"stringValue": value}


def attributes(values):
    return [{"key": key, "value": value_of(value)} for key, value in values.items()]


def span(name, at, values, *, parent=None, trace=TRACE, events=(), error=None, length=1):
    """A span whose identifier is its start."""
    made = {
        "traceId": trace,
        "spanId": f"{at + 1:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(BASE + at * 1_000),
        "endTimeUnixNano": str(BASE + (at + length) * 1_000),
        "attributes": attributes(values),
        "events": [
            {"name": event, "timeUnixNano": str(BASE), "attributes": attributes(said)}
            for event, said in events
        ],
        "status": {} if error is None else {"code": 2, "message": error},
    }
    return made if parent is None else made | {"parentSpanId": f"{parent + 1:016x}"}


def traces(*spans, scope="library"):
    group = {"scope": {"name": scope, "version": "1"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [group]}]}


SYSTEM = "You seat the guests of an inn."
ASKED = "Look up booking BK4471"
ARGUMENTS = {"booking_id": "BK4471"}
RESULT = '{"guests": 4, "table": "T12"}'
SAID = "Booking BK4471 is for 4 guests at T12."


def part(text):
    return {"type": "text", "content": text}


CALL_PART = {
    "type": "tool_call",
    "id": "call_1",
    "name": "get_booking",
    "arguments": ARGUMENTS,
}
_USER = {"role": "user", "parts": [part(ASKED)], "name": None}
_CALLED = {"role": "assistant", "parts": [CALL_PART], "finish_reason": "tool_call"}
_ANSWERED = {
    "role": "tool",
    "parts": [{"type": "tool_call_response", "id": "call_1", "response": RESULT}],
}
_CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.response.model": "gpt-4o-mini-2024",
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 7,
}


def chat(given, made, **more):
    return {
        **_CHAT,
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": json.dumps(made),
        **more,
    }


THOUGHT = {"type": "reasoning", "content": "I need the booking first."}
GENAI_SPANS = (
    span("invoke_agent host", 0, {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "host"}, length=90),
    span("chat gpt-4o-mini", 10, chat(
        [_USER], [{**_CALLED, "parts": [THOUGHT, CALL_PART]}],
        **{"gen_ai.system_instructions": json.dumps([part(SYSTEM)]),
           "gen_ai.response.finish_reasons": ["tool_call"]}), parent=0),
    span("execute_tool get_booking", 20, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_booking",
        "gen_ai.tool.call.id": "call_1", "gen_ai.tool.call.arguments": json.dumps(ARGUMENTS),
        "gen_ai.tool.call.result": RESULT}, parent=0, length=9),
    span("retrieval floor", 25, {
        "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "floor",
        "gen_ai.retrieval.query.text": "tables for 4",
        "gen_ai.retrieval.documents": '[{"id": "floor.md", "score": 0.9}]'}, parent=20),
    span("execute_tool assign_table", 30, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "assign_table",
        "gen_ai.tool.call.id": "call_2", "gen_ai.tool.call.arguments": '{"table": "T99"}',
        "error.type": "ValueError"}, parent=0, error="no such table"),
    span("chat gpt-4o-mini", 40, chat([_USER, _CALLED, _ANSWERED], [
        {"role": "assistant", "parts": [part(SAID)], "finish_reason": "stop"}]), parent=0),
    span("chat gpt-4o-mini", 50, {**_CHAT, "error.type": "TimeoutError"},
         parent=0, error="no answer in 10 s"),
)  # fmt: skip

_OLDER = {
    "gen_ai.system": "OpenAI",
    "llm.request.type": "chat",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.prompt_tokens": 20,
    "gen_ai.usage.completion_tokens": 7,
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": SYSTEM,
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": ASKED,
}
_OLDER_CALL = {
    "id": "call_1",
    "name": "get_booking",
    "arguments": json.dumps(ARGUMENTS),
}
OLDER_SPANS = (
    span("openai.chat", 10, {
        **_OLDER,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        **{f"gen_ai.completion.0.tool_calls.0.{k}": v for k, v in _OLDER_CALL.items()}}),
    span("openai.chat", 20, {
        **_OLDER,
        "gen_ai.prompt.2.role": "assistant",
        **{f"gen_ai.prompt.2.tool_calls.0.{k}": v for k, v in _OLDER_CALL.items()},
        "gen_ai.prompt.3.role": "tool", "gen_ai.prompt.3.tool_call_id": "call_1",
        "gen_ai.prompt.3.content": RESULT,
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": SAID,
        "gen_ai.completion.0.finish_reason": "stop"}),
)  # fmt: skip

_CALL_OF_EVENT = json.dumps(
    {"role": "assistant", "tool_calls": [
        {"id": "call_1", "type": "function",
         "function": {"name": "get_booking", "arguments": json.dumps(ARGUMENTS)}}]}
)  # fmt: skip
_EVENT_CHAT = {"gen_ai.system": "openai", "gen_ai.operation.name": "chat",
               "gen_ai.request.model": "gpt-4o-mini"}  # fmt: skip
EVENT_SPANS = (
    span("chat gpt-4o-mini", 10, _EVENT_CHAT, events=[
        ("gen_ai.system.message", {"content": SYSTEM}),
        ("gen_ai.user.message", {"content": ASKED}),
        ("gen_ai.choice", {"finish_reason": "tool_calls", "message": _CALL_OF_EVENT}),
    ]),
    span("chat gpt-4o-mini", 20, _EVENT_CHAT, events=[
        ("gen_ai.system.message", {"content": SYSTEM}),
        ("gen_ai.user.message", {"content": ASKED}),
        ("gen_ai.assistant.message", {"gen_ai.event.content": _CALL_OF_EVENT}),
        ("gen_ai.tool.message", {"id": "call_1", "content": RESULT}),
        ("gen_ai.choice", {"finish_reason": "stop", "message": json.dumps({"content": SAID})}),
    ]),
)  # fmt: skip

_LLM = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4o-mini",
    "llm.provider": "openai",
    "llm.token_count.prompt": 20,
    "llm.token_count.completion": 7,
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": SYSTEM,
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": ASKED,
}
_IN, _OUT = "llm.input_messages", "llm.output_messages"


def _tool_call(prefix):
    return {
        f"{prefix}.message.role": "assistant",
        f"{prefix}.message.tool_calls.0.tool_call.id": "call_1",
        f"{prefix}.message.tool_calls.0.tool_call.function.name": "get_booking",
        f"{prefix}.message.tool_calls.0.tool_call.function.arguments": json.dumps(ARGUMENTS),
    }


OPENINFERENCE_SPANS = (
    span("LangGraph", 0, {"openinference.span.kind": "CHAIN"}, length=90),
    span("host", 5, {"openinference.span.kind": "AGENT"}, parent=0),
    span("ChatOpenAI", 10, {**_LLM, **_tool_call(f"{_OUT}.0"), "llm.finish_reason": "tool_calls"},
         parent=5),
    span("tools", 15, {"openinference.span.kind": "CHAIN"}, parent=0),
    span("get_booking", 20, {
        "openinference.span.kind": "TOOL", "tool.name": "get_booking", "input.value": "BK4471",
        "output.mime_type": "application/json",
        "output.value": json.dumps({"type": "tool", "data": {
            "content": RESULT, "type": "tool", "name": "get_booking", "tool_call_id": "call_1",
            "status": "success"}})}, parent=15),
    span("FloorPlan", 25, {
        "openinference.span.kind": "RETRIEVER", "input.value": "tables for 4",
        "retrieval.documents.0.document.content": "T12 seats 4.",
        "retrieval.documents.0.document.score": 0.9,
        "retrieval.documents.0.document.metadata": '{"source": "floor.md"}'}, parent=20),
    span("host", 35, {"openinference.span.kind": "AGENT"}, parent=0),
    span("ChatOpenAI", 40, {
        **_LLM, **_tool_call(f"{_IN}.2"),
        f"{_IN}.3.message.role": "tool", f"{_IN}.3.message.tool_call_id": "call_1",
        f"{_IN}.3.message.content": RESULT,
        f"{_OUT}.0.message.role": "assistant", f"{_OUT}.0.message.content": SAID,
        "llm.finish_reason": "stop"}, parent=35),
)  # fmt: skip

RESPONSES = [
    {"role": "developer", "content": SYSTEM},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
    {"type": "reasoning", "id": "rs_1", "summary": [
        {"type": "summary_text", "text": "I need the booking first."}]},
    {"type": "function_call", "call_id": "call_1", "name": "get_booking",
     "arguments": json.dumps(ARGUMENTS), "id": "fc_1", "status": "completed"},
    {"type": "function_call", "call_id": "call_2", "name": "list_tables", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_2", "output": "T12, T13"},
    {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
    {"type": "web_search_call", "id": "ws_1", "status": "completed",
     "action": {"type": "search", "query": "inn"}, "results": ["an inn"]},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": SAID, "annotations": []}]},
]  # fmt: skip

ANTHROPIC = {
    "system": [{"type": "text", "text": SYSTEM}],
    "messages": [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "I need the booking first.", "signature": "x"},
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "toolu_1", "name": "get_booking", "input": ARGUMENTS},
            {"type": "tool_use", "id": "toolu_2", "name": "assign_table", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True,
             "content": [{"type": "text", "text": "table_id is missing"}]},
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": RESULT},
            {"type": "text", "text": "Hurry up, please."}]},
        {"role": "assistant", "content": SAID},
    ],
}  # fmt: skip

_PYDANTIC = {"gen_ai.agent.name": "host", "gen_ai.agent.call.id": "a1"}
_RETURNED = {"type": "tool_call_response", "id": "call_1", "name": "get_booking", "result": RESULT}
PYDANTIC_AI_SPANS = (
    span("chat gpt-4o-mini", 10, chat(
        [_USER], [{**_CALLED, "parts": [CALL_PART], "finish_reason": "tool_call"}],
        **_PYDANTIC, **{
            "gen_ai.system_instructions": json.dumps([part(SYSTEM)]),
            "model_request_parameters": '{"function_tools": [{"name": "get_booking"}]}',
            "logfire.json_schema": '{"type": "object"}'}), parent=0),
    span("running tool", 20, {
        **_PYDANTIC, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_booking",
        "gen_ai.tool.call.id": "call_1", "tool_arguments": json.dumps(ARGUMENTS),
        "tool_response": RESULT, "logfire.msg": "running tool: get_booking"}, parent=0),
    span("chat gpt-4o-mini", 40, chat(
        [_USER, _CALLED, {"role": "user", "parts": [_RETURNED]}],
        [{"role": "assistant", "parts": [part(SAID)]}], **_PYDANTIC), parent=0),
    span("agent run", 0, {
        **_PYDANTIC, "gen_ai.operation.name": "invoke_agent", "final_result": SAID}, length=90),
)  # fmt: skip

_AI_MESSAGES = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": [{"type": "text", "text": ASKED}]},
]
_AI_NAMED = {"toolCallId": "call_1", "toolName": "get_booking"}
_AI_CALLED = {"role": "assistant", "content": [{"type": "tool-call", **_AI_NAMED,
                                                "input": ARGUMENTS}]}  # fmt: skip
_AI_STEP = {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.telemetry.functionId": "host",
    "ai.model.id": "gpt-4o-mini",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.system": "openai.responses",
    "ai.usage.inputTokens": 20,
    "ai.usage.outputTokens": 7,
    "ai.prompt.tools": [json.dumps({"type": "function", "name": "get_booking",
                                    "inputSchema": {"type": "object"}})],
}  # fmt: skip


def ai_sdk_spans(result, *, failed=None):
    """A call of the AI SDK, in which ``result`` is what the tool's answer became."""
    answered = {"role": "tool", "content": [{"type": "tool-result", **_AI_NAMED, **result}]}
    tool = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "get_booking",
            "ai.toolCall.id": "call_1", "ai.toolCall.args": json.dumps(ARGUMENTS)}  # fmt: skip
    if failed is None:
        tool["ai.toolCall.result"] = RESULT
    return (
        span("ai.generateText", 0, {
            "ai.operationId": "ai.generateText", "ai.telemetry.functionId": "host",
            "ai.prompt": json.dumps({"system": SYSTEM, "prompt": ASKED})}, length=90),
        span("ai.generateText.doGenerate", 10, {
            **_AI_STEP, "ai.prompt.messages": json.dumps(_AI_MESSAGES),
            "ai.response.finishReason": "tool_calls", "ai.response.reasoning": "Hm.",
            "ai.response.toolCalls": json.dumps([{**_AI_NAMED, "input": json.dumps(ARGUMENTS)}]),
        }, parent=0),
        span("ai.toolCall", 20, tool, parent=0, error=failed),
        span("ai.generateText.doGenerate", 40, {
            **_AI_STEP, "ai.prompt.messages": json.dumps([*_AI_MESSAGES, _AI_CALLED, answered]),
            "ai.response.finishReason": "stop", "ai.response.text": SAID}, parent=0),
    )  # fmt: skip


AI_SDK_SPANS = ai_sdk_spans({"output": {"type": "text", "value": RESULT}})

_CHAT_LIST = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": ASKED}]
_CHAT_CALL = json.loads(_CALL_OF_EVENT)


def _observed(kind, given, made, **more):
    return {
        "langfuse.observation.type": kind, "langfuse.observation.input": given,
        "langfuse.observation.output": made,
        **{f"langfuse.observation.{name}": value for name, value in more.items()},
    }  # fmt: skip


_GENERATED = {"model.name": "gpt-4o-mini", "usage_details": '{"input": 20, "output": 7}',
              "cost_details": '{"total": 0.5}'}  # fmt: skip
LANGFUSE_SPANS = (
    span("host", 0, _observed("agent", json.dumps({"question": ASKED}), SAID), length=90),
    span("plan", 10, _observed(
        "generation", json.dumps({"messages": _CHAT_LIST, "tools": [{"name": "get_booking"}]}),
        _CALL_OF_EVENT, **_GENERATED), parent=0),
    span("get_booking", 20, _observed("tool", json.dumps(ARGUMENTS), RESULT), parent=0),
    span("floor", 25, _observed("retriever", "tables for 4", '["floor plan"]'), parent=0),
    span("assign_table", 30, _observed(
        "tool", '{"table": "T99"}', "", level="ERROR", status_message="no such table"), parent=0),
    span("answer", 40, _observed(
        "generation", json.dumps([*_CHAT_LIST, _CHAT_CALL, {
            "role": "tool", "tool_call_id": "call_1", "content": RESULT}]),
        json.dumps({"role": "assistant", "content": SAID}), **_GENERATED), parent=0),
)  # fmt: skip

_BLOCK_CALL = {"toolUse": {"toolUseId": "call_1", "name": "get_booking", "input": ARGUMENTS}}
_BLOCK_RESULT = {"toolUseId": "call_1", "status": "success", "content": [{"text": RESULT}]}
_STRANDS_CHAT = {"gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents",
                 "gen_ai.request.model": "gpt-4o-mini"}  # fmt: skip
_STRANDS_SAID = [
    ("gen_ai.system.message", {"content": json.dumps([{"text": SYSTEM}])}),
    ("gen_ai.user.message", {"content": json.dumps([{"text": ASKED}])}),
]
STRANDS_SPANS = (
    span("invoke_agent host", 0, {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "host"}, length=90),
    span("chat", 10, _STRANDS_CHAT, parent=0, events=[
        *_STRANDS_SAID,
        ("gen_ai.choice", {"finish_reason": "tool_call", "message": json.dumps([
            {"reasoningContent": {"reasoningText": {"text": "Hm."}}}, _BLOCK_CALL])}),
    ]),
    span("execute_tool get_booking", 20, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_booking",
        "gen_ai.tool.call.id": "call_1", "gen_ai.tool.status": "success"}, parent=0, events=[
            ("gen_ai.tool.message", {
                "role": "tool", "content": json.dumps(ARGUMENTS), "id": "call_1"}),
            ("gen_ai.choice", {"message": json.dumps([{"text": RESULT}]), "id": "call_1"}),
    ]),
    span("chat", 40, _STRANDS_CHAT, parent=0, events=[
        *_STRANDS_SAID,
        ("gen_ai.assistant.message", {"content": json.dumps([_BLOCK_CALL])}),
        ("gen_ai.tool.message", {"content": json.dumps([{"toolResult": _BLOCK_RESULT}])}),
        ("gen_ai.choice", {"finish_reason": "end_turn", "message": json.dumps([{"text": SAID}])}),
    ]),
)  # fmt: skip


def _mlflow(kind, given, made, **more):
    """Every value is JSON text, as MLflow Tracing (3.17) writes it."""
    values = {"spanType": kind, "spanInputs": given, "spanOutputs": made, **more}
    return {f"mlflow.{name}": json.dumps(value) for name, value in values.items()}


_MLFLOW_CHAT = {"llm.model": "gpt-4o-mini", "llm.provider": "openai",
                "chat.tokenUsage": {"input_tokens": 20, "output_tokens": 7},
                "llm.cost": {"total_cost": 0.5},
                "chat.tools": [{"type": "function", "function": {
                    "name": "get_booking", "parameters": {"type": "object"}}}]}  # fmt: skip


def _choice(message, reason):
    return {"id": "chatcmpl-1", "choices": [{"finish_reason": reason, "message": message}]}


MLFLOW_SPANS = (
    span("host", 0, _mlflow("AGENT", {"q": ASKED}, SAID), length=90),
    span("Completions", 10, _mlflow(
        "CHAT_MODEL", {"model": "gpt-4o-mini", "messages": _CHAT_LIST},
        _choice({"content": None, **_CHAT_CALL}, "tool_calls"), **_MLFLOW_CHAT), parent=0),
    span("get_booking", 20, _mlflow("TOOL", ARGUMENTS, RESULT), parent=0),
    span("plan", 25, _mlflow("CHAIN", ASKED, None), parent=0),
    span("Completions", 40, _mlflow(
        "CHAT_MODEL", {"messages": [*_CHAT_LIST, _CHAT_CALL, {
            "role": "tool", "tool_call_id": "call_1", "content": RESULT}]},
        _choice({"role": "assistant", "content": SAID, "tool_calls": None}, "stop"),
        **_MLFLOW_CHAT), parent=0),
)  # fmt: skip
_ITEM_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_booking",
              "arguments": json.dumps(ARGUMENTS)}  # fmt: skip
_ITEM_TEXT = {"type": "message", "id": "msg_1", "role": "assistant",
              "content": [{"type": "output_text", "text": "I look."}]}  # fmt: skip
_ITEM_THOUGHT = {"type": "reasoning", "id": "rs_1",
                 "summary": [{"type": "summary_text", "text": "I need it."}]}  # fmt: skip
MLFLOW_RESPONSES_SPANS = (
    span("Responses", 10, _mlflow(
        "CHAT_MODEL", {"input": ASKED, "instructions": SYSTEM, "tools": [{"name": "get_booking"}]},
        {"output": [_ITEM_THOUGHT, _ITEM_TEXT, _ITEM_CALL]}, **{"llm.model": "gpt-4o-mini"})),
    span("get_booking", 20, _mlflow("TOOL", ARGUMENTS, None), error="no such booking"),
    span("find", 25, _mlflow("RETRIEVER", {"query": "menu"}, [
        {"page_content": "Soup.", "metadata": {"doc_uri": "a"}, "id": "1"}])),
    # The Agents SDK's own spans hold the items alone.
    span("Response", 30, _mlflow(
        "CHAT_MODEL", [{"role": "user", "content": ASKED}, _ITEM_TEXT, _ITEM_CALL, {
            "type": "function_call_output", "call_id": "call_1", "output": "Error: none"}],
        [{**_ITEM_TEXT, "content": [{"type": "output_text", "text": SAID}]}])),
    span("ask", 40, _mlflow("LLM", {"question": "Why?"}, "Because.")),
    span("Messages.create", 50, _mlflow(
        "CHAT_MODEL", {"system": SYSTEM, "messages": [{"role": "user", "content": ASKED}]},
        {"role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "call_9", "name": "get_booking", "input": ARGUMENTS}]})),
)  # fmt: skip

_OF_AGENTS = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o-mini"}
_ASKED_PARTS = [
    {"role": "system", "parts": [part(SYSTEM)]},
    {"role": "user", "parts": [part(ASKED)]},
]
_CALLED_PARTS = {"role": "assistant", "parts": [part("I look."), CALL_PART]}
AGENTS_CHAT_SPANS = (
    # OpenLLMetry's instrumentation of the OpenAI Agents SDK (0.62) over chat completions: no
    # outputs at all.
    span("openai.response", 10, _OF_AGENTS | {"gen_ai.input.messages": json.dumps(_ASKED_PARTS)}),
    span("get_booking.tool", 20, {
        "traceloop.span.kind": "tool", "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_booking", "gen_ai.tool.call.arguments": json.dumps(ARGUMENTS),
        "gen_ai.tool.call.result": RESULT}),
    span("openai.response", 30, _OF_AGENTS | {
        "gen_ai.input.messages": json.dumps([*_ASKED_PARTS, _CALLED_PARTS, _ANSWERED])}),
)  # fmt: skip
AGENTS_RESPONSE = _OF_AGENTS | {
    # The same over the Responses API: a message an item.
    "gen_ai.input.messages": json.dumps(_ASKED_PARTS),
    "gen_ai.output.messages": json.dumps([
        {"role": "assistant", "parts": [part("I look.")], "finish_reason": "stop"},
        {"role": "assistant", "parts": [CALL_PART], "finish_reason": "tool_call"}]),
}  # fmt: skip
