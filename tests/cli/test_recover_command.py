"""``knitbone recover``, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from knitbone.cli.app import group

APP = """
made = 0

def agent(task):
    global made
    made += 1
    return made

def raises(task):
    raise RuntimeError("\\x1b[31mred")

def second(value):
    return value >= 2

def never(value):
    return False

number = 3
"""


@pytest.fixture(autouse=True)
def _application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")


def recover(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(group, ["recover", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_the_attempts_are_shown_as_they_end():
    shown = recover(
        "app.py:agent", "--task", "x", "--succeeded", "app.py:second", "--strategy", "blind"
    ).output
    assert "attempt 0\n    failed" in shown
    assert "Done at the first repair." in shown
    assert "knitbone runs show" in shown


def test_json_is_one_object():
    given = ("--task", "x", "--succeeded", "app.py:second", "--strategy", "blind", "--json")
    record = json.loads(recover("app.py:agent", *given).stdout)
    assert record["repaired"] is True
    assert [attempt["success"] for attempt in record["attempts"]] == [False, True]


def test_a_failure_exits_with_1_and_shows_nothing_raw():
    shown = recover(
        "app.py:raises", "--task", "x", "--succeeded", "app.py:never", "--strategy", "outcome",
        "--max-repairs", "1", code=1,
    ).output  # fmt: skip
    assert "all 2 attempts failed" in shown
    assert "RuntimeError" in shown
    assert "\x1b" not in shown


def test_without_a_verdict_it_exits_with_3():
    assert "--succeeded" in recover("app.py:agent", "--task", "x", code=3).output


def test_what_cannot_be_diagnosed_is_said():
    shown = recover("app.py:agent", "--task", "x", "--succeeded", "app.py:never", code=1).output
    assert "nothing to diagnose" in shown
    assert "attempt 1" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("app.py:agent",), "There is no task"),
        (("app.py:agnt", "--task", "x"), "no attribute 'agnt'"),
        (("app.py:number", "--task", "x"), "is no function"),
        (("app.py", "--task", "x"), "names no function"),
        (("nowhere:agent", "--task", "x"), "nowhere"),
        (("app.py:agent", "--task", "x", "--strategy", "reflexion"), "KNITBONE_AGENT_NAME"),
    ],
)
def test_a_wrong_argument_is_said(arguments: tuple[str, ...], message: str):
    result = CliRunner().invoke(group, ["recover", *arguments])
    assert result.exit_code != 0
    assert message in str(result.output) + str(result.exception)
