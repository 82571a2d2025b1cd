"""Several tools at a time: the same results in the same order, errors included."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError, MissingExtraError, SandboxError, TargetError
from knitbone.fuzzing.jobs import Job, decode_told, encode_told, fuzz_all
from knitbone.fuzzing.ray_jobs import fuzz_on_ray
from knitbone.fuzzing.records import (
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    FuzzEvent,
)

CONFIG = FuzzConfig(call_timeout_s=1.0)
TOOLS = """\
def one(text: str) -> int:
    print("a line on standard output")
    return 1 // len(text)

def two(number: int) -> int:
    return 10 // (number - 1)

def three(text: str) -> str:
    return text

TOOLS = [one, two, three]
"""


@pytest.fixture
def tools(private: Path, tmp_path: Path) -> str:
    file = tmp_path / "some_tools.py"
    file.write_text(TOOLS)
    return f"{file}:TOOLS"


def job(target: str, **more: object) -> Job:
    return Job(target=target, calls=40, seed=1, config=CONFIG, **more)


def campaigns(events: Iterator[FuzzEvent]) -> list[Campaign]:
    return [event.campaign for event in events if isinstance(event, CampaignFinished)]


def test_several_at_a_time_give_what_one_at_a_time_gives(tools: str) -> None:
    jobs = [job("knitbone.samples.tools:greet"), job(tools)]
    one = list(fuzz_all(jobs))
    several = list(fuzz_all(jobs, at_a_time=3))
    assert campaigns(iter(several)) == campaigns(iter(one))
    assert [c.tool.name for c in campaigns(iter(one))] == ["greet", "one", "two", "three"]
    for events in (one, several):
        started = [event for event in events if isinstance(event, CampaignStarted)]
        assert sorted(event.of for event in started) == [1, 3, 3, 3]
        for campaign in campaigns(iter(events)):
            calls = [e.call for e in events if isinstance(e, CallFinished)
                     and e.tool == campaign.tool.target]  # fmt: skip
            assert calls == list(range(1, 41))


def test_each_tool_has_its_journal_and_resumes(tools: str, tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    first = campaigns(fuzz_all([job(tools, journal=str(folder))], at_a_time=2))
    assert len(list(folder.glob("*.jsonl"))) == 3
    events = list(fuzz_all([job(tools, journal=str(folder), resume=True)], at_a_time=2))
    assert campaigns(iter(events)) == first
    resumed = [event.resumed for event in events if isinstance(event, CampaignStarted)]
    assert all(number >= 40 for number in resumed)


def test_an_error_comes_after_the_campaigns_before_it(tools: str, tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    list(fuzz_all([job(f"{tools}#two", journal=str(folder))]))
    other = Job(
        target=f"{tools}#two", calls=41, seed=1, config=CONFIG, journal=str(folder), resume=True
    )
    events = fuzz_all([job(f"{tools}#one"), other, job(f"{tools}#three")], at_a_time=2)
    finished = (event for event in events if isinstance(event, CampaignFinished))
    assert next(finished).campaign.tool.name == "one"
    with pytest.raises(InputFormatError, match="the number of calls changed"):
        next(finished)


def test_a_target_that_does_not_exist_is_told_at_once(private: Path) -> None:
    with pytest.raises(TargetError, match="seat_part"):
        list(fuzz_all([job("knitbone.samples.tools:seat_part")], at_a_time=2))


def test_leaving_early_ends_the_processes(tools: str) -> None:
    events = fuzz_all([Job(target=tools, calls=100_000, config=CONFIG)], at_a_time=2)
    for event in events:
        if isinstance(event, CallFinished) and event.call > 5:
            break
    events.close()  # the fixture looks for what is left


def test_errors_travel_with_their_kind_and_next_step() -> None:
    error = decode_told(encode_told(TargetError("no such tool", next_step="Look.")))
    assert isinstance(error, TargetError)
    assert (error.message, error.next_step) == ("no such tool", "Look.")
    assert decode_told(encode_told(None)) is None
    unknown = b'{"type": "error", "error": ["os", "m", null]}'
    assert type(decode_told(unknown)).__name__ == "KnitboneError"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"", r"ended unexpectedly \(status 7\)"),
        (b'{"type": "en', r"ended unexpectedly \(status 7\)"),
        (b"nonsense\n", "JSONDecodeError"),
    ],
)
def test_a_process_that_dies_or_talks_nonsense_is_told(
    tools: str, monkeypatch: pytest.MonkeyPatch, written: bytes, told: str
) -> None:
    from knitbone.fuzzing import jobs

    # It reads its job first, as a real one does.
    boot = f"import os, sys; sys.stdin.read(); os.write(1, {written!r}); os._exit(7)"
    monkeypatch.setattr(jobs, "_BOOT", boot)
    with pytest.raises(SandboxError, match=told):
        list(fuzz_all([job(tools)], at_a_time=2))


HAS_RAY = importlib.util.find_spec("ray") is not None


@pytest.mark.skipif(HAS_RAY, reason="ray is installed")
def test_without_ray_its_extra_is_named(tools: str) -> None:
    with pytest.raises(MissingExtraError, match=r"knitbone\[ray\]"):
        list(fuzz_on_ray([job(tools)]))


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
@pytest.mark.filterwarnings("ignore::")
def test_ray_gives_what_one_at_a_time_gives(tools: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The paths of its sockets must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("RAY_TMPDIR", short)
        check_ray(tools)


def check_ray(tools: str) -> None:
    jobs = [job(tools)]
    assert campaigns(fuzz_on_ray(jobs, at_a_time=2)) == campaigns(fuzz_all(jobs))
    with pytest.raises(TargetError):
        list(fuzz_on_ray([job("knitbone.samples.tools:seat_part")]))
