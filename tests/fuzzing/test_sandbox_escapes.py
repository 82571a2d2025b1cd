"""Escapes from the sandbox: held back inside it, and seen where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from knitbone.fuzzing import sandbox_report
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.escapes import ESCAPES, attempt
from knitbone.fuzzing.sandbox.walls import AUDIT, LANDLOCK, missing_walls
from knitbone.fuzzing.sandbox_report import report_sandbox
from knitbone.record.events import Json

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="walls of Linux")

HARMLESS = [
    name
    for name in ESCAPES
    if not name.startswith(("mount", "set", "enter", "keep", "copy", "trace", "open", "rename",
                            "link", "send to", "write a file through", "cut", "connect by TCP, by"))
]  # fmt: skip
"""Those that may be let through in the test's own process."""


def test_what_the_walls_of_this_machine_claim_they_hold(private: Path) -> None:
    report = report_sandbox()
    assert len(report.attempts) >= 30
    if not report.missing:
        assert [each.name for each in report.attempts if each.came_through] == []


class NoSandbox:
    """Stands for a sandbox without any wall: the attempt is made in this process."""

    def call(self, tool: int, arguments: dict[str, Json], **_: object) -> CallOutcome:
        told = arguments["victim"]
        assert isinstance(told, dict)
        return CallOutcome(status="ok", text=attempt(str(arguments["name"]), told))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_comes_through_is_seen(name: str) -> None:
    tried = sandbox_report._tried(NoSandbox(), name)  # type: ignore[arg-type]
    if "Operation not permitted" in tried.answer or "not supported" in tried.answer:
        pytest.skip("this system holds it back itself")
    assert tried.came_through, tried.answer


def test_what_is_not_enforced_is_said() -> None:
    assert missing_walls((f"{LANDLOCK} 7", AUDIT), network=False)
    assert not any("landlock" in each for each in missing_walls(("landlock 4",), network=True))
    alone = missing_walls((AUDIT,), network=False)
    assert len(alone) == 5
    assert len(missing_walls((AUDIT,), network=True)) == 4


def test_a_campaign_says_first_what_enforces_its_sandbox(private: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "knitbone", "fuzz", "knitbone.samples.tools:greet",
         "--calls", "2", "--no-save", "--no-journal"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("sandbox   "), done.stderr
    assert "audit hook" in done.stdout.splitlines()[0]
