"""An export says how many runs it holds: lines that are missing are missed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from knitbone.cli.app import group
from knitbone.errors import InputFormatError
from knitbone.record.events import Outcome, Run, ToolCall, encode_json
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.importers.exported import UNCOUNTED, exported

RUNS = [
    Run(id=f"run{n}", events=(ToolCall(id="1", name="t", arguments={"n": n}), Outcome(id="2")))
    for n in range(4)
]


def export(*runs):
    return [*map(exported, runs[:-1]), exported(runs[-1], runs=len(runs))]


def read(lines):
    return import_bytes(b"".join(line + b"\n" for line in lines), path="f.jsonl")


@given(st.integers(1, 4), st.integers(1, 4))
def test_an_export_is_whole_and_so_are_several_in_one_file(one, other):
    items = read([*export(*RUNS[:one]), *export(*RUNS[:other])])
    assert [item.run for item in items] == [*RUNS[:one], *RUNS[:other]]
    assert {item.unsure for item in items} == {""}


@given(st.integers(2, 4), st.data())
def test_a_file_that_lost_lines_is_refused_or_says_that_it_has_no_count(number, data):
    lines = export(*RUNS[:number])
    kept = data.draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=number - 1))
    left = [line for n, line in enumerate(lines) if n in kept]
    if number - 1 in kept:
        with pytest.raises(InputFormatError, match=f"the last of {number} exported runs"):
            read(left)
    else:
        items = read(left)
        assert {item.unsure for item in items} == {UNCOUNTED}
        assert len(items) == len(kept)


def test_a_line_that_stands_twice_is_refused():
    lines = export(*RUNS[:2])
    with pytest.raises(InputFormatError, match="the last of 2 exported runs, and number 3 here"):
        read([lines[0], *lines])


@pytest.mark.parametrize("count", [True, None, "2", -1, 10**400, [2], {"a": 1}])
def test_a_count_that_is_none_is_refused(count):
    last = json.loads(encode_json(RUNS[1])) | {"knitbone_export": {"runs": count}}
    with pytest.raises(InputFormatError) as raised:
        read([exported(RUNS[0]), json.dumps(last).encode()])
    assert raised.value.next_step


def test_an_altered_count_is_refused():
    lines = export(*RUNS[:2])
    with pytest.raises(InputFormatError, match="checksum differs"):
        read([*lines[:-1], lines[-1].replace(b'"runs":2', b'"runs":3')])


def test_lines_without_a_count_or_a_checksum_are_read_as_such():
    items = read([exported(run) for run in RUNS])
    assert [item.run for item in items] == RUNS
    assert {item.unsure for item in items} == {UNCOUNTED}
    by_hand = read([encode_json(run) for run in RUNS])
    assert [item.run for item in by_hand] == RUNS
    (alone,) = import_bytes(encode_json(RUNS[0]), path="one.json")
    assert alone.unsure == ""  # one run that somebody wrote, no export


def test_one_exported_run_is_one_object_that_counts_itself():
    (line,) = export(RUNS[0])
    (item,) = import_bytes(line, path="one.json")
    assert (item.run, item.unsure) == (RUNS[0], "")
    assert json.loads(line)["id"] == "run0"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runs.sqlite"
    made = SqliteStore(path)
    for run in RUNS:
        made.put(run)
    made.close()
    return path


def knitbone(*arguments):
    done = CliRunner().invoke(group, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done


def test_a_cut_export_is_noted_by_import_and_diagnose(store, tmp_path):
    lines = knitbone("runs", "export", "--store", store).stdout.splitlines(keepends=True)
    assert json.loads(lines[-1])["knitbone_export"] == {"runs": 4}
    file, into = tmp_path / "f.jsonl", tmp_path / "new.sqlite"
    file.write_text("".join(lines[:-1]))
    done = knitbone("runs", "import", file, "--store", into)
    assert "3 runs imported" in done.stdout
    assert "whether it is whole is not known" in done.stderr
    assert "whether it is whole is not known" in knitbone("diagnose", file, "--all").stderr
    file.write_text("".join(lines))
    done = knitbone("runs", "import", file, "--store", tmp_path / "whole.sqlite")
    assert "4 runs imported" in done.stdout
    assert done.stderr == ""


def test_an_export_with_an_unreadable_run_counts_the_others(store):
    done = CliRunner().invoke(
        group, ["runs", "export", "run1", "gone", "run2", "--store", str(store)]
    )
    assert done.exit_code != 0
    assert json.loads(done.stdout.splitlines()[-1])["knitbone_export"] == {"runs": 2}
