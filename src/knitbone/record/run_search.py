"""Text in runs, as a list of runs is searched by: tools, errors, verdicts, names and tasks.

The rows are passed over once, by SQLite itself; only those that hold the text anywhere are decoded.
An index of all words would cost every recorded call, and a new table in every store.
"""

from __future__ import annotations

import re
import sqlite3
import struct

import msgspec

from knitbone.errors import StoreError
from knitbone.record.event_rows import decode_message
from knitbone.record.events import (
    Annotation,
    ChatMessage,
    ErrorInfo,
    Message,
    ModelCall,
    decode_event,
    encode_json,
)
from knitbone.record.verdicts import verdict_of

__all__ = ["asked_in", "runs_mentioning"]

_KINDS = (b'{"kind":"tool_call"', b'{"kind":"model_call"', b'{"kind":"outcome"')
"""How the JSON of the events begins that are searched; the tag of a record is written first."""
_FIRST = 20
"""Events among which the first words of a user are looked for (ours)."""


class _SearchedEvent(msgspec.Struct):
    """What of an event is searched; other fields are not even decoded."""

    kind: str = ""
    name: str = ""
    reason: str = ""
    error: ErrorInfo | None = None
    output: ChatMessage | None = None
    """Of calls that were stored before messages had a table of their own."""


_decode = msgspec.json.Decoder(_SearchedEvent).decode


def runs_mentioning(connection: sqlite3.Connection, text: str) -> set[str]:
    """The runs whose name, task, tools, errors or verdict hold ``text``, whatever the case."""
    wanted, pattern = text.casefold(), _pattern(text)
    rows = connection.execute("SELECT id, name, task FROM run")
    found = {run for run, *texts in rows if any(wanted in _folded(each) for each in texts)}
    kind = " OR ".join("substr(body, 1, ?) = ?" for _ in _KINDS)
    events = connection.execute(
        f"SELECT run, body FROM event WHERE ({kind}) "  # noqa: S608 - question marks alone
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (*(each for start in _KINDS for each in (len(start), start)), pattern),
    )
    for run, body in events:
        if run not in found and _holds(body, wanted):
            found.add(run)
    given = connection.execute(
        'SELECT run, body FROM annotation WHERE instr(body, CAST(\'"kind":"outcome"\' AS BLOB)) '
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (pattern,),
    )
    found.update(run for run, body in given if _gives(body, wanted))
    return found | _asking(connection, wanted, pattern)


def _asking(connection: sqlite3.Connection, wanted: str, pattern: str) -> set[str]:
    """Runs whose models asked for such a tool, whoever ran it."""
    rows = connection.execute(
        "SELECT id, body FROM message WHERE instr(body, CAST('\"tool_calls\"' AS BLOB)) "
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (pattern,),
    )
    messages = {number for number, body in rows if _asks(body, wanted)}
    if not messages:
        return set()
    mentions_of = connection.execute("SELECT run, message FROM mention")
    return {run for run, message in mentions_of if message in messages}


def _pattern(text: str) -> str:
    """What JSON text is LIKE that holds the text; LIKE knows the case of ASCII letters alone."""
    spelled = encode_json(text)[1:-1].decode("utf-8")
    safe = re.sub(r"([\\%_])", r"\\\1", spelled)
    return "%" + re.sub(r"[^\x00-\x7f]+", "%", safe) + "%"


def _folded(value: object) -> str:
    return value.casefold() if isinstance(value, str) else ""


def _holds(body: object, wanted: str) -> bool:
    try:
        event = _decode(body if isinstance(body, bytes) else b"")
    except (msgspec.MsgspecError, ValueError):
        return False  # whoever reads the run is told
    texts = [event.reason] if event.kind == "outcome" else []
    texts += [event.name] if event.kind == "tool_call" else []
    texts += [event.error.type, event.error.message] if event.error else []
    texts += [call.name for call in event.output.tool_calls] if event.output else []
    return any(wanted in _folded(each) for each in texts)


def _gives(body: object, wanted: str) -> bool:
    """Whether a verdict that was given later says it."""
    try:
        annotation = msgspec.json.decode(body if isinstance(body, bytes) else b"", type=Annotation)
        return wanted in verdict_of(annotation).reason.casefold()
    except (StoreError, msgspec.MsgspecError, ValueError):
        return False


def _asks(body: object, wanted: str) -> bool:
    try:
        message = decode_message(body if isinstance(body, bytes) else b"")
    except (msgspec.MsgspecError, ValueError):
        return False
    return any(wanted in call.name.casefold() for call in message.tool_calls)


def asked_in(connection: sqlite3.Connection, run_id: str) -> str:
    """The first thing that a user said in a run; empty where its first events do not show it."""
    rows = connection.execute(
        "SELECT body, input FROM event WHERE run = ? ORDER BY sequence LIMIT ?", (run_id, _FIRST)
    )
    for body, given in rows.fetchall():
        try:
            event = decode_event(body)
            if isinstance(event, Message) and event.role == "user":
                return event.content
            told = list(event.input) if isinstance(event, ModelCall) else []
            numbers = struct.unpack(f"<{len(given) // 8}q", given) if given else ()
            for number in numbers:
                row = connection.execute(
                    "SELECT body FROM message WHERE id = ?", (number,)
                ).fetchone()
                told += [decode_message(row[0])] if row else []
                if told and told[-1].role == "user":
                    break
        except (msgspec.MsgspecError, ValueError, struct.error, TypeError):
            continue  # of a damaged row; whoever reads the run is told
        said = next((message.content for message in told if message.role == "user"), "")
        if said:
            return said
    return ""
