"""``knitbone fuzz --replay``: one call again, and whether it fails as it did."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec

from knitbone.cli.output import console
from knitbone.common.printable import printable
from knitbone.fuzzing.engine import Replay
from knitbone.fuzzing.replays import read_replay
from knitbone.fuzzing.sandbox.wire import to_text

__all__ = ["show_replay"]


def show_replay(
    call: Callable[..., Replay], text: str, expect: str | None, *, as_json: bool
) -> None:
    """Make a call and say whether it fails as expected; ends with exit code 0 if so, else 1."""
    calls = read_replay(text)
    result = call(arguments=calls.arguments, before=calls.before)
    wanted = expect or calls.id
    verdict = result.verdict
    if wanted is None:
        reproduced = verdict is not None and verdict.standing == "unhandled"
    else:
        reproduced = verdict is not None and verdict.id == wanted
    if as_json:
        sys.stdout.write(to_text(_record(result, reproduced=reproduced)) + "\n")
    else:
        _print(result, reproduced=reproduced, wanted=wanted)
    sys.exit(0 if reproduced else 1)


def _record(result: Replay, *, reproduced: bool) -> dict[str, Any]:
    outcome, verdict = result.outcome, result.verdict
    return {
        "tool": result.tool.name,
        "reproduced": reproduced,
        "status": outcome.status,
        "id": verdict.id if verdict else None,
        "standing": verdict.standing if verdict else None,
        "kind": verdict.kind if verdict else None,
        "exception": verdict.exception if verdict else None,
        "frame": msgspec.to_builtins(verdict.frame) if verdict else None,
        "message": verdict.message if verdict else outcome.message,
        "text": outcome.text,
    }


def _print(result: Replay, *, reproduced: bool, wanted: str | None) -> None:
    screen = console()
    verdict, outcome = result.verdict, result.outcome
    if verdict is None:
        text = outcome.text if outcome.status == "ok" else outcome.message
        status = "returned" if outcome.status == "ok" else outcome.status
        word = "no failure" if wanted is None else "not reproduced"
        screen.print(f"{word}: {status} {printable(text)}".rstrip())
        return
    frame = verdict.frame
    place = "" if frame is None else f"{frame.file}:{frame.line}  {printable(frame.source)}"
    other = f"another failure than {printable(wanted)}" if wanted else "not reproduced"
    word = "reproduced" if reproduced else other
    if verdict.standing != "unhandled":
        word += f" ({verdict.standing}: {printable(verdict.because)})"
    what = " ".join(part for part in (verdict.kind, verdict.exception) if part)
    screen.print(f"{word}: {printable(what)}  {printable(verdict.message)}")
    if place:
        screen.print(f"  at {printable(place, limit=1_000)}")
