"""What a fork leaves of locks, states and libraries in the child."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import knitbone

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SOURCE = Path(knitbone.__file__).parent
RUN_TIME = ("adaptation", "core", "models", "tethering/capture")
"""What runs inside of an application, which may fork at any time."""
PRELUDE = """
import os, signal, sys, threading, time
from knitbone import _forks

def child(work):
    process = os.fork()
    if process == 0:
        signal.alarm(60)  # a hanging child dies of it
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0

def beside(work):
    begun = threading.Event()
    thread = threading.Thread(target=work, args=(begun,), daemon=True)
    thread.start()
    assert begun.wait(60)
    return thread
"""


def run(script):
    """In a process with no threads but its own."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            PRELUDE + textwrap.dedent(script),
        ],
        timeout=240,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("make", ["new_lock", "new_rlock"])
def test_a_lock_that_another_thread_holds_is_free_in_a_child(make):
    run(f"""
        lock = _forks.{make}()
        def hold(begun):
            with lock:
                begun.set()
                time.sleep(60)
        beside(hold)
        assert child(lambda: lock.acquire(timeout=5))
        assert not lock.acquire(timeout=0.1)
    """)


def test_a_lock_of_several_entries_stays_with_the_thread_that_forks():
    run("""
        lock = _forks.new_rlock()
        def work():
            taken = []
            other = threading.Thread(target=lambda: taken.append(lock.acquire(timeout=0.2)))
            other.start()
            other.join()
            lock.release()
            return taken == [False] and lock.acquire(timeout=5)
        with lock:
            assert child(work)
    """)


def test_a_child_renews_what_it_was_asked_to_though_one_of_them_fails(capfd):
    run("""
        sys.unraisablehook = lambda seen: None
        class Counts:
            def __init__(self):
                self.number = 3
            def clear(self):
                self.number = 0
        counts, gone = Counts(), Counts()
        @_forks.renew_in_child
        def fail():
            raise ValueError
        _forks.renew_in_child(counts.clear)
        _forks.renew_in_child(gone.clear)
        del gone
        assert child(lambda: counts.number == 0)
        assert counts.number == 3
    """)


def test_a_fork_waits_for_a_block_that_must_not_be_interrupted():
    run("""
        state = []
        def work(begun):
            with _forks.unforked, _forks.unforked:
                begun.set()
                time.sleep(0.3)
                state.append("whole")
        beside(work)
        assert child(lambda: state == ["whole"] and not _forks.interrupted())
        with _forks.unforked:  # its own does not count
            assert child(lambda: True)
    """)


def test_who_begins_such_a_block_lets_a_fork_go_first():
    run("""
        _forks._COURTESY_S = 20
        entered = []
        def first(begun):
            with _forks.unforked:
                begun.set()
                time.sleep(0.3)
        def second(begun):
            while not _forks._forking:
                begun.set()
            with _forks.unforked:
                entered.append(1)
        beside(first)
        late = beside(second)
        assert child(lambda: not entered)
        late.join(10)
        assert entered
    """)


def test_a_fork_waits_no_longer_than_its_patience_and_the_child_says_so():
    run("""
        _forks.PATIENCE_S = 0.2
        def stay(begun):
            with _forks.unforked:
                begun.set()
                time.sleep(60)
        beside(stay)
        begun = time.monotonic()
        assert child(_forks.interrupted)
        assert time.monotonic() - begun < 30  # a hang: it stays for 60 s
        assert not _forks.interrupted()
    """)


def test_a_fork_waits_for_an_import_that_knitbone_began_and_for_no_other(tmp_path):
    for name, seconds in (("slow_for_us", 1), ("slow_for_others", 60)):
        (tmp_path / f"{name}.py").write_text(f"import time\ntime.sleep({seconds})\nDONE = True\n")
    run(f"""
        sys.path.insert(0, {str(tmp_path)!r})
        from knitbone.adaptation.runtime.blocking_work import outside_loop
        def ours(begun):
            begun.set()
            outside_loop(lambda: __import__("slow_for_us"))
        def others(begun):
            begun.set()
            import slow_for_others
        beside(others)
        time.sleep(0.2)
        assert child(lambda: not hasattr(sys.modules["slow_for_others"], "DONE"))
        beside(ours)
        time.sleep(0.2)
        assert child(lambda: __import__("slow_for_us").DONE)
    """)


def test_the_value_of_a_lazy_attribute_is_computed_once_and_without_a_lock():
    run("""
        class Slow:
            calls = 0
            @_forks.lazy
            def value(self):
                self.calls += 1
                if self.calls == 1 and wait:
                    wait.pop().set()
                    time.sleep(60)
                return self.calls
        wait = []
        one = Slow()
        assert (one.value, one.value) == (1, 1)
        other = Slow()
        def compute(begun):
            wait.append(begun)
            other.value
        beside(compute)
        assert child(lambda: other.value == 2)
    """)


def test_a_child_embeds_though_the_model_was_warm_in_its_parent(monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("KNITBONE_EMBEDDER_CACHE", "false")
    run("""
        from knitbone.adaptation.runtime.active_site import load_embedder
        texts = ["a dog and another dog " * 20] * 16  # enough that its threads share the work
        def embed(begun):
            while True:
                load_embedder().embed(texts)
                begun.set()
        beside(embed)
        for _ in range(2):
            assert child(lambda: load_embedder().embed(["a cat"]).any())
        os._exit(0)  # ending while the thread is in onnxruntime would abort the process
    """)


def test_connections_of_threads_that_are_gone_are_left_alone():
    run("""
        from knitbone.adaptation.repair.syntax import sql_parser
        find = sql_parser.sqlite_fault_finder("sqlite3.Cursor.execute")
        def work(begun):
            assert find("SELECT 1") is None
            begun.set()
            time.sleep(60)
        beside(work)
        assert child(lambda: len(sql_parser._inherited) == 1 and find("SELEC 1") is not None)
        assert not sql_parser._inherited
    """)


def test_values_pass_unchanged_and_recorded_in_a_child_that_lacks_half_of_a_library(tmp_path):
    (tmp_path / "app.py").write_text(
        textwrap.dedent(
            """
            import re
            import knitbone

            @knitbone.source
            def ask():
                return "1) a\\n2) b"

            @knitbone.adapt
            def plan():
                return re.findall(r"^\\d+\\. (.+)$", ask(), re.M)
            """
        )
    )
    run(f"""
        sys.path.insert(0, {str(tmp_path)!r})
        import app
        from knitbone.adaptation import report
        _forks.PATIENCE_S = 0.1
        def stay(begun):
            with _forks.unforked:
                begun.set()
                time.sleep(60)
        beside(stay)
        def work():
            assert app.plan() == []
            return "forked" in str(report().sites[0].reasons) and report().sites[0].failed == 1
        assert child(work)
    """)


def run_time_modules():
    for part in RUN_TIME:
        yield from sorted((SOURCE / part).rglob("*.py"))


def fork_unsafe(tree):
    """Locks that stay held in a forked child, and what renews itself outside of the mechanism."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = f"{getattr(node.value, 'id', '')}.{node.attr}"
            if name in UNSAFE:
                yield node.lineno, name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if f"{node.module}.{alias.name}" in UNSAFE:
                    yield node.lineno, alias.name
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Name) and decorator.id == "cached_property":
                yield decorator.lineno, decorator.id


UNSAFE = {
    *(f"threading.{name}" for name in ("Lock", "RLock", "Condition", "Semaphore", "Barrier")),
    "threading.BoundedSemaphore",
    "_thread.allocate_lock",
    "functools.cached_property",
    "os.register_at_fork",
    "queue.Queue",
    "concurrent.futures.ThreadPoolExecutor",
}
ALLOWED = {
    # Its thread ends before a fork; another one goes on behind it.
    ("adaptation/runtime/preload.py", "os.register_at_fork"),
    # They only ask whether something is one.
    ("adaptation/decorators.py", "cached_property"),
    ("adaptation/runtime/instrument/install.py", "cached_property"),
    ("adaptation/consumers/rehearsal/attributes.py", "functools.cached_property"),
    # It ends and begins a process of its own, and holds nothing.
    ("adaptation/runtime/preload.py", "os.register_at_fork"),
}


def test_no_lock_of_the_run_time_outlives_a_fork():
    found = {
        (str(path.relative_to(SOURCE)), name)
        for path in run_time_modules()
        for _, name in fork_unsafe(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found <= ALLOWED, "make it with knitbone._forks"


def test_the_search_sees_a_lock_however_it_is_made():
    tree = ast.parse(
        "import threading\nfrom threading import RLock\nfrom functools import cached_property\n"
        "a = threading.Lock()\nclass A:\n    @cached_property\n    def b(self): ...\n"
    )
    assert {name for _, name in fork_unsafe(tree)} == {"RLock", "cached_property", "threading.Lock"}
