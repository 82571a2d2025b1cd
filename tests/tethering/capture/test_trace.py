"""``knitbone.trace``: runs in every form, kept apart, and never in the agent's way."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai
import pytest
from agents_under_trace import SECRET, Relay, answer, find_table, recorded, seat

import knitbone
from knitbone.errors import ConfigError, KnitboneError, StoreError
from knitbone.record import redaction as event_redaction
from knitbone.record.events import Outcome
from knitbone.record.recorder import current_recorder
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer
from knitbone.tethering.capture import stores


@pytest.fixture
def store(tmp_path):
    return tmp_path / "runs.sqlite"


@pytest.fixture
def server():
    with ModelServer(answer) as made:
        yield made


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as made:
        yield made


ASKED = [{"role": "user", "content": "four guests"}]


def tool_names(store):
    return [event.name for event in recorded(store)]


def test_every_form_of_function_is_a_run_and_keeps_its_kind(store):
    traced = knitbone.trace(store=store)

    @traced
    def plain(x):
        """Seats."""
        find_table(x)
        return x

    @knitbone.trace(store=store)
    async def later(x):
        find_table(x)
        return x

    @knitbone.trace(store=store)
    def items(x):
        find_table(x)
        got = yield x
        find_table(got)
        return "end"

    @knitbone.trace(store=store)
    async def later_items(x):
        find_table(x)
        yield x
        find_table(x)

    def whole():
        return (yield from items(1))

    assert plain(2) == 2
    assert asyncio.run(later(3)) == 3
    driven = whole()
    assert next(driven) == 1
    with pytest.raises(StopIteration, match="end"):
        driven.send(5)
    assert asyncio.run(_all(later_items(4))) == [4]
    opened = SqliteStore(store)
    runs = [opened.get(row.id) for row in reversed(opened.list())]
    opened.close()
    assert [len(run.events) for run in runs] == [1, 1, 2, 2]
    assert all(run.ended_ns for run in runs)
    assert runs[0].name.endswith("plain")
    assert plain.__doc__ == "Seats."
    assert asyncio.iscoroutinefunction(later)


async def _all(items):
    return [item async for item in items]


def test_interleaved_generators_are_kept_apart_and_a_closed_one_is_finished(store):
    @knitbone.trace(store=store)
    def steps(n):
        while True:
            find_table(n)
            yield

    one, other = steps(1), steps(2)
    for each in (one, other, one, other, one):
        next(each)
        assert current_recorder() is None
    one.close()
    other.close()
    opened = SqliteStore(store)
    guests = [[e.arguments["guests"] for e in opened.get(row.id).events] for row in opened.list()]
    assert all(row.ended_ns for row in opened.list())
    opened.close()
    assert sorted(guests) == [[1, 1, 1], [2, 2]]


def test_an_exception_goes_on_and_is_the_verdict(store):
    error = ZeroDivisionError("no guests")
    with pytest.raises(ZeroDivisionError) as caught, knitbone.trace(store=store):
        raise error
    assert caught.value is error
    (verdict,) = recorded(store)
    assert (verdict.success, verdict.reason) == (False, "raised ZeroDivisionError: no guests")


@pytest.mark.parametrize(
    ("ending", "success", "reason"),
    [
        (KeyboardInterrupt(), None, "ended by KeyboardInterrupt"),
        (SystemExit(), None, "ended by SystemExit"),
        (SystemExit(0), None, "ended by SystemExit: 0"),
        (SystemExit(3), False, "ended by SystemExit: 3"),
        (SystemExit("no guests"), False, "ended by SystemExit: no guests"),
        (asyncio.CancelledError(), None, "ended by CancelledError"),
        (GeneratorExit(), None, "ended by GeneratorExit"),
    ],
)
def test_a_run_that_somebody_stopped_says_how_it_ended(store, ending, success, reason):
    with pytest.raises(type(ending)) as caught, knitbone.trace(store=store):
        raise ending
    assert caught.value is ending
    (verdict,) = recorded(store)
    assert (verdict.success, verdict.reason) == (success, reason)


def test_the_run_takes_messages_verdicts_and_agents(store):
    with knitbone.trace(store=store, name="n", task="seat them", attributes={"k": 1}) as run:
        run.message("alarm", role="environment")
        with run.agent("waiter"):
            find_table(4)
        run.outcome(True, reward=1.0, reason="seated")
    message, tool, verdict = recorded(store, run.id)
    assert (message.content, tool.agent, verdict.reward) == ("alarm", "waiter", 1.0)
    opened = SqliteStore(store)
    found = opened.get(run.id)
    opened.close()
    assert (found.name, found.task, found.attributes) == ("n", "seat them", {"k": 1})


def test_a_trace_in_a_trace_is_a_run_of_its_own(store):
    with knitbone.trace(store=store) as outer:
        find_table(1)
        with knitbone.trace(store=store) as inner:
            find_table(2)
        find_table(3)
    assert [e.arguments["guests"] for e in recorded(store, outer.id)] == [1, 3]
    assert [e.arguments["guests"] for e in recorded(store, inner.id)] == [2]
    opened = SqliteStore(store)
    assert opened.get(inner.id).attributes == {"knitbone.parent_run": outer.id}
    opened.close()


def test_one_trace_of_two_functions_names_each_run_by_its_function(store):
    traced = knitbone.trace(store=store)

    def first():
        find_table(1)

    def second():
        find_table(2)

    traced(first)()
    traced(second)()
    opened = SqliteStore(store)
    names = sorted(summary.name.rpartition(".")[2] for summary in opened.list())
    opened.close()
    assert names == ["first", "second"]


def test_wrong_use_is_said_at_once():
    with pytest.raises(KnitboneError, match="given 'agent', which is no function"):
        knitbone.trace("agent")
    with pytest.raises(KnitboneError, match=r"given task=3 \(int\)\. Give a text"):
        knitbone.trace(task=3)
    with pytest.raises(KnitboneError, match=r"store=3 \(int\)\. Give a file or a run"):
        knitbone.trace(store=3)
    for wrong in ({"name": None}, {"attributes": [1]}, {"config": {}}, {"store": []}):
        with pytest.raises(KnitboneError, match=f"given {next(iter(wrong))}="):
            knitbone.trace(**wrong)
    with pytest.raises(ConfigError, match="not a regular expression"):
        knitbone.trace(config=knitbone.load_config(record={"redact": ["("]}))
    opened = SqliteStore(":memory:")
    held = knitbone.trace(store=opened)
    with held, pytest.raises(KnitboneError, match="already open"):
        held.__enter__()
    opened.close()


def hooked():
    base = next(kind for kind in openai.OpenAI.__mro__ if "request" in vars(kind))
    return [
        vars(base)["request"], openai.Stream.close, openai.AsyncStream.close,
        anthropic.Anthropic.request, threading.Thread.start, ThreadPoolExecutor.submit,
        list(sys.meta_path),
    ]  # fmt: skip


def test_the_originals_are_back_when_the_last_session_ends(store):
    before = hooked()
    with knitbone.trace(store=store):
        assert all(now is not was for now, was in zip(hooked(), before, strict=True))
        with knitbone.trace(store=store):
            pass
        assert hooked()[0] is not before[0]
    after = hooked()
    assert all(now is was for now, was in zip(after[:-1], before[:-1], strict=True))
    assert after[-1] == before[-1]


def test_a_hook_that_somebody_else_wrapped_stays_and_passes_on(client, store, monkeypatch):
    base = next(kind for kind in openai.OpenAI.__mro__ if "request" in vars(kind))
    original = base.request
    calls = []
    with knitbone.trace(store=store):
        ours = base.request

        def theirs(self, *args, **kwargs):
            calls.append(1)
            return ours(self, *args, **kwargs)

        base.request = theirs
    assert base.request is theirs
    client.chat.completions.create(model="m", messages=ASKED)
    base.request = original
    assert calls == [1]
    assert recorded(store) == ()


def test_a_library_imported_in_the_session_is_hooked(store, tmp_path, server):
    (tmp_path / "app.py").write_text(
        textwrap.dedent(
            f"""
            import sys, knitbone
            with knitbone.trace(store={str(store)!r}):
                assert "openai" not in sys.modules
                import openai
                with openai.OpenAI() as client:
                    client.chat.completions.create(
                        model="m", messages=[{{"role": "user", "content": "x"}}])
                import concurrent.futures
                with concurrent.futures.ThreadPoolExecutor() as pool:
                    assert pool.submit(len, "ab").result() == 2
            assert not hasattr(openai.OpenAI.request, "__wrapped__")
            assert not hasattr(concurrent.futures.ThreadPoolExecutor.submit, "__wrapped__")
            assert "exec_module" not in vars(openai.__spec__.loader)
            """
        )
    )
    environment = {**os.environ, **server.environment}
    subprocess.run(
        [sys.executable, "-X", "dev", "app.py"], cwd=tmp_path, env=environment, check=True
    )
    assert [event.model for event in recorded(store)] == ["m"]


def test_the_switch_turns_everything_off(client, store, monkeypatch):
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    before = hooked()[0]
    with knitbone.trace(store=store) as run:
        assert hooked()[0] is before
        find_table(1)
        run.outcome(True)
        run.message("x")
    assert run.id is None
    assert not store.exists()
    monkeypatch.delenv("KNITBONE_DISABLED")
    with knitbone.trace(store=store):
        monkeypatch.setenv("KNITBONE_DISABLED", "1")
        find_table(1)
        client.chat.completions.create(model="m", messages=ASKED)
    assert recorded(store) == ()


def test_secrets_never_reach_the_disk(client, store, tmp_path):
    with knitbone.trace(store=store, name=SECRET, task=SECRET, attributes={"api_key": "abc12345"}):
        seat(client, f"my key is {SECRET}", extra_headers={"Authorization": f"Bearer {SECRET}"})
        with pytest.raises(TypeError):
            find_table(token=SECRET)
    on_disk = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"my key is [redacted]" in on_disk
    for secret in (SECRET, "abc12345", "unused-key"):
        assert secret.encode() not in on_disk


class Broken(SqliteStore):
    """A store of which one method fails."""

    def __init__(self, broken, error):
        super().__init__(":memory:")
        self.broken, self.error = broken, error

    def _fail(self, name):
        if self.broken == name:
            raise self.error

    def begin(self, run):
        self._fail("begin")
        super().begin(run)

    def append(self, run_id, event):
        self._fail("append")
        super().append(run_id, event)

    def finish(self, run_id, *, ended_ns):
        self._fail("finish")
        super().finish(run_id, ended_ns=ended_ns)


@pytest.mark.parametrize("method", ["begin", "append", "finish"])
@pytest.mark.parametrize("error", [StoreError("The disk is full."), RecursionError(), OSError(28)])
def test_a_store_that_fails_never_reaches_the_agent(client, capfd, method, error):
    store = Broken(method, error)
    before = hooked()[0]
    with knitbone.trace(store=store):
        said = seat(client, "four guests")
    assert "Seated" in said.choices[0].message.content
    assert "knitbone: " in capfd.readouterr().err
    assert hooked()[0] is before
    assert current_recorder() is None
    store.close()


@pytest.mark.parametrize(
    "place",
    ["/proc/nothing/runs.sqlite", "/dev/null/x.sqlite", ".", "a text"],
)
def test_a_store_that_cannot_be_opened_never_reaches_the_agent(client, capfd, place, tmp_path):
    if place == "a text":
        place = tmp_path / "text"
        place.write_text("no database, but long enough to be taken for one" * 20)
    with knitbone.trace(store=place) as run:
        assert "Seated" in seat(client, "x").choices[0].message.content
    assert run.id is None
    assert "knitbone: run not recorded: " in capfd.readouterr().err


def test_whatever_of_ours_raises_never_reaches_the_agent(client, store, monkeypatch, capfd):
    def fail(*_args, **_kwargs):
        raise RuntimeError("ours")

    from knitbone.tethering.capture import (
        calls,
        model_calls,
        openai_chat,
        stainless,
        state,
        streams,
        tool_calls,
    )

    broken = [
        (Redactor, "record"), (Redactor, "message"), (Redactor, "text"), (state.RunState, "claim"),
        (state.RunState, "asked"), (calls, "now_ns"), (calls, "error_info"),
        (model_calls, "now_ns"), (model_calls, "error_info"), (tool_calls, "now_ns"),
        (calls, "is_disabled"),
        (streams, "_Chunks"), (openai_chat, "chat_message"), (stainless, "content_of"),
        (event_redaction, "encode_json"), (calls, "new_identifier"),
        (openai_chat._SeenCompletion, "add"), (openai_chat._SeenCompletion, "answer"),
        (state.RunState, "opened"), (state.RunState, "tools_note"),
    ]  # fmt: skip
    offered = [{"type": "function", "function": {"name": "find_table"}}]
    for owner, name in broken:
        with monkeypatch.context() as patched, knitbone.trace(store=store):
            patched.setattr(owner, name, fail)
            said = seat(client, "x", tools=offered)
            assert "Seated" in said.choices[0].message.content, name
            chunks = list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
            assert len(chunks) > 3, name
            with pytest.raises(openai.APIError):
                client.with_options(base_url="http://127.0.0.1:9").chat.completions.create(
                    model="m", messages=ASKED
                )
    capfd.readouterr()


def test_a_run_follows_into_threads_and_pools_but_pools_keep_none(store):
    pool = ThreadPoolExecutor(max_workers=1)
    with knitbone.trace(store=store) as one:
        thread = threading.Thread(target=find_table, args=(1,))
        thread.start()
        thread.join()
        pool.submit(find_table, 2).result()
        pool.submit(find_table, 3).result()
        assert "run" not in vars(thread)
        with knitbone.trace(store=store) as other:
            pool.submit(find_table, 4).result()
        asyncio.run(asyncio.to_thread(find_table, 5))
    with knitbone.trace(store=store) as last:
        context_less = threading.Thread(target=find_table, args=(6,))
        context_less.start()
        context_less.join()
    pool.submit(find_table, 7).result()
    pool.shutdown()
    guests = [
        [e.arguments["guests"] for e in recorded(store, run.id)] for run in (one, other, last)
    ]
    assert guests == [[1, 2, 3, 5], [4], [6]]


def test_one_hundred_concurrent_runs_have_no_event_of_another(store):
    @knitbone.trace(store=store)
    async def agent(client, number):
        words = f"guest {number}"
        message = [{"role": "user", "content": words}]
        said = await client.chat.completions.create(model="m", messages=message)
        call = said.choices[0].message.tool_calls[0]
        await asyncio.sleep(0.001 * (number % 7))
        found = await asyncio.to_thread(find_table, number)
        message += [
            said.choices[0].message,
            {"role": "tool", "tool_call_id": call.id, "content": f"{words}: {found['table']}"},
        ]
        stream = await client.chat.completions.create(model="m", messages=message, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    async def work(server):
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="unused-key") as client:
            return await asyncio.gather(*[agent(client, number) for number in range(100)])

    with ModelServer(answer) as server:
        answers = asyncio.run(work(server))
    opened = SqliteStore(store)
    runs = [opened.get(row.id) for row in opened.list()]
    opened.close()
    assert len(runs) == 100
    seen = set()
    for run in runs:
        first, tool, last = run.events
        number = int(re.search(r"guest (\d+)", first.input[0].content)[1])
        seen.add(number)
        assert tool.arguments == {"guests": number}
        assert tool.parent == first.id
        assert last.input[0].content == f"guest {number}"
        assert last.output.content == answers[number]
        assert f"guest {number}:" in last.output.content
    assert seen == set(range(100))


def conversation(url):
    """Everything that both SDKs send for one agent, on new connections."""
    with openai.OpenAI(base_url=f"{url}/v1", api_key="unused-key") as client:
        seat(client, "four guests", temperature=0.3)
        list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
        client.chat.completions.with_raw_response.create(model="m", messages=ASKED).parse()
    with anthropic.Anthropic(base_url=url, api_key="unused-key") as claude:
        claude.messages.create(model="c", max_tokens=9, system="Seat.", messages=ASKED)
        with claude.messages.stream(model="c", max_tokens=9, messages=ASKED) as stream:
            stream.get_final_text()


VARYING = re.compile(rb"(?im)^(x-stainless-retry-count|idempotency-key|host):.*\r\n")


def test_traced_and_untraced_traffic_is_the_same_byte_for_byte(server, store):
    sent = []
    for traced in (False, True, False):
        with Relay(server.url) as relay:
            if traced:
                with knitbone.trace(store=store):
                    conversation(relay.url)
            else:
                conversation(relay.url)
        sent.append([VARYING.sub(b"", part) for part in relay.sent])
    assert sum(part.count(b"POST /v1/") for part in sent[0]) == 6
    assert sent[0] == sent[1] == sent[2]
    assert len(recorded(store)) == 7


def run_program(code, store, folder):
    """In a process of its own: a fork of the tests' process, with its threads, may hang."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(store)],
        capture_output=True, text=True, check=False, cwd=folder, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


class Blocking:
    """As one that asks a database when it is looked at: the agent must not wait for it."""

    def __repr__(self):
        raise AssertionError("looked at")

    __str__ = __eq__ = __len__ = __iter__ = __repr__
    __hash__ = None


def test_a_tool_is_recorded_with_what_it_was_given_and_nothing_of_it_is_run(store):
    @knitbone.tool
    def pack(items, by):
        packed = len(items)
        items.clear()
        return packed, by

    with knitbone.trace(store=store):
        pack(["a", "b"], Blocking())
    (event,) = recorded(store)
    who = f"[{__name__}.Blocking]"
    assert event.arguments == {"items": ["a", "b"], "by": who}
    assert event.result == [2, who]


@pytest.mark.parametrize("scenario", ["", "declared"])
def test_a_callable_object_without_a_hash_is_recorded(store, monkeypatch, scenario):
    monkeypatch.setenv("KNITBONE_ADAPT_SCENARIO", scenario)

    @dataclasses.dataclass
    class Finder:
        table: int

        def __call__(self, guests):
            return self.table

    find_table = knitbone.tool(Finder(7))
    with knitbone.trace(store=store):
        assert find_table(2) == 7
    (event,) = recorded(store)
    assert (event.arguments, event.result) == ({"guests": 2}, 7)


FORKED = """
import os, sys, knitbone
@knitbone.tool
def find_table(guests): return {"table": 7}
with knitbone.trace(store=sys.argv[1]):
    child = os.fork()
    if child == 0:
        os._exit(0 if find_table(1)["table"] == 7 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    find_table(2)
"""


def test_a_forked_child_neither_writes_nor_breaks(store, tmp_path):
    run_program(FORKED, store, tmp_path)
    assert [event.arguments["guests"] for event in recorded(store)] == [2]


def test_a_forked_child_says_once_that_it_is_not_recorded(store, tmp_path):
    program = ENDING.replace("find_table(4)", "os.fork(); find_table(4); find_table(5)")
    (line,) = run_program("import os\n" + program, store, tmp_path).stderr.splitlines()
    assert re.match(r"knitbone: calls of this child process \(a fork\) are not in run \w+,", line)
    assert [event.arguments["guests"] for event in recorded(store)] == [4, 5]


LEFT_BY_A_FORK = """
import os, sys, knitbone
@knitbone.tool
def find_table(guests): return guests
with knitbone.trace(store=sys.argv[1]):
    child = os.fork()
    if child == 0:
        try:
            with knitbone.trace(store=sys.argv[1], name="its own"):
                find_table(1)
            sys.exit(0)
        except SystemExit:
            pass  # what comes now is the end of the block, in the child, too
    else:
        os.waitpid(child, 0)
        find_table(2)
"""


def test_a_forked_child_that_leaves_the_block_does_not_end_its_parents_run(store, tmp_path):
    assert run_program(LEFT_BY_A_FORK, store, tmp_path).stderr == ""
    opened = SqliteStore(store)
    runs = {run.name: run for run in opened.list()}
    opened.close()
    assert [(run.events, run.ended_ns is not None) for run in runs.values()] == [(1, True)] * 2


def test_an_agent_that_is_left_in_another_task_raises_nothing(store):
    async def named(run):
        with run.agent("cook"):
            yield

    async def left_elsewhere():
        with knitbone.trace(store=store) as run:
            steps = named(run)
            await asyncio.create_task(anext(steps))
            await asyncio.create_task(steps.aclose())
            find_table(3)

    asyncio.run(left_elsewhere())
    assert [event.agent for event in recorded(store)] == [None]


def test_what_is_told_after_the_end_is_said_to_be_lost(store, capfd):
    with knitbone.trace(store=store) as run:
        find_table(3)
    run.outcome(success=True)
    run.message("too late")
    assert run.ended
    assert capfd.readouterr().err.count(f"the run {run.id} has ended") == 1
    assert [type(event).__name__ for event in recorded(store)] == ["ToolCall", "Outcome"]


KILLED = """
import os, signal, sys, knitbone
@knitbone.tool
def find_table(guests): return guests
with knitbone.trace(store=sys.argv[1]):
    for number in range(1000):
        find_table(number)
        print(number, flush=True)
        if number == 60:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_loses_no_event_that_was_recorded(store):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9
    said = [int(line) for line in done.stdout.split()]
    assert [event.arguments["guests"] for event in recorded(store)] == said == list(range(61))


def test_a_requested_tool_is_found_by_its_arguments_where_its_name_differs(client, store):
    @knitbone.tool
    def look_for_table(guests):
        return 7

    with knitbone.trace(store=store):
        client.chat.completions.create(model="m", messages=ASKED)
        look_for_table(9)
        look_for_table(4)
    asked, other, found = recorded(store)
    assert (other.parent, found.parent) == (None, asked.id)


def test_tools_inside_tools_and_models_inside_tools_name_their_tool(client, store):
    @knitbone.tool
    def outer():
        find_table(3)
        client.chat.completions.create(model="m", messages=ASKED)

    with knitbone.trace(store=store):
        outer()
    inner, model, whole = recorded(store)
    assert whole.name == "outer"
    assert inner.parent == model.parent == whole.id


def test_tools_that_generate_are_recorded_with_what_they_gave(store):
    @knitbone.tool
    def pages(n):
        yield from range(n)

    @knitbone.tool
    async def fail():
        raise ValueError("no")

    with knitbone.trace(store=store):
        assert list(pages(3)) == [0, 1, 2]
        with pytest.raises(ValueError, match="no"):
            asyncio.run(fail())
    first, second = recorded(store)
    assert first.result == [0, 1, 2]
    assert (second.error.type, second.error.message) == ("ValueError", "no")


def test_the_wanted_libraries_are_all_known():
    from knitbone.tethering.capture.patching import _HOOKS

    for home in set(_HOOKS.values()):
        assert importlib.util.find_spec(home) is not None


def test_a_library_of_another_shape_is_left_alone_and_said(store, monkeypatch, capfd):
    import types

    strange = types.ModuleType("litellm")
    monkeypatch.setitem(sys.modules, "litellm", strange)
    monkeypatch.setitem(sys.modules, "mcp.client.session", types.ModuleType("mcp.client.session"))
    with knitbone.trace(store=store):
        find_table(1)
    assert "calls of mcp.client.session not recorded" in capfd.readouterr().err
    assert tool_names(store) == ["find_table"]


def test_the_last_verdict_of_several_counts(store):
    @knitbone.trace(store=store)
    def agent():
        with knitbone.trace(store=store) as run:
            run.outcome(False)
            run.outcome(True)
            raise ValueError("late")

    with pytest.raises(ValueError, match="late"):
        agent()
    opened = SqliteStore(store)
    inner, outer = [opened.get(row.id) for row in opened.list()]
    opened.close()
    assert isinstance(inner.outcome, Outcome)
    assert (inner.outcome.success, outer.outcome.success) == (True, False)


def test_recorded_runs_can_be_diagnosed(client, store):
    with knitbone.trace(store=store) as run:
        seat(client, "four guests")
        run.outcome(False)
    opened = SqliteStore(store)
    found = knitbone.diagnose(opened.get(run.id))
    opened.close()
    assert found.outcome == "failed"
    assert json.dumps(found.reason)


HOLD = """
import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
held.rollback()
"""


@contextlib.contextmanager
def another_process_holds(store):
    """Until its input is closed."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holder:
        assert holder.stdout.readline() == "held\n"
        yield holder


@pytest.mark.parametrize("made", [True, False], ids=["made before", "new"])
def test_a_store_that_is_locked_at_the_start_loses_nothing(store, capfd, made):
    if made:
        SqliteStore(store).close()
    with another_process_holds(store) as holder:
        with knitbone.trace(store=store, name="early") as run:
            find_table(1)
        with knitbone.trace(store=store, name="late") as other:
            find_table(2)
            holder.stdin.close()
            find_table(3)
    deadline = time.monotonic() + 60
    while stores._stores and time.monotonic() < deadline:
        time.sleep(0.02)
    assert stores._stores == {}
    assert [[e.arguments["guests"] for e in recorded(store, r.id)] for r in (run, other)] == [
        [1], [2, 3],
    ]  # fmt: skip
    opened = SqliteStore(store)
    assert all(row.ended_ns for row in opened.list())
    opened.close()
    assert capfd.readouterr().err == ""


ENDING = """
import sys, knitbone
@knitbone.tool
def find_table(guests): return guests
with knitbone.trace(store=sys.argv[1]):
    find_table(4)
print("done", flush=True)
"""


@pytest.mark.parametrize("freed", [True, False])
def test_a_process_that_ends_while_the_store_is_locked(store, tmp_path, freed):
    program = "import knitbone.record.recorder as r, knitbone.record.backlog as b\n"
    program += "" if freed else "r.GRACE_S = b.GRACE_S = 0.5\n"
    with another_process_holds(store) as holder:
        agent = subprocess.Popen(
            [sys.executable, "-c", program + ENDING, str(store)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert agent.stdout.readline() == "done\n"  # the agent itself does not wait
        if freed:
            holder.stdin.close()
        _, said = agent.communicate(timeout=30)
    if freed:
        assert said == ""
        assert [event.arguments["guests"] for event in recorded(store)] == [4]
    else:
        assert re.fullmatch(
            r"knitbone: run \w+ not recorded, nor its 1 event: .*held by another process.*\n", said
        )
