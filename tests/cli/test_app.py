"""The command as a user meets it: typos, version, completion, runs, errors, the demo."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from knitbone import __version__
from knitbone.record.events import Annotation, Outcome, Run, ToolCall
from knitbone.record.sqlite_store import SqliteStore


def knitbone(*arguments, cwd=None, code=0, **environment):
    done = subprocess.run(
        [sys.executable, "-c", "from knitbone.cli import main; main()", *arguments],
        capture_output=True,
        check=False,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_the_version_is_the_packages():
    assert knitbone("--version").stdout == f"knitbone {__version__}\n"


def test_the_package_is_the_command_too():
    done = subprocess.run(
        [sys.executable, "-m", "knitbone", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"knitbone {__version__}\n"), done.stderr


def test_a_mistyped_option_of_run_is_no_program():
    said = knitbone("run", "--recrod", "--", "python", "-c", "0", code=2).stderr
    assert "There is no option '--recrod'" in said


def test_a_typo_gets_the_nearest_command():
    assert "Did you mean 'diagnose'?" in knitbone("diagnos", code=2).stderr


def test_every_command_has_help_and_takes_json():
    listed = knitbone("--help").stdout
    for name in ("check", "completion", "demo", "diagnose", "fuzz"):
        assert name in listed
        assert "--json" in knitbone(name, "--help").stdout
    for name in ("list", "show", "import", "export", "send", "purge"):
        assert "--json" in knitbone("runs", name, "--help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell):
    assert "_KNITBONE_COMPLETE" in knitbone("completion", shell).stdout


def test_completion_knows_the_commands():
    done = knitbone(_KNITBONE_COMPLETE="bash_complete", COMP_WORDS="knitbone di", COMP_CWORD="1")
    assert done.stdout == "plain,diagnose\n"


def test_a_configuration_error_is_a_message_not_a_traceback(tmp_path):
    (tmp_path / "knitbone.toml").write_text("[adapt]\nmod = 'x'\n")
    done = knitbone("runs", "list", cwd=tmp_path, code=2)
    assert "Did you mean 'mode'?" in done.stderr
    assert "Traceback" not in done.stderr
    done = knitbone("runs", "list", "--json", cwd=tmp_path, code=2)
    assert json.loads(done.stderr)["error"]["type"] == "ConfigError"


@pytest.fixture
def folder(tmp_path):
    store = SqliteStore(tmp_path / ".knitbone" / "runs.sqlite")
    events = (ToolCall(id="1", name="\x1b[31mt", arguments={"a": 1}), Outcome(id="2", success=True))
    store.put(Run(id="abc1", name="first", started_ns=1, ended_ns=2, events=events))
    store.put(Run(id="def2", name="second", started_ns=2))
    store.annotate(Annotation(id="l", run="abc1", kind="label", body={"step": 1}))
    store.close()
    return tmp_path


def test_runs_are_listed_and_shown(folder):
    rows = [
        json.loads(line)
        for line in knitbone("runs", "list", "--json", cwd=folder).stdout.splitlines()
    ]
    assert [row["id"] for row in rows] == ["def2", "abc1"]
    assert "second" in knitbone("runs", "list", cwd=folder).stdout
    shown = knitbone("runs", "show", "ab", cwd=folder).stdout
    assert "verdict succeeded" in shown.splitlines()[-2]
    assert "None" not in shown
    assert "\x1b" not in shown
    body = json.loads(knitbone("runs", "show", "ab", "--json", cwd=folder).stdout)
    assert body["annotations"][0]["body"] == {"step": 1}


def test_the_list_shows_outcomes(folder):
    store = SqliteStore(folder / ".knitbone" / "runs.sqlite")
    for number, verdict in enumerate(({"success": False}, {"reward": 0.25}, {"reason": "x"})):
        store.put(Run(id=f"{number}c", events=(Outcome(id="1", **verdict),)))
    store.close()
    lines = knitbone("runs", "list", cwd=folder).stdout.splitlines()
    assert "outcome" in lines[0]
    for run, word in (
        ("abc1", " succeeded "), ("0c", " failed "), ("1c", " failed "), ("2c", " unknown "),
    ):  # fmt: skip
        (line,) = [line for line in lines if line.startswith(run)]
        assert word in line + " "


def test_a_run_that_cannot_be_read_loses_no_other(folder):
    store = SqliteStore(folder / ".knitbone" / "runs.sqlite")
    store._connection.execute("UPDATE event SET body = x'00' WHERE sequence = 0")
    store.close()
    done = knitbone("runs", "export", "abc1", "beef", "def2", cwd=folder, code=2)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["def2"]
    assert "The run abc1 in" in done.stderr
    assert "Event 0: " in done.stderr
    assert "'beef'" in done.stderr
    assert "Traceback" not in done.stderr
    assert "def2" in knitbone("runs", "list", cwd=folder).stdout
    found = knitbone("diagnose", "--store", ".knitbone/runs.sqlite", "--json", cwd=folder, code=2)
    assert [json.loads(line)["run"] for line in found.stdout.splitlines()] == ["def2"]
    knitbone("runs", "purge", "abc1", cwd=folder)


def test_an_exported_run_comes_back_after_a_purge(folder):
    exported = knitbone("runs", "export", "abc1", cwd=folder).stdout
    knitbone("runs", "purge", "abc1", cwd=folder)
    assert "first" not in knitbone("runs", "list", cwd=folder).stdout
    (folder / "runs.jsonl").write_text(exported)
    knitbone("runs", "import", "runs.jsonl", cwd=folder)
    assert knitbone("runs", "export", "abc1", cwd=folder).stdout == exported


def test_a_foreign_file_is_not_imported_and_the_line_is_named(folder):
    (folder / "runs.jsonl").write_text('{"id": "x"}\n{"no": 1}\n')
    done = knitbone("runs", "import", "runs.jsonl", cwd=folder, code=2)
    assert "runs.jsonl, record 1 is not an exported run" in done.stderr
    assert len(knitbone("runs", "list", "--json", cwd=folder).stdout.splitlines()) == 2


def test_the_demo_runs_all_three_parts_and_writes_a_self_contained_report(tmp_path):
    done = knitbone("demo", "--json", cwd=tmp_path, KNITBONE_ADAPT_BUDGET_MS="5000")
    figures = json.loads(done.stdout)
    assert figures["fuzz"]["unique"] >= 10
    assert figures["fuzz"]["clean"] >= 1
    assert figures["adapt"]["touched"] == 0
    assert figures["adapt"]["repaired"] >= 20
    assert figures["tether"]["failed"] == 9
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
    assert "src=" not in page
    assert page.count('class="tile"') == 3
    assert page.index('class="tile"') < page.index("<details")
    assert "TASK_LINE.match" in page


def test_reading_the_runs_makes_no_store(tmp_path):
    assert "No runs yet" in knitbone("runs", "list", cwd=tmp_path).stdout
    assert "no run store" in knitbone("runs", "show", "x", cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_level_of_the_log_that_is_none_is_an_error(tmp_path):
    done = knitbone("runs", "list", cwd=tmp_path, code=2, KNITBONE_LOG="bogus")
    assert "KNITBONE_LOG is 'bogus'" in done.stderr
    knitbone("runs", "list", cwd=tmp_path, KNITBONE_LOG="Debug")
