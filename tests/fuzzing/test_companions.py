"""Failures that need calls of other tools: found, told with the fewest of those, and replayed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner
from companion_tools import SOUND, STYLES

from knitbone.cli.fuzz import command
from knitbone.errors import InputFormatError, TargetError
from knitbone.fuzzing.engine import fuzz, replay
from knitbone.fuzzing.journal import call_key
from knitbone.fuzzing.records import CampaignFinished, Finding
from knitbone.fuzzing.replays import campaign_record, finding_file, read_replay
from knitbone.fuzzing.reproducers import ReplaySetting, pytest_source
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sequences import split_call
from knitbone.report.fuzz import arguments_line


def campaign_of(target, *, seed=0, calls=200):
    events = fuzz(target, calls=calls, seed=seed)
    (campaign,) = [event.campaign for event in events if isinstance(event, CampaignFinished)]
    return campaign


def target_in(tmp_path, style):
    (tmp_path / "shared.py").write_text(style.source)
    python = shlex.quote(sys.executable)
    return style.target.replace("PYTHON", python).format(tmp_path / "shared.py")


@pytest.mark.parametrize("name", STYLES)
def test_what_needs_calls_of_other_tools_is_found_and_replayed(name, tmp_path):
    style = STYLES[name]
    target = target_in(tmp_path, style)
    calls = 80 if name == "server" else 200
    campaign = campaign_of(target, calls=calls)
    (found,) = [finding for finding in campaign.findings if finding.counts]
    assert style.exception in (found.exception or found.message)
    assert tuple(split_call(call)[0] for call in found.before) == style.before
    assert found.replays
    assert set(style.before) <= set(campaign.companion_calls)
    assert campaign.calls == calls
    assert replay(target, found.arguments).failure is None

    assert f"after {style.before[0]}(" in arguments_line(found)
    shown = json.loads(json.dumps(campaign_record(campaign)))
    (record,) = shown["findings"]
    assert [call[0] for call in record["before"]] == list(style.before)
    saved = tmp_path / "finding.json"
    saved.write_text(json.dumps(finding_file(campaign, found)))
    words = shlex.split(found.reproducer)[2:]
    for arguments in (words, [target, "--replay", f"@{saved}"]):
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == 0, done.output

    test = tmp_path / "test_it.py"
    test.write_text(pytest_source(campaign, found, ReplaySetting()))
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    failing = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1 failed" in failing.stdout, failing.stdout
    assert style.source.count(style.fault) == 1
    (tmp_path / "shared.py").write_text(style.source.replace(style.fault, style.mended))
    green = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1 passed" in green.stdout, green.stdout


@pytest.mark.parametrize(
    "name", ["add", "remove", "find", "join_queue", "serve_next", "counter.up", "counter.down"]
)
def test_sound_tools_that_share_state_have_no_findings(name, tmp_path):
    (tmp_path / "sound.py").write_text(SOUND)
    campaign = campaign_of(f"{tmp_path / 'sound.py'}:{name}")
    assert campaign.companion_calls
    assert [finding for finding in campaign.findings if finding.counts] == []


def companions(path, name):
    with Sandbox(f"{path}:{name}", companions=True) as sandbox:
        return {tool.name for tool in sandbox.companions}


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("add", {"remove", "find"}),
        ("join_queue", {"serve_next"}),
        ("counter.down", {"up"}),
        ("convert", set()),
        ("currencies", set()),
    ],
)
def test_companions_share_what_is_changed(name, others, tmp_path):
    (tmp_path / "sound.py").write_text(SOUND)
    assert companions(tmp_path / "sound.py", name) == others


HELPERS = """
from langchain_core.tools import tool

_rows = []
_last = None


def _all():
    return _rows


def _keep(row):
    global _last
    _last = row
    _all().append(row)


def save(row: str) -> int:
    _keep(row)
    return len(_rows)


@tool
def show() -> str:
    "Show the rows."
    return ", ".join(_all())


def last() -> str:
    return str(_last)


def unannotated(row):
    _rows.append(row)


def _private(row: str):
    _rows.append(row)


def main() -> None:
    _rows.clear()


def apart(text: str) -> str:
    return text
"""


def test_companions_are_found_through_helpers_and_frameworks(tmp_path):
    (tmp_path / "helpers.py").write_text(HELPERS)
    path = tmp_path / "helpers.py"
    assert companions(path, "save") == {"show", "last"}
    assert companions(path, "show") == {"save"}
    assert companions(path, "last") == {"save"}
    assert companions(path, "apart") == set()


def test_other_tools_are_not_called_where_that_reaches_outside(tmp_path):
    target = target_in(tmp_path, STYLES["functions"])
    reached = fuzz(target, calls=60, seed=0, allow_hosts=["127.0.0.1"])
    (tmp_path / "reset.py").write_text("def reset():\n    pass\n")
    reset = fuzz(target, calls=60, seed=0, reset=f"{tmp_path / 'reset.py'}:reset")
    for events in (reached, reset):
        (campaign,) = [event.campaign for event in events if isinstance(event, CampaignFinished)]
        assert campaign.companion_calls == {}


def test_the_same_seed_makes_the_same_calls_of_companions(tmp_path):
    target = target_in(tmp_path, STYLES["functions"])
    assert campaign_of(target, calls=80) == campaign_of(target, calls=80)


def test_a_call_of_another_tool_is_read_from_a_replay():
    read = read_replay('[["add", {"a": 1}], {"a": 2}, {}]')
    assert read == ({}, (("add", {"a": 1}), {"a": 2}), None)


@pytest.mark.parametrize("text", ['[["add", {}]]', '[["add"], {}]', "[[1, {}], {}]"])
def test_what_is_no_call_of_another_tool_is_refused(text):
    with pytest.raises(InputFormatError, match="no list of such"):
        read_replay(text)


def test_a_companion_that_is_gone_is_told(tmp_path):
    target = target_in(tmp_path, STYLES["functions"])
    with pytest.raises(TargetError, match=r"'gone'.*shares no state") as told:
        replay(target, {}, before=[("gone", {})])
    assert "add_song" in str(told.value.next_step)


def test_a_journal_tells_calls_of_companions_from_those_of_the_tool_itself():
    assert call_key({"a": 1}, 5.0, fresh=False, companion="add") != call_key(
        {"a": 1}, 5.0, fresh=False
    )


def test_an_earlier_call_without_a_name_is_the_tools_own():
    found = Finding(
        id="x", kind="raised", exception=None, frame=None, message="", arguments={}, call=1,
        before=(("add", {"title": "a"}), {"n": 1}),
    )  # fmt: skip
    assert arguments_line(found) == ('no arguments  after add(title="a"), the tool itself (n=1)')


TOOLKIT = """
from framework import Toolkit
class Notes(Toolkit):
    def __init__(self):
        self.notes = []
    def add(self, text: str) -> str:
        self.notes.append(text)
        return text
    async def aadd(self, text: str) -> str:
        return self.add(text)
    def first(self) -> str:
        return self.notes[0] if self.notes else ""
    def get_tools(self) -> list:
        return [self.add, self.first]
notes = Notes()
"""


def test_what_a_framework_brings_is_no_companion(tmp_path):
    (tmp_path / "framework.py").write_text(
        "class Toolkit:\n    def register(self) -> None: ...\n    def close(self) -> None: ...\n"
    )
    (tmp_path / "shared.py").write_text(f"import sys\nsys.path.append({str(tmp_path)!r}){TOOLKIT}")
    with Sandbox(f"{tmp_path / 'shared.py'}:notes.first", companions=True) as sandbox:
        assert set(sandbox.companions_of(0)) == {"add"}
