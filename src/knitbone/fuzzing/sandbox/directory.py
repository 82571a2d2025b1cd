"""The private directories that a tool works in, put back to their first state between calls."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

__all__ = ["PREFIX", "Workplace", "remove_tree"]

PREFIX = "knitbone-"

FIXTURE: dict[str, bytes] = {
    "notes.txt": b"Call Ann on Monday.\nOrder 12 chairs.\n",
    "empty.txt": b"",
    "data.csv": b"name,age,city\nAnn,34,Oslo\nBo,,Lima\n",
    "data.json": b'{"name": "Ann", "tags": ["a", "b"], "age": 34}\n',
    "latin.txt": b"caf\xe9 cr\xe8me\n",
    "folder/inner.txt": b"inside\n",
    "folder/deep/last.md": b"# Title\n\ntext\n",
}
"""What the directory holds when the user names no folder of her own: a tool that reads files needs
some to read, one of them empty, one not in UTF-8."""

HOME: dict[str, bytes] = {
    "letter.txt": b"Dear Ann,\nthe chairs have come.\n",
    ".profile": b"# read by the shell\n",
}
"""What stands in for the user's own files: a tool that deletes or changes these, which it did not
make and was not told of, would have done so to hers."""

_Status = tuple[int, int, int, int, int]
_Snapshot = dict[str, _Status]
_UNSEEN: _Status = (0, 0, 0, 0, 0)


class Workplace:
    """A temporary directory with folders for the tool: where it works, and a stand-in for the
    user's home. The pristine copies lie beside them."""

    def __init__(self, parent: str, files: str | None) -> None:
        self.base = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self.room = str(Path(self.base, "room"))
        """The folder that holds what a tool may write to, and nothing else."""
        self.work, self.home = str(Path(self.room, "work")), str(Path(self.room, "home"))
        pristine = Path(self.base, "pristine")
        try:
            self._work = _Area(self.work, pristine / "work", FIXTURE if files is None else files)
            self._home = _Area(self.home, pristine / "home", HOME)
        except BaseException:
            self.remove()
            raise
        self.size = _size(self._work.snapshot)

    def told(self) -> dict[str, str]:
        """What the processes inside must know of it."""
        return {"room": self.room, "work": self.work, "home": self.home}

    def paths(self) -> list[str]:
        """Relative paths of the files and folders to work with, sorted."""
        return sorted(name for name in self._work.snapshot if name != ".")

    def used_bytes(self) -> int:
        """Size of all files of now."""
        return _size(_look(self.work)) + _size(_look(self.home))

    def reset(self) -> list[str]:
        """Put everything back to its first state; the files of the home that were touched."""
        self._work.reset()
        return sorted(self._home.reset() & HOME.keys())

    def remove(self) -> None:
        """Delete everything, however a tool may have arranged it."""
        remove_tree(Path(self.base))


class _Area:
    """One folder and its pristine copy.

    Args:
        pristine: where the copy lies.
        content: files by name, or the folder to copy.
    """

    def __init__(self, root: str, pristine: Path, content: dict[str, bytes] | str) -> None:
        self._root, self._pristine = root, str(pristine)
        if isinstance(content, str):
            shutil.copytree(content, self._pristine, symlinks=True)
        else:
            for name, data in content.items():
                path = Path(self._pristine, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        shutil.copytree(self._pristine, root, symlinks=True)
        self._remember()

    def reset(self) -> set[str]:
        """Put the folder back to its first state; the top-level names that had changed."""
        if self._is_unchanged():
            return set()
        changed = _changed(_look(self._root), self.snapshot)
        for name in sorted(changed):
            path, source = Path(self._root, name), Path(self._pristine, name)
            remove_tree(path)
            if source.is_dir() and not source.is_symlink():
                shutil.copytree(source, path, symlinks=True)
            elif source.is_symlink() or source.exists():
                shutil.copy2(source, path, follow_symlinks=False)
        Path(self._root).chmod(0o700)
        self._remember()
        return changed

    def _is_unchanged(self) -> bool:
        """Whether every known entry is as it was: a new one shows in its folder's times."""
        try:
            return all(_status(os.lstat(path)) == status for path, status in self._known)
        except OSError:
            return False

    def _remember(self) -> None:
        self.snapshot = _look(self._root)
        self._known = [(str(Path(self._root, name)), s) for name, s in self.snapshot.items()]


def _changed(now: _Snapshot, before: _Snapshot) -> set[str]:
    """Top-level names below which anything differs."""
    names = {name for name in now.keys() | before.keys() if now.get(name) != before.get(name)}
    # A folder's own times change with its entries; those are looked at themselves.
    return {name.split(os.sep, 1)[0] for name in names if name != "."}


def _look(root: str) -> _Snapshot:
    """Every entry with what tells a change: a change time cannot be set back by a program."""
    found: _Snapshot = {}
    status = os.stat(root)  # noqa: PTH116 - the hot path: pathlib doubles its cost
    found["."] = (status.st_mode, 0, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    queue = [(root, "")]
    while queue:
        folder, prefix = queue.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue  # closed by the tool: its own status shows the change
        for entry in entries:
            name = prefix + entry.name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                found[name] = _UNSEEN  # gone again, or deeper than a path can say
                continue
            found[name] = _status(status)
            if stat.S_ISDIR(status.st_mode):
                queue.append((entry.path, name + os.sep))
    return found


def _status(status: os.stat_result) -> _Status:
    return (
        status.st_mode,
        status.st_size if not stat.S_ISDIR(status.st_mode) else 0,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
    )


def _size(snapshot: _Snapshot) -> int:
    return sum(status[1] for status in snapshot.values())


def remove_tree(path: Path) -> None:
    """Delete a file or folder, however deeply nested and whatever its permissions."""
    if not path.is_symlink() and path.is_dir():
        with contextlib.suppress(RecursionError):
            shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            # Folders without permissions, or nested too deeply for Python's own removal.
            _open_up(path)
            subprocess.run(["rm", "-rf", "--", str(path)], check=False, stderr=subprocess.DEVNULL)
    else:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()


def _open_up(path: Path) -> None:
    queue = [str(path)]
    while queue:
        folder = queue.pop()
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)  # noqa: PTH101 - paths may be too many for objects
            queue.extend(
                entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)
            )
