"""Files that an earlier version wrote: the store, runs, requirements, baselines, a journal, a saved
test. They were written once, by the version before the packages got their present order, and are
never written again: what this version makes of them is compared with what that one made.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "earlier"
    shutil.copytree(HERE, place, ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    (place / "project.toml").rename(place / "pyproject.toml")
    finding = place / "findings" / "7010f93769"
    (finding / "saved_test.txt").rename(finding / "test_share_7010f93769.py")
    return place


def knitbone(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "knitbone", *arguments],
        cwd=folder, check=False, capture_output=True, text=True, encoding="utf-8", timeout=300,
    )  # fmt: skip


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_store_gives_the_runs_that_were_written(folder):
    exported = knitbone(folder, "runs", "export", "--store", "runs.db").stdout
    assert lines(exported) == lines((HERE / "runs.jsonl").read_text(encoding="utf-8"))
    assert knitbone(folder, "runs", "check", "runs.db").returncode == 0


def test_the_runs_get_the_diagnoses_that_they_got(folder):
    found = lines(knitbone(folder, "diagnose", "runs.jsonl", "--json").stdout)
    assert found == lines((HERE / "diagnoses.jsonl").read_text(encoding="utf-8"))


def test_the_requirements_file_agrees_with_the_code_that_it_was_read_from(folder):
    done = knitbone(folder, "check", "app.py", "--diff")
    assert done.returncode == 0, done.stdout


def test_writing_the_requirements_file_again_changes_no_byte(folder):
    assert knitbone(folder, "check", "app.py", "--write").returncode == 0
    written = (folder / "knitbone.requirements.toml").read_bytes()
    assert written == (HERE / "knitbone.requirements.toml").read_bytes()


def test_what_a_team_accepted_stays_accepted(folder):
    assert knitbone(folder, "check", "app.py", "--fail-on", "note").returncode == 0
    found = ["fuzz", "tools.py:share", "--no-model", "--calls", "60", "--no-save", "--no-journal"]
    assert knitbone(folder, *found, "--baseline", "accepted.json").returncode == 0
    (folder / "accepted.json").unlink()
    assert knitbone(folder, *found, "--baseline", "accepted.json").returncode == 1


def test_a_saved_finding_replays(folder):
    finding = "@findings/7010f93769/finding.json"
    done = knitbone(folder, "fuzz", "tools.py:share", "--no-model", "--replay", finding)
    assert done.returncode == 0, done.stdout


def test_a_saved_test_fails_until_the_tool_is_mended(folder):
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "findings"]
    run = {"cwd": folder, "check": False, "capture_output": True, "text": True, "timeout": 300}
    before = subprocess.run(test, **run)  # noqa: PLW1510 - run says check
    assert "integer division or modulo by zero" in before.stdout
    tool = folder / "tools.py"
    mended = tool.read_text().replace("total // people", "total // max(people, 1)")
    tool.write_text(mended)
    after = subprocess.run(test, **run)  # noqa: PLW1510 - run says check
    assert after.returncode == 0, after.stdout


_AS_THEN = """
import sys
from knitbone.cli import main
from knitbone.fuzzing import journal

digest = journal._digest
journal.__version__ = "0.1.0"
journal.platform.python_version = lambda: "3.11.7"
journal._stamps = lambda roots: "the file's times"
journal._digest = lambda value: {code!r} if value == "the file's times" else digest(value)
sys.exit(main())
"""
"""The command in the circumstances that the journal's first line names."""


def test_a_journal_of_a_killed_campaign_is_read_on(folder):
    (path,) = (folder / "journal").iterdir()
    header = json.loads(path.read_bytes().splitlines()[0].rpartition(b" ")[0])
    command = ["fuzz", "slow_tools.py:share", "--no-model", "--no-save", "--calls", "60"]
    done = subprocess.run(
        [
            *(sys.executable, "-c", _AS_THEN.format(code=header["code"])),
            *(*command, "--resume", "--journal", "journal"),
        ],
        cwd=folder, check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 raised ZeroDivisionError" in done.stdout
    assert not path.exists()


def test_a_journal_of_other_files_is_refused(folder):
    resume = ["fuzz", "slow_tools.py:share", "--no-model", "--no-save", "--resume"]
    done = knitbone(folder, *resume, "--calls", "60", "--journal", "journal")
    assert done.returncode == 2
    assert "the tool's source files changed" in done.stderr
    assert any((folder / "journal").iterdir())
