"""Runs an application's cases in a child process, plain or under ``knitbone run``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from knitbone_evals.adapt.applications.cases import HERE, Application, Case

__all__ = ["run_cases"]

_LIMIT_S = 60.0
_WHOLE_S = 1800.0


def run_cases(
    application: Application,
    cases: Sequence[Case],
    *,
    adapted: bool,
    recorded: Path | None = None,
    model: str = "",
    url: str | None = None,
    limit_s: float = _LIMIT_S,
) -> dict[str, dict[str, Any]]:
    """Case -> ``value`` or ``error``, and the answers that were given.

    A child that ends early leaves its later cases out; they count as ``error`` ``Ended``.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copy(application.folder / "app.py", place)
        shutil.copy(HERE / "drive.py", place)
        told = {
            "recorded": None if recorded is None else str(recorded), "model": model, "url": url,
            "limit_s": limit_s,
            "cases": [
                {
                    "id": f"{application.name}/{case.id}" if case.answers is None else case.id,
                    "text": case.text, "answers": case.answers,
                }
                for case in cases
            ],
        }  # fmt: skip
        (place / "in.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        command = [sys.executable, "drive.py", "in.json", "out.jsonl"]
        if adapted:
            command = [sys.executable, "-m", "knitbone", "run", "--", *command]
        root = HERE.parent.parent
        paths = os.pathsep.join([str(root / "src"), str(root)])
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "ignore"}
        environment |= {"OPENAI_AGENTS_DISABLE_TRACING": "1"}
        done = subprocess.run(
            command,
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_WHOLE_S,
            check=False,
        )
        out = place / "out.jsonl"
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    found = {each["id"].rpartition("/")[2]: each for each in map(json.loads, lines)}
    ended = {"error": "Ended", "words": done.stderr[-600:], "given": []}
    return {case.id: found.get(case.id, ended) for case in cases}
