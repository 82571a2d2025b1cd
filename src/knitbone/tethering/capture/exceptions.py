"""An exception that ended a run, as attributes of the verdict: what it is and where it was raised.

``exception.type`` and ``exception.message`` are OpenTelemetry's names; ``exception.place`` is
``file:line in function`` of the innermost line of the application's own code, which is where a
person looks first: an error of ``json`` or of an SDK stands in a file that nobody wrote.
"""

from __future__ import annotations

import sys
import sysconfig
import traceback
from pathlib import Path

from knitbone.record.events import Json
from knitbone.record.plain import message_of
from knitbone.record.plain_records import class_of

__all__ = ["exception_attributes"]

_PATHS = sysconfig.get_paths()
_LIBRARIES = tuple(
    str(Path(_PATHS[name])) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_OURS = str(Path(__file__).parents[2])
_LAST = 50
"""Innermost frames that are looked at: a recursion has a thousand alike."""


def exception_attributes(error: BaseException) -> dict[str, Json]:
    """The attributes; without a place where the traceback holds none."""
    found: dict[str, Json] = {"exception.type": class_of(error)}
    if words := message_of(error):
        found["exception.message"] = words
    if place := _place(error):
        found["exception.place"] = place
    return found


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-_LAST)
    own = [frame for frame in frames if _is_application(frame.filename)]
    chosen = (own or list(frames))[-1:]
    return "".join(f"{_shown(f.filename)}:{f.lineno} in {f.name}" for f in chosen)


def _is_application(filename: str) -> bool:
    if filename.startswith(("<", _OURS)):
        return False
    return "site-packages" not in filename and not filename.startswith(_LIBRARIES)


def _shown(filename: str) -> str:
    """Relative to a folder of ``sys.path`` where it is below one: no machine's path."""
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        if filename.startswith(folder.rstrip("/\\") + "/"):
            return filename[len(folder.rstrip("/\\")) + 1 :]
    return Path(filename).name
