"""Standard output and error of a command, whose readers may leave before its end.

``knitbone fuzz ... | head -1`` closes the pipe after a line. Files that the command was asked for
are written all the same; what nobody reads any more is dropped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from knitbone.errors import KnitboneError

__all__ = ["guarded_streams", "is_unread"]


class _GuardedStream:
    """A stream whose reader may leave: what is written afterwards goes nowhere.

    Nothing is raised where it is written: libraries try a stream by writing to it, and take what
    that raises for an answer.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.problem: OSError | None = None
        """Why it is not written any more."""

    def write(self, text: str) -> int:
        return self._guarded(self._stream.write, text) or len(text)

    def flush(self) -> None:
        self._guarded(self._stream.flush)

    def _guarded(self, action: Any, *arguments: Any) -> Any:
        try:
            return action(*arguments)
        except OSError as error:
            self.problem = error
            self._leave()
            return None

    def _leave(self) -> None:
        """What is still held goes nowhere, too; else Python complains of it when it ends."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def is_unread() -> bool:
    """Whether nobody reads standard output any more: what only prints may stop."""
    return isinstance(sys.stdout, _GuardedStream) and sys.stdout.problem is not None


@contextmanager
def guarded_streams() -> Generator[None]:
    """Standard output and error go on where their readers left, or where they were closed.

    Raises:
        KnitboneError: at the end, if not all of standard output could be written for another
            reason than that its reader had left: the disk is full.
        SystemExit: with 141, if its reader had left before the end and nothing else is to be said.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, said = _guard(sys.stdout), _guard(sys.stderr)
    code: Any = 0
    crashed = False
    try:
        yield
    except SystemExit as stop:
        code = stop.code
        raise
    except BaseException:
        crashed = True  # which hides behind nothing that is said of streams
        raise
    finally:
        out.flush()
        said.flush()
        sys.stdout, sys.stderr = before
        unread = isinstance(out.problem, BrokenPipeError)
        if unread and not code and not crashed:
            sys.exit(141)
        if out.problem is not None and not unread and not crashed:
            raise KnitboneError(
                f"Standard output cannot be written: {out.problem.strerror or out.problem}.",
                next_step="Send it elsewhere; files named by options are written.",
            )


def _guard(stream: TextIO | None) -> Any:
    if stream is None:  # closed by whoever started us
        stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
    return _GuardedStream(stream)
