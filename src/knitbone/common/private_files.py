"""Folders and files of ours, which hold what people and models said: nobody but their owner reads
them, and no version control takes them along by accident."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["private_file", "private_folder"]

_OURS = ".knitbone"
"""The folder that is ours alone, whoever made it."""
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600


def private_folder(folder: Path, *, ignored: bool = True) -> None:
    """Make a folder, and those above it, for its owner alone. One that is there stays as it is, but
    for ``.knitbone``, which always has a ``.gitignore``.

    Args:
        ignored: the topmost folder that is made here gets a ``.gitignore``, too.

    Raises:
        OSError: it cannot be made.
    """
    chain = [folder, *folder.parents]
    made: list[Path] = []
    for each in reversed(chain):
        if not each.exists():
            with suppress(FileExistsError):  # another process was faster
                each.mkdir(mode=_FOLDER_MODE)
                made.append(each)
    folder.mkdir(exist_ok=True)  # says what is wrong where a file stands there
    for each in [*(made[:1] if ignored else ()), *(each for each in chain if each.name == _OURS)]:
        with suppress(OSError):  # somebody else's folder, or a read-only one
            _restrict(each, _FOLDER_MODE)
            ignore = each / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")


def private_file(path: Path, *, ignored: bool = True) -> None:
    """Make a file, if it is missing, and its folder, for its owner alone. One in ``.knitbone`` is
    made so; one elsewhere that is there keeps its mode.

    Raises:
        OSError: it cannot be made.
    """
    private_folder(path.parent, ignored=ignored)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE))
    except FileExistsError:
        if any(each.name == _OURS for each in path.parents):
            with suppress(OSError):
                _restrict(path, _FILE_MODE)


def _restrict(path: Path, mode: int) -> None:
    if path.stat().st_mode & 0o077:
        path.chmod(mode)
