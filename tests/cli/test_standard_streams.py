"""Every command as shells run it: data and progress apart, pipes that close early, full disks,
closed streams, Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from knitbone import samples
from knitbone.cli.app import group
from knitbone.cli.runs import command as runs_group
from knitbone.cli.streams import guarded_streams
from knitbone.record.events import Outcome, Run, ToolCall
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.guidance.records import Directive, Guidance

HERE = Path(next(iter(samples.__path__)))
RUNS = str(HERE / "runs" / "bank_runs.json")
TOOLS = textwrap.dedent(
    '''
    def divide(a: int, b: int) -> int:
        """Divide a by b."""
        return a // b

    def slow(text: str) -> str:
        """Repeat the text."""
        import time
        time.sleep(0.2)
        return text[0]
    '''
)
PROGRAM = "print('hello')"
AGENT = "def count(task):\n    return 3\n\ndef right(value):\n    return value == 4\n"
COMMANDS = {
    "check": ["check", str(HERE / "tasklist" / "app.py")],
    "completion": ["completion", "bash"],
    "diagnose": ["diagnose", RUNS],
    "fix": ["fix", "tools.py:divide", "--calls", "30", "--no-model"],
    "fuzz": ["fuzz", "tools.py:divide", "--calls", "30", "--no-model"],
    "fuzz-docs": ["fuzz-docs", "tools.py:divide", "--sets", "1"],
    "fuzz replay": ["fuzz", "tools.py:divide", "--replay", '{"a": 1, "b": 0}'],
    "learn": ["learn", "--", sys.executable, "-c", PROGRAM],
    "memory": ["memory", "list"],
    "memory show": ["memory", "show", "counting"],
    "memory forget": ["memory", "forget", "counting"],
    "recover": [
        "recover",
        "agent.py:count",
        "--task",
        "count",
        "--succeeded",
        "agent.py:right",
        "--strategy",
        "outcome",
        "--max-repairs",
        "1",
    ],
    "repair": ["repair", "answer.txt", "--keys", "a,b"],
    "run": ["run", "--", sys.executable, "-c", PROGRAM],
    "runs list": ["runs", "list"],
    "runs check": ["runs", "check"],
    "runs compare": ["runs", "compare", "abc1", "def2"],
    "runs show": ["runs", "show", "abc1"],
    "runs outcome": ["runs", "outcome", "abc1", "failed"],
    "runs import": ["runs", "import", RUNS],
    "runs export": ["runs", "export", "abc1"],
    "runs send": ["runs", "send", "abc1", "--endpoint", "http://127.0.0.1:9"],
    "runs purge": ["runs", "purge", "def2"],
    "trust": ["trust", "."],
}
VARIANTS = {"fuzz replay", "memory show", "memory forget"}
"""Of a command that is tried as well."""
OF_THE_PROGRAM = {"run", "learn"}
"""Standard output is the program's; what is said of it goes to standard error."""
MADE_ANEW = re.compile(
    r"[0-9a-f]{24,}|\d+(?:\.\d+)? ?m?s\b|/\S*pytest\S*|\"(?:seconds|\w+_ns)\": ?[\d.e-]+"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def answer(body):
    """Writer, agent and oracle of ``fuzz-docs`` in one: a division that is understood half the
    time."""
    said = body["messages"][-1]["content"]
    ways = [{"mask": "number", "thing": "6", "ways": ["6", "six", "half a dozen"]}]
    tasks = {
        "templates": {"templates": ["What is [number] divided by 2?"]},
        "infills": {"infills": ways},
        "answer": {"answer": "About 3."},
        "rating": {"reason": "it is another number", "score": 2},
    }
    if said.startswith("Observation: "):
        return Reply(text="Final Answer: " + said.removeprefix("Observation: "))
    try:
        return Reply(text=json.dumps(tasks[json.loads(said)["task"]]))
    except (ValueError, TypeError, KeyError):
        call = {"a": 6 if "6" in said else 12, "b": 2}
        return Reply(text=f"Thought: x\nAction: divide\nAction Input: {json.dumps(call)}")


@pytest.fixture(scope="module", autouse=True)
def models():
    """A model for every role; commands that need none are told so, or ask none."""
    with ModelServer(answer) as server, pytest.MonkeyPatch.context() as patched:
        for role in ("AGENT", "WRITER", "ORACLE"):
            patched.setenv(f"KNITBONE_{role}_NAME", f"m-{role.lower()}")
            patched.setenv(f"KNITBONE_{role}_BASE_URL", server.base_url)
        yield


def restore(folder):
    store = SqliteStore(folder / ".knitbone" / "runs.sqlite")
    events = (ToolCall(id="1", name="t", arguments={"a": 1}), Outcome(id="2", success=False))
    store.put(Run(id="abc1", name="first", started_ns=1, ended_ns=2, events=events))
    store.put(Run(id="def2", name="second", started_ns=2))
    told = Directive(id="d", family="count", constraint="completion", do="Count again.")
    RepairMemory(store).shown(
        "counting", Guidance(task="counting", run="abc1", directives=(told,)), "def2"
    )
    store.close()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "answer.txt").write_text("Here: {'a': 1, b: [2, 3],}", encoding="utf-8")
    restore(tmp_path)
    return tmp_path


def command_line(*arguments):
    return [sys.executable, "-m", "knitbone", *arguments]


def environment(**more):
    without = {"FORCE_COLOR", "NO_COLOR", "COLUMNS"}
    return {k: v for k, v in os.environ.items() if k not in without} | more


def run(folder, arguments, *, terminal=False, **more):
    """With standard output in a file and standard error in a file or on a terminal."""
    main, other = pty.openpty()
    shown: list[bytes] = []

    def read():
        try:
            while said := os.read(main, 65_536):
                shown.append(said)
        except OSError:  # the terminal is closed
            return

    reader = threading.Thread(target=read)
    reader.start()
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        done = subprocess.run(
            command_line(*arguments), stdout=out, stderr=other if terminal else err, cwd=folder,
            env=environment(**more), timeout=120, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    os.close(other)
    reader.join()
    os.close(main)
    said = b"".join(shown) if terminal else (folder / "err").read_bytes()
    return done.returncode, (folder / "out").read_text(encoding="utf-8"), said.decode()


def test_every_command_is_tried():
    of_group = {name for name in group.list_commands(None) if name not in ("runs", "demo")}
    of_runs = {f"runs {name}" for name in runs_group.commands}
    assert of_group | of_runs == set(COMMANDS) - VARIANTS


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_the_same_whatever_standard_error_is(folder, name):
    arguments = [*COMMANDS[name]]
    arguments.insert(arguments.index("--") if "--" in arguments else len(arguments), "--json")
    code, plain, said = run(folder, arguments)
    assert plain or name == "runs send"
    if name not in OF_THE_PROGRAM:
        for line in plain.splitlines():
            json.loads(line)
    for more in ({}, {"FORCE_COLOR": "1"}):
        (folder / ".knitbone").rename(folder / f"before{len(more)}")
        restore(folder)
        again, out, _ = run(folder, arguments, terminal=True, **more)
        assert again == code, out
        assert MADE_ANEW.sub("", out) == MADE_ANEW.sub("", plain)
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["check", "diagnose", "fuzz", "runs list"])
def test_colours_change_no_word_and_no_line(folder, name):
    _, plain, _ = run(folder, COMMANDS[name])
    _, coloured, _ = run(folder, COMMANDS[name], FORCE_COLOR="1")
    assert plain
    assert "\x1b" not in plain
    assert MADE_ANEW.sub("", COLOUR.sub("", coloured)) == MADE_ANEW.sub("", plain)


def run_unread(folder, arguments):
    """With a pipe for standard output of which nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            command_line(*arguments), stdout=writing, stderr=subprocess.PIPE, cwd=folder, text=True,
            env=environment(), timeout=120, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    finally:
        os.close(writing)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_that_closes_early_is_no_traceback(folder, name):
    done = run_unread(folder, COMMANDS[name])
    if name not in OF_THE_PROGRAM:
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
    assert "knitbone/cli" not in done.stderr
    assert done.returncode in ((141,) if name in PRINTING else (141, 0, 1, 2, 120))


PRINTING = (
    "check", "completion", "diagnose", "fuzz", "fuzz-docs", "memory", "memory show",
    "runs list", "runs show", "runs export",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fuzz", ("--sarif", "s.sarif", "--junit", "j.xml", "--html", "p.html", "--baseline", "b",
                  "--update-baseline", "--save", "found", "--pytest", "tests")),
        ("fuzz-docs", ("--sarif", "s.sarif", "--junit", "j.xml", "--html", "p.html",
                       "--baseline", "b", "--update-baseline", "--save", "found")),
        ("diagnose", ("--html", "p.html", "--graph", "g.json")),
        ("check", ("--sarif=s.sarif",)),
    ],
)  # fmt: skip
def test_files_are_written_though_nobody_reads(folder, name, options):
    done = run_unread(folder, [*COMMANDS[name], *options])
    assert done.returncode == 141, done.stderr
    for file in folder.glob("*.sarif"):
        assert json.loads(file.read_text())["runs"]
    for file in folder.glob("*.html"):
        assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")
    for file in folder.glob("*.xml"):
        assert ET.fromstring(file.read_bytes()).tag == "testsuites"
    made = {path.name for path in folder.iterdir()}
    assert made >= {"fuzz": {"s.sarif", "j.xml", "p.html", "b", "found", "tests"},
                    "fuzz-docs": {"s.sarif", "j.xml", "p.html", "b", "found"},
                    "diagnose": {"p.html"}, "check": {"s.sarif"}}[name]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", PRINTING)
def test_a_full_disk_is_said(folder, name):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command_line(*COMMANDS[name]), stdout=full, stderr=subprocess.PIPE, cwd=folder,
            text=True, env=environment(), timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "Standard output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed_are_nobodys(folder, closed):
    line = " ".join(command_line("runs", "list")) + " " + closed
    done = subprocess.run(
        line, shell=True, capture_output=True, cwd=folder, env=environment(), check=False
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert (b"first" in done.stdout) == (closed == "2>&-")


def test_an_interrupted_campaign_shows_and_writes_what_was_found(folder):
    started = subprocess.Popen(
        command_line("fuzz", "tools.py:divide", "tools.py:slow", "--calls", "60", "--no-model",
                     "--sarif", "s.sarif", "--html", "p.html"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment(),
        # A suite that a script started in the background ignores Ctrl-C, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    journals = folder / ".knitbone" / "fuzz"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        texts = [path.read_text(errors="replace") for path in journals.rglob("*slow*")]
        if any(text.count("\n") > 12 for text in texts):
            break
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    out, said = started.communicate(timeout=60)
    assert started.returncode == 130, said
    assert "ZeroDivisionError" in out
    assert "IndexError" in out
    assert "stopped early: interrupted" in out
    assert "--resume continues" in said
    results = json.loads((folder / "s.sarif").read_text())["runs"][0]["results"]
    assert len(results) == 2
    assert "slow" in (folder / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("problem", [BrokenPipeError(), OSError(28, "No space left on device")])
def test_a_crash_is_not_hidden_by_what_became_of_the_output(monkeypatch, problem):
    class Gone:
        def write(self, text):
            raise problem

        def flush(self): ...

        def fileno(self):
            return null.fileno()

    with Path(os.devnull).open("w") as null:
        monkeypatch.setattr(sys, "stdout", Gone())
        with pytest.raises(ZeroDivisionError), guarded_streams():
            crash()


def crash():
    sys.stdout.write("text")
    raise ZeroDivisionError
