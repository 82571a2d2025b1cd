"""Learning inside one process of the application: from its start to its end, forks included."""

from __future__ import annotations

import atexit
import os
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knitbone._forks import renew_in_child
from knitbone.adaptation.learning.observations import write_part
from knitbone.adaptation.learning.output_tainting import OutputTainter
from knitbone.adaptation.learning.taint import Scope, rewrite_module, start_watching
from knitbone.adaptation.runtime.hook import tap_streams
from knitbone.adaptation.runtime.instrument.importer import rewrite_modules
from knitbone.common.hooks import Stage, register
from knitbone.common.ownership import is_ours

__all__ = ["start_learning"]

_OURS = os.path.realpath(Path(__file__).parents[2]) + os.sep
"""Folder of this package."""
_SAMPLES = _OURS + "samples" + os.sep
"""Applications in it, which are watched as any other."""
_EVERY_S = 2.0
"""Seconds between two writings while answers come: a process may be killed (ours)."""


class OwnFiles(Scope):
    """The application's own files, as the launcher decides it.

    Args:
        wants: name of a module and real path of its file -> whether it belongs.
    """

    def __init__(self, wants: Callable[[str, str], bool]) -> None:
        super().__init__(())
        self._wants = wants

    def _decide(self, filename: str) -> bool:
        """Return whether a file is the application's."""
        if filename.startswith("<"):
            return False
        path = os.path.realpath(filename)
        # What is ours does to an output what it does to every output.
        return not is_ours(path) and self._wants("", path)


class LearningSession:
    """The learning of this process, and where it is written.

    Args:
        folder: of the parts of all processes.
        scope: the application's own files.
    """

    def __init__(self, folder: Path, scope: Scope) -> None:
        self._folder = folder
        self._name = uuid.uuid4().hex
        self._due = 0.0
        self.capture = OutputTainter(scope, self._write_now_and_then)
        register(Stage.CAPTURE, self.capture.hook)

    def write(self) -> None:
        """Write what is known so far; an error is told, not raised."""
        try:
            write_part(self.capture.trees, self._folder, self._name)
        except Exception as error:  # noqa: BLE001 - the program goes on, or is at its end
            if self._folder.is_dir():
                sys.stderr.write(f"knitbone: what process {os.getpid()} saw is lost: {error!r}\n")

    def _write_now_and_then(self) -> None:
        """Write at intervals while answers come."""
        # Before an answer is used: what is written then is about those before it.
        now = time.monotonic()
        if now >= self._due:
            self._due = now + _EVERY_S
            self.write()

    def forked(self) -> None:
        """Begin anew in the child of a fork."""
        self.capture.forget()
        self._name = uuid.uuid4().hex
        self._due = 0.0
        util: Any = sys.modules.get("multiprocessing.util")
        if util is not None:
            # Its children end without ``atexit``, but run their own finalizers.
            util.register_after_fork(self, LearningSession.finalized)

    def finalized(self) -> None:
        """Write at the end of a process that ``multiprocessing`` has forked."""
        util: Any = sys.modules["multiprocessing.util"]
        util.Finalize(None, self.write, exitpriority=-1_000)


def start_learning(folder: str, wants: Callable[[str, str], bool]) -> None:
    """Learn in this process, until it ends.

    Args:
        folder: where the parts of all processes are written.
        wants: name of a module and real path of its file -> whether it is the application's.
    """
    scope = OwnFiles(wants)
    start_watching(scope)
    rewrite_modules(rewrite_module)
    session = LearningSession(Path(folder), scope)
    tap_streams(session.capture.stream)
    atexit.register(session.write)
    renew_in_child(session.forked)
