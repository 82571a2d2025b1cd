"""From a traced agent to its diagnosis: the application runs its tools itself and knows nothing."""

from __future__ import annotations

import json

import openai
import pytest

import knitbone
from knitbone.record.events import ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply


def asks(name, arguments, number):
    return Reply(
        tool_calls=(ToolCallRequest(name=name, arguments=arguments, call_id=f"c{number}"),)
    )


def find_booking(name):
    return {"booking_id": "BK4471", "table_id": "T2377"}


def assign_table(booking_id, table_id):
    return "ok"


def agent(client):
    messages = [
        {"role": "system", "content": "You seat guests."},
        {"role": "user", "content": "A table for Brandt, please."},
    ]
    while True:
        answer = client.chat.completions.create(model="m", messages=messages).choices[0].message
        messages.append(answer.model_dump(exclude_none=True))
        if not answer.tool_calls:
            return answer.content
        for call in answer.tool_calls:
            tool = {"find_booking": find_booking, "assign_table": assign_table}[call.function.name]
            try:
                result = json.dumps(tool(**json.loads(call.function.arguments)))
            except TypeError as error:
                result = f"Error: TypeError: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


@pytest.fixture
def traced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = {"booking_id": "BK4471"}
    replies = [
        asks("find_booking", {"name": "Brandt"}, 1), asks("assign_table", wrong, 2),
        asks("assign_table", wrong, 3), asks("assign_table", wrong, 4), "Your table is ready.",
    ]  # fmt: skip
    with ModelServer(replies) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        with client, knitbone.trace(name="seat"):
            agent(client)
    store = SqliteStore(tmp_path / ".knitbone" / "runs.sqlite")
    try:
        (summary,) = store.list()
        yield store.get(summary.id)
    finally:
        store.close()


def test_a_traced_run_is_diagnosed_like_an_imported_one(traced):
    assert knitbone.diagnose(traced).turning_point is None  # no verdict, and nobody asked
    found = knitbone.diagnose(traced, claim=True)
    assert found.units == 5
    assert found.category == "missing argument"
    assert "calls assign_table without table_id" in found.root_cause
    assert "had returned" in found.root_cause
    assert len(found.affected) == 2
    turning = traced.events[found.turning_point]
    assert turning.output.tool_calls[0].name == "assign_table"
    assert {"run-local", "offline"} <= {plane.plane for plane in found.planes}


def test_what_a_trace_gives_is_diagnosed_itself(tmp_path):
    store = SqliteStore(tmp_path / "given.sqlite")
    for place in (tmp_path / "named.sqlite", store):
        with knitbone.trace(task="seat Brandt", store=place) as run:
            knitbone.tool(find_booking)("Brandt")
            assert [event.name for event in run.recorded().events] == ["find_booking"]
            run.outcome(success=False)
        assert run.recorded().id == run.id
        assert knitbone.diagnose(run).outcome == "failed"
    store.close()


def test_what_is_no_run_is_said(monkeypatch):
    with pytest.raises(knitbone.KnitboneError, match=r"was given 'abc1' \(str\), no run"):
        knitbone.diagnose("abc1")
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    with (
        knitbone.trace() as run,
        pytest.raises(knitbone.KnitboneError, match="nothing was recorded"),
    ):
        knitbone.diagnose(run)
