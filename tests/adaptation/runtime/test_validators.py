"""The typed outputs of agents, run with the library and its own model for tests."""

from __future__ import annotations

import asyncio
import contextvars
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import knitbone

pytest.importorskip("pydantic_ai")

_MODULE = '''
import asyncio
from datetime import date

from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

import knitbone

ANSWER = ""
SEEN = []


class Lease(BaseModel):
    """Terms of a lease."""

    tenant: str
    rent: float = Field(description="rent a month in euros")
    start: date
    months: int


class Refusal(BaseModel):
    """Why there are no terms."""

    why: str


def called(messages, info):
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, ANSWER)])


def written(messages, info):
    return ModelResponse(parts=[TextPart(ANSWER)])


def beside(messages, info):
    if len(messages) > 1:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, ANSWER)])
    text = f"I look it up. Perhaps: {DRAFT}"
    return ModelResponse(parts=[TextPart(text), ToolCallPart("look_up", "{}")])


DRAFT = '{"tenant": "Nobody", "rent": "1 €", "start": "2026-01-01", "months": 1}'


async def streamed(messages, info):
    yield {0: DeltaToolCall(name=info.output_tools[0].name, json_args="")}
    for place in range(0, len(ANSWER), 7):
        yield {0: DeltaToolCall(json_args=ANSWER[place : place + 7])}


def terms(lease: Lease) -> str:
    return f"{lease.tenant}: {lease.months}"


def plain(question):
    return Agent(FunctionModel(called), output_type=Lease, retries=0).run_sync(question).output


@knitbone.adapt
def by_tool(question):
    lease = Agent(FunctionModel(called), output_type=Lease, retries=0).run_sync(question).output
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
async def by_prompt(question):
    agent = Agent(FunctionModel(written), output_type=PromptedOutput(Lease), retries=0)
    lease = (await agent.run(question)).output
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
async def by_text(question):
    agent = Agent(FunctionModel(written), output_type=Lease, retries=0)
    lease = (await agent.run(user_prompt=question)).output
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
def by_written_call(question):
    agent = Agent(FunctionModel(written), output_type=ToolOutput(Lease), retries=0)
    agent.tool_plain(lambda: SEEN.append("looked up") or "done", name="look_up")
    run = agent.run_sync(question)
    SEEN.append([part.part_kind for part in run.all_messages()[1].parts])
    lease = run.output
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
def by_call_or_text(question):
    run = Agent(FunctionModel(written), output_type=Lease, retries=0).run_sync(question)
    SEEN.append([part.part_kind for part in run.all_messages()[1].parts])
    lease = run.output
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
def by_one_of_two_calls(question):
    outputs = [ToolOutput(Lease, name="report"), ToolOutput(Refusal, name="refuse")]
    made = Agent(FunctionModel(written), output_type=outputs, retries=0).run_sync(question).output
    return type(made).__name__


@knitbone.adapt
async def by_stream(question):
    agent = Agent(FunctionModel(stream_function=streamed), output_type=Lease, retries=0)
    async with agent.run_stream(question) as result:
        lease = await result.get_output()
    return lease.tenant, lease.rent, lease.start.isoformat(), lease.months


@knitbone.adapt
async def piece_by_piece(question):
    agent = Agent(FunctionModel(stream_function=streamed), output_type=Lease, retries=0)
    async with agent.run_stream(question) as result:
        async for lease in result.stream_output():
            last = lease
    return last.tenant, last.rent, last.start.isoformat(), last.months


@knitbone.adapt
def by_function(question):
    said = Agent(FunctionModel(called), output_type=terms, retries=0).run_sync(question).output
    return said.upper()


@knitbone.adapt
def asked_again(question):
    def model(messages, info):
        SEEN.append(len(messages))
        args = ANSWER if len(messages) > 1 else '{"tenant": null}'
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, args)])

    lease = Agent(FunctionModel(model), output_type=Lease, retries=1).run_sync(question).output
    return lease.months


@knitbone.adapt
def with_tools(question):
    agent = Agent(FunctionModel(beside), output_type=Lease, retries=0, end_strategy="early")
    agent.tool_plain(lambda: SEEN.append("looked up") or "done", name="look_up")
    lease = agent.run_sync(question).output
    return lease.tenant
'''
_GOOD = '{"tenant": "Sam", "rent": 1210, "start": "2026-10-01", "months": 30}'
_DRIFTED = '{"tenant": "Sam", "rent": "1,210 €", "start": "October 1, 2026", "Months": "thirty"}'
_READ = ("Sam", 1210.0, "2026-10-01", 30)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "leases.py").write_text(_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import leases  # type: ignore[import-not-found]

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # ``run_sync`` of the library would leave one of its own open
    yield leases
    asyncio.set_event_loop(None)
    loop.close()
    del sys.modules["leases"]


def _run(function: Any) -> Any:
    # A call that fails stays under way in its context.
    made = contextvars.copy_context().run(function, "Which lease?")
    if asyncio.iscoroutine(made):
        return asyncio.get_event_loop().run_until_complete(made)
    return made


@pytest.mark.parametrize("name", ["by_tool", "by_prompt", "by_text", "by_stream", "piece_by_piece"])
@pytest.mark.parametrize("answer", [_GOOD, _DRIFTED])
def test_the_validator_gets_an_answer_that_it_accepts(app: Any, name: str, answer: str) -> None:
    app.ANSWER = answer
    assert _run(getattr(app, name)) == _READ


def test_the_parameters_of_an_output_function_are_a_type(app: Any) -> None:
    app.ANSWER = _DRIFTED
    assert _run(app.by_function) == "SAM: 30"


def test_what_cannot_be_repaired_is_asked_again(app: Any) -> None:
    app.ANSWER = _DRIFTED
    assert _run(app.asked_again) == 30
    assert len(app.SEEN) == 2


def test_text_beside_a_tool_call_is_no_answer(app: Any) -> None:
    app.ANSWER = _DRIFTED
    assert _run(app.with_tools) == "Sam"
    assert app.SEEN == ["looked up"]


_CALL = f'{{"name": "final_result", "arguments": {_GOOD}}}'
_WRITTEN_CALLS = {
    "in a fence": f"```json\n{_CALL}\n```",
    "in tags": f"<tool_call>\n{_CALL}\n</tool_call>",
    "with doubled braces outside": "{" + _CALL + "}",
    "with all braces doubled": _CALL.replace("{", "{{").replace("}", "}}"),
    "behind an empty list of tools": f"<tools></tools>\n{_CALL}",
    "with parameters": _CALL.replace("arguments", "parameters"),
    "with the arguments as a text": json.dumps({"name": "final_result", "arguments": _GOOD}),
    "behind words": f"Here are the terms of the lease:\n\n{_CALL}",
    "drifted": f'{{"name": "final_result", "arguments": {_DRIFTED}}}',
}
_NO_CALLS = {
    "of a tool that does something": '{"name": "look_up", "arguments": {}}',
    "of an unknown tool": _CALL.replace("final_result", "final"),
    "two that differ": f"{_CALL}\n{_CALL.replace('Sam', 'Tim')}",
    "taken back": f"{_CALL}\nBut I am not sure: the rent may be wrong, so do not use this.",
    "of the wrong type": _CALL.replace("30", '"many"'),
    "without arguments": '{"name": "final_result", "arguments": {}}',
    "words": "I could not read the lease.",
}


@pytest.mark.parametrize("answer", _WRITTEN_CALLS.values(), ids=_WRITTEN_CALLS)
@pytest.mark.parametrize("name", ["by_written_call", "by_call_or_text"])
def test_a_call_that_was_written_as_text_is_a_call(app: Any, name: str, answer: str) -> None:
    app.ANSWER = answer
    assert _run(getattr(app, name)) == _READ
    assert app.SEEN == [["tool-call"]]
    (site,) = [each for each in knitbone.summary().sites if each.site.startswith(app.__file__)]
    assert (site.repaired, site.conforming, site.failed) == (1, 0, 0)


def test_the_arguments_of_a_call_may_be_the_whole_answer(app: Any) -> None:
    app.ANSWER = _GOOD
    assert _run(app.by_written_call) == _READ
    assert _run(app.by_call_or_text) == _READ
    assert app.SEEN == [["tool-call"], ["text"]]


@pytest.mark.parametrize("answer", _NO_CALLS.values(), ids=_NO_CALLS)
@pytest.mark.parametrize("name", ["by_written_call", "by_call_or_text"])
def test_what_is_not_surely_a_call_is_left_to_the_library(app: Any, name: str, answer: str) -> None:
    app.ANSWER = answer
    with pytest.raises(Exception, match="retries"):
        _run(getattr(app, name))
    assert app.SEEN == []


def test_of_several_output_tools_the_one_that_is_named_is_called(app: Any) -> None:
    app.ANSWER = '```json\n{"name": "refuse", "arguments": {"why": "it is torn"}}\n```'
    assert _run(app.by_one_of_two_calls) == "Refusal"
    app.ANSWER = '{"why": "it is torn"}'
    with pytest.raises(Exception, match="retries"):
        _run(app.by_one_of_two_calls)


def test_code_that_is_not_adapted_gets_what_it_always_got(app: Any) -> None:
    app.ANSWER = _DRIFTED
    assert _run(app.by_tool) == _READ
    with pytest.raises(Exception, match="retries"):
        _run(app.plain)


def test_what_is_done_is_counted_at_the_site(app: Any) -> None:
    app.ANSWER = _DRIFTED
    _run(app.by_tool)
    app.ANSWER = _GOOD
    _run(app.by_tool)
    (site,) = [each for each in knitbone.summary().sites if each.site.startswith(app.__file__)]
    assert (site.repaired, site.conforming, site.failed) == (1, 1, 0)
