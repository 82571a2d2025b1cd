"""A campaign that is killed again and again gives what one that ran through gives."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.journal import Journals
from knitbone.fuzzing.records import CallFinished, CampaignFinished, CampaignStarted

SEAT = "knitbone.samples.tools:seat_party"
HANGS = "knitbone.samples.tools:next_opening"
KILLS = 10


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    code = "from knitbone.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "fuzz", *arguments, "--seed", "4", "--json", "--no-model"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def journaled(folder: Path) -> int:
    return Journals(next(iter(folder.glob(".knitbone/fuzz/*")), folder)).unfinished()


def kill_when_journaled(process: subprocess.Popen[str], folder: Path, calls: int) -> bool:
    """Whether the process was still running when its journal held so many calls."""
    while process.poll() is None:
        if journaled(folder) >= calls:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return process.returncode == -signal.SIGKILL
        time.sleep(0.001)
    _, error = process.communicate()
    assert process.returncode == 0, error
    return False


@pytest.mark.parametrize(
    ("target", "options"),
    [(SEAT, ("--calls", "150")), (HANGS, ("--calls", "12", "--timeout", "0.3"))],
)
def test_killed_at_ten_random_moments_it_finds_the_same(
    private: Path, tmp_path: Path, target: str, options: tuple[str, ...]
) -> None:
    whole, _ = start(tmp_path, target, *options).communicate()
    record = json.loads(whole)
    assert record["findings"]
    assert journaled(tmp_path) == 0, "a finished campaign leaves no journal"
    total = record["calls"] + record["minimisation_calls"]
    rng = random.Random(7)
    moments = sorted(rng.sample(range(total), min(KILLS, total)))
    killed = 0
    for moment in moments:
        resume = ("--resume",) if journaled(tmp_path) else ()
        killed += kill_when_journaled(start(tmp_path, target, *options, *resume), tmp_path, moment)
    assert killed >= min(KILLS, total) // 2, "the moments lie within the campaign"
    process = start(tmp_path, target, *options, "--resume")
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert out == whole


def test_the_clock_goes_on_where_it_stopped(private: Path, tmp_path: Path) -> None:
    config = FuzzConfig(time_s=0.5, call_timeout_s=0.2)
    tool = tmp_path / "slow.py"
    tool.write_text(
        "import time\ndef slow(text: str) -> str:\n    time.sleep(0.03)\n    return ''\n"
    )
    journals = Journals(tmp_path / "journals", resume=True)
    results = []
    for _ in range(2):
        events = list(fuzz(f"{tool}:slow", calls=1_000, config=config, journals=journals))
        assert isinstance(events[-1], CampaignFinished)
        results.append(events[-1].campaign)
    assert results[0] == results[1]
    assert results[0].stopped == "its 0.5 s were used up"
    assert 3 <= results[0].calls <= 15


def test_a_resumed_campaign_calls_the_tool_only_where_the_journal_ends(
    private: Path, tmp_path: Path
) -> None:
    tool = tmp_path / "counting.py"
    tool.write_text("def tool(text: str) -> str:\n    return 1 // len(text)\n")
    target = f"{tool}:tool"
    journals = Journals(tmp_path / "journals", resume=True)
    events = fuzz(target, calls=20, seed=1, journals=journals)
    for event in events:
        if isinstance(event, CallFinished) and event.call == 12:
            break
    events.close()
    first = next(iter(fuzz(target, calls=20, seed=1, journals=journals)))
    assert isinstance(first, CampaignStarted)
    assert first.resumed == 12
    tool.write_text("def tool(text: str) -> str:\n    return 1 // len(text)  # mended\n")
    with pytest.raises(InputFormatError, match="source files changed"):
        list(fuzz(target, calls=20, seed=1, journals=journals))
