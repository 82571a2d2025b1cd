"""What calls leave behind: leaks are told apart from pools, and the reset hook puts state back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sandbox_support import hostile

from knitbone.errors import SandboxError, TargetError
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

LIMITS = Limits(memory_mb=256, processes=16)
ARGUMENTS = {"text": "x"}


def calls(name: str, *, number: int = 3, reset: str | None = None) -> list[CallOutcome]:
    with Sandbox(hostile(name), limits=LIMITS, reset=reset) as sandbox:
        return [sandbox.call(0, ARGUMENTS, timeout_s=10.0) for _ in range(number)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("leave_thread", "threads"),
        ("leave_file_open", "files"),
        ("leave_child", "processes"),
        ("leave_daemon", "processes"),
    ],
)
def test_what_every_call_leaves_behind_is_a_finding(private: Path, name: str, kind: str) -> None:
    for outcome in calls(name):
        assert outcome.status == "ok"
        verdict = judge(outcome, ARGUMENTS, roots=())
        assert verdict is not None
        assert verdict.kind == kind


@pytest.mark.parametrize("name", ["keep_pool", "keep_file_open", "forget_in_circle", "harmless"])
def test_what_is_kept_once_is_none(private: Path, name: str) -> None:
    for outcome in calls(name):
        assert outcome.status == "ok"
        assert judge(outcome, ARGUMENTS, roots=()) is None


@pytest.mark.parametrize("hook", ["reset", "reset_later"])
def test_the_reset_hook_runs_before_every_call(private: Path, hook: str) -> None:
    assert [outcome.status for outcome in calls("remember")] == ["ok", "raised", "raised"]
    assert [outcome.status for outcome in calls("remember", reset=hostile(hook))] == ["ok"] * 3


def test_a_reset_hook_that_fails_ends_the_campaign_with_a_clear_error(private: Path) -> None:
    with pytest.raises(SandboxError, match=r"OSError: the database is gone"):
        calls("remember", reset=hostile("reset_badly"))


@pytest.mark.parametrize(
    ("hook", "what"),
    [
        ("no_such_module_here:reset", "no_such_module_here"),
        (hostile("no_such_hook"), "no_such_hook"),
        (hostile("harmless"), "missing a required argument"),
        ("only_a_module", "no function"),
    ],
)
def test_a_reset_hook_that_is_none_is_a_clear_error(private: Path, hook: str, what: str) -> None:
    with pytest.raises(TargetError, match=what):
        calls("remember", reset=hook)
