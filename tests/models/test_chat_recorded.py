from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import ModelConfig
from knitbone.errors import CassetteMissError, InputFormatError
from knitbone.models import (
    ChatRequest,
    Recorded,
    ToolSpec,
    complete_sync,
    create_chat_model,
    request_hash,
)
from knitbone.models.openai import openai_chat_model
from knitbone.record.events import ChatMessage, ToolCallRequest
from knitbone.record.redaction import Redactor
from knitbone.testing import ModelServer, Reply

HELLO = [ChatMessage(role="user", content="hello")]
CALL = ToolCallRequest(name="f", arguments={"x": [1, None, "é"]}, call_id="c")


def live(server: ModelServer) -> Any:
    return openai_chat_model(ModelConfig(name="m", base_url=server.base_url), environ={})


def record(path: Path, *texts: str) -> None:
    with ModelServer(lambda body: "answer to " + body["messages"][0]["content"]) as server:
        model = Recorded(path, record=live(server))
        for text in texts:
            complete_sync(model, [ChatMessage(role="user", content=text)])


def test_what_was_recorded_is_replayed_without_a_server(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cassette.jsonl"
    tools, schema = [ToolSpec(name="f")], {"type": "object"}
    with ModelServer([Reply(text="hi", tool_calls=(CALL,)), '{"a": 1}']) as server:
        model = Recorded(path, record=live(server))
        first = complete_sync(model, HELLO, tools=tools)
        second = complete_sync(model, HELLO, schema=schema)
    replayed = Recorded(path, name="m")
    assert complete_sync(replayed, HELLO, tools=tools) == first
    assert complete_sync(replayed, HELLO, schema=schema) == second
    assert second.parsed == {"a": 1}


def test_a_request_that_is_known_is_not_asked_again(tmp_path: Path) -> None:
    with ModelServer(["once"]) as server:
        model = Recorded(tmp_path / "c.jsonl", record=live(server))
        assert [complete_sync(model, HELLO).text for _ in range(3)] == ["once"] * 3
    assert len(server.requests) == 1


def test_an_answer_with_a_secret_is_the_same_twice_and_is_written_without_it(
    tmp_path: Path,
) -> None:
    secret = "sk-proj-" + "aB3dE5fG7hJ9" * 4
    with ModelServer([f"your key is {secret}"]) as server:
        model = Recorded(tmp_path / "c.jsonl", record=live(server))
        first, second = complete_sync(model, HELLO), complete_sync(model, HELLO)
    assert first == second
    assert secret in first.text
    assert secret not in (tmp_path / "c.jsonl").read_text()


def test_a_miss_names_the_hash_and_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    record(path, "what is 1 + 1?", "name a city")
    asked = [ChatMessage(role="user", content="what is 1 + 2?")]
    key = request_hash("m", ChatRequest(messages=tuple(asked)))
    with pytest.raises(CassetteMissError) as raised:
        complete_sync(Recorded(path, name="m"), asked)
    text = str(raised.value)
    assert key[:16] in text
    assert "recorded 'what is 1 + 1?', asked 'what is 1 + 2?'" in text
    assert "Recorded(path, record=model)" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "other"}, "asked of 'm'"),
        ({"tools": [ToolSpec(name="f")]}, "other tools"),
        ({"schema": {"type": "object"}}, "another schema"),
        ({"more": True}, "1 messages instead of 2"),
    ],
)
def test_a_miss_tells_the_kind_of_difference(
    tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    path = tmp_path / "c.jsonl"
    record(path, "hello")
    model = Recorded(path, name=arguments.pop("name", "m"))
    messages = HELLO * 2 if arguments.pop("more", False) else HELLO
    with pytest.raises(CassetteMissError, match=words):
        complete_sync(model, messages, **arguments)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"key": "a"}',
        b"[" * 100_000,
        b'{"key": "a", "model": "m", "request": {"messages": []}, "completion": 3}',
    ],
)
def test_a_corrupt_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "c.jsonl"
    record(path, "hello")
    with path.open("ab") as file:
        file.write(b"\n" + line + b"\n")
    with pytest.raises(InputFormatError, match="line 3, is not a record") as raised:
        Recorded(path)
    assert len(str(raised.value)) < 1000


def test_a_line_of_a_later_version_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    record(path, "hello")
    path.write_text(path.read_text().replace('"version":1', '"version":2'))
    with pytest.raises(InputFormatError, match="has version 2"):
        Recorded(path)


def test_a_missing_cassette_is_an_error_unless_it_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(InputFormatError, match="does not exist"):
        Recorded(tmp_path / "none.jsonl")
    with pytest.raises(InputFormatError, match="cannot be read"):
        Recorded(tmp_path)


def test_half_a_line_of_a_killed_process_does_not_spoil_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    with ModelServer("fine") as server:
        model = Recorded(path, record=live(server))
        path.write_bytes(b'{"key": "hal')
        complete_sync(model, HELLO)
    assert json.loads(path.read_bytes().split(b"\n")[1])["model"] == "m"


def test_secrets_do_not_reach_the_disk_and_the_answer_is_still_found(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    asked = [ChatMessage(role="user", content="my key is sk-abcdefghijklmnopqrstuvwx, code 4711")]
    with ModelServer("your key is sk-abcdefghijklmnopqrstuvwx, code 4711") as server:
        model = Recorded(path, record=live(server), redactor=Redactor(["code [0-9]+"]))
        assert "4711" in complete_sync(model, asked).text
    written = path.read_text()
    assert "sk-abc" not in written
    assert "4711" not in written
    assert complete_sync(Recorded(path, name="m"), asked).text.count("[redacted]") == 2


def test_recorders_in_several_threads_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    with ModelServer(lambda body: "x" * 20_000) as server:
        # Two recorders share the file, as two processes would.
        models = [Recorded(path, record=live(server)) for _ in range(2)]

        def work(worker: int) -> None:
            for n in range(5):
                message = ChatMessage(role="user", content=f"{worker} {n}")
                complete_sync(models[worker % 2], [message])

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(path.read_bytes().splitlines()) == 20
    message = ChatMessage(role="user", content="3 4")
    assert len(complete_sync(Recorded(path, name="m"), [message]).text) == 20_000


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4), st.text())
def test_the_hash_does_not_depend_on_the_order_of_keys(table: dict[str, Any], text: str) -> None:
    backwards = dict(reversed(table.items()))
    messages = (ChatMessage(role="user", content=text),)
    one, other = (
        request_hash(
            "m",
            ChatRequest(messages=messages, tools=(ToolSpec(name="t", parameters=t),), schema=t),
        )
        for t in (table, backwards)
    )
    assert one == other
    assert one != request_hash("n", ChatRequest(messages=messages, schema=table))


def test_the_configuration_replays_a_cassette(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    record(path, "hello")
    config = ModelConfig(provider="recorded", name="m", cassette=str(path))
    assert complete_sync(create_chat_model(config, "oracle"), HELLO).text == "answer to hello"
