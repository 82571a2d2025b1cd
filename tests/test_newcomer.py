"""What README prints works as printed: its files are written to an empty folder, its commands run
there in their order, and each line shown below a command is one that the command prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAILING = {"pytest .knitbone/findings": 1}
"""Commands of which README says that they fail."""


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(README) if kind == language]


def commands() -> list[tuple[str, list[str]]]:
    """Each command with the lines that are shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:].split("  #")[0].strip(), []))
        else:
            found[-1][1].append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder with README's files, and its commands on the path."""
    for text in blocks("python"):
        name, code = text.split("\n", 1)
        (tmp_path / name.removeprefix("# ")).write_text(text if code else "", encoding="utf-8")
    scripts = tmp_path / "bin"
    scripts.mkdir()
    for name, module in (("knitbone", "knitbone"), ("pytest", "pytest"), ("python", "")):
        started = f"-m {module}" if module else ""
        script = scripts / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {started} "$@"\n')
        script.chmod(0o755)
    return tmp_path


def test_each_command_of_readme_works_as_printed(folder: Path) -> None:
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "COLUMNS": "110"}
    environment.pop("FORCE_COLOR", None)
    shown = commands()
    assert len(shown) > 12, "README shows what to do"
    for command, lines in shown:
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        printed = done.stdout + done.stderr
        assert done.returncode == FAILING.get(command, 0), f"{command}\n{printed}"
        assert "Traceback" not in done.stderr, command
        for line in lines:
            assert line.rstrip() in printed, f"{command} does not print {line!r} but\n{printed}"
    for page in ("report.html", "diagnosis.html"):
        assert (folder / page).stat().st_size > 1_000


def test_links_of_readme_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    for target in targets:
        path, _, heading = target.partition("#")
        if path.startswith("https://"):
            continue
        assert (ROOT / path).exists(), target
        if heading:
            titles = re.findall(
                r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE
            )
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading in slugs, target
