"""Whether a changed file is ever read without its tool calls: ``python -m
knitbone_evals.diagnose.misreading
--data DIR``.

Every file of DIR's ``agent_traces``, ``who_and_when``, ``agentrx`` and ``tau_airline`` is read as
it is; then one run of each, with keys taken away, renamed, added or moved. A call or result that
still stands in the file must be one of the run, or the file must be refused.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from knitbone.errors import InputFormatError
from knitbone.record.events import ModelCall, Run, ToolCall
from knitbone.tethering.interchange.importers import import_bytes

__all__ = ["changed"]

SEED, CHANGES = 20261126, 20
_SETS = ("agent_traces", "who_and_when", "agentrx", "tau_airline")
_NAMES = (
    "calls", "toolCalls", "steps", "text", "action", "payload", "body", "history", "messages",
    "x_extra", "observation", "kwargs", "parts", "response", "fn", "tool_name",
)  # fmt: skip


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if item:
                yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def changed(value: Any, rng: Random, *, call: Any) -> Any:
    """The file with some of its keys taken away, renamed, added or moved.

    Args:
        call: what is put where another program puts its calls.
    """
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        objects = list(_objects(value))
        if not objects:
            break
        body = rng.choice(objects)
        key = rng.choice(sorted(body))
        match rng.choice(("delete", "rename", "rename", "add", "wrap", "graft")):
            case "delete":
                del body[key]
            case "rename":
                body[rng.choice(_NAMES)] = body.pop(key)
            case "add":
                body[rng.choice(_NAMES)] = rng.choice(("x", 3, None, [], {"a": 1}))
            case "wrap":
                body[key] = {rng.choice(_NAMES): body[key]}
            case _:
                body[rng.choice((*_NAMES, "tool_calls"))] = copy.deepcopy(call)
    return value


def _stand(value: Any) -> Iterator[tuple[str, str]]:
    """The names of calls, and each result, in a file of chat messages."""
    for body in _objects(value):
        for call in (
            body.get("tool_calls") or () if isinstance(body.get("tool_calls"), list) else ()
        ):
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                yield "name", function["name"]
        if body.get("role") == "tool" and isinstance(body.get("content"), str):
            yield "result", ""  # secrets in it are not read


def _are_read(runs: Sequence[Run]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for event in (event for run in runs for event in run.events):
        if isinstance(event, ModelCall) and event.output:
            found.update(("name", call.name) for call in event.output.tool_calls)
        elif isinstance(event, ToolCall):
            found["result", ""] += 1
    return found


def _judge(value: Any, counts: Counter[str]) -> None:
    try:
        runs = [item.run for item in import_bytes(json.dumps(value).encode(), path="runs.json")]
    except InputFormatError:
        counts["refused"] += 1
        return
    missing = Counter(_stand(value)) - _are_read(runs)
    counts["misread" if missing else "read"] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    rng = Random(SEED)
    data = parser.parse_args().data
    call = [
        {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}
    ]
    for name in _SETS:
        whole, parts = Counter[str](), Counter[str]()
        for path in sorted((data / name).rglob("*.*")):
            try:
                text = path.read_text(encoding="utf-8")
                value = json.loads(text) if path.suffix != ".jsonl" else [
                    json.loads(line) for line in text.splitlines() if line.strip()
                ]  # fmt: skip
            except ValueError:
                continue  # a licence, an archive
            _judge(value, whole)
            for _ in range(CHANGES):
                many = isinstance(value, list) and isinstance(value[0], dict) and "traj" in value[0]
                _judge(changed([rng.choice(value)] if many else value, rng, call=call), parts)
        print(f"{name}: as they are {dict(whole)}; changed {dict(parts)}")


if __name__ == "__main__":
    main()
