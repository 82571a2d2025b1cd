"""Loading ahead of the first answer: done soon, never in the way, never heard of."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from knitbone.adaptation.runtime import preload
from knitbone.adaptation.testing import Deadline

APP = """
import json
from openai import OpenAI
import knitbone


@knitbone.adapt
def answer(question):
    found = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}]
    )
    return json.loads(found.choices[0].message.content)["answer"]
"""
RANKING = """
from ahead_app import OpenAI, answer
import knitbone


@knitbone.adapt
def context(question, docs):
    words = set(question.split())
    return OpenAI().chat.completions.create(
        model="m", messages=[sorted(docs, key=lambda doc: -len(words & set(doc.split())))]
    )
"""
LIBRARY = """
from types import SimpleNamespace as Part


class OpenAI:
    def __init__(self):
        self.chat = Part(completions=Part(create=lambda **_: Part(choices=[
            Part(message=Part(content='```json\\n{"answer": 4,}\\n```'))
        ])))
"""


def _wait(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def _is_working() -> bool:
    return any(thread.name == "knitbone-ahead" for thread in threading.enumerate())


def test_the_parts_are_done_in_order_and_the_thread_ends():
    done: list[int] = []
    for number in range(5):
        preload.load_ahead(lambda number=number: done.append(number))
    assert _wait(lambda: len(done) == 5)
    assert done == list(range(5))
    assert _wait(lambda: not _is_working())


def test_a_part_that_fails_is_passed_over_without_a_word(capfd: pytest.CaptureFixture[str]):
    done: list[int] = []
    preload.load_ahead(lambda: 1 // 0)
    preload.load_ahead(lambda: done.append(1))
    assert _wait(lambda: done == [1])
    assert _wait(lambda: not _is_working())
    assert capfd.readouterr() == ("", "")


def test_nothing_is_loaded_while_another_thread_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    enter, leave = threading.Event(), threading.Event()
    held = ModuleType("held_by_the_test")
    held.enter, held.leave = enter, leave
    monkeypatch.setitem(sys.modules, held.__name__, held)
    (tmp_path / "slow_to_import.py").write_text(
        "from held_by_the_test import enter, leave\nenter.set()\nleave.wait(60)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importing = threading.Thread(target=__import__, args=("slow_to_import",))
    importing.start()
    assert enter.wait(30)
    done: list[float] = []
    preload.load_ahead(lambda: done.append(1))
    time.sleep(0.2)
    try:
        assert done == []
    finally:
        leave.set()
        importing.join()
    assert _wait(lambda: done == [1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_waits_for_the_part_and_the_child_goes_on_with_a_question():
    begun, done = threading.Event(), []

    def part() -> None:
        begun.set()
        time.sleep(0.1)
        done.append(os.getpid())

    preload.load_ahead(part)
    preload.load_ahead(lambda: done.append(os.getpid()))
    assert begun.wait(30)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        seen = [not _is_working(), done == [os.getppid()]]
        preload.resume_loading()
        seen.append(_wait(lambda: len(done) == 2 and done[1] == os.getpid(), 20))
        os.write(write, repr(seen).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"[True, True, True]"
    os.close(read)
    os.close(write)
    assert _wait(lambda: done == [os.getpid()] * 2)


def _run(tmp_path: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    for name, text in (
        ("libraries/openai.py", LIBRARY),
        ("apps/ahead_app.py", APP),
        ("apps/ranking.py", RANKING),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paths = os.pathsep.join(str(tmp_path / name) for name in ("libraries", "apps"))
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


LOADED = """
import sys, threading, time
{before}
end = time.monotonic() + {seconds}
while "knitbone.adaptation.repair.structured" not in sys.modules and time.monotonic() < end:
    time.sleep(0.01)
print("knitbone.adaptation.repair.structured" in sys.modules,
      any(t.name == "knitbone-ahead" for t in threading.enumerate()))
"""


def test_a_decoration_loads_the_checks_of_its_sites(tmp_path: Path):
    found = _run(tmp_path, LOADED.format(before="import ahead_app", seconds=60))
    assert found.stdout.split()[0] == "True", found.stderr


@pytest.mark.parametrize(
    ("before", "switch"), [("import knitbone, knitbone.adaptation", "0"), ("import ahead_app", "1")]
)
def test_nothing_is_loaded_where_nothing_is_decorated_or_all_is_switched_off(
    tmp_path: Path, before: str, switch: str
):
    code = LOADED.format(before=before, seconds=0.5)
    found = _run(tmp_path, code, KNITBONE_DISABLED=switch)
    assert found.stdout.split() == ["False", "False"], found.stderr


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.3])
def test_a_process_may_end_at_any_moment_of_the_loading(tmp_path: Path, pause: float):
    code = "import os; os.environ['KNITBONE_ADAPT_QUIET'] = '1'; import time, ranking"
    found = _run(tmp_path, f"{code}; time.sleep({pause})")
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


@pytest.mark.parametrize("pause", [0.0, 0.1])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_the_first_answer_is_repaired_also_in_a_child_of_the_loading(tmp_path: Path, pause: float):
    code = f"""
        import os, time, ahead_app
        time.sleep({pause})
        if not (child := os.fork()):
            os._exit(0 if ahead_app.answer("2 + 2") == 4 else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), ahead_app.answer("2 + 2"))
    """
    found = _run(tmp_path, code)
    assert (found.stdout.strip(), found.stderr) == ("0 4", "")


def test_loading_does_not_count_against_a_budget(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]
    deadline = Deadline(1.0, clock=lambda: now[0])
    now[0] = 1.5
    assert deadline.expired
    monkeypatch.setitem(sys.modules, "loaded_meanwhile", sys)
    assert not deadline.expired
    now[0] = 2.4
    deadline.check()
    now[0] = 2.6
    with pytest.raises(TimeoutError):
        deadline.check()


def test_a_program_that_imports_all_the_time_does_not_renew_a_budget_for_ever(
    monkeypatch: pytest.MonkeyPatch,
):
    now = [0.0]
    deadline = Deadline(1.0, clock=lambda: now[0])
    for number in range(4):
        now[0] += 2
        monkeypatch.setitem(sys.modules, f"loaded_meanwhile_{number}", sys)
        assert not deadline.expired
    now[0] += 2
    monkeypatch.setitem(sys.modules, "loaded_meanwhile_at_last", sys)
    assert deadline.expired
