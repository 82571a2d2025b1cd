"""Formats of other programs that knitbone does not read yet, by what only they have.

A table, so that a file is refused by its name, and never taken for a format that resembles it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.interchange.untrusted_json import first_object
from knitbone.wire.fields import object_of

__all__ = ["BENCHMARKS", "INSTALL", "benchmark_of", "named_bytes", "named_value"]

_ZIP = b"PK\x03\x04"


def _lists(body: Mapping[str, Any], *names: str) -> bool:
    return all(isinstance(body.get(name), list) for name in names)


def _inside(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return first_object(body.get(name)) or {}


_SIGNATURES: tuple[tuple[str, Callable[[Mapping[str, Any]], bool]], ...] = (
    ("a SWE-agent trajectory", lambda b: _lists(b, "trajectory")
     and {"action", "observation"} <= set(_inside(b, "trajectory"))),
    ("a SWE-agent trajectory", lambda b: _lists(b, "history") and isinstance(b.get("info"), dict)
     and {"exit_status", "model_stats", "submission"} & set(object_of(b["info"])) != set()),
    ("a SWE-agent trajectory", lambda b: _lists(b, "history")
     and {"message_type", "action", "thought"} & set(_inside(b, "history")) != set()),
    ("a mini-SWE-agent trajectory", lambda b: "trajectory_format" in b),
    ("an event log of OpenHands", lambda b: isinstance(b.get("kind"), str)
     and b["kind"].endswith("Event") and {"source", "timestamp"} <= set(b)),
    ("an event log of OpenHands", lambda b: "source" in b and "timestamp" in b
     and ("action" in b or "observation" in b) and ("args" in b or "extras" in b)),
    ("an event log of OpenHands", lambda b: _lists(b, "history")
     and "source" in _inside(b, "history")
     and bool({"action", "observation"} & set(_inside(b, "history")))),
    ("a session of Claude Code", lambda b: {"sessionId", "type"} <= set(b)
     and bool({"uuid", "parentUuid", "leafUuid"} & set(b))),
    ("a session of Codex", lambda b: {"type", "payload"} <= set(b)
     and b["type"] in ("session_meta", "response_item", "event_msg", "turn_context")),
    ("a log of Inspect", lambda b: isinstance(b.get("eval"), dict)
     and {"version", "status"} <= set(b)),
    ("a trajectory of Harbor (ATIF)", lambda b: str(b.get("schema_version")).startswith("ATIF")),
    ("events of Google ADK", lambda b: {"author", "content"} <= set(b)
     and bool({"invocationId", "invocation_id"} & set(b))),
    ("a conversation of Gemini", lambda b: _lists(b, "contents")
     and "parts" in _inside(b, "contents")),
    ("a conversation of Gemini", lambda b: _lists(b, "parts")
     and b.get("role") in ("user", "model")),
    ("messages of AutoGen", lambda b: isinstance(b.get("type"), str) and "source" in b
     and b["type"].endswith(("Message", "Event")) and "content" in b),
    ("calls of Weave", lambda b: {"op_name", "trace_id", "inputs"} <= set(b)),
    ("a run of AgentDojo", lambda b: {"suite_name", "pipeline_name", "messages"} <= set(b)),
)  # fmt: skip
"""What each is called, and what only it has."""


def named_value(value: Json) -> str | None:
    """What program's format a value is, if it is one of these."""
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    # Logs begin with lines of other kinds, such as a summary.
    for item in items[:_LOOKED_AT]:
        body = object_of(item)
        for name, fits in _SIGNATURES:
            if fits(body):
                return name
    return None


_LOOKED_AT = 20
"""Records at the beginning of a file that are looked at (ours)."""


BENCHMARKS = {
    "tau-bench": "results of τ-bench",
    "tau2-bench": "results of τ²-bench",
    "agentrx": "runs or labels of AgentRx",
    "who-and-when": "a log of Who&When",
}
"""Formats that the evaluation package reads, and what their files are called."""

INSTALL = (
    "The package knitbone-evals reads it: pip install"
    ' "knitbone-evals @ git+https://github.com/knitbone/knitbone#subdirectory=evals",'
    " or pip install ./evals in a checkout of knitbone."
)

_ROLE = re.compile(r"human|[^()]{1,200}\([^()]{1,200}\)\s*")
_LABELS = {"ground_truth", "is_correct", "mistake_agent", "mistake_reason", "mistake_step",
           "question", "question_ID"}  # fmt: skip

_BENCHMARK_SIGNATURES: tuple[tuple[str, Callable[[Mapping[str, Any]], bool]], ...] = (
    ("agentrx", lambda b: {"trajectory_id", "failures"} <= set(b)),
    ("agentrx", lambda b: _lists(b, "traj")
     and ("records" in b or "index" in _inside(b, "traj"))),
    ("tau-bench", lambda b: _lists(b, "traj") and bool({"task_id", "reward"} & set(b))),
    ("tau2-bench", lambda b: _lists(b, "simulations") or _lists(b, "simulation_index")),
    ("tau2-bench", lambda b: _lists(b, "messages")
     and bool({"reward_info", "termination_reason"} & set(b))),
    ("who-and-when", lambda b: _lists(b, "history") and bool(_LABELS & set(b))
     and set(_inside(b, "history")) <= {"content", "name", "role"}),
    ("agentrx", lambda b: set(b) <= {"content", "name", "role"} and isinstance(b.get("role"), str)
     and _ROLE.fullmatch(b["role"][:500]) is not None),
)  # fmt: skip


def benchmark_of(value: Json) -> str | None:
    """Which of the ``BENCHMARKS`` a value resembles, if any."""
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return next(
        (name for name, fits in _BENCHMARK_SIGNATURES
         if any(fits(object_of(item)) for item in items[:_LOOKED_AT])),
        None,
    )  # fmt: skip


def named_bytes(data: bytes) -> str | None:
    """The same of a file that is no JSON."""
    if data.startswith(_ZIP) and b"_journal/start.json" in data[:200]:
        return "a log of Inspect (.eval)"
    return "a ZIP archive" if data.startswith(_ZIP) else None
