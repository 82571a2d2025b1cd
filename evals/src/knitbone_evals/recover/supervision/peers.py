"""First step that two packages flag in each sequence; run by the Python that has them installed.

Reads the sequences as JSON from standard input and writes, by package, the first flagged step of
each. ``agent-loop-guard`` is given tool, arguments and output; ``agent-vitals`` its four numbers
and the output: findings are the different results so far, coverage is findings / (findings + 5),
tokens are a quarter of the characters, errors are counted. Both are used with their defaults.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent_vitals import AgentVitals
from loop_guard import LoopGuard

Steps = Sequence[Mapping[str, Any]]


def _output(step: Mapping[str, Any]) -> str:
    said = step.get("error") or step.get("result")
    return said if isinstance(said, str) else json.dumps(said)


def loop_guard(steps: Steps, *, warning: bool = False) -> int | None:
    """The first step that it would stop at (or warn at)."""
    guard = LoopGuard()
    for number, step in enumerate(steps):
        if "tool" in step:
            found = guard.check(tool=step["tool"], args=step["arguments"], output=_output(step))
        else:
            found = guard.check(tool="message", args={"text": step["say"]})
        if found.is_loop or (warning and found.should_warn):
            return number
    return None


def vitals(steps: Steps) -> int | None:
    """The first step with any failure."""
    monitor = AgentVitals(mission_id="sequence")
    seen: set[str] = set()
    tokens = errors = 0
    for number, step in enumerate(steps):
        text = _output(step) if "tool" in step else step["say"]
        seen.add(text)
        tokens += (len(text) + len(step.get("say", ""))) // 4 + 1
        errors += step.get("error") is not None
        shown = monitor.step(
            findings_count=len(seen), coverage_score=len(seen) / (len(seen) + 5),
            total_tokens=tokens, error_count=errors, output_text=text,
        )  # fmt: skip
        if shown.any_failure:
            return number
    return None


def main() -> None:
    """Answer on standard output."""
    sequences = json.load(sys.stdin)
    flagged: dict[str, Callable[[Steps], int | None]] = {
        "agent-loop-guard, stop": loop_guard,
        "agent-loop-guard, warning": lambda steps: loop_guard(steps, warning=True),
        "agent-vitals": vitals,
    }
    json.dump(
        {name: [flag(steps) for steps in sequences] for name, flag in flagged.items()}, sys.stdout
    )


if __name__ == "__main__":
    main()
