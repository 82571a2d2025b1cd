"""Which files of ours one answer touches: ``python -m knitbone_evals.adapt.touched
[--conforming]``.

A list of three lines, of which the first has another delimiter than the code reads, goes through
adapt, and a profiler notes each call of a function of ours. Printed are the files in the order of
their first touch, how often each is entered, and by what. Library calls between are passed over.
The first answers are not counted: they load and compile.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import knitbone
from knitbone_evals.modules import load_module

ROOT = f"{Path(knitbone.__file__).parent}/"
CONFORMING = "1. buy milk\n2. boil it\n3. drink it"
DRIFTED = CONFORMING.replace("1.", "1)")
TASKS = ["buy milk", "boil it", "drink it"]
WARM = 20
APP = """
import knitbone


@knitbone.source
def ask(prompt):
    return ANSWER


@knitbone.adapt
def plan(goal):
    answer = ask(f"A numbered list, one task per line, for: {goal}")
    tasks = []
    for line in answer.split("\\n"):
        number, dot, text = line.partition(".")
        if dot and number.strip().isdigit():
            tasks.append(text.strip())
    return tasks
"""


class Touch(NamedTuple):
    """The first call into a file."""

    file: str
    function: str
    caller: str


class Walk:
    """The calls of our functions, in their order, while it is entered."""

    def __init__(self) -> None:
        self.touches: dict[str, Touch] = {}
        self.entered: dict[str, int] = {}
        self.functions: set[tuple[str, str, int]] = set()
        self._last = ""

    def __enter__(self) -> Walk:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    @property
    def returns(self) -> int:
        """How often the walk comes back to a file that it had left."""
        return sum(self.entered.values()) - len(self.entered)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(ROOT):
            return
        file = code.co_filename.removeprefix(ROOT)
        self.functions.add((file, code.co_name, code.co_firstlineno))
        if file not in self.touches:
            self.touches[file] = Touch(file, code.co_name, _caller(frame))
        if file != self._last:
            self.entered[file] = self.entered.get(file, 0) + 1
            self._last = file


def _caller(frame: FrameType) -> str:
    """The function of ours that waits for a frame; empty for the application."""
    outer = frame.f_back
    while outer is not None:
        code = outer.f_code
        if code.co_filename.startswith(ROOT):
            return f"{code.co_filename.removeprefix(ROOT)}:{code.co_name}"
        outer = outer.f_back
    return ""


def walk_of(answer: str) -> Walk:
    """Send an answer through adapt, and return what it touched."""
    with tempfile.TemporaryDirectory() as folder:
        plan = _plan(Path(folder), answer)
        for _ in range(WARM):
            plan("tea")
        with Walk() as walk:
            tasks = plan("tea")
    if tasks != TASKS:
        raise SystemExit(f"{tasks} came out: the figures are void.")
    return walk


def _plan(folder: Path, answer: str) -> Callable[[str], list[str]]:
    path = folder / "three_lines.py"
    path.write_text(APP, encoding="utf-8")
    return load_module(path, ANSWER=answer).plan


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conforming", action="store_true", help="an answer that needs no repair")
    walk = walk_of(CONFORMING if parser.parse_args().conforming else DRIFTED)
    for touch in walk.touches.values():
        print(f"{walk.entered[touch.file]:4} {touch.file}: {touch.function} <- {touch.caller}")
    print(
        f"{len(walk.touches)} files, {len(walk.functions)} functions, "
        f"{walk.returns} returns to a file that had been left"
    )


if __name__ == "__main__":
    main()
