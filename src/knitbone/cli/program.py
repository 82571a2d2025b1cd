"""The program that ``knitbone run`` and ``knitbone learn`` start: what its command line runs, which
files are the user's own, and whether its interpreter has knitbone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from knitbone.errors import TargetError

__all__ = ["check_interpreter", "own_units"]

_PYTHON = re.compile(r"^python(\d+(\.\d+)*)?$")
_NOT_OWN = frozenset({"tests", "test", "docs", "doc", "examples", "benchmarks", "build", "dist"})
_NOT_MODULES = re.compile(r"^(setup|conftest|noxfile|tasks|test_.*|.*_test)\.py$")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


class CommandTarget(NamedTuple):
    """The program that a command runs."""

    kind: Literal["script", "module", "code", "input", "other"]
    """``other``: a console script or another program; ``input``: Python reads standard input."""
    name: str = ""
    """Path of the script, or name of the module."""


def read_target(command: Sequence[str]) -> CommandTarget:
    """Read what a command line runs, as Python itself reads its options.

    Raises:
        TargetError: the options keep Python from being instrumented (``-I``, ``-E``, ``-S``).
    """
    if not _PYTHON.match(Path(command[0]).name):
        return CommandTarget("other")
    rest = list(command[1:])
    while rest:
        option = rest.pop(0)
        if option == "-" or not option.startswith("-"):
            return CommandTarget("input") if option == "-" else CommandTarget("script", option)
        if option.startswith("--"):
            if option == "--check-hash-based-pycs" and rest:
                rest.pop(0)
            continue
        for index, letter in enumerate(option[1:], start=2):
            if letter in "IES":
                raise TargetError(
                    f"python -{letter} does not load what knitbone puts in front of the program.",
                    next_step=f"Leave -{letter} away, or use @knitbone.adapt.",
                )
            if letter in "cm":
                value = option[index:] or (rest[0] if rest else "")
                return CommandTarget("code") if letter == "c" else CommandTarget("module", value)
            if letter in "WX":
                if not option[index:] and rest:
                    rest.pop(0)
                break
    return CommandTarget("input")


def own_units(command: Sequence[str], directory: Path) -> list[list[str]]:
    """The user's own files, as lists of folders and files that belong together.

    A script: what lies below its folder. A module of the current folder: its package. Anything
    else (a console script, an installed module): the packages and modules of the current folder
    and of its ``src``. A current folder that is a project counts beside a script's folder too.
    """
    target = read_target(command)
    own = _own_of_folder(directory)
    if target.kind == "script":
        folder = (directory / target.name).resolve()
        folder = folder if folder.is_dir() else folder.parent
        project = any((directory / name).is_file() for name in _PROJECT_FILES)
        covered = directory.resolve().is_relative_to(folder)
        return [[str(folder)], *([own] if own and project and not covered else [])]
    if target.kind == "module":
        top = target.name.partition(".")[0]
        for candidate in (directory / top, directory / f"{top}.py"):
            if candidate.exists():
                return [[str(candidate.resolve())], *([own] if own else [])]
    # ``coverage run app.py``, ``uv run python app.py``: a script stands among the arguments.
    scripts = [
        (directory / word).resolve()
        for word in command[1:]
        if target.kind in ("other", "module") and word.endswith(".py")
    ]
    found = [[str(script.parent)] for script in scripts if script.is_file() and _is_app(script)]
    return [*found, *([own] if own else [])]


def check_interpreter(command: Sequence[str]) -> None:
    """Make sure that the Python named by a command has knitbone.

    Raises:
        TargetError: there is no such program, or its Python lacks knitbone.
    """
    found = shutil.which(command[0])
    if found is None:
        script = command[0].endswith(".py") and Path(command[0]).is_file()
        raise TargetError(
            f"There is no program {command[0]!r}{': it is a script' if script else ''}.",
            next_step=f"Name its Python: knitbone run -- {sys.executable} {command[0]}"
            if script
            else f"For Python, this one has knitbone: {sys.executable}",
        )
    found = os.path.abspath(found)  # noqa: PTH100 - resolving would leave the environment
    other = _PYTHON.match(Path(command[0]).name) and Path(found) != Path(sys.executable)
    if not other:
        return
    probe = [found, "-c", "import knitbone.adaptation.runtime.instrument.launch"]
    done = subprocess.run(probe, capture_output=True, check=False, cwd=os.sep)
    if done.returncode:
        raise TargetError(
            f"{found} does not have knitbone, so nothing would be adapted.",
            next_step=f"Install it there, or run the program with {sys.executable}",
        )


def _own_of_folder(directory: Path) -> list[str]:
    """The packages and modules of a folder and of its ``src``."""
    found: list[str] = []
    for folder in (directory.resolve(), directory.resolve() / "src"):
        if not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            package = path.name not in _NOT_OWN and (path / "__init__.py").is_file()
            if package or (_is_app(path) and path.is_file()):
                found.append(str(path))
    return found


def _is_app(path: Path) -> bool:
    return path.suffix == ".py" and not _NOT_MODULES.match(path.name)
