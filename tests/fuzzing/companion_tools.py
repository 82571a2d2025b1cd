"""Tools that share state, as users write them, each style with one fault that needs calls of other
tools, and its mended form."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SOUND", "STYLES", "Style"]


class Style(NamedTuple):
    """Tools of one style in one module."""

    source: str
    target: str
    """With ``{}`` for the file."""
    before: tuple[str, ...]
    """The fewest calls that the fault needs: names of tools, the tool's own as ``""``."""
    fault: str
    mended: str
    exception: str


FUNCTIONS = '''
_songs: dict[str, dict | None] = {}


def add_song(title: str) -> str:
    """Add a song to the list; its number is the answer."""
    song = f"s{len(_songs) + 1}"
    _songs[song] = {"title": title}
    return song


def remove_song(song: str) -> str:
    """Remove a song."""
    if song not in _songs:
        return "there is no such song"
    _songs[song] = None
    return "removed"


def list_songs() -> str:
    """List the titles."""
    return ", ".join(song["title"] for song in _songs.values())


def shout(text: str) -> str:
    return text.upper()
'''

METHODS = '''
class Desk:
    def __init__(self) -> None:
        self._books: dict[int, list[str]] = {}
        self._at: dict[int, int] = {}

    def open_book(self, name: str) -> int:
        """Open a book; the answer is what it is called from then on."""
        handle = len(self._books) + 1
        self._books[handle] = [f"{name}, page {page}" for page in (1, 2, 3)]
        self._at[handle] = 0
        return handle

    def close_book(self, handle: int) -> str:
        """Close a book."""
        if handle not in self._at:
            raise ValueError(f"handle: {handle} is not open")
        del self._at[handle]
        return "closed"

    def read_page(self, handle: int) -> str:
        """Read a page of an open book."""
        if handle not in self._books:
            raise ValueError(f"handle: {handle} is not open")
        return self._books[handle][self._at[handle]]


desk = Desk()
'''

TOOLKIT = '''
from langchain_core.tools import tool


def make_tools():
    accounts = {}

    @tool
    def open_account(owner: str) -> str:
        """Open an account; the answer is its number."""
        number = f"A-{len(accounts) + 1}"
        accounts[number] = [0]
        return number

    @tool
    def clear_account(number: str) -> str:
        """Strike out all bookings of an account."""
        if number not in accounts:
            return "no such account"
        accounts[number].clear()
        return "cleared"

    @tool
    def last_booking(number: str) -> str:
        """The last booking of an account."""
        if number not in accounts:
            return "no such account"
        return str(accounts[number][-1])

    return [open_account, clear_account, last_booking]


tools = make_tools()
'''

SERVER = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("tasks", log_level="ERROR")
tasks = {}


@server.tool()
def add_task(name: str) -> str:
    """Add a task."""
    tasks[name] = {"notes": []}
    return f"added {name}"


@server.tool()
def finish_task(name: str) -> str:
    """Finish a task."""
    if name not in tasks:
        return "there is no such task"
    tasks[name] = {}
    return f"finished {name}"


@server.tool()
def count_notes(name: str) -> int:
    """How many notes a task has."""
    if name not in tasks:
        return 0
    return len(tasks[name]["notes"])


if __name__ == "__main__":
    server.run()
'''

STYLES = {
    "functions": Style(
        FUNCTIONS,
        "{}:list_songs",
        ("add_song", "remove_song"),
        "_songs[song] = None",
        "del _songs[song]",
        "TypeError",
    ),
    "methods": Style(
        METHODS,
        "{}:desk.read_page",
        ("open_book", "close_book"),
        "if handle not in self._books:",
        "if handle not in self._at:",
        "KeyError",
    ),
    "toolkit": Style(
        TOOLKIT,
        "{}:tools#last_booking",
        ("open_account", "clear_account"),
        "str(accounts[number][-1])",
        "str(accounts[number][-1:])",
        "IndexError",
    ),
    "server": Style(
        SERVER,
        "mcp:stdio:PYTHON {}#count_notes",
        ("add_task", "finish_task"),
        "tasks[name] = {}",
        'tasks[name] = {"notes": []}',
        "KeyError",
    ),
}

SOUND = '''
import sqlite3
from collections import deque

_songs: dict[str, str] = {}
_waiting: deque[str] = deque()
RATES = {"EUR": 1.0, "USD": 1.1}


def add(title: str) -> str:
    """Add a song."""
    _songs[title] = title.upper()
    return f"{len(_songs)} songs"


def remove(title: str) -> str:
    """Remove a song.

    Raises:
        ValueError: There is no such song.
    """
    if title not in _songs:
        raise ValueError(f"title: there is no song {title!r}")
    del _songs[title]
    return f"{len(_songs)} songs"


def find(title: str) -> str:
    """Find a song; "unknown" where there is none."""
    return _songs.get(title, "unknown")


def join_queue(name: str) -> int:
    """Join the queue; the answer is the place."""
    _waiting.append(name)
    return len(_waiting)


def serve_next() -> str:
    """Serve whoever waits longest; "nobody" where nobody waits."""
    return _waiting.popleft() if _waiting else "nobody"


def convert(amount: int, currency: str) -> float:
    """Convert an amount.

    Raises:
        ValueError: The currency is unknown.
    """
    if currency not in RATES:
        raise ValueError("currency: EUR or USD is needed")
    return amount * RATES[currency]


def currencies() -> list[str]:
    """What can be converted."""
    return sorted(RATES)


class Counter:
    def __init__(self) -> None:
        self._count = 0

    def up(self, steps: int) -> int:
        """Count up."""
        self._count += steps
        return self._count

    def down(self) -> int:
        """Count down by one, never below zero."""
        self._count = max(self._count - 1, 0)
        return self._count


counter = Counter()
'''
