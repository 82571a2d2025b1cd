"""The sandbox's own ``/dev/shm``: multiprocessing works, and nothing of it is seen outside."""

from pathlib import Path

import pytest

from knitbone.fuzzing.sandbox.client import Sandbox

SHARED = Path("/dev/shm")

TOOLS = """
import multiprocessing, os


def _double(queue, number):
    queue.put(number * 2)


def double(number: int) -> int:
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=_double, args=(queue, number))
    process.start()
    result = queue.get(timeout=20)
    process.join()
    return result


def keep(name: str) -> str:
    with open("/dev/shm/" + name, "w") as file:
        file.write("x")
    return ",".join(sorted(os.listdir("/dev/shm")))
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "memory_tools.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    return "memory_tools.py"


def test_processes_can_talk_or_the_sandbox_says_that_it_has_no_such_place(module):
    with Sandbox(f"{module}:double") as sandbox:
        outcome = sandbox.call(0, {"number": 21}, timeout_s=30)
        if "own /dev/shm" in sandbox.confinement:
            assert (outcome.status, outcome.text) == ("ok", "42")
        else:
            assert outcome.status in ("raised", "denied")


def test_what_a_call_keeps_there_is_gone_and_never_seen_outside(module):
    with Sandbox(f"{module}:keep") as sandbox:
        if "own /dev/shm" not in sandbox.confinement:
            pytest.skip("this machine allows no mount namespace")
        assert sandbox.call(0, {"name": "knitbone_first"}, timeout_s=20).text == "knitbone_first"
        assert sandbox.call(0, {"name": "knitbone_second"}, timeout_s=20).text == "knitbone_second"
        assert not list(SHARED.glob("knitbone_*"))
