"""A folder held against the tree that is expected: names, places, contents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from knitbone_evals.agent_tasks.files.effects import Tree
from knitbone_evals.agent_tasks.records import Verdict

__all__ = ["differences", "judge", "read_folder"]

_SHOWN = 5
_NO_TEXT = "\0not a readable file of UTF-8 text"


def judge(folder: Path, initial: Tree, expected: Tree) -> Verdict:
    """Whether the folder holds what is expected, and nothing else.

    Blank space at the end of a file counts in the files that had to stay as they were, not in those
    that the task changes: requests do not say whether a last line ends with a newline. A folder
    without files counts where it was not there before.
    """
    found = read_folder(folder)
    wrong = differences(found, initial, expected)
    known = {parent for path in (*initial, *expected) for parent in Path(path).parents}
    wrong += [f"new folder without files: {path}" for path in _empty(folder) if path not in known]
    return Verdict(not wrong, "\n".join(wrong[:_SHOWN]))


def read_folder(folder: Path) -> dict[str, str]:
    """Path -> text of everything in a folder that is no folder."""
    return {
        # Names that are no UTF-8 can be told, too.
        path.relative_to(folder).as_posix().encode("utf-8", "backslashreplace").decode(): _text(
            path
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def differences(found: Tree, initial: Tree, expected: Tree) -> list[str]:
    """What is other than expected, a line each."""
    wrong: list[str] = []
    for path in sorted(found.keys() | expected.keys()):
        if path not in found:
            wrong.append(f"missing: {path}")
        elif path not in expected:
            wrong.append(f"should not be there: {path}")
        elif not _same(found[path], expected[path], strict=initial.get(path) == expected[path]):
            wrong.append(f"wrong contents: {path}")
    return wrong


def _same(found: str, expected: str, *, strict: bool) -> bool:
    return found == expected if strict else found.rstrip() == expected.rstrip()


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return _NO_TEXT
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, ValueError):
        return _NO_TEXT


def _empty(folder: Path) -> Iterable[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            yield path.relative_to(folder)
