"""``knitbone runs`` on stores that are damaged, and on runs of which events were lost."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from knitbone.cli.app import group
from knitbone.record.events import Message, Run, ToolCall
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.interchange.importers import import_file


def runs(*arguments):
    return CliRunner().invoke(group, ["runs", *map(str, arguments)])


@pytest.fixture
def made(tmp_path):
    """A store of two runs: one lost events while it was recorded."""
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        for name in ("aa11", "bb22"):
            store.begin(Run(id=name, name=f"run {name}", task="seat", started_ns=1))
            store.append(name, Message(id="1", role="user", content="four guests"))
            for number in range(4):
                store.append(name, ToolCall(id=str(2 + number), name="find", result=f"t{number}"))
        store.note_lost("bb22", events=1983, reason="database or disk is full")
        for name in ("aa11", "bb22"):
            store.finish(name, ended_ns=2)
    return path


def spoil(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM event WHERE run = 'aa11' AND sequence = 3")


def test_a_whole_store_is_said_to_be_whole(made):
    result = runs("check", made)
    assert result.exit_code == 0
    assert "2 runs: 0 damaged" in result.stdout
    assert json.loads(runs("check", made, "--json").stdout)["damaged"] is False


def test_lost_events_are_said_wherever_the_run_is_shown(made):
    assert "1,983 events lost" in runs("list", "--store", made).stdout
    said = "1,983 events are not in this record: database or disk is full"
    assert said in runs("show", "bb22", "--store", made).stdout
    assert "bb22: 1,983 events were lost" in runs("check", made).stdout
    result = CliRunner().invoke(group, ["diagnose", "bb22", "--store", str(made), "--no-model"])
    assert said in result.stdout
    record = CliRunner().invoke(
        group, ["diagnose", "bb22", "--store", str(made), "--no-model", "--json"]
    )
    assert said in json.loads(record.stdout)["lost"]
    assert "lost" not in runs("show", "aa11", "--store", made).stdout


def test_lost_events_go_with_an_export(made, tmp_path):
    (tmp_path / "out.jsonl").write_text(runs("export", "bb22", "--store", made).stdout)
    (item,) = import_file(tmp_path / "out.jsonl")
    assert item.run.attributes["knitbone.lost_events"] == 1983
    assert examine(item.run).case.run == item.run


def test_an_export_that_was_changed_is_refused_and_the_way_out_is_named(made, tmp_path):
    out = runs("export", "bb22", "--store", made).stdout
    (tmp_path / "out.jsonl").write_text(out.replace("four guests", "five guests"))
    result = CliRunner().invoke(group, ["diagnose", str(tmp_path / "out.jsonl")])
    assert result.exit_code == 2
    assert "not as it was exported" in result.stderr
    assert "remove its 'checksum'" in result.stderr


def test_a_damaged_run_is_named_shown_as_far_as_it_goes_and_salvaged(made, tmp_path):
    spoil(made)
    checked = runs("check", made, "--salvage", tmp_path / "new.sqlite")
    assert checked.exit_code == 1
    assert "run aa11: event 3: it is missing" in checked.stdout
    assert "2 runs: 1 damaged" in checked.stdout
    assert "2 runs written to" in checked.stdout
    assert "damaged: 4 of its 5 events are there" in runs("list", "--store", made).stdout
    shown = runs("show", "aa11", "--store", made).stdout
    assert "damaged: Event 3: it is missing" in shown
    assert shown.count("find(") == 3
    again = runs("check", tmp_path / "new.sqlite")
    assert again.exit_code == 0
    assert "1 events were lost" in again.stdout


def test_a_run_at_an_impossible_time_is_listed(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        store.put(Run(id="aa11", started_ns=2**62))
        store.put(Run(id="bb22", started_ns=-(2**62)))
    result = runs("list", "--store", path)
    assert result.exit_code == 0
    assert result.stdout.count("0 ") >= 2


def test_what_is_no_store_is_no_traceback(tmp_path):
    for content in (b"", b"SQLite format 3\0" + bytes(80), b"notes"):
        path = tmp_path / "what"
        path.write_bytes(content)
        result = runs("check", path)
        assert result.exit_code in (0, 1) or "run store" in str(result.exception)
