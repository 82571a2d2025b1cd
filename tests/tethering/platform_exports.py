"""One run of an agent as LangSmith, Langfuse and Phoenix export it, and in each of their forms."""

from __future__ import annotations

import copy
import json
from typing import Any

SYSTEM, ASKED, ANSWER = "You seat the guests of an inn.", "A table for four.", "At the window."
CALL = {"guests": 4}
FOUND = '{"table": "T4"}'
TOOL = {"type": "function", "function": {"name": "find_table", "parameters": {"type": "object"}}}
TRACE = "7d5ad9f8-1f3a-4e0b-9d5c-2f6f0e6a1b01"


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind],
            "kwargs": fields}  # fmt: skip


def langsmith() -> list[dict[str, Any]]:
    def run(name: str, kind: str, number: int, parent: str | None, **more: Any) -> dict[str, Any]:
        return {
            "id": f"0000000{number}-0000-4000-8000-000000000000", "name": name, "run_type": kind,
            "trace_id": TRACE, "parent_run_id": parent, "error": None, "status": "success",
            "start_time": f"2026-01-01T08:00:0{number}.250000", "end_time":
            f"2026-01-01T08:00:0{number}.750000+00:00", "extra": {"metadata": {}}, "tags": [],
            **more,
        }  # fmt: skip

    told = [lc("SystemMessage", content=SYSTEM), lc("HumanMessage", content=ASKED)]
    call = {"name": "find_table", "args": CALL, "id": "call_1", "type": "tool_call"}
    asks = lc("AIMessage", content="", tool_calls=[call])
    found = lc("ToolMessage", content=FOUND, tool_call_id="call_1", name="find_table",
               status="success")  # fmt: skip
    extra = {
        "invocation_params": {"model": "m-1", "tools": [TOOL]},
        "metadata": {"ls_provider": "openai", "thread_id": "th-1"},
    }
    root = run("agent", "chain", 0, None, id=TRACE, inputs={"messages": told[1:]},
               outputs={"messages": []})  # fmt: skip
    return [
        root,
        run("ChatOpenAI", "llm", 1, TRACE, extra=extra, inputs={"messages": [told]},
            outputs={"generations": [[{"text": "", "message": asks,
                                       "generation_info": {"finish_reason": "tool_calls"}}]],
                     "llm_output": {"token_usage": {"prompt_tokens": 9, "completion_tokens": 3}}}),
        run("find_table", "tool", 2, TRACE, inputs={"input": "{'guests': 4}"},
            outputs={"output": found}),
        run("ChatOpenAI", "llm", 3, TRACE, extra=extra, prompt_tokens=20, completion_tokens=4,
            total_cost=0.5, inputs={"messages": [[*told, asks, found]]},
            outputs={"generations": [[{"message": lc("AIMessage", content=ANSWER)}]]}),
    ]  # fmt: skip


def openai_messages(*, answered: bool) -> list[dict[str, Any]]:
    asks = {"id": "call_1", "type": "function",
            "function": {"name": "find_table", "arguments": json.dumps(CALL)}}  # fmt: skip
    told: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM}, {"role": "user", "content": ASKED},
    ]  # fmt: skip
    if answered:
        told.append({"role": "assistant", "content": "", "tool_calls": [asks]})
        told.append({"role": "tool", "content": FOUND, "tool_call_id": "call_1"})
    return told


def langsmith_openai() -> list[dict[str, Any]]:
    """The same, traced around OpenAI's client."""
    runs = langsmith()
    (first, tool, second), asked = runs[1:], openai_messages(answered=True)
    for run, given, said in (
        (first, openai_messages(answered=False), asked[2]),
        (second, asked, {"role": "assistant", "content": ANSWER}),
    ):
        run["inputs"] = {"messages": given, "model": "m-1"}
        run["outputs"] = {"choices": [{"message": said, "finish_reason": "stop"}],
                          "usage": {"prompt_tokens": 9, "completion_tokens": 3}}  # fmt: skip
    tool["inputs"], tool["outputs"] = CALL, {"output": FOUND}
    return runs


def langfuse() -> dict[str, Any]:
    def seen(name: str, kind: str, number: int, parent: str | None, **more: Any) -> dict[str, Any]:
        return {
            "id": f"obs{number}", "traceId": TRACE, "type": kind, "name": name, "level": "DEFAULT",
            "statusMessage": None, "parentObservationId": parent,
            "startTime": f"2026-01-01T08:00:0{number}.250Z",
            "endTime": f"2026-01-01T08:00:0{number}.750Z", "model": None, "usageDetails": {},
            "costDetails": {}, "metadata": {}, "input": None, "output": None, **more,
        }  # fmt: skip

    told = openai_messages(answered=True)
    found = {"content": FOUND, "type": "tool", "name": "find_table", "tool_call_id": "call_1",
             "status": "success"}  # fmt: skip
    offered = {"role": "tool", "content": TOOL}
    # As the callbacks for LangChain write it.
    further = {"tool_calls": told[2]["tool_calls"], "refusal": None}
    asks = {"role": "assistant", "content": "", "additional_kwargs": further}
    observations = [
        seen("ChatOpenAI", "GENERATION", 3, "obs0", model="m-1", input=[*told, offered],
             output={"role": "assistant", "content": ANSWER},
             usageDetails={"input": 20, "output": 4, "total": 24}, costDetails={"total": 0.5}),
        seen("find_table", "SPAN", 2, "obs0", input="{'guests': 4}", output=found),
        seen("ChatOpenAI", "GENERATION", 1, "obs0", model="m-1", input=[*told[:2], offered],
             output=asks, usageDetails={"input": 9, "output": 3}),
        seen("agent", "SPAN", 0, None),
    ]  # fmt: skip
    given = json.dumps({"messages": [{"content": ASKED, "type": "human"}]})
    trace = {"id": TRACE, "projectId": "p", "name": "agent", "sessionId": "th-1", "input": given,
             "timestamp": "2026-01-01T08:00:00.250Z", "output": None, "scores": []}  # fmt: skip
    return {"trace": trace, "observations": observations}


def snake(value: Any) -> Any:
    """Keys of an observation as Langfuse's Python client names them."""
    names = {"traceId": "trace_id", "parentObservationId": "parent_observation_id",
             "startTime": "start_time", "endTime": "end_time", "statusMessage": "status_message",
             "usageDetails": "usage_details", "costDetails": "cost_details"}  # fmt: skip
    return {names.get(key, key): item for key, item in value.items()}


def phoenix() -> list[dict[str, Any]]:
    def span(name: str, kind: str, number: int, parent: str | None, **attributes: Any) -> Any:
        return {
            "id": f"R2xvYmFs{number}", "name": name, "span_kind": kind, "parent_id": parent,
            "context": {"trace_id": TRACE, "span_id": f"s{number}"},
            "start_time": f"2026-01-01T08:00:0{number}.250000+00:00",
            "end_time": f"2026-01-01T08:00:0{number}.750000+00:00", "status_code": "OK",
            "status_message": "", "attributes": {"session.id": "th-1", **attributes}, "events": [],
        }  # fmt: skip

    def messages(prefix: str, said: list[dict[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, message in enumerate(said):
            at = f"llm.{prefix}.{number}.message"
            found |= {f"{at}.{name}": message[name] for name in ("role", "content", "tool_call_id")
                      if message.get(name)}  # fmt: skip
            for n, call in enumerate(message.get("tool_calls", [])):
                inner = f"{at}.tool_calls.{n}.tool_call"
                found |= {f"{inner}.id": call["id"]}
                found |= {f"{inner}.function.{k}": v for k, v in call["function"].items()}
        return found

    told = openai_messages(answered=True)
    model = {"llm.model_name": "m-1", "llm.provider": "openai",
             "llm.tools.0.tool.json_schema": json.dumps(TOOL)}  # fmt: skip
    tokens = ("llm.token_count.prompt", "llm.token_count.completion")
    return [
        span("agent", "CHAIN", 0, None, **{"input.value": ASKED, "output.value": ANSWER}),
        span("ChatOpenAI", "LLM", 1, "s0", **model, **messages("input_messages", told[:2]),
             **messages("output_messages", told[2:3]), **dict(zip(tokens, (9, 3), strict=True))),
        span("find_table", "TOOL", 2, "s0", **{"tool.name": "find_table", "tool_call.id": "call_1",
             "input.value": json.dumps(CALL), "output.value": FOUND}),
        span("ChatOpenAI", "LLM", 3, "s0", **model, **messages("input_messages", told),
             **messages("output_messages", [{"role": "assistant", "content": ANSWER}]),
             **dict(zip(tokens, (20, 4), strict=True)), **{"llm.cost.total": 0.5}),
    ]  # fmt: skip


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Attributes as objects in objects, indices as lists."""
    root: dict[str, Any] = {}
    for name, value in flat.items():
        node = root
        parts = name.split(".")
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = value

    def listed(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if node and all(key.isdigit() for key in node):
            return [listed(item) for item in node.values()]
        return {key: listed(item) for key, item in node.items()}

    return listed(root)


def dataframe() -> list[dict[str, Any]]:
    """The rows of ``get_spans_dataframe``: a column for each attribute, messages as a list."""
    rows = []
    for span in phoenix():
        row = {
            key: item for key, item in span.items() if key not in ("id", "context", "attributes")
        }
        row |= {f"context.{key}": item for key, item in span["context"].items()}
        attributes = copy.deepcopy(span["attributes"])
        for side in ("llm.input_messages", "llm.output_messages"):
            parts = {k: v for k, v in attributes.items() if k.startswith(side)}
            said = nested(parts).get("llm", {}).get(side[4:], [])
            attributes = {k: v for k, v in attributes.items() if k not in parts}
            if said:
                attributes[side] = [{f"message.{k}": v for k, v in one["message"].items()}
                                    for one in said]  # fmt: skip
        row |= {f"attributes.{key}": item for key, item in attributes.items()}
        row["start_time"] = 1767254400250 + 1000 * len(rows)  # milliseconds, as pandas writes them
        row["end_time"] = row["start_time"] + 500
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def columns() -> dict[str, Any]:
    """The same as ``DataFrame.to_json()`` writes it unasked."""
    rows = dataframe()
    return {name: {row["context.span_id"]: row[name] for row in rows} for name in rows[0]}


def split() -> dict[str, Any]:
    rows = [{k: v for k, v in row.items() if k != "context.span_id"} for row in dataframe()]
    return {"columns": list(rows[0]), "index": [row["context.span_id"] for row in dataframe()],
            "data": [list(row.values()) for row in rows]}  # fmt: skip


def by_index() -> dict[str, Any]:
    return {row["context.span_id"]: row for row in dataframe()}


def tree() -> dict[str, Any]:
    """LangSmith's runs inside each other, without the identifier of the trace."""
    root, *others = ({k: v for k, v in run.items() if k not in ("trace_id", "parent_run_id")}
                     for run in langsmith())  # fmt: skip
    return root | {"child_runs": others}


LANGFUSE = langfuse()
FORMS: dict[str, tuple[str, Any]] = {
    "langsmith": ("langsmith", langsmith()),
    "langsmith, around OpenAI's client": ("langsmith", langsmith_openai()),
    "langsmith, wrapped": ("langsmith", {"runs": langsmith()[::-1]}),
    "langsmith, as a tree": ("langsmith", tree()),
    "langsmith, values as text": ("langsmith", [
        run | {"inputs": json.dumps(run["inputs"]), "outputs": json.dumps(run["outputs"])}
        for run in langsmith()
    ]),
    "langfuse, the page's download": ("langfuse", LANGFUSE),
    "langfuse, the API's trace": (
        "langfuse", LANGFUSE["trace"] | {"observations": LANGFUSE["observations"]}
    ),
    "langfuse, observations": ("langfuse", LANGFUSE["observations"]),
    "langfuse, a page of observations": ("langfuse", {"data": LANGFUSE["observations"]}),
    "langfuse, its Python client's": ("langfuse", [snake(o) for o in LANGFUSE["observations"]]),
    "phoenix": ("phoenix", phoenix()),
    "phoenix, a page": ("phoenix", {"data": phoenix(), "next_cursor": None}),
    "phoenix, nested": (
        "phoenix", [span | {"attributes": nested(span["attributes"])} for span in phoenix()]
    ),
    "phoenix, a trace": ("phoenix", {"traceId": TRACE, "spans": phoenix()}),
    "phoenix, a table's records": ("phoenix", dataframe()),
    "phoenix, a table's columns": ("phoenix", columns()),
    "phoenix, a table, split": ("phoenix", split()),
    "phoenix, a table by its index": ("phoenix", by_index()),
}  # fmt: skip
