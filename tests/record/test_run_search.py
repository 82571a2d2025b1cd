"""Text in stored runs: what the tables give is what reading each run gives."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.errors import StoreError
from knitbone.record.events import (
    ChatMessage,
    ErrorInfo,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.record.sqlite_store import SqliteStore

TEXTS = st.text(alphabet="aBß%_\\\"'É\n€", max_size=4)


@st.composite
def runs(draw):
    made = []
    for number in range(draw(st.integers(1, 4))):
        error = draw(st.none() | st.builds(ErrorInfo, type=TEXTS, message=TEXTS))
        calls = (ToolCallRequest(name=draw(TEXTS)),)
        events = (
            Message(id="0", role="user", content=draw(TEXTS)),
            ModelCall(id="1", input=(ChatMessage(role="user", content=draw(TEXTS)),), error=error,
                      output=ChatMessage(role="assistant", tool_calls=calls)),
            ToolCall(id="2", name=draw(TEXTS), arguments={"a": draw(TEXTS)}, error=error),
            Outcome(id="3", success=False, reason=draw(TEXTS)),
        )  # fmt: skip
        made.append(Run(id=f"{number}", name=draw(TEXTS), task=draw(TEXTS), events=events))
    return made


def mentions(run, text):
    """What a search should find, of a run that was read."""
    texts = [run.name, run.task]
    for event in run.events:
        if isinstance(event, (ToolCall, ModelCall)) and event.error is not None:
            texts += [event.error.type, event.error.message]
        if isinstance(event, ToolCall):
            texts.append(event.name)
        elif isinstance(event, Outcome):
            texts.append(event.reason)
        elif isinstance(event, ModelCall):
            said = [*event.input, *([event.output] if event.output else [])]
            texts += [call.name for message in said for call in message.tool_calls]
    return any(text.casefold() in each.casefold() for each in texts)


@given(runs(), TEXTS)
def test_a_search_finds_what_reading_each_run_finds(made, text):
    with closing(SqliteStore(":memory:")) as store:
        for run in made:
            store.put(run)
        assert store.search(text) == {run.id for run in made if mentions(run, text)}


def test_what_tools_answered_and_were_given_is_not_searched():
    call = ToolCall(id="1", name="find", arguments={"q": "needle"}, result="needle")
    said = ModelCall(id="2", input=(ChatMessage(role="user", content="needle"),))
    with closing(SqliteStore(":memory:")) as store:
        store.put(Run(id="a", events=(call, said)))
        assert store.search("needle") == set()
        assert store.search("FIND") == {"a"}


def test_a_search_of_events_that_cannot_be_read_says_so(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        for number in range(3):
            call = ToolCall(id="1", name=f"tool{number}", arguments={}, result="x" * 6_000)
            store.put(Run(id=f"{number}", task="seat", events=(call,)))
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'event'"
        ).fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4_096 : page * 4_096] = bytes(4_096)
    path.write_bytes(data)
    with closing(SqliteStore(path)) as store:
        with pytest.raises(StoreError, match="knitbone runs check"):
            store.search("seat")
        assert len(store.ids()) == 3


@pytest.mark.parametrize(
    "event",
    [
        Message(id="1", role="user", content="four seats"),
        ModelCall(id="1", input=(ChatMessage(role="system", content="s"),
                                 ChatMessage(role="user", content="four seats"))),
    ],
)  # fmt: skip
def test_what_was_asked_is_read_off_the_first_events(event):
    with closing(SqliteStore(":memory:")) as store:
        store.put(Run(id="a", events=(Outcome(id="0"), event)))
        store.put(Run(id="b", events=(Outcome(id="0"),)))
        assert store.asked("a") == "four seats"
        assert store.asked("b") == ""
