"""LangChain's terminal, confined to a folder.

Its documentation is that of ``ShellTool``; the process behind it is ours. As there, each call is a
shell of its own: no folder or variable is kept between calls.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from langchain_community.tools.shell.tool import ShellTool

import knitbone.fuzzing.sandbox.landlock as landlock_module
from knitbone_evals.agent_tasks.tools import confined_shell
from knitbone_evals.agent_tasks.tools.tool import Tool, langchain_tool

__all__ = ["Terminal", "terminal_kit"]

_TIMEOUT_S = 20.0
_SHOWN = 8_000
"""Characters of an output that are told."""


class Terminal:
    """Runs commands in a folder.

    Args:
        folder: where they run, and all that they may change beside ``scratch``.
        scratch: home folder and place of temporary files.
        confined: the kernel enforces that (Landlock). Without it a command may write wherever
            this process may: for commands that are known.
    """

    def __init__(self, folder: Path, scratch: Path, *, confined: bool = True) -> None:
        self._folder, self._scratch, self._confined = folder, scratch, confined

    def run(self, commands: str | Sequence[str]) -> str:
        """What the commands print, errors included.

        Raises:
            RuntimeError: the kernel cannot confine them.
        """
        text = commands if isinstance(commands, str) else ";".join(commands)
        # Into a file, whose size the shell's limits bound: a pipe would be read without end.
        with tempfile.TemporaryFile() as output:
            ended = self._start(text, output)
            if ended == confined_shell.NOT_CONFINED and self._confined:
                raise RuntimeError(
                    "This kernel has no Landlock, so commands would not be kept in their folder. "
                    "Open the environment with confined=False where the commands are known."
                )
            output.seek(0)
            told = output.read(_SHOWN).decode("utf-8", "replace")
        return told if ended is not None else f"{told}Error: not done after {_TIMEOUT_S:g} s.\n"

    def _start(self, text: str, output: BinaryIO) -> int | None:
        """Run to the end; the exit status, or nothing where it was stopped."""
        walls = str(landlock_module.__file__) if self._confined else ""
        shell = [sys.executable, "-I", "-S", confined_shell.__file__, walls]
        process = subprocess.Popen(
            [*shell, str(self._folder), str(self._scratch), "--", text],
            cwd=self._folder,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "HOME": str(self._scratch),
                "TMPDIR": str(self._scratch),
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def terminal_kit(terminal: Terminal) -> tuple[Tool, ...]:
    """The one tool of this kit."""
    return (langchain_tool(ShellTool(process=terminal), "terminal", terminal.run),)
