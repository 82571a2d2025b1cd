"""Runs the cases of the application beside it, in a process of its own: ``python drive.py IN OUT``.

A copy of this file is laid beside a copy of ``app.py``, so that ``knitbone run -- python drive.py``
adapts the application as it would any script's folder. IN holds the cases and where recorded
answers lie; a line of JSON a case goes to OUT.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from knitbone.testing import ModelServer
from knitbone_evals.adapt.applications.answers import Answers


def main(source: str, target: str) -> None:
    """Run each case against a local server that gives its answers."""
    told: dict[str, Any] = json.loads(Path(source).read_text(encoding="utf-8"))
    answers = Answers(
        Path(told["recorded"]) if told["recorded"] else None, told["model"], told["url"]
    )
    with ModelServer(answers.reply) as server, Path(target).open("w", encoding="utf-8") as out:
        os.environ.update(server.environment)
        application = importlib.import_module("app")
        for case in told["cases"]:
            answers.begin(case["id"], case["answers"])
            result = outcome(application.run, case["text"], told["limit_s"])
            line = {"id": case["id"], **result, "given": answers.given}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            out.flush()
    sys.stdout.flush()
    os._exit(0)  # what an application left running ends with it


def outcome(run: Any, text: str, limit_s: float) -> dict[str, Any]:
    """The application's result as JSON, or the type and words of what it raised."""
    found: list[dict[str, Any]] = []

    def call() -> None:
        try:
            value = asyncio.run(run(text)) if inspect.iscoroutinefunction(run) else run(text)
            if inspect.isawaitable(value):
                value = asyncio.run(value)  # type: ignore[arg-type]
            found.append({"value": json.loads(json.dumps(value, ensure_ascii=False))})
        except BaseException as error:  # noqa: BLE001 - what it lets through is what is measured
            found.append({"error": type(error).__name__, "words": str(error)[:300]})

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(limit_s)
    return found[0] if found else {"error": "TimeoutError", "words": f"not done in {limit_s} s"}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
