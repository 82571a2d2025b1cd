"""Whole campaigns: what is found, that it is the same again, and that each finding replays."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox_support import hostile

from knitbone.config import FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing import engine
from knitbone.fuzzing.api import fuzz, target_of
from knitbone.fuzzing.engine import fuzz as fuzz_events
from knitbone.fuzzing.engine import replay
from knitbone.fuzzing.records import (
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    FindingFound,
    json_text,
)
from knitbone.fuzzing.replays import campaign_record, read_replay
from knitbone.fuzzing.reproducers import ReplaySetting, save_findings

READ_FILE = "langchain_community.tools.file_management:ReadFileTool"
CONFIG = FuzzConfig(memory_mb=256)


def write_tool(folder: Path, body: str) -> str:
    path = folder / "written_tool.py"
    path.write_text(body)
    return f"{path}:tool"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_real_file_reader_fails_in_the_ways_it_really_does(private: Path) -> None:
    campaign = fuzz(READ_FILE, calls=200, seed=1, config=FuzzConfig())
    raised = [f for f in campaign.findings if f.kind == "raised"]
    returned = [f.message for f in campaign.findings if f.kind == "returned"]
    assert campaign.calls == 200
    assert campaign.rejected > 0
    too_long = next(f for f in raised if f.exception == "OSError")
    assert too_long.frame is not None
    assert Path(too_long.frame.file).name == "read.py"
    assert too_long.frame.source == "if not read_path.exists():"
    assert len(too_long.arguments["file_path"]) == 256, "one more than a file name may have"
    assert any("no such file or directory" in message for message in returned)
    assert any("Is a directory" in message for message in returned)
    assert any("codec can't decode" in message for message in returned)
    assert all(finding.replays for finding in campaign.findings)


@pytest.mark.parametrize("name", ["seat_party", "read_order", "close_till", "find_dish"])
def test_the_same_seed_gives_the_same_bytes_and_every_finding_replays(
    private: Path, name: str
) -> None:
    target = f"knitbone.samples.tools:{name}"
    first, second = (fuzz(target, calls=120, seed=5, config=CONFIG) for _ in range(2))
    assert json_text(campaign_record(first)) == json_text(campaign_record(second))
    assert first.findings
    for finding in first.findings:
        result = replay(target, finding.arguments, config=CONFIG)
        assert result.verdict is not None
        assert result.verdict.id == finding.id


def test_another_seed_makes_other_calls(private: Path, tmp_path: Path) -> None:
    # Every argument ends up in its own finding: the message is a digest of it.
    target = write_tool(
        tmp_path,
        "def tool(text: str) -> str:\n    raise type('E' + str(len(text)), (Exception,), {})\n",
    )
    seen = [
        {f.exception for f in fuzz(target, calls=40, seed=seed, config=CONFIG).findings}
        for seed in (1, 2)
    ]
    assert seen[0] != seen[1]


@pytest.mark.parametrize("name", ["greet", "add_tip"])
def test_a_sound_tool_has_no_findings(private: Path, name: str) -> None:
    assert fuzz(f"knitbone.samples.tools:{name}", calls=300, seed=3, config=CONFIG).findings == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("exit_at_once", "exit"),
        ("segfault", "crash"),
        ("flood", "output"),
        ("leave_child", "processes"),
        ("eat_memory_at_once", "memory"),
        ("fill_disk", "disk"),
    ],
)
def test_a_misbehaving_tool_is_a_finding_and_not_the_end(
    private: Path, name: str, kind: str
) -> None:
    campaign = fuzz(hostile(name), calls=6, seed=1, config=CONFIG)
    assert campaign.calls == 6
    assert [(f.kind, f.replays) for f in campaign.findings] == [(kind, True)]


def test_a_crash_points_at_the_line_of_the_tool(private: Path) -> None:
    (finding,) = fuzz(hostile("segfault"), calls=2, seed=1, config=CONFIG).findings
    assert finding.frame is not None
    assert finding.frame.source == "return ctypes.string_at(0).decode()"


def test_a_tool_that_always_hangs_ends_early_and_says_so(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_MOST_HANGS", 5)
    config = FuzzConfig(call_timeout_s=0.2)
    campaign = fuzz(hostile("hang"), calls=200, seed=1, config=config)
    assert campaign.stopped == "5 calls hung"
    assert campaign.calls == 5
    assert [f.kind for f in campaign.findings] == ["hang"]


def test_a_failure_that_needs_an_earlier_call_replays_with_it(private: Path) -> None:
    (finding,) = fuzz(hostile("remember"), calls=5, seed=1, config=CONFIG).findings
    assert finding.replays
    assert len(finding.before) == 1


def test_events_come_in_order_and_findings_once(private: Path) -> None:
    events = list(fuzz_events("knitbone.samples.tools:seat_party", calls=30, seed=1, config=CONFIG))
    assert isinstance(events[0], CampaignStarted)
    assert isinstance(events[-1], CampaignFinished)
    calls = [event.call for event in events if isinstance(event, CallFinished)]
    assert calls == list(range(1, 31))
    found = [event.finding.id for event in events if isinstance(event, FindingFound)]
    assert found == [finding.id for finding in events[-1].campaign.findings]


def test_leaving_the_events_early_ends_the_sandbox(private: Path) -> None:
    events = fuzz_events(hostile("harmless"), calls=1000, seed=1, config=CONFIG)
    next(events)
    next(events)
    events.close()  # the fixture looks for what is left


def test_texts_that_only_may_be_errors_count_beside_normal_results(
    private: Path, tmp_path: Path
) -> None:
    target = write_tool(
        tmp_path,
        "def tool(number: int) -> str:\n"
        "    if number < 0:\n"
        "        return 'Invalid number: below zero'\n"
        "    return 'fine'\n",
    )
    (finding,) = fuzz(target, calls=40, seed=1, config=CONFIG).findings
    assert (finding.kind, finding.arguments) == ("returned", {"number": -1})
    target = write_tool(tmp_path, "def tool(number: int) -> str:\n    return 'Unknown'\n")
    assert fuzz(target, calls=20, seed=1, config=CONFIG).findings == ()


def test_a_saved_finding_reads_back(private: Path, tmp_path: Path) -> None:
    campaign: Campaign = fuzz("knitbone.samples.tools:find_dish", calls=200, seed=1, config=CONFIG)
    folders = save_findings(campaign, tmp_path / "found", ReplaySetting())
    assert len(folders) == len(campaign.findings) > 0
    for folder, finding in zip(folders, campaign.findings, strict=True):
        calls = read_replay(f"@{folder}/finding.json")
        assert calls == (finding.arguments, finding.before, finding.id)


def test_the_convenience_takes_functions_and_refuses_what_has_no_name() -> None:
    from knitbone.samples.tools import greet

    assert target_of(greet) == "knitbone.samples.tools:greet"
    with pytest.raises(TargetError, match="no name"):
        target_of(lambda text: text)


def test_the_convenience_refuses_several_tools_at_once(private: Path) -> None:
    with pytest.raises(TargetError, match="names 7 tools"):
        fuzz("langchain_community.agent_toolkits:FileManagementToolkit", calls=1, config=CONFIG)


def test_a_reset_hook_keeps_calls_apart(private: Path, tmp_path: Path) -> None:
    target = write_tool(
        tmp_path,
        "seen = []\n"
        "def tool(text: str) -> str:\n"
        "    seen.append(text)\n"
        "    return 'x' * (10 // (4 - len(seen)))\n"
        "def forget():\n"
        "    seen.clear()\n",
    )
    (alone,) = fuzz(target, calls=20, seed=1, config=CONFIG).findings
    assert alone.replays
    assert len(alone.before) == 3
    hook = target.replace(":tool", ":forget")
    assert fuzz(target, calls=20, seed=1, config=CONFIG, reset=hook).findings == ()
