"""Failures that need earlier calls: found, told with those calls, and replayed."""

import subprocess
import sys

import pytest

from knitbone.errors import InputFormatError
from knitbone.fuzzing.engine import fuzz, replay
from knitbone.fuzzing.records import CampaignFinished
from knitbone.fuzzing.replays import read_replay
from knitbone.fuzzing.reproducers import ReplaySetting, pytest_source
from knitbone.fuzzing.sequences import find_earlier

TOOLS = """
_seen = set()
_stock = {"pen": 2, "ink": 1}


def register(email: str) -> str:
    if "@" not in email:
        return "no address"
    if email in _seen:
        raise KeyError(email)
    _seen.add(email)
    return "registered"


def take(name: str) -> str:
    if name not in _stock:
        return "unknown"
    _stock[name] -= 1
    return f"one of {10 // (_stock[name] + 1)} taken"
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "state_tools.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    return "state_tools.py"


@pytest.mark.parametrize(
    ("name", "exception", "earlier"),
    [("register", "KeyError", 1), ("take", "ZeroDivisionError", None)],
)
def test_what_needs_earlier_calls_is_found_with_them(module, tmp_path, name, exception, earlier):
    events = list(fuzz(f"{module}:{name}", calls=200, seed=0))
    (campaign,) = [event.campaign for event in events if isinstance(event, CampaignFinished)]
    (found,) = [finding for finding in campaign.findings if finding.exception == exception]
    assert found.replays
    assert found.before
    assert earlier is None or len(found.before) == earlier
    target = f"{module}:{name}"
    assert replay(target, found.arguments).failure is None
    again = replay(target, found.arguments, before=found.before)
    assert again.verdict is not None
    assert again.verdict.id == found.id
    test = tmp_path / "test_it.py"
    test.write_text(pytest_source(campaign, found, ReplaySetting()))
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert exception in done.stdout
    assert "1 failed" in done.stdout


def fails_after(*needed):
    runs = []

    def fails(sequence):
        runs.append(len(sequence))
        return all(call in sequence[:-1] for call in needed)

    return fails, runs


HISTORY = [{"n": number} for number in range(40)]


def test_a_single_call_is_found_first():
    fails, runs = fails_after({"n": 35})
    assert find_earlier(HISTORY, {"n": 99}, fails=fails, budget=80) == ({"n": 35},)
    assert len(runs) < 12


def test_the_same_call_is_tried_first():
    fails, runs = fails_after({"n": 99})
    assert find_earlier(HISTORY, {"n": 99}, fails=fails, budget=80) == ({"n": 99},)
    assert runs == [2]


def test_several_calls_are_reduced_to_those_that_are_needed():
    fails, _ = fails_after({"n": 3}, {"n": 30})
    assert find_earlier(HISTORY, {"n": 99}, fails=fails, budget=80) == ({"n": 3}, {"n": 30})


def test_a_failure_that_needs_no_earlier_call_has_none():
    fails, _ = fails_after({"n": "never"})
    assert find_earlier(HISTORY, {"n": 99}, fails=fails, budget=80) is None


def test_the_budget_is_kept():
    fails, runs = fails_after({"n": 3}, {"n": 30})
    found = find_earlier(HISTORY, {"n": 99}, fails=fails, budget=16)
    assert len(runs) <= 16
    assert found is not None
    assert {"n": 3} in found


def test_a_list_of_arguments_is_a_sequence_of_calls():
    assert read_replay('[{"a": 1}, {"a": 2}]') == ({"a": 2}, ({"a": 1},), None)
    assert read_replay('{"a": 2}') == ({"a": 2}, (), None)


@pytest.mark.parametrize("text", ["[]", "[1]", '[{"a": 1}, 2]', '"x"'])
def test_what_is_no_sequence_of_calls_is_refused(text):
    with pytest.raises(InputFormatError, match="no list of such"):
        read_replay(text)
