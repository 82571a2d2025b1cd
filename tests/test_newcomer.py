"""What README, the tutorial and the recipes print works as printed: their files are written to an
empty folder, their commands run there in order, and each line shown below a command is one that it
prints."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorials" / "getting_started.md").read_text(encoding="utf-8")
REPAIR = (ROOT / "docs" / "how-to" / "repair.md").read_text(encoding="utf-8")
RECIPES_PAGE = (ROOT / "docs" / "how-to" / "repair_recipes.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "evals").glob("*.md")]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAILING = {"pytest .knitbone/findings": 1}
"""Commands that are said to fail."""


def blocks(page: str, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page) if kind == language]


def commands(page: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines that are shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:].split("  #")[0].strip(), []))
        else:
            found[-1][1].append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder with the commands on the path."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    for name, module in (("knitbone", "knitbone"), ("pytest", "pytest"), ("python", "")):
        started = f"-m {module}" if module else ""
        script = scripts / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {started} "$@"\n')
        script.chmod(0o755)
    return tmp_path


def write_files(folder: Path, page: str) -> None:
    for text in blocks(page, "python"):
        name, code = text.split("\n", 1)
        (folder / name.removeprefix("# ")).write_text(text if code else "", encoding="utf-8")


def run_as_printed(folder: Path, command: str, lines: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "COLUMNS": "110"}
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    printed = done.stdout + done.stderr
    assert done.returncode == FAILING.get(command, 0), f"{command}\n{printed}"
    assert "Traceback" not in done.stderr, command
    for line in lines:
        assert line.rstrip() in printed, f"{command} does not print {line!r} but\n{printed}"


@pytest.mark.parametrize("page", [README, TUTORIAL], ids=["readme", "tutorial"])
def test_each_command_works_as_printed(folder: Path, page: str) -> None:
    write_files(folder, page)
    shown = commands(page)
    assert len(shown) > 6, "it shows what to do"
    for command, lines in shown:
        run_as_printed(folder, command, lines)
    for written in ("report.html", "diagnosis.html"):
        assert (folder / written).stat().st_size > 1_000


def test_the_commands_of_the_repair_page_work_as_printed(folder: Path) -> None:
    write_files(folder, REPAIR)
    shown = commands(REPAIR)
    assert len(shown) > 2, "it shows what to do"
    for command, lines in shown:
        run_as_printed(folder, command, lines)


RECIPES = re.split(r"^## ", RECIPES_PAGE, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("recipe", RECIPES, ids=[one.split("\n", 1)[0] for one in RECIPES])
def test_each_recipe_works_as_printed(folder: Path, recipe: str) -> None:
    """A recipe whose library is not installed is skipped."""
    (code,) = blocks(recipe, "python")
    for node in ast.walk(ast.parse(code)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in {name.partition(".")[0] for name in names}:
            if importlib.util.find_spec(name) is None:
                pytest.skip(f"{name} is not installed")
    write_files(folder, recipe)
    shown = commands(recipe)
    assert shown
    assert all(lines for _, lines in shown), "it shows what comes out"
    for command, lines in shown:
        run_as_printed(folder, command, lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if path.startswith("https://"):
            continue
        found = page.parent / path if path else page
        assert found.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading in slugs, target


def test_the_reference_is_that_of_the_code() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        written = (generate.FOLDER / name).read_text(encoding="utf-8")
        assert written == page(), f"python docs/generate.py writes {name} anew"
