"""Hostile tools in a real sandbox: each is contained, named, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox_support import HOSTILE, hostile, processes_within, wait_until_gone

from knitbone.errors import SandboxError, TargetError
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

LIMITS = Limits(memory_mb=256, processes=16)


def call_twice(name: str, *, timeout_s: float = 10.0, **arguments: str) -> list[CallOutcome]:
    with Sandbox(hostile(name), limits=LIMITS) as sandbox:
        return [sandbox.call(0, arguments or {"text": "x"}, timeout_s=timeout_s) for _ in range(2)]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("hang", "hang"),
        ("deaf_hang", "hang"),
        ("ask_to_exit", "exit"),
        ("exit_at_once", "exit"),
        ("close_everything", "exit"),
        ("replace_itself", "exit"),
        ("segfault", "crash"),
        ("kill_itself", "crash"),
        ("eat_memory_at_once", "memory"),
        ("flood", "output"),
        ("return_much", "output"),
        ("fill_disk", "disk"),
        ("connect", "denied"),
        ("kill_parent", "denied"),
        ("slow", "raised"),
        ("raise_hostile", "raised"),
        ("recurse", "raised"),
        ("come_back_twice", "ok"),
        ("harmless", "ok"),
    ],
)
def test_every_end_of_a_call_is_named_and_the_next_call_works(
    private: Path, name: str, status: str
) -> None:
    # A busy machine must not turn another end into a hang.
    timeout_s = 0.5 if status == "hang" else 10.0
    outcomes = call_twice(name, timeout_s=timeout_s)
    assert [outcome.status for outcome in outcomes] == [status, status]


@pytest.mark.parametrize(("name", "status"), [("eat_memory", "memory"), ("bomb", "processes")])
def test_growth_without_end_is_stopped(private: Path, name: str, status: str) -> None:
    outcomes = call_twice(name)
    assert [outcome.status for outcome in outcomes] == [status, status]


@pytest.mark.parametrize("name", ["leave_child", "leave_daemon"])
def test_processes_left_behind_are_reported_and_ended(private: Path, name: str) -> None:
    with Sandbox(hostile(name), limits=LIMITS) as sandbox:
        outcome = sandbox.call(0, {"text": "x"}, timeout_s=10.0)
        assert outcome.leaked == 1
        commands = [
            Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
            for pid in processes_within(private)
        ]
        assert b"sleep" not in commands


def test_a_thread_left_behind_is_not_there_in_the_next_call(private: Path) -> None:
    with Sandbox(hostile("leave_thread"), limits=LIMITS) as sandbox:
        for _ in range(3):
            assert sandbox.call(0, {"text": "x"}, timeout_s=10.0).status == "ok"
            threads = [len(os.listdir(f"/proc/{pid}/task")) for pid in processes_within(private)]
            assert max(threads) == 1


def test_the_directory_is_as_new_for_every_call(private: Path) -> None:
    assert [outcome.text for outcome in call_twice("write_here")] == ["written", "written"]


def test_directory_environment_and_chance_are_as_new_for_every_call(private: Path) -> None:
    first, second = call_twice("change_the_world")
    assert first.status == "ok"
    assert first.text == second.text
    assert first.text.startswith("('work', False")


def test_nothing_is_written_outside_the_directory(private: Path, tmp_path: Path) -> None:
    target = tmp_path / "outside.txt"
    outcomes = call_twice("write_outside", path=str(target))
    assert [outcome.status for outcome in outcomes] == ["denied", "denied"]
    assert not target.exists()


def test_deleting_the_home_folder_deletes_the_private_directory_only(private: Path) -> None:
    before = sorted(os.listdir(Path.home()))
    assert [outcome.text for outcome in call_twice("remove_home")] == ["gone", "gone"]
    assert sorted(os.listdir(Path.home())) == before


def test_keys_of_the_user_are_not_in_the_environment(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    first, _ = call_twice("show_environment")
    assert "OPENAI_API_KEY" not in first.text
    assert "HOME" in first.text


def test_a_fresh_call_has_no_memory_of_earlier_ones(private: Path) -> None:
    with Sandbox(hostile("remember"), limits=LIMITS) as sandbox:
        statuses = [
            sandbox.call(0, {"text": "x"}, timeout_s=10.0, fresh=fresh).status
            for fresh in (False, False, True)
        ]
    assert statuses == ["ok", "raised", "ok"]


def test_a_crash_names_the_frame_through_the_fault_handler(private: Path) -> None:
    outcome, _ = call_twice("segfault")
    assert "in segfault" in outcome.tail


def test_files_of_the_user_are_copied_not_touched(private: Path, tmp_path: Path) -> None:
    files = tmp_path / "files"
    (files / "folder").mkdir(parents=True)
    (files / "notes.txt").write_text("mine")
    with Sandbox(hostile("write_here"), limits=LIMITS, files=files) as sandbox:
        assert sandbox.paths == ("folder", "notes.txt")
        assert sandbox.call(0, {"text": "x"}, timeout_s=10.0).text == "written"
    assert (files / "notes.txt").read_text() == "mine"
    assert not (files / "marker").exists()


def test_a_folder_that_is_none_is_refused(private: Path) -> None:
    with pytest.raises(SandboxError, match="not a folder"):
        Sandbox(hostile("harmless"), files=Path("/no/such/folder"))


def test_a_worker_that_was_stopped_between_calls_is_replaced(private: Path) -> None:
    with Sandbox(hostile("stop_later"), limits=Limits(load_timeout_s=2.0)) as sandbox:
        sandbox.call(0, {"text": "x"}, timeout_s=5.0)
        time.sleep(1.2)
        # More than the channel takes before somebody reads from it.
        outcome = sandbox.call(0, {"text": "x" * 3_000_000}, timeout_s=5.0)
    assert outcome.status == "ok"


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import os; os._exit(3)", "ended the process"),
        ("1 / 0", "ZeroDivisionError"),
        ("import no_such_library_here", "no_such_library_here"),
        ("while True: pass", "longer than 1 s"),
        ("open('/proc/self/../../tmp/x', 'w')", "refused"),
    ],
)
def test_a_module_that_misbehaves_when_imported_is_a_clear_error(
    private: Path, tmp_path: Path, code: str, what: str
) -> None:
    module = tmp_path / "bad_module.py"
    module.write_text(code + "\ndef tool(text: str) -> str:\n    return text\n")
    with pytest.raises(TargetError, match=what):
        Sandbox(f"{module}:tool", limits=Limits(load_timeout_s=1.0))


def test_a_module_that_starts_threads_is_served_without_forking(
    private: Path, tmp_path: Path
) -> None:
    module = tmp_path / "threaded.py"
    module.write_text(
        "import os, threading, time\n"
        "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
        "def tool(text: str) -> str:\n"
        "    if text == 'exit': os._exit(4)\n"
        "    return str(threading.active_count())\n"
    )
    with Sandbox(f"{module}:tool", limits=LIMITS) as sandbox:
        texts = [
            sandbox.call(0, {"text": text}, timeout_s=10.0) for text in ("a", "exit", "b", "c")
        ]
    assert [(o.status, o.text) for o in texts] == [
        ("ok", "2"),
        ("exit", ""),
        ("ok", "2"),
        ("ok", "2"),
    ]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_calling_process_is_killed_during_a_call(
    private: Path, number: signal.Signals
) -> None:
    script = (
        "import signal\n"
        # A background job inherits SIGINT as ignored; a user's process does not.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from knitbone.fuzzing.sandbox.client import Sandbox\n"
        f"with Sandbox({str(HOSTILE)!r} + ':hang') as sandbox:\n"
        "    print('ready', flush=True)\n"
        "    sandbox.call(0, {'text': 'x'}, timeout_s=60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        assert any(private.iterdir())
        process.send_signal(number)
        process.wait(30)  # cleaning up is allowed 15 s
    wait_until_gone(private)


def run_script(script: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    ).stdout


AUDITED = """
import os, subprocess, sys
from knitbone.fuzzing.sandbox.audit import SandboxDenied, install
folder, outside = sys.argv[1:]
install([folder], allow_hosts=[], kernel_confined=False, protected=[os.getppid()])
def attempt(name, action):
    try:
        action()
        print(name, "done")
    except SandboxDenied:
        print(name, "denied")
os.chdir(folder)
attempt("inside", lambda: open("a", "w").close())
attempt("outside", lambda: open(outside + "/a", "w").close())
attempt("up", lambda: open("../b", "w").close())
attempt("read", lambda: open(os.__file__).close())
attempt("mkdir", lambda: os.mkdir(outside + "/c"))
attempt("rename", lambda: os.rename("a", outside + "/a"))
attempt("remove", lambda: os.remove(outside + "/kept"))
os.symlink(outside, "link")
attempt("link", lambda: open("link/d", "w").close())
attempt("program", lambda: subprocess.run(["true"]))
attempt("signal", lambda: os.kill(os.getppid(), 0))
"""


def test_the_audit_hook_alone_refuses_what_python_code_does_outside(tmp_path: Path) -> None:
    folder, outside = tmp_path / "work", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "kept").touch()
    printed = run_script(AUDITED, str(folder), str(outside)).split("\n")
    assert printed[:-1] == [
        "inside done",
        "outside denied",
        "up denied",
        "read done",
        "mkdir denied",
        "rename denied",
        "remove denied",
        "link denied",
        "program denied",
        "signal denied",
    ]
    assert os.listdir(outside) == ["kept"]


LOCKED = """
import os, subprocess, sys
from knitbone.fuzzing.sandbox.landlock import restrict
folder, outside = sys.argv[1:]
print(restrict([folder], network=False) is not None)
for path in (folder, outside):
    done = subprocess.run(["touch", path + "/new"], stderr=subprocess.DEVNULL)
    print(done.returncode)
open("/dev/null", "w").close()
"""


def test_landlock_holds_programs_that_the_tool_starts(tmp_path: Path) -> None:
    folder, outside = tmp_path / "work", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    locked, inside, beyond = run_script(LOCKED, str(folder), str(outside)).split()
    if locked == "False":
        pytest.skip("this kernel has no Landlock")
    assert (inside, beyond) == ("0", "1")
    assert os.listdir(folder) == ["new"]
    assert os.listdir(outside) == []
