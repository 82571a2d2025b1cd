from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from knitbone import samples
from knitbone.cli.app import group
from knitbone.core.store import SqliteStore
from knitbone.tethering.importers import import_file

RUNS = Path(next(iter(samples.__path__))) / "runs"
KEYS = {
    "run", "source", "outcome", "turning_point", "ranking", "region", "reason", "evidence",
    "recovery_hints",
}  # fmt: skip


def diagnose(*arguments, stdin=None):
    return CliRunner().invoke(group, ["diagnose", *map(str, arguments)], input=stdin)


def records(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_json_gives_one_object_for_every_run():
    result = diagnose(RUNS / "bank_runs.json", "--json")
    found = records(result)
    assert result.exit_code == 0
    assert len(found) == 12
    source = json.loads((RUNS / "bank_runs.json").read_text())
    for number, (record, run) in enumerate(zip(found, source, strict=True)):
        assert set(record) >= KEYS
        assert record["source"]["record"] == number
        assert record["source"]["identity"] == {"task_id": run["task_id"], "trial": 0}
        assert record["outcome"] == ("succeeded" if run["reward"] else "failed")
        assert (record["turning_point"] is None) == bool(run["reward"])
        actions = [k for k, m in enumerate(run["traj"]) if m["role"] == "assistant"]
        assert sorted(record["ranking"]) == actions
        assert set(record["region"]) <= set(actions)


def test_people_see_failed_runs_with_step_reason_and_hint():
    result = diagnose(RUNS / "bank_runs.json")
    assert result.exit_code == 0
    assert "12 runs: 9 failed, 3 succeeded, 0 unknown; 9 shown" in result.stdout
    assert "Left at   step 12   deposit_check(account_id=…, check_id=…)" in result.stdout
    assert "calls deposit_check without check_amount, which step 8 had returned" in result.stdout
    assert result.stdout.count("Next time") >= 9
    assert "\x1b" not in result.stdout
    assert "12 shown" in diagnose(RUNS / "bank_runs.json", "--all").stdout
    assert "2 shown (--limit 2)" in diagnose(RUNS / "bank_runs.json", "--limit", "2").stdout


def test_a_folder_passes_over_labels_with_a_note():
    result = diagnose(RUNS, "--json")
    assert result.exit_code == 0
    assert len(records(result)) == 12
    assert "bank_ground_truth.json passed over: ground-truth labels" in result.stderr


def test_standard_input_is_read():
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (record,) = records(diagnose("-", "--json", stdin=json.dumps(messages)))
    assert (record["turning_point"], record["outcome"]) == (1, "unknown")


def run_main(monkeypatch, capsys, *arguments):
    from knitbone.cli import app

    monkeypatch.setattr("sys.argv", ["knitbone", "diagnose", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        app.main()
    return stop.value.code, capsys.readouterr()


def test_one_bad_file_is_reported_at_the_end_with_exit_code_2(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_text('{"messages": [')
    (tmp_path / "b.json").write_text('[{"role": "assistant", "content": "hello"}]')
    (tmp_path / "c.csv").write_text("a,b\n1,2\n")
    code, shown = run_main(monkeypatch, capsys, tmp_path)
    assert code == 2
    assert "step 0" in shown.out
    assert "a.json ends in the middle of a value" in shown.err
    assert "c.csv is not JSON" in shown.err


def test_errors_are_json_where_json_is_asked_for(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    code, shown = run_main(monkeypatch, capsys, tmp_path / "a.json", "--json")
    error = json.loads(shown.err)["error"]
    assert code == 2
    assert error["type"] == "InputFormatError"
    assert error["next_step"]
    assert shown.out == ""


def test_a_stored_run_is_diagnosed_by_its_identifier(tmp_path):
    run = import_file(RUNS / "bank_runs.json")[0].run
    store = SqliteStore(tmp_path / "runs.sqlite")
    store.put(run)
    store.close()
    (record,) = records(diagnose(run.id[:10], "--store", tmp_path / "runs.sqlite", "--json"))
    assert (record["run"], record["turning_point"]) == (run.id, 12)


def test_hostile_texts_do_not_reach_the_terminal():
    messages = [
        {"role": "user", "content": "\x1b[31mred\x07"},
        {"role": "assistant", "content": "\x1b]0;title\x07 \u202e go"},
        {"role": "assistant", "content": "x", "tool_calls": [
            {"function": {"name": "a\x1b[2J", "arguments": '{"\\u001b[1m": 1}'}}]},
        {"role": "tool", "content": "Error: \x1b[31m"},
    ]  # fmt: skip
    shown = diagnose("-", stdin=json.dumps(messages)).stdout
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_nothing_named_is_a_usage_error():
    result = diagnose()
    assert result.exit_code == 2
    assert "Name at least one file" in result.stderr
