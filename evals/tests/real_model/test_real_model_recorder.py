"""Answers of real models, recorded and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone.models.chat import ToolSpec, complete_sync
from knitbone.record.events import ChatMessage, ToolCallRequest
from knitbone.testing import ModelServer, Reply
from knitbone_evals.real_model.recorder import Replay, UnrecordedError, real_model

ASKED = [ChatMessage(role="user", content="Hello")]
CALL = ToolCallRequest(name="greet", arguments={"who": "you"}, call_id="c")


def test_an_answer_is_asked_for_once_and_replayed_whole(tmp_path: Path) -> None:
    path, tools = tmp_path / "answers" / "m.jsonl", [ToolSpec(name="greet")]
    with ModelServer([Reply(text="Hi", tool_calls=(CALL,))]) as server:
        model = Replay(path, "m", real_model(server.base_url, "m", max_tokens=9))
        first = complete_sync(model, ASKED, tools=tools)
        again = complete_sync(model, ASKED, tools=tools)
        assert len(server.requests) == 1
        assert server.requests[0].body["max_tokens"] == 9
    replayed = complete_sync(Replay(path, "m"), ASKED, tools=tools)
    assert first.message == again.message == replayed.message
    assert replayed.usage == first.usage
    with pytest.raises(UnrecordedError, match="no answer of m"):
        complete_sync(Replay(path, "m"), ASKED)


def test_an_answer_of_a_case_outlives_a_change_of_its_request(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with ModelServer('{"a": 1}') as server:
        model = Replay(path, "m", real_model(server.base_url, "m", max_tokens=9))
        model.begin("run 1")
        complete_sync(model, ASKED, schema={"type": "object"})
    later = Replay(path, "m")
    assert later.knows("run 1")
    assert not later.knows("run 2")
    later.begin("run 1")
    changed = [ChatMessage(role="user", content="Hello again")]
    assert complete_sync(later, changed, schema={"type": "object"}).parsed == {"a": 1}
    assert later.stale == 1


def test_a_failure_is_recorded_as_one(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with ModelServer(Reply(status=400, error="too long")) as server:
        model = Replay(path, "m", real_model(server.base_url, "m", max_tokens=9))
        with pytest.raises(UnrecordedError):
            complete_sync(model, ASKED)
    with pytest.raises(UnrecordedError, match="too long"):
        complete_sync(Replay(path, "m"), ASKED)
