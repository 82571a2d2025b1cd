"""Tools that misbehave in every way a sandbox must survive. Never called outside one."""

import asyncio
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

SENTINEL = "86397.25"
"""Seconds that left-behind processes sleep: their command line gives them away."""


def hang(text: str) -> str:
    """Never answers."""
    while True:
        time.sleep(0.01)


def deaf_hang(text: str) -> str:
    """Never answers, and ignores every signal it can."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def ask_to_exit(text: str) -> str:
    """Calls sys.exit."""
    sys.exit(3)


def exit_at_once(text: str) -> str:
    """Calls os._exit."""
    os._exit(7)


def segfault(text: str) -> str:
    """Reads from address zero."""
    return ctypes.string_at(0).decode()


def kill_itself(text: str) -> str:
    """Sends itself a signal."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    return "alive"


def eat_memory(text: str) -> str:
    """Takes memory until there is none left."""
    held = []
    while True:
        held.append(bytearray(16 * 1024 * 1024))


def eat_memory_at_once(text: str) -> str:
    """Asks for 50 GB."""
    return str(len(bytearray(50 * 1024**3)))


def flood(text: str) -> str:
    """Prints without end."""
    while True:
        print("x" * 10_000)


def return_much(text: str) -> str:
    """Returns 20 MB."""
    return "x" * (20 * 1024 * 1024)


def write_here(text: str) -> str:
    """Writes into the current directory and fails when it was there before."""
    if os.path.exists("marker"):
        raise RuntimeError("an earlier call left its file behind")
    with open("marker", "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    os.makedirs("a/b", exist_ok=True)
    os.unlink("notes.txt")
    os.chmod("folder", 0)
    return "written"


def write_outside(path: str) -> str:
    """Writes to a given path, by Python and by a program."""
    subprocess.run(["touch", path], stderr=subprocess.DEVNULL, check=False)
    with open(path, "w", encoding="utf-8") as file:
        file.write("outside")
    return "written"


def remove_home(text: str) -> str:
    """Deletes the home folder, wherever that is."""
    subprocess.run(["rm", "-rf", os.path.expanduser("~")], stderr=subprocess.DEVNULL, check=False)
    return "gone"


def fill_disk(text: str) -> str:
    """Writes one file without end."""
    with open("big", "wb") as file:
        while True:
            file.write(b"\0" * 1_000_000)


def leave_child(text: str) -> str:
    """Starts a program and does not wait for it."""
    subprocess.Popen(["sleep", SENTINEL])
    return "started"


def leave_daemon(text: str) -> str:
    """Starts a program that leaves its session and its parent."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", SENTINEL])
        os._exit(0)
    return "started"


def come_back_twice(text: str) -> str:
    """Forks, and lets the child return from the call as well."""
    os.fork()
    return "here"


def bomb(text: str) -> str:
    """Forks without end."""
    while True:
        os.fork()


def leave_thread(text: str) -> str:
    """Starts a thread that never ends."""
    threading.Thread(target=lambda: time.sleep(1e6), daemon=True).start()
    return "started"


def stop_later(text: str) -> str:
    """Stops itself between calls, by an alarm that nobody sees coming."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGSTOP))
    ctypes.CDLL(None).alarm(1)
    return "here"


def kill_parent(text: str) -> str:
    """Kills whoever started it."""
    os.kill(os.getppid(), signal.SIGKILL)
    return "killed"


def close_everything(text: str) -> str:
    """Closes all descriptors."""
    os.closerange(0, 1024)
    return "closed"


def replace_itself(text: str) -> str:
    """Becomes another program."""
    os.execvp("true", ["true"])


def connect(text: str) -> str:
    """Opens a connection."""
    import socket

    with socket.create_connection(("127.0.0.1", 9), timeout=1):
        return "connected"


async def slow(text: str) -> str:
    """An asynchronous tool that fails."""
    await asyncio.sleep(0)
    raise LookupError(f"nothing called {text!r}")


def change_the_world(text: str) -> str:
    """Leaves directory, environment and random state changed, and notices such changes."""
    state = (os.path.basename(os.getcwd()), "LEFT_OVER" in os.environ, random.random())
    os.environ["LEFT_OVER"] = "1"
    os.chdir("folder")
    with tempfile.NamedTemporaryFile(delete=False):
        pass
    return repr(state)


class HostileError(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise ValueError("no words")


def raise_hostile(text: str) -> str:
    """Raises an exception whose message raises."""
    raise HostileError


def recurse(text: str) -> str:
    """Calls itself for ever."""
    return recurse(text + "a")


def show_environment(text: str) -> str:
    """Returns the names of its environment variables."""
    return " ".join(sorted(os.environ))


_seen = []


def remember(text: str) -> str:
    """Fails at the second call in the same process only."""
    if _seen:
        raise RuntimeError("called before")
    _seen.append(text)
    return "first"


def harmless(text: str) -> str:
    """Does nothing wrong."""
    return "fine"


_pool: list[threading.Thread] = []
_wake = threading.Event()


def keep_pool(text: str) -> str:
    """Starts a thread at its first call, and uses that one from then on."""
    if not _pool:
        _pool.append(threading.Thread(target=_wake.wait, daemon=True))
        _pool[0].start()
    return "used"


_files: list[object] = []


def leave_file_open(text: str) -> str:
    """Opens a file in each call and never closes it."""
    _files.append(open("notes.txt", encoding="utf-8"))  # noqa: SIM115
    return "opened"


_connection: list[object] = []


def keep_file_open(text: str) -> str:
    """Opens a file at its first call, and keeps that one."""
    if not _connection:
        _connection.append(open("notes.txt", encoding="utf-8"))  # noqa: SIM115
    return "opened"


def forget_in_circle(text: str) -> str:
    """Leaves an open file to the garbage collector."""
    circle: list[object] = [open("notes.txt", encoding="utf-8")]  # noqa: SIM115
    circle.append(circle)
    return "opened"


def reset() -> None:
    """Puts back what ``remember`` remembers."""
    _seen.clear()


async def reset_later() -> None:
    """The same, asynchronously."""
    await asyncio.sleep(0)
    _seen.clear()


def reset_badly() -> None:
    """Fails."""
    raise OSError("the database is gone")
