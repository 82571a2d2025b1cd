"""Answers of workers are the tool's word: forged ones are named, and no campaign ends of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.errors import TargetError
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.replies import _Reply, checked_reply

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

MEDDLING = Path(__file__).parents[1] / "samples" / "meddling_tools.py"


def calls(name: str) -> list[CallOutcome]:
    with Sandbox(f"{MEDDLING}:{name}") as sandbox:
        return [sandbox.call(0, {"x": 1}, timeout_s=10.0) for _ in range(3)]


@pytest.mark.parametrize(
    "name",
    ["replace_json", "replace_open", "replace_system", "replace_environment", "replace_sockets"],
)
def test_a_tool_that_replaces_what_runs_it_is_called_on(private: Path, name: str) -> None:
    assert [(outcome.status, outcome.text) for outcome in calls(name)] == [("ok", "done")] * 3


@pytest.mark.parametrize(
    "name",
    ["forge_answer", "forge_two_answers", "forge_types", "forge_failure_of_ours", "forge_worker"],
)
def test_forged_answers_are_named_and_no_later_call_is_answered_by_them(
    private: Path, name: str
) -> None:
    for outcome in calls(name):
        assert outcome.status == "crash"
        assert "wrote into the channel" in outcome.message
        assert outcome.leaked == 0


@pytest.mark.parametrize(
    "told",
    [
        {"tools": [{"name": 3, "documentation": [], "schema": "x"}], "confinement": []},
        {"tools": "all", "confinement": {}},
        {"error": {"message": 3}},
        {"tools": [{}]},
        {},
    ],
)
def test_a_module_that_speaks_for_the_sandbox_is_no_target(
    private: Path, tmp_path: Path, told: object
) -> None:
    tool = tmp_path / "forging.py"
    body = json.dumps(told)
    tool.write_text(
        "import os, struct\n"
        f"body = {body!r}.encode()\n"
        "for descriptor in range(3, 20):\n"
        "    try:\n        os.write(descriptor, struct.pack('>I', len(body)) + body)\n"
        "    except OSError:\n        pass\n\n"
        "def tool(x: int) -> str:\n    return 'x'\n"
    )
    with pytest.raises(TargetError):
        Sandbox(f"{tool}:tool")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELD = st.sampled_from([*CallOutcome.__struct_fields__, "number", "fatal", "error", "base"])


@given(st.dictionaries(FIELD, JSON | st.sampled_from(["ok", "n", "crash"])))
def test_whatever_a_worker_says_becomes_an_outcome(message: dict[str, Any]) -> None:

    reply = checked_reply(message, "n")
    outcome = msgspec.convert(reply, CallOutcome)
    assert not outcome.leaked
    assert not outcome.leaked_threads
    assert not outcome.leaked_files
    assert not {"fatal", "error", "base"} & reply.keys()
    if message.get("number") != "n":
        assert outcome.status == "crash"


def test_each_field_of_an_outcome_is_told_by_the_worker_or_known_to_the_keeper() -> None:
    told = set(_Reply.__struct_fields__) - {"number"}
    kept = {"leaked", "leaked_threads", "leaked_files"}
    assert told | kept == set(CallOutcome.__struct_fields__)
