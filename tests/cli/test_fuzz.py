"""``knitbone fuzz`` as a person or a machine calls it: in its own process."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

READ_FILE = "langchain_community.tools.file_management:ReadFileTool"
SEAT = "knitbone.samples.tools:seat_party"


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs the command in an empty folder; nothing may be left there, or in its TMPDIR."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()

    def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", "from knitbone.cli import main; main()", *arguments],
            capture_output=True,
            text=True,
            cwd=here,
            env={**os.environ, "TMPDIR": str(temporary)},
            check=False,
        )
        assert list(temporary.iterdir()) == []
        return done

    yield run_command
    assert {path.name for path in here.iterdir()} <= {"saved", ".knitbone"}


def test_machines_get_one_object_a_tool_the_same_each_time(run: Any) -> None:
    arguments = ("fuzz", READ_FILE, "--calls", "200", "--seed", "1", "--no-model", "--json")
    first, second = run(*arguments), run(*arguments)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout.count("\n") == 1
    record = json.loads(first.stdout)
    assert (record["tool"], record["calls"]) == ("read_file", 200)
    kinds = {finding["kind"] for finding in record["findings"]}
    assert kinds == {"raised", "returned"}
    for finding in record["findings"]:
        assert {"kind", "exception", "frame", "message", "arguments", "reproducer"} <= set(finding)
        if finding["kind"] == "raised":
            assert {"file", "line", "source"} <= set(finding["frame"])


def test_people_see_raised_and_returned_apart_and_the_way_on(run: Any) -> None:
    done = run("fuzz", READ_FILE, "--calls", "100", "--seed", "1")
    assert done.stdout.index("raised or worse") < done.stdout.index("returned as text")
    assert "Unique " in done.stdout
    assert "Chao1" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_each_reproducer_can_be_pasted_and_replays(run: Any) -> None:
    record = json.loads(run("fuzz", SEAT, "--calls", "100", "--seed", "1", "--json").stdout)
    assert len(record["findings"]) >= 3
    for finding in record["findings"]:
        words = shlex.split(finding["reproducer"])
        assert words[0] == "knitbone"
        done = run(*words[1:])
        assert done.returncode == 0, done.stdout
        assert done.stdout.startswith("reproduced: raised")
        assert finding["exception"] in done.stdout


def test_a_replay_that_does_not_fail_ends_with_one(run: Any) -> None:
    done = run("fuzz", SEAT, "--replay", '{"note": "Ann;2;in"}')
    assert done.returncode == 1
    assert done.stdout.startswith("not reproduced: returned Ann sits")
    other = run("fuzz", SEAT, "--replay", '{"note": ""}', "--expect", "0000000000", "--json")
    assert other.returncode == 1
    assert json.loads(other.stdout)["exception"] == "ValueError"


def test_saved_findings_replay_from_their_files(run: Any, tmp_path: Path) -> None:
    run("fuzz", SEAT, "--calls", "60", "--seed", "1", "--save", "saved")
    folders = sorted((tmp_path / "here" / "saved").iterdir())
    assert folders
    file = f"@saved/{folders[0].name}/finding.json"
    assert run("fuzz", SEAT, "--replay", file).returncode == 0


def test_the_exit_code_tells_findings_where_asked(run: Any) -> None:
    assert run("fuzz", SEAT, "--calls", "5").returncode == 0
    assert run("fuzz", SEAT, "--calls", "5", "--exit-code").returncode == 1
    sound = "knitbone.samples.tools:greet"
    assert run("fuzz", sound, "--calls", "5", "--exit-code").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("knitbone.samples.tools:seat_part",), "Did you mean seat_party"),
        ((SEAT, "--replay", "{"), "not JSON"),
        ((SEAT, "--replay", "[1]"), "not a JSON object"),
        ((SEAT, "--replay", "@none.json"), "cannot be read"),
        ((SEAT, "--expect", "x"), "belongs to --replay"),
        ((SEAT, "--calls", "0"), "--calls"),
    ],
)
def test_wrong_input_is_explained_and_ends_with_two(
    run: Any, arguments: tuple[str, ...], told: str
) -> None:
    done = run("fuzz", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_tool_says_cannot_write_to_the_terminal(run: Any, tmp_path: Path) -> None:
    tool = tmp_path / "loud.py"
    tool.write_text(
        "def loud(text: str) -> str:\n    raise ValueError('\\x1b[2J\\u202e gone')  # \x1b[31m\n"
    )
    done = run("fuzz", f"{tool}:loud", "--calls", "3")
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\x1b[2J" in done.stdout
