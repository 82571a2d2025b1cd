"""``KNITBONE_LOG``: every command writes the log, and so do the programs that a command starts."""

import json
import os
import subprocess
import sys

import click
import pytest

from knitbone.cli.app import group

COMMANDS = group.list_commands(click.Context(group))
APP = """
import json, sys
import knitbone
@knitbone.source
def ask():
    return '{"Age": 36, "token": "sk-proj-Zq3vT8mXw2Lr9KdYb7Nc4Hf6"}'
def work():
    return json.loads(ask())["age"]
try:
    print(work())
except KeyError:
    print("not repaired")
"""


def run(folder, *arguments, level="debug"):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KNITBONE", "PYTHONPATH"))}
    done = subprocess.run(
        [sys.executable, "-m", "knitbone", *arguments],
        cwd=folder,
        env={**keep, "XDG_CACHE_HOME": str(folder / "cache"), "KNITBONE_ADAPT_BUDGET_MS": "60000",
             **({"KNITBONE_LOG": level} if level else {})},
        capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    return done, [json.loads(line) for line in lines]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_the_log_that_is_asked_for(tmp_path, command):
    _, lines = run(tmp_path, command)  # most lack an argument, and say so
    said = [line for line in lines if line["level"] == "debug"]
    assert [line["command"] for line in said if line["event"] == "command started"] == [command]


@pytest.mark.parametrize("command", ["run", "learn"])
def test_the_program_that_a_command_starts_writes_it_too(tmp_path, command):
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    done, lines = run(tmp_path, command, "--", sys.executable, "app.py")
    assert done.stdout == ("36\n" if command == "run" else "not repaired\n")
    assert any(line["event"] == "process started" for line in lines)
    done_there = "repaired" if command == "run" else "observed"
    (said,) = [line for line in lines if line["logger"] == "knitbone.adaptation.engine"]
    assert said["event"].startswith(f"output {done_there} at {tmp_path.resolve()}/app.py:8: key")
    assert "Zq3vT8mXw2" not in done.stderr


def test_without_it_nothing_is_logged(tmp_path):
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    done, lines = run(tmp_path, "run", "--", sys.executable, "app.py", level="")
    assert (done.stdout, lines) == ("36\n", [])
