"""``knitbone memory``, as a user calls it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from knitbone.cli.app import group
from knitbone.errors import StoreError
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.guidance.records import Directive, Guidance

WORDS = "Close my Green account, please."
ORDER = Directive(id="order:close:deposit", family="close", constraint="order", do_first="Wait.")
ASK = Directive(id="rule:pay", family="pay", constraint="rule", do_first="Ask first.")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as opened:
        opened.put(Run(id="failed", task=WORDS, started_ns=1))
        memory = RepairMemory(opened)
        told = Guidance(task=task_key(WORDS), run="failed", directives=(ORDER, ASK), text="x")
        memory.shown(WORDS, told, "second")
        memory.judged(WORDS, told, "second", False, {ORDER.id: True, ASK.id: False})
        memory.shown("bank-7", Guidance(task="bank-7", run="r", directives=(ASK,)), "r2")
    return str(path)


def called(store, *arguments):
    done = CliRunner().invoke(group, ["memory", *arguments, "--store", store])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_tasks_are_listed_with_their_words_and_states(store):
    shown = called(store, "list")
    assert WORDS in shown
    assert "1 unresolved, 1 fixed" in shown
    rows = [json.loads(line) for line in called(store, "list", "--json").splitlines()]
    assert {row["task"] for row in rows} == {"bank-7", task_key(WORDS)}
    (row,) = [row for row in rows if row["asked"] == WORDS]
    assert (row["directives"], row["unresolved"], row["fixed"]) == (2, 1, 1)


@pytest.mark.parametrize("task", [WORDS, task_key(WORDS), task_key(WORDS)[:9]])
def test_a_task_is_shown_by_words_key_and_beginning(store, task):
    shown = called(store, "show", task)
    assert "fixed       order:close:deposit" in shown
    assert "Ask first." in shown
    assert "told 1 time, followed 1" in shown
    rows = [json.loads(line) for line in called(store, "show", task, "--json").splitlines()]
    assert {row["directive"]["id"] for row in rows} == {ORDER.id, ASK.id}


def test_a_directive_or_a_whole_task_is_forgotten(store):
    assert "1 directive forgotten" in called(store, "forget", WORDS, ASK.id)
    assert ASK.id not in called(store, "show", WORDS)
    assert json.loads(called(store, "forget", WORDS, "--json"))["forgotten"] == 1
    assert WORDS not in called(store, "list")


@pytest.mark.parametrize("arguments", [("show", "nobody"), ("forget", "nobody"),
                                       ("forget", "bank-7", "rule:nothing")])  # fmt: skip
def test_what_is_not_there_is_an_error_that_says_where_to_look(store, arguments):
    done = CliRunner().invoke(group, ["memory", *arguments, "--store", store])
    assert isinstance(done.exception, StoreError)
    assert "Nothing is remembered of" in done.exception.message
    assert "knitbone memory" in done.exception.next_step


def test_a_damaged_note_is_said_and_can_be_forgotten(store):
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE memory SET body = x'01' WHERE task = 'bank-7'")
        connection.commit()
    done = CliRunner().invoke(group, ["memory", "list", "--store", store])
    assert done.exit_code == 0
    assert "is not what was written" in done.stderr
    assert "1 directive forgotten" in called(store, "forget", "bank-7")


def test_a_store_without_memory_says_so(tmp_path):
    assert "Nothing is remembered" in called(str(tmp_path / "none.sqlite"), "list")
    assert not (tmp_path / "none.sqlite").exists()
