"""``knitbone runs list``: search, filters, and what is left out."""

from __future__ import annotations

import json
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

from knitbone.cli.app import group
from knitbone.record.events import ErrorInfo, Message, Outcome, Run, ToolCall
from knitbone.record.sqlite_store import SqliteStore

NOW = time.time_ns()


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runs.sqlite"
    full = ErrorInfo(type="SeatError", message="no table")
    with closing(SqliteStore(path)) as opened:
        opened.put(
            Run(
                id="old",
                task="seat four",
                started_ns=NOW - 5 * 86_400 * 10**9,
                events=(ToolCall(id="1", name="book", error=full), Outcome(id="2", success=False)),
            )
        )
        opened.put(
            Run(
                id="new",
                name="agent.py",
                started_ns=NOW - 10**9,
                events=(
                    Message(id="1", role="user", content="wine\x1b[2J list"),
                    Outcome(id="2", success=True, reason="table found"),
                ),
            )
        )
        opened.put(Run(id="mid", name="agent.py", started_ns=NOW - 3_600 * 10**9))
    return str(path)  # fmt: skip


def listed(store, *arguments):
    done = CliRunner().invoke(group, ["runs", "list", "--store", store, *arguments])
    assert done.exit_code == 0, done.output
    return done


def ids(store, *arguments):
    done = listed(store, *arguments, "--json")
    return [json.loads(line)["id"] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["new", "mid", "old"]),
        (["--search", "SEAT"], ["old"]),
        (["--search", "table"], ["new", "old"]),
        (["--search", "book"], ["old"]),
        (["--failed"], ["old"]),
        (["--outcome", "unknown"], ["mid"]),
        (["--since", "2h"], ["new", "mid"]),
        (["--since", "1970-01-02"], ["new", "mid", "old"]),
        (["--since", "2h", "--search", "agent.py", "--outcome", "succeeded"], ["new"]),
        (["--limit", "1"], ["new"]),
    ],
)
def test_only_the_runs_that_fit_are_listed(store, arguments, expected):
    assert ids(store, *arguments) == expected


def test_what_is_left_out_is_counted_by_what_left_it_out(store):
    said = listed(store, "--search", "table", "--since", "2h").stdout.splitlines()
    assert said[-1] == "1 of 3 runs shown; left out: 1 by --since, 1 by --search"
    assert listed(store, "--limit", "2").stdout.splitlines()[-1] == (
        "2 of 3 runs shown; left out: 1 by --limit"
    )
    assert "left out" not in listed(store).stdout
    assert listed(store, "--search", "nowhere").stdout == (
        "0 of 3 runs shown; left out: 3 by --search\n"
    )
    assert "1 of 3 runs shown" in listed(store, "--failed", "--json").stderr


def test_runs_are_titled_by_their_task_else_by_what_was_asked(store):
    new, mid, old = listed(store).stdout.splitlines()[1:]
    assert old.rstrip().endswith("seat four")
    assert new.rstrip().endswith("wine\\x1b[2J list")
    assert mid.rstrip().endswith("agent.py")


def test_a_time_that_is_none_is_said():
    done = CliRunner().invoke(group, ["runs", "list", "--since", "soon"])
    assert done.exit_code == 2
    assert "'soon' is no time" in done.output
