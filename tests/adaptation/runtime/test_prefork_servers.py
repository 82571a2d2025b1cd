"""Servers and pools that fork, for real, while threads of the parent are inside of adapted code.

gunicorn and Celery are tried where they are installed.
"""

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SECONDS = 120
"""After which a server that hangs is ended."""
APP = """
import json, re, threading
from datetime import datetime
import knitbone

@knitbone.source
def ask(text):
    return text

@knitbone.adapt
def steps():
    return re.findall(r"^\\d+\\. (.+)$", ask("1) a\\n2) b"), re.M)

@knitbone.adapt
def table():
    return json.loads(ask("{'rows': [1, 2,],}"))["rows"]

@knitbone.adapt
def day():
    return datetime.strptime(ask("March 5, 2024"), "%Y-%m-%d").day

def work(_=None):
    return [steps(), table(), day()]

WORKED = [["a", "b"], [1, 2], 5]

def keep_busy():
    def run():
        while True:
            work()
    for _ in range(3):
        threading.Thread(target=run, daemon=True).start()
"""
POOLS = {
    "multiprocessing": """
def ask_all(context):
    with context.Pool(2, maxtasksperchild=12) as pool:
        return pool.map(app.work, range(24), chunksize=1)
""",
    "futures": """
def ask_all(context):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(app.work, range(24)))
""",
    "asyncio": """
async def ask(context):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        loop = asyncio.get_running_loop()
        jobs = [loop.run_in_executor(pool, app.work) for _ in range(12)]
        jobs += [asyncio.to_thread(app.work) for _ in range(12)]
        return await asyncio.gather(*jobs)

def ask_all(context):
    return asyncio.run(ask(context))
""",
}
MAIN = """
import asyncio, concurrent.futures, multiprocessing, os, sys
import app
{pool}
if __name__ == "__main__":
    app.keep_busy()
    found = ask_all(multiprocessing.get_context({method!r}))
    assert found == [app.WORKED] * 24, found
    os._exit(0)
"""
WSGI = """
import json
import app

app.keep_busy()

def serve(environ, start_response):
    body = json.dumps(app.work()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
CELERY = """
import os, sys, threading
from celery import Celery
import app

folder = sys.argv[1]
server = Celery("server", broker="memory://", backend="file://" + folder)
server.conf.worker_max_tasks_per_child = 4

@server.task(name="work")
def work():
    return app.work()

app.keep_busy()
worker = server.Worker(pool="prefork", concurrency=2, loglevel="ERROR", quiet=True)
threading.Thread(target=worker.start, daemon=True).start()
asked = [work.delay() for _ in range(16)]
found = [one.get(timeout=90, disable_sync_subtasks=False) for one in asked]
os._exit(0 if found == [app.WORKED] * 16 else 1)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


@contextlib.contextmanager
def started(folder, *arguments):
    """A command, ended with all of its children."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["", *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finish(folder, *arguments):
    with started(folder, *arguments) as process:
        said, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, said


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("pool", POOLS)
def test_pools_that_fork_beside_adapted_code_answer_all_calls(folder, pool, method):
    (folder / "main.py").write_text(MAIN.format(pool=POOLS[pool], method=method))
    finish(folder, "main.py")


def request(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        said = b"".join(iter(lambda: connection.recv(65_536), b""))
    return json.loads(said.partition(b"\r\n\r\n")[2])


@pytest.mark.skipif(importlib.util.find_spec("gunicorn") is None, reason="gunicorn not installed")
def test_gunicorn_with_a_preloaded_application_answers_all_requests(folder):
    (folder / "wsgi.py").write_text(WSGI)
    path = str(folder / "socket")
    options = ("--preload", "-w", "2", "--max-requests", "5", "-b", f"unix:{path}")
    with started(folder, "-m", "gunicorn", *options, "wsgi:serve") as process:
        end = time.monotonic() + SECONDS
        while not os.path.exists(path) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        for _ in range(30):
            assert request(path) == [["a", "b"], [1, 2], 5]


@pytest.mark.skipif(importlib.util.find_spec("celery") is None, reason="Celery not installed")
def test_celerys_prefork_pool_answers_all_tasks(folder):
    (folder / "server.py").write_text(CELERY)
    (folder / "results").mkdir()
    finish(folder, "server.py", str(folder / "results"))
