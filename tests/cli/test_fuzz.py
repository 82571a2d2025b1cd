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
    assert record["findings"] == [], "it says what is wrong with the file that it is told to read"
    kinds = {finding["kind"] for finding in record["refused"]}
    assert kinds == {"raised", "returned"}
    for finding in record["refused"]:
        assert {"kind", "exception", "frame", "message", "arguments", "reproducer"} <= set(finding)
        if finding["kind"] == "raised":
            assert {"file", "line", "source"} <= set(finding["frame"])


def test_people_see_raised_and_returned_apart_and_the_way_on(run: Any, tmp_path: Path) -> None:
    tool = tmp_path / "half.py"
    tool.write_text(
        "def half(text: str) -> str:\n    first = text[0]\n    try:\n"
        "        return first + text.split('=')[1][:int(text)]\n"
        "    except Exception as error:\n        return f'Error: {error}'\n"
    )
    done = run("fuzz", f"{tool}:half", "--calls", "100", "--seed", "1")
    assert done.stdout.index("raised or worse") < done.stdout.index("returned as text")
    assert "2 unique failures: 1 raised or worse, 1 returned as text" in done.stdout
    assert "in all: not known, as no call came to a normal result" in done.stdout
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
    assert done.stdout.startswith("no failure: returned Ann sits")
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
    assert run("fuzz", GREET, "--calls", "5", "--exit-code").returncode == 0


GREET = "knitbone.samples.tools:greet"


def test_in_ci_only_what_the_baseline_does_not_name_fails(run: Any, tmp_path: Path) -> None:
    baseline = ("--baseline", "saved/known.json")
    (tmp_path / "here" / "saved").mkdir()
    first = run("fuzz", SEAT, "--calls", "3", *baseline, "--update-baseline")
    assert first.returncode == 0, first.stderr
    assert "Wrote saved/known.json: " in first.stdout
    again = run("fuzz", SEAT, "--calls", "3", *baseline)
    assert again.returncode == 0
    assert "known from the baseline" in again.stdout
    more = run("fuzz", SEAT, "--calls", "100", *baseline, "--json")
    assert more.returncode == 1
    known = [finding["known"] for finding in json.loads(more.stdout)["findings"]]
    assert True in known
    assert False in known
    other = run("fuzz", GREET, "--calls", "3", *baseline)
    assert other.returncode == 0
    assert "did not occur" not in other.stdout, "the entries are another tool's"


def test_reports_and_tests_are_written_where_asked(run: Any, tmp_path: Path) -> None:
    saved = tmp_path / "here" / "saved"
    done = run(
        "fuzz", SEAT, GREET, "--calls", "40", "--jobs", "2", "--no-save", "--pytest", "saved/tests",
        "--html", "saved/r.html", "--sarif", "saved/r.sarif", "--junit", "saved/deep/r.xml",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("seat_party(") < done.stdout.index("greet(")
    assert done.stdout.splitlines()[-1].startswith("2 tools, 80 calls: ")
    found = json.loads((saved / "r.sarif").read_text())["runs"][0]["results"]
    assert len(found) == len(list((saved / "tests").glob("test_seat_party_*.py"))) > 0
    assert "<testsuites" in (saved / "deep" / "r.xml").read_text()
    assert "What breaks these tools" in (saved / "r.html").read_text()
    assert not (tmp_path / "here" / ".knitbone" / "findings").exists()


def test_findings_are_kept_by_default_with_their_tests(run: Any, tmp_path: Path) -> None:
    done = run("fuzz", SEAT, "--calls", "20")
    assert "reproducers in .knitbone/findings" in done.stdout
    folders = list((tmp_path / "here" / ".knitbone" / "findings").iterdir())
    for folder in folders:
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["finding.json", f"test_seat_party_{folder.name}.py"]
    assert f"{len(folders)} unique failures: " in done.stdout


def test_what_was_interrupted_is_told_and_continues(run: Any, tmp_path: Path) -> None:
    arguments = ("fuzz", SEAT, "--calls", "40", "--json", "--journal", "saved/journal")
    whole = run(*arguments)
    assert not (tmp_path / "here" / "saved" / "journal").exists()
    nothing = run(*arguments, "--resume")
    assert nothing.returncode == 2
    assert "no interrupted campaign in saved/journal" in nothing.stderr
    with_findings = run(*arguments, "--exit-code")
    assert (with_findings.returncode, with_findings.stdout) == (1, whole.stdout)
    assert not (tmp_path / "here" / "saved" / "journal").exists()
    failed = run("fuzz", SEAT, "knitbone.samples.tools:none", *arguments[2:])
    assert failed.returncode == 2
    resumed = run(*arguments, "--resume")
    assert (resumed.returncode, resumed.stdout) == (0, whole.stdout)
    run("fuzz", SEAT, "knitbone.samples.tools:none", *arguments[2:])
    anew = run(*arguments)
    assert "calls of an interrupted campaign are made anew" in anew.stderr
    assert anew.stdout == whole.stdout


def test_baseline_that_does_not_exist_yet_accepts_nothing_and_says_so(run: Any) -> None:
    done = run("fuzz", SEAT, "--calls", "60", "--baseline", "none.json")
    assert done.returncode == 1
    assert "none.json does not exist yet, so every finding is new" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((SEAT, "--update-baseline"), "needs --baseline"),
        ((SEAT, "--resume", "--no-journal"), "leave --no-journal out"),
        ((SEAT, "--no-save", "--save", "x"), "exclude each other"),
        ((SEAT, "--calls", "20", "--save", "/dev/null/x"), "cannot be written"),
        ((SEAT, "--jobs", "0"), "--jobs"),
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
        "def loud(text: str) -> str:\n    return {}['\\x1b[2J\\u202e gone']  # \x1b[31m\n"
    )
    done = run("fuzz", f"{tool}:loud", "--calls", "3")
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\x1b[2J" in done.stdout


def test_where_nothing_was_reached_examples_are_named(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "strict.py"
    body = "def tool(text: str) -> str:\n    raise ValueError('text: there is none such')\n"
    file.write_text(body)
    said = run("fuzz", f"{file}:tool", "--calls", "20").stdout
    assert "begin with calls that work: --examples FILE" in said
    assert "Search longer" not in said
