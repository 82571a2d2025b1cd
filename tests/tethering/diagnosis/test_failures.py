"""Failures of many runs, grouped."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from knitbone import samples
from knitbone.cli.app import group
from knitbone.record.events import ChatMessage, ModelCall, Outcome, Run, ToolCall, ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.diagnosis.failures import NOTHING, FailureGroups

RUNS = str(Path(next(iter(samples.__path__))) / "runs" / "bank_runs.json")


def failing(number, tool, error, *, times=3, success=False):
    """A run whose tool fails that often for one reason."""
    events = []
    for k in range(times):
        request = ToolCallRequest(name=tool, arguments={"n": number}, call_id=f"c{k}")
        said = ChatMessage(role="assistant", tool_calls=(request,))
        events.append(ModelCall(id=f"m{k}", output=said))
        events.append(ToolCall(id=f"t{k}", parent=f"m{k}", name=tool, call_id=f"c{k}",
                               arguments={"n": number}, result=error))  # fmt: skip
    events.append(Outcome(id="o", success=success))
    return Run(id=f"run{number}", events=tuple(events))


def grouped(runs, *, claim=False):
    groups = FailureGroups()
    for run in runs:
        groups.add(examine(run, claim=claim))
    return groups


def test_runs_that_failed_alike_are_one_group_whatever_names_and_numbers_their_errors_hold():
    runs = [
        failing(n, "book", f"Error: ValueError: no table for '{n}' at {n}:00") for n in range(3)
    ]
    runs += [failing(7, "pay", "Error: ValueError: no table for '7' at 7:00")]
    groups = grouped(runs).groups()
    assert [(g.kind, g.tool, g.count) for g in groups] == [("loop", "book", 3), ("loop", "pay", 1)]
    assert groups[0].share == 0.75
    assert (groups[0].run, groups[0].step) == ("run0", 0)
    assert "no table for '0'" in groups[0].error


def test_runs_that_succeeded_are_no_failures_and_claims_of_others_count_where_asked_for():
    good = failing(1, "book", "Error: KeyError: x", success=True)
    unknown = failing(2, "book", "Error: KeyError: x", success=None)
    assert grouped([good, unknown]).runs == 0
    assert grouped([unknown], claim=True).runs == 1


def test_a_crash_is_grouped_by_what_was_raised():
    attributes = {"exception.type": "TimeoutError", "exception.message": "after 30 s"}
    runs = [
        Run(id=f"{n}", events=(
            ModelCall(id="m", output=ChatMessage(role="assistant", content="Hm.")),
            Outcome(id="o", success=False, attributes=attributes),
        ))
        for n in range(2)
    ]  # fmt: skip
    (one,) = grouped(runs).groups()
    assert (one.kind, one.count, one.error) == ("crash", 2, "TimeoutError: after 30 s")


@cache
def diagnosed(kind):
    made = {
        "loop": failing(1, "book", "Error: KeyError: x"),
        "once": failing(2, "pay", "Error: TypeError: y", times=1),
        "silent": Run(id="s", events=(Outcome(id="o", success=False),)),
    }
    return examine(made[kind])


@given(st.lists(st.sampled_from(["loop", "once", "silent"]), min_size=1, max_size=5))
def test_every_failed_run_is_in_one_group(kinds):
    groups = FailureGroups()
    for kind in kinds:
        groups.add(diagnosed(kind))
    found = groups.groups()
    assert groups.runs == len(kinds)
    assert sum(each.count for each in found) == len(kinds)
    assert sum(each.share for each in found) == pytest.approx(1.0)
    assert [each.count for each in found] == sorted((e.count for e in found), reverse=True)
    assert len(found) == len(set(kinds))
    assert Counter(kinds)["silent"] == sum(e.count for e in found if e.kind == NOTHING)


def test_groups_are_printed_one_a_line_and_as_json():
    done = CliRunner().invoke(group, ["diagnose", RUNS, "--groups", "--no-model"])
    lines = done.stdout.splitlines()
    assert lines[0] == "9 runs failed, in 5 ways"
    assert lines[1].split() == ["runs", "share", "what", "tool", "error", "example"]
    assert any("loop" in line and "deposit_check" in line for line in lines)
    assert lines[-1] == "12 runs: 9 failed, 3 succeeded, 0 unknown"
    done = CliRunner().invoke(group, ["diagnose", RUNS, "--groups", "--json", "--limit", "2"])
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["count"] for each in said] == [5, 1]
    cut = CliRunner().invoke(group, ["diagnose", RUNS, "--groups", "--limit", "1"])
    assert "… and 4 more groups with 4 runs" in cut.stdout


def test_without_a_path_all_recorded_runs_are_grouped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(tmp_path / ".knitbone" / "runs.sqlite")
    for n in range(2):
        store.put(failing(n, "book", "Error: KeyError: x"))
    store.close()
    done = CliRunner().invoke(group, ["diagnose", "--groups"])
    assert done.stdout.splitlines()[0] == "2 runs failed, in one way"


def test_groups_show_no_single_run(tmp_path):
    page = str(tmp_path / "page.html")
    done = CliRunner().invoke(group, ["diagnose", RUNS, "--groups", "--html", page])
    assert done.exit_code == 2
    assert "--groups shows no single run" in done.output
