"""``knitbone runs compare``, as a user calls it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from knitbone import samples
from knitbone.cli.app import group
from knitbone.errors import KnitboneError
from knitbone.record.events import Outcome, Run, ToolCall
from knitbone.record.sqlite_store import SqliteStore

RUNS = str(Path(next(iter(samples.__path__))) / "runs" / "bank_runs.json")


def compared(*arguments):
    done = CliRunner().invoke(group, ["runs", "compare", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments):
    error = CliRunner().invoke(group, ["runs", "compare", *arguments]).exception
    assert isinstance(error, KnitboneError)
    return f"{error.message} {error.next_step}"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as opened:
        for run, guests in (("aa11", 5), ("bb22", 4)):
            call = ToolCall(id="1", name="book\x1b[31m", arguments={"guests": guests}, result="ok")
            ended = Outcome(
                id="2", success=guests == 4, reason="full\x1b[2J" if guests == 5 else ""
            )
            opened.put(Run(id=run, task="A table.", events=(call, ended)))
    return str(path)


def test_runs_of_a_store_are_named_by_the_beginnings_of_their_identifiers(store):
    said = compared("aa", "bb22", "--store", store)
    first = said.splitlines()[0]
    assert first.startswith("The runs part at step 0: both call book")
    assert "guests 5 ≠ 4. A failed, B succeeded." in first
    assert "\x1b" not in said
    assert "they part here" in said


def test_a_run_of_a_file_is_named_by_number_or_identifier(store):
    said = json.loads(compared(f"{RUNS}#0", f"{RUNS}#7b49f445", "--json"))
    assert said["headline"].startswith("The runs part at step 4: both call find_customer")
    assert said["departure"]["shared"] == 1
    assert [each["place"] for each in said["departure"]["arguments"]] == ["name", "birth_date"]
    assert said["a"]["steps"] == sum("a" in row and row["a"] is not None for row in said["rows"])
    mixed = compared(f"{RUNS}#0", f"{store}#bb")
    assert mixed.startswith("The runs part")


def test_what_names_no_one_run_says_how_to_name_one(store):
    assert f"{RUNS}#0" in refused(RUNS, RUNS)
    assert "no one run 'zz'" in refused(f"{RUNS}#zz", "aa", "--store", store)
    assert "No run starts with 'zz'" in refused("aa", "zz", "--store", store)
    assert "Several runs start with ''" in refused(store, "aa", "--store", store)
    assert "is no file" in refused("aa", "bb", "--store", "none.sqlite")
