"""What the repair memory keeps from one attempt to the next."""

from __future__ import annotations

import sqlite3
import threading

import numpy as np
import pytest

from knitbone.errors import ConfigError
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.guidance.builder import carried_along
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.guidance.records import (
    Directive,
    DirectiveEvidence,
    Guidance,
    RepairEntry,
)

DIRECTIVE = Directive(
    id="order:close:deposit", family="close", constraint="order", do_first="Deposit first.",
    evidence=(DirectiveEvidence(run="r0", step=3, kind="change in the way", text="of ACC1"),),
)  # fmt: skip


def guidance(*directives, run="r0"):
    return Guidance(task="t", run=run, directives=directives or (DIRECTIVE,), text="told")


@pytest.fixture
def memory(tmp_path):
    store = SqliteStore(tmp_path / "runs.sqlite")
    yield RepairMemory(store, clock=lambda: 7)
    store.close()


def entry(memory, name=DIRECTIVE.id):
    return next(e for e in memory.entries("t") if e.directive.id == name)


def test_a_directive_is_unresolved_until_a_run_follows_it(memory):
    memory.shown("t", guidance(), "r1")
    assert entry(memory).state == "unresolved"
    assert (entry(memory).shown, entry(memory).followed) == (1, 0)
    memory.judged("t", guidance(), "r1", False, {DIRECTIVE.id: False})
    assert entry(memory).state == "unresolved"
    memory.shown("t", guidance(), "r2")
    memory.judged("t", guidance(), "r2", False, {DIRECTIVE.id: True})
    found = entry(memory)
    assert found.state == "fixed"
    assert (found.shown, found.followed) == (2, 1)
    assert (found.first_run, found.last_run, found.updated_ns) == ("r0", "r2", 7)


def test_what_was_fixed_and_is_not_followed_or_needed_again_has_regressed(memory):
    memory.shown("t", guidance(), "r1")
    memory.judged("t", guidance(), "r1", False, {DIRECTIVE.id: True})
    memory.judged("t", guidance(), "r2", False, {DIRECTIVE.id: False})
    assert entry(memory).state == "regressed"
    memory.judged("t", guidance(), "r3", False, {DIRECTIVE.id: True})
    assert entry(memory).state == "fixed"
    memory.shown("t", guidance(), "r4")
    assert entry(memory).state == "regressed", "the run it was made from shows it again"


def test_a_success_puts_all_of_the_task_right(memory):
    other = Directive(id="rule:pay", family="pay", constraint="rule", do_first="Ask.")
    memory.shown("t", guidance(DIRECTIVE, other), "r1")
    memory.judged("t", guidance(DIRECTIVE), "r1", True, {})
    assert {e.state for e in memory.entries("t")} == {"fixed"}


def test_the_same_run_twice_counts_once(memory):
    for _ in range(2):
        memory.shown("t", guidance(), "r1")
    for _ in range(2):
        memory.judged("t", guidance(), "r1", False, {DIRECTIVE.id: True})
    assert (entry(memory).shown, entry(memory).followed) == (1, 1)


def test_no_words_of_a_run_are_remembered(memory, tmp_path):
    memory.shown("t", guidance(), "r1")
    memory.close()
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        (body,) = connection.execute("SELECT body FROM memory").fetchone()
    connection.close()
    assert b"ACC1" not in body


def test_writers_at_once_lose_nothing(memory, tmp_path):
    def attempt(number):
        mine = RepairMemory.open(tmp_path / "runs.sqlite")
        mine.shown("t", guidance(), f"run-{number}")
        mine.close()

    threads = [threading.Thread(target=attempt, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entry(memory).shown == 8


def test_a_damaged_note_is_said_and_the_others_are_read(memory, tmp_path):
    other = Directive(id="rule:pay", family="pay", constraint="rule", do_first="Ask.")
    memory.shown("t", guidance(DIRECTIVE, other), "r1")
    connection = sqlite3.connect(tmp_path / "runs.sqlite")
    connection.execute("UPDATE memory SET body = x'00' WHERE name = 'rule:pay'")
    connection.commit()
    connection.close()
    assert [e.directive.id for e in memory.entries("t")] == [DIRECTIVE.id]
    assert "rule:pay, is not what was written" in memory.problems[0]


def test_a_store_of_a_later_version_is_said_and_remembers_nothing(tmp_path):
    connection = sqlite3.connect(tmp_path / "runs.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    memory = RepairMemory.open(tmp_path / "runs.sqlite")
    memory.shown("t", guidance(), "r1")
    assert memory.entries("t") == ()
    assert "schema version 99" in memory.problems[0]


class Words:
    """An embedder that counts letters: near are texts of nearly the same letters."""

    name = "letters"

    def embed(self, texts):
        rows = np.array([[text.count(chr(97 + k)) for k in range(26)] for text in texts], float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_similar_tasks_are_found_when_asked_for_by_the_words_of_their_runs(tmp_path):
    store = SqliteStore(tmp_path / "runs.sqlite")
    store.put(Run(id="r0", task="close the green account"))
    store.put(Run(id="x0", task="zzz qqq"))
    memory = RepairMemory(store)
    memory.shown("close the green account", guidance(), "r1")
    memory.shown("zzz qqq", guidance(run="x0"), "x1")
    assert memory.entries("close my green account") == ()
    (found,) = memory.similar("close my green account", Words(), threshold=0.8)
    assert found.directive.id == DIRECTIVE.id
    store.purge("r0")
    assert memory.similar("close my green account", Words(), threshold=0.8) == ()
    with pytest.raises(ConfigError):
        memory.similar("close my green account", Words())
    store.close()


def test_what_is_not_fixed_comes_along_and_what_is_comes_last():
    fixed, open_, fresh = (
        Directive(id=f"rule:{name}", family=name, constraint="rule", do_first=f"{name}.")
        for name in ("fixed", "open", "fresh")
    )
    memory = [
        RepairEntry(task="t", directive=fixed, state="fixed"),
        RepairEntry(task="t", directive=open_, state="unresolved"),
        RepairEntry(task="t", directive=fresh, state="regressed"),
    ]
    assert [d.id for d in carried_along([fresh], memory)] == [fresh.id, open_.id, fixed.id]


def test_a_note_of_a_later_version_stays_as_it_is(memory, tmp_path):
    memory.shown("t", guidance(), "r1")
    later = b'{"version":9,"entry":{"new":"form"}}'
    memory._store.change_notes("t", lambda _: {DIRECTIVE.id: later}, updated_ns=8)
    memory.shown("t", guidance(), "r2")
    assert memory.entries("t") == ()
    assert "version 9" in memory.problems[0]
    (row,) = memory._store.notes("t")
    assert row.body == later
