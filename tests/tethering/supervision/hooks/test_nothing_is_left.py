"""After a supervised run nothing of it is left, and nothing that a tool gives breaks one."""

from __future__ import annotations

import copy
import gc
import os
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anthropic
import openai
import pytest
from langchain_core.language_models import BaseChatModel
from mcp import ClientSession
from supervised_agents import SayingSupervisor, asks, chat_loop, claude_loop, openai_client
from supervised_agents import claude_client as anthropic_client

from knitbone.testing import ModelServer
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

GUIDANCE = Guidance(task="t", run="r", text="Deposit the check first.")
ASKED = [{"role": "user", "content": "Pay Ann."}]
RUNS = 30


def hooked_places():
    """What stands where hooks stand while something is supervised."""
    return [
        openai._base_client.SyncAPIClient.request, openai._base_client.AsyncAPIClient.request,
        anthropic._base_client.SyncAPIClient.request,
        anthropic._base_client.AsyncAPIClient.request,
        BaseChatModel.generate, BaseChatModel.agenerate, BaseChatModel.stream,
        BaseChatModel.astream, ClientSession.call_tool, ClientSession.list_tools,
        threading.Thread.start, ThreadPoolExecutor.submit, list(sys.meta_path),
    ]  # fmt: skip


def open_files():
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0


def test_after_many_runs_no_hook_no_run_and_no_file_is_left():
    before, gone = hooked_places(), []
    with ModelServer(asks("pay", {}, "c1")) as server:
        client, messages = openai_client(server), copy.deepcopy(ASKED)
        client.models.with_raw_response  # noqa: B018 - loads what the client loads late
        files = 0
        for number in range(RUNS):
            judge = SayingSupervisor(behind={"pay": "\n[note]"})
            with supervised(GUIDANCE, judge) as run:
                assert hooked_places() != before
                gone.append(weakref.ref(run))
                client.chat.completions.create(model="m", messages=messages)
            del run, judge
            files = files or open_files()
            assert hooked_places() == before, number
        assert open_files() <= files
    gc.collect()
    assert [ref() for ref in gone] == [None] * RUNS


def test_nothing_is_hooked_where_nothing_is_supervised():
    before = hooked_places()
    with supervised():
        assert hooked_places() == before
    with supervised(supervisor=Supervisor("x", mode="off")):
        assert hooked_places() == before
    with pytest.raises(KeyError), supervised(GUIDANCE):
        raise KeyError
    assert hooked_places() == before


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = {
    "nothing": None,
    "bytes": b"\xff\xfe",
    "an object": object(),
    "deep": nested(100_000),
    "a half of a surrogate pair": "\ud800 paid \udfff",
    "zeros": "\x00" * 1_000,
    "large": "x" * 20_000_000,
    "not a number": float("nan"),
    "large number": 10**400,
    "an error": ValueError("\ud800"),
}


@pytest.mark.parametrize("result", HOSTILE.values(), ids=HOSTILE)
def test_whatever_a_tool_gives_an_own_loop_goes_on(result):
    with supervised(GUIDANCE, Supervisor("Pay Ann.", GUIDANCE)) as run:
        for number in range(4):
            found = run.tool_returned("pay", {"to": result}, result, call_id=f"c{number}")
            assert found is result or str(found).startswith(str(result)[:9])
    with supervised(supervisor=SayingSupervisor(behind={"pay": "\n[note]"})) as run:
        found = run.tool_returned("pay", {"to": result}, result)
        assert found is result or str(found).endswith("[note]")


@pytest.mark.parametrize("content", ["x" * 5_000_000, "\x00", "", nested(200), {"a": [1]}, 7])
@pytest.mark.parametrize("loop", ["chat", "anthropic"])
def test_whatever_a_tool_gives_a_client_sends_it(content, loop):
    judge = Supervisor("Pay Ann.", GUIDANCE)
    replies = [asks("pay", {"to": "Ann"}, "c1"), "Done."]
    tools = {"pay": lambda **_: content}
    with ModelServer(replies) as server, supervised(supervisor=judge):
        if loop == "chat":
            chat_loop(openai_client(server), copy.deepcopy(ASKED), tools)
            assert server.requests[1].body["messages"][-1]["content"] == content
        else:
            claude_loop(anthropic_client(server), copy.deepcopy(ASKED), tools)
            (block,) = server.requests[1].body["messages"][-1]["content"]
            assert block["content"] == content
    assert [decision.trigger for decision in judge.decisions] == ["tool_return", "text_response"]


def test_results_beyond_the_memory_of_a_run_are_forgotten_oldest_first(monkeypatch):
    from knitbone.tethering.supervision.hooks import call_history

    monkeypatch.setattr(call_history, "_KEPT", 3)
    kept = call_history.RunLedger()
    for number in range(9):
        call = ReturnedCall(tool="pay", call_id=f"c{number}")
        kept.asked([call_history.AskedCall(f"c{number}", "pay", {})])
        kept.correction((f"c{number}", 0), lambda number=number: str(number))
        kept.executed(call, None, text="")
    assert kept.asked_call("c0") is None
    assert kept.asked_call("c8") is not None
    assert len(kept._said) <= 4


def test_whatever_of_supervision_raises_never_reaches_the_agent(monkeypatch):
    from knitbone.tethering.supervision.hooks import stainless, turn
    from knitbone.tethering.supervision.hooks import stainless as bodies

    def fail(*_args, **_kwargs):
        raise RuntimeError("ours")

    broken = [
        (turn, "_corrections"), (turn, "_put_back"), (turn.ModelTurn, "answered"),
        (bodies.RequestBody, "changes"), (bodies.RequestBody, "concluded"),
        (bodies, "_teach_risks"), (stainless, "inference"), (stainless, "body_of"),
        (SayingSupervisor, "tool_returned"), (SayingSupervisor, "text_answered"),
    ]  # fmt: skip
    for owner, name in broken:
        replies = [asks("pay", {"to": "Ann"}, "c1"), "Done.", "All is done."]
        with ModelServer(replies) as server, monkeypatch.context() as patched:
            patched.setattr(owner, name, fail)
            with supervised(GUIDANCE, SayingSupervisor(behind={"pay": "\n[note]"})):
                client = openai_client(server)
                answer = chat_loop(client, copy.deepcopy(ASKED), {"pay": lambda to: to})
                assert answer == "Done.", name
                stream = client.chat.completions.create(
                    model="m", messages=ASKED, stream=True, tools=[]
                )
                assert len(list(stream)) > 3, name
