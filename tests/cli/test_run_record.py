"""``knitbone run --record``: a program and its children, recorded as one run without a change."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from functools import partial

import pytest

from knitbone.errors import StoreBusyError
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer
from knitbone.tethering.capture import command
from knitbone.tethering.capture.command import LaunchedRun

AGENT = """
import multiprocessing, subprocess, sys, threading
import knitbone

@knitbone.tool
def look(x):
    return x * 2

def ask(words):
    import openai
    with openai.OpenAI() as client:
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": words}])
    return said.choices[0].message.content

def main():
    print(ask("main"))
    look(3)
    thread = threading.Thread(target=ask, args=("thread",))
    thread.start()
    thread.join()
    for kind in ("fork", "spawn"):
        process = multiprocessing.get_context(kind).Process(target=ask, args=(kind,))
        process.start()
        process.join()
    subprocess.run([sys.executable, "-c", "import agent; agent.ask('child')"], check=True)
    with knitbone.trace(store="inner.sqlite"):
        ask("inner")
    if "fail" in sys.argv:
        sys.exit(3)

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "agent.py").write_text(textwrap.dedent(AGENT))
    return tmp_path


def knitbone(folder, *arguments, **more):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KNITBONE", "PYTHONPATH"))}
    keep["XDG_CACHE_HOME"] = str(folder / "cache")
    return subprocess.run(
        [sys.executable, "-c", "from knitbone.cli import main; main()", *arguments],
        cwd=folder, env={**keep, **more}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def asked(path):
    store = SqliteStore(path)
    (row,) = store.list()
    run = store.get(row.id)
    store.close()
    return run, [event.input[0].content for event in run.events if hasattr(event, "input")]


def test_a_program_its_threads_and_its_children_are_one_run(folder):
    with ModelServer("Hello.") as server:
        done = knitbone(
            folder, "run", "--store", "runs.sqlite", "--", sys.executable, "agent.py", "fail",
            **server.environment,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "Hello.\n")
    run, words = asked(folder / "runs.sqlite")
    assert words == ["main", "thread", "fork", "spawn", "child"]
    assert [type(event).__name__ for event in run.events][1] == "ToolCall"
    assert (run.outcome.success, run.outcome.reason) == (False, "exit code 3")
    assert run.ended_ns is not None
    assert f"knitbone: 6 events recorded: knitbone runs show {run.id} --store" in done.stderr
    inner, words = asked(folder / "inner.sqlite")
    assert words == ["inner"]
    assert inner.attributes["knitbone.parent_run"] == run.id

    shown = knitbone(folder, "runs", "show", run.id, "--store", "runs.sqlite").stdout
    assert "used    5 model calls" in shown
    assert "       user    main\n    0  model   m  Hello." in shown
    found = knitbone(folder, "diagnose", "--store", "runs.sqlite", run.id)
    assert (found.returncode, "Traceback" in found.stderr) == (0, False)


STOPPED = """
import os, signal, sys, agent
try:
    agent.ask("x")
finally:
    if sys.argv[1] != "9":
        signal.signal(int(sys.argv[1]), signal.SIG_DFL)
    os.kill(os.getpid(), int(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("number", "success", "reason"),
    [(2, None, "ended by SIGINT"), (15, None, "ended by SIGTERM"), (9, False, "ended by SIGKILL")],
)
def test_a_program_that_a_signal_ended_says_so(folder, number, success, reason):
    with ModelServer("Hello.") as server:
        done = knitbone(
            folder, "run", "--store", "runs.sqlite", "--", sys.executable, "-c", STOPPED,
            str(number), **server.environment,
        )  # fmt: skip
    assert done.returncode == -number
    run, _ = asked(folder / "runs.sqlite")
    assert (run.outcome.success, run.outcome.reason) == (success, reason)
    assert "knitbone: 1 event recorded" in done.stderr


LEFT = """
import multiprocessing
import openai
kept = []

def left():
    client = openai.OpenAI()
    messages = [{"role": "user", "content": "x"}]
    stream = client.chat.completions.create(model="m", messages=messages, stream=True)
    kept.append((client, stream, next(stream)))

if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=left)
    process.start()
    process.join()
"""


def test_a_stream_that_a_forked_child_leaves_open_is_recorded(folder):
    (folder / "left.py").write_text(LEFT)
    with ModelServer("one two three") as server:
        knitbone(
            folder, "run", "--mode", "observe", "--store", "runs.sqlite", "--", sys.executable,
            "left.py", **server.environment,
        )  # fmt: skip
    run, words = asked(folder / "runs.sqlite")
    assert words == ["x"]
    assert run.events[0].attributes["knitbone.stream.unfinished"] is True


def test_the_configured_store_is_used_and_the_report_names_the_run(folder):
    with ModelServer("Hello.") as server:
        done = knitbone(
            folder, "run", "--record", "--json", "--", sys.executable, "agent.py",
            KNITBONE_RECORD_STORE="mine.sqlite", **server.environment,
        )  # fmt: skip
    run, _ = asked(folder / "mine.sqlite")
    assert json.loads(done.stderr.splitlines()[-1])["run"] == {
        "id": run.id, "store": "mine.sqlite", "events": 6,
    }  # fmt: skip
    assert run.outcome is None


def test_a_program_that_asks_nothing_leaves_no_run(folder):
    done = knitbone(folder, "run", "--store", "runs.sqlite", "--", sys.executable, "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "nothing was recorded" in done.stderr
    store = SqliteStore(folder / "runs.sqlite")
    assert store.list() == []
    store.close()


def test_a_process_without_such_libraries_loads_nothing(folder):
    code = (
        "import sys, threading; print({'msgspec', 'sqlite3', 'knitbone.config'} & {*sys.modules})"
    )
    done = knitbone(folder, "run", "--store", "runs.sqlite", "--", sys.executable, "-c", code)
    assert done.stdout == "set()\n"


def test_a_store_that_cannot_be_opened_is_said_before_the_program_starts(folder):
    done = knitbone(folder, "run", "--store", "/proc/x.sqlite", "--", sys.executable, "-c", "1")
    assert done.returncode == 2
    assert "cannot be opened" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_switch_runs_the_program_plainly(folder):
    with ModelServer("Hello.") as server:
        done = knitbone(
            folder, "run", "--store", "runs.sqlite", "--", sys.executable, "agent.py",
            KNITBONE_DISABLED="1", **server.environment,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not (folder / "runs.sqlite").exists()
    assert not (folder / "inner.sqlite").exists()


def test_a_store_that_another_process_holds_is_said_before_the_program_starts(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(command, "SqliteStore", partial(SqliteStore, patience_s=0.01))
    path = tmp_path / "runs.sqlite"
    SqliteStore(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="held by another process"):
            LaunchedRun(str(path), ["python", "agent.py"], named=True)
