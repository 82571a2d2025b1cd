"""Findings as tests: they run, fail while the tool fails, pass once it does not, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.records import Campaign, Estimate, Finding, StackFrame, ToolUnderTest
from knitbone.fuzzing.reproducers import ReplaySetting, literal, pytest_source, save_tests

FAULTY = "def halve(text: str) -> float:\n    return 60 / len(text)\n"
SOUND = "def halve(text: str) -> float:\n    return 60 / (len(text) or 1)\n"
CONFIG = FuzzConfig(call_timeout_s=2.0)


def run_pytest(folder: Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder.parent,
        env={**os.environ, "TMPDIR": str(temporary)},
    )


def test_the_written_test_fails_until_the_tool_is_mended(private: Path, tmp_path: Path) -> None:
    tool = tmp_path / "halving.py"
    tool.write_text(FAULTY)
    campaign = fuzz(f"{tool}:halve", calls=30, seed=1, config=CONFIG)
    (path,) = save_tests(campaign, tmp_path / "tests", ReplaySetting(config=CONFIG))
    assert path.name == f"test_halve_{campaign.findings[0].id}.py"
    failed = run_pytest(path.parent, private)
    assert failed.returncode == 1, failed.stdout
    assert "raised ZeroDivisionError: division by zero at" in failed.stdout
    tool.write_text(SOUND)
    passed = run_pytest(path.parent, private)
    assert passed.returncode == 0, passed.stdout


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("faulty.py:halve", "tests/deep/er"),
        ("faulty.py:halve", "../elsewhere"),
        ("package.faulty:halve", "."),
    ],
)
def test_a_written_test_runs_from_any_folder(
    target: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "package").mkdir(parents=True)
    (home / "package" / "__init__.py").touch()
    tools = [home / "faulty.py", home / "package" / "faulty.py"]
    for tool in tools:
        tool.write_text(FAULTY)
    monkeypatch.chdir(home)
    monkeypatch.syspath_prepend(str(home))
    campaign = fuzz(target, calls=30, seed=1, config=CONFIG)
    (path,) = save_tests(campaign, Path(place), ReplaySetting(config=CONFIG))
    path = path.resolve()
    failed = run_pytest_on(path, tmp_path)
    assert "raised ZeroDivisionError: division by zero at" in failed.stdout
    for tool in tools:
        tool.write_text(SOUND)
    assert run_pytest_on(path, path.parent).returncode == 0


def run_pytest_on(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip


HOSTILE = "x\"\"\"\n'''\u2028\r\nimport os; os.abort()  # \x1b[2J \udc80"


def campaign_of(finding: Finding, name: str = "tool") -> Campaign:
    return Campaign(
        tool=ToolUnderTest(name=name, target=f"m:{name}", documentation="", schema={}),
        seed=1, calls=1, findings=(finding,), rejected=0, denied=0, minimisation_calls=0,
        chao1=Estimate(value=1, low=1, high=1),
    )  # fmt: skip


def test_what_a_tool_says_cannot_become_code() -> None:
    frame = StackFrame(file=f"/a/{HOSTILE}.py", line=3, source=HOSTILE)
    finding = Finding(
        id="0123456789", kind="raised", exception=HOSTILE, frame=frame, message=HOSTILE,
        arguments={HOSTILE: [HOSTILE, {HOSTILE: float("inf")}]}, call=1,
    )  # fmt: skip
    setting = ReplaySetting(
        files=HOSTILE, allow_hosts=(HOSTILE,), config=FuzzConfig(call_timeout_s=1)
    )
    source = pytest_source(campaign_of(finding, name=HOSTILE), finding, setting)
    calls = []
    module = {"replay": lambda *args, **kwargs: calls.append((args, kwargs)), "os": None}
    body = source.replace("from knitbone.fuzzing import replay\n", "")
    exec(compile(body, "reproducer", "exec"), module)
    (test,) = [value for name, value in module.items() if name.startswith("test_")]
    with pytest.raises(AttributeError, match="failure"):
        test()
    ((target, arguments), options) = calls[0]
    assert (target, arguments) == (f"m:{HOSTILE}", finding.arguments)
    assert (options["files"], options["allow_hosts"]) == (Path(HOSTILE), [HOSTILE])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON | st.sampled_from(["a" * 300, '"' * 25, "\\'\"", "\\" * 21]))
def test_a_literal_is_the_value(value: object) -> None:
    text = literal(value)
    assert text.isascii()
    assert "\n" not in text
    assert eval(text, {}) == value
