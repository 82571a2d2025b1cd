"""What is recorded of events that are too large: a beginning, an end, and what is missing."""

from __future__ import annotations

import hashlib
import json

import pytest
from hangs import no_hang

from knitbone.record.events import (
    ChatMessage,
    Document,
    ModelCall,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    encode_json,
)
from knitbone.record.recorder import Recorder
from knitbone.record.redaction import TEXTS_OF_A_RECORD, Redactor
from knitbone.record.sqlite_store import SqliteStore

SECRET = "sk-proj-abcDEF0123456789abcDEF0123456789"
SMALL = Redactor(max_text=10_000)
"""A record may count as 80,000 characters."""


def tool(result, **more):
    return ToolCall(id="1", name="t", result=result, **more)


def size(event):
    return len(encode_json(event))


def test_a_long_text_keeps_both_ends_its_length_and_its_hash():
    text = "begin " + "é" * 100_000 + " end"
    kept = SMALL.text(text)
    assert kept.startswith("begin é")
    assert kept.endswith("é end")
    assert "[90,010 of 100,010 characters not recorded" in kept
    assert hashlib.sha256(text.encode()).hexdigest() in kept
    assert len(kept) < 10_200


@pytest.mark.parametrize("place", range(0, 60_000, 1_777))
def test_no_part_of_a_secret_is_left_wherever_the_cuts_fall(place):
    text = ("x" * place + " " + SECRET + " ").ljust(60_000, "y")
    kept = Redactor(max_text=20_000).text(text)
    assert "abcDEF" not in kept
    assert not any(SECRET[:n] in kept for n in range(3, len(SECRET)))


def test_many_secrets_in_a_row_leave_no_part_at_a_cut():
    for shift in range(0, 60, 7):
        text = "x" * shift + f" {SECRET}" * 5_000
        kept = Redactor(max_text=20_000).text(text)
        assert "DEF" not in kept


def test_a_long_list_keeps_both_ends_and_how_many_are_missing():
    event = SMALL.record(tool([{"row": n} for n in range(1_000_000)]))
    rows = event.result
    assert rows[0] == {"row": 0}
    assert rows[-1] == {"row": 999_999}
    (note,) = [row for row in rows if isinstance(row, str)]
    place = rows.index(note)
    assert note == f"[{1_000_000 - len(rows) + 1:,} of 1,000,000 items not recorded]"
    assert [row["row"] for row in rows[:place]] == list(range(place))
    assert 50 < len(rows) < 800


def test_a_long_mapping_keeps_both_ends_and_how_many_are_missing():
    kept = SMALL.record(tool({f"k{n}": n for n in range(100_000)})).result
    assert (kept["k0"], kept["k99999"]) == (0, 99_999)
    assert kept["[not recorded]"] == f"{100_000 - len(kept) + 1:,} of 100,000 entries"


def test_what_fits_is_whole_and_what_stands_beside_too_much_stays():
    whole = {"log": "x" * 9_999, "rows": list(range(400)), "status": "done"}
    assert SMALL.record(tool(whole)).result == whole
    large = {"rows": list(range(100_000)), "log": ["y" * 900] * 5_000, "status": "done"}
    event = SMALL.record(tool(large, arguments={"page": 3}, call_id="c"))
    assert (event.arguments, event.call_id) == ({"page": 3}, "c")
    assert event.result["status"] == "done"
    assert event.result["log"][0] == "y" * 900
    assert event.result["rows"][0] == 0
    assert size(event) < 100_000


def laughs():
    made: object = "ha"
    for _ in range(60):
        made = [made] * 10
    return made


def circle():
    made: list[object] = [1]
    made += [made, made]
    return made


@pytest.mark.parametrize(
    "result",
    [
        laughs(), circle(), [[n] * 300 for n in range(300)], {"a": {"b": [laughs()] * 3}},
        ["q" * 9_000] * 3_000, {str(n).rjust(9_000): n for n in range(300)},
        [ValueError("z" * 50_000)] * 500,
        {"x" * 2_000_000: 1}, set(range(200_000)), b"\0" * 5_000_000, [{}] * 50_000,
    ],
    ids=range(11),
)  # fmt: skip
def test_whatever_its_shape_a_record_is_bounded_and_quick(result):
    with no_hang():
        event = SMALL.record(tool(result))
    assert size(event) < 300_000
    assert "not recorded" in encode_json(event).decode()


def test_typed_lists_keep_their_types():
    documents = tuple(Document(text=f"{n} " * 100, score=1.0) for n in range(5_000))
    found = SMALL.record(Retrieval(id="1", query="q", documents=documents))
    assert (found.query, found.documents[0]) == ("q", documents[0])
    assert found.documents[-1] == documents[-1]
    assert any("documents" in d.text or "items not recorded" in d.text for d in found.documents)
    calls = tuple(ToolCallRequest(name="t", arguments={"n": n}) for n in range(5_000))
    asked = SMALL.message(ChatMessage(role="assistant", content="go", tool_calls=calls))
    assert asked.content == "go"
    assert asked.tool_calls[0] == calls[0]
    run = SMALL.record(Run(id="r", task="t", events=tuple([tool("x" * 500)] * 5_000)))
    assert (run.task, run.events[0]) == ("t", tool("x" * 500))
    assert "items not recorded" in json.dumps([getattr(e, "content", "") for e in run.events])


def test_secrets_go_from_what_is_kept_of_a_large_record():
    rows = [{"note": f"key {SECRET}", "password": "hunter2"}] * 50_000
    event = SMALL.record(tool(rows))
    assert event.result[0] == {"note": "key [redacted]", "password": "[redacted]"}
    assert SECRET not in encode_json(event).decode()


def test_a_conversation_that_is_too_long_keeps_its_beginning_and_its_end():
    messages = tuple(ChatMessage(role="user", content=f"{n} " + "x" * 900) for n in range(1_000))
    store = SqliteStore(":memory:")
    store.begin(Run(id="r"))
    Recorder(store, "r", SMALL).record(ModelCall(id="1", input=messages))
    (call,) = store.get("r").events
    store.close()
    assert (call.input[0], call.input[-1]) == (messages[0], messages[-1])
    left_out = 1_000 - len(call.input) + 1
    note = f"[{left_out:,} of 1,000 messages not recorded]"
    assert sum(message.content == note for message in call.input) == 1
    assert sum(len(m.content) for m in call.input) < TEXTS_OF_A_RECORD * 10_000
