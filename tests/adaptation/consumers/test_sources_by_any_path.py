"""The code behind a site is found under whatever path the program was started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

APP = """
import json, re
import knitbone

@knitbone.source
def ask(prompt):
    return "Thought: x\\n- Action: get_weather\\n- Action Input: {'city': 'Oslo'}"

@knitbone.adapt
def run():
    reply = ask("Use this format:\\nThought: what to do\\nAction: the tool\\nAction Input: a JSON object")
    match = re.search(r"Action\\s*:\\s*(.*?)\\s*Action\\s*Input\\s*:\\s*(.*)", reply, re.DOTALL)
    if not match:
        raise ValueError("no action")
    return match.group(1).strip(), json.loads(match.group(2).strip())

try:
    print(run())
except ValueError as error:
    print(type(error).__name__)
"""  # noqa: E501 - the prompt is one line


@pytest.mark.parametrize(
    "way", ["app.py", "./app.py", "inner/../app.py", "link/app.py", "{}/app.py"]
)
def test_a_repair_that_the_code_does_not_confirm_is_discarded(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "application"
    (folder / "inner").mkdir(parents=True)
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "link").symlink_to(folder, target_is_directory=True)
    command = [sys.executable, way.format(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    # Plain code raises it, too; the mark of the next label never enters the tool's name.
    assert done.stdout.strip() == "JSONDecodeError"
