"""The private directory that a tool works in, put back to its first state between calls."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

__all__ = ["FIXTURE", "PREFIX", "Workplace"]

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

_Snapshot = dict[str, tuple[int, int, int, int, int]]


class Workplace:
    """A temporary directory with a ``work`` folder for the tool and the pristine copy beside it."""

    def __init__(self, parent: str, files: str | None) -> None:
        self.base = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self.work = str(Path(self.base, "work"))
        self._pristine = str(Path(self.base, "pristine"))
        try:
            if files is None:
                for name, content in FIXTURE.items():
                    path = Path(self._pristine, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
            else:
                shutil.copytree(files, self._pristine, symlinks=True)
            shutil.copytree(self._pristine, self.work, symlinks=True)
        except BaseException:
            self.remove()
            raise
        self._snapshot = _look(self.work)
        self.size = _size(self._snapshot)

    def paths(self) -> list[str]:
        """Relative paths of the files and folders, sorted."""
        return sorted(name for name in self._snapshot if name != ".")

    def used_bytes(self) -> int:
        """Size of all files of now."""
        return _size(_look(self.work))

    def reset(self) -> bool:
        """Put the directory back to its first state; whether anything had changed."""
        now = _look(self.work)
        if now == self._snapshot:
            return False
        for name in sorted({*_changed(now, self._snapshot)}):
            _remove(Path(self.work, name))
            source = Path(self._pristine, name)
            if source.is_dir() and not source.is_symlink():
                shutil.copytree(source, Path(self.work, name), symlinks=True)
            elif source.is_symlink() or source.exists():
                shutil.copy2(source, Path(self.work, name), follow_symlinks=False)
        Path(self.work).chmod(0o700)
        self._snapshot = _look(self.work)
        return True

    def remove(self) -> None:
        """Delete everything, however a tool may have arranged it."""
        _remove(Path(self.base))


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
            status = entry.stat(follow_symlinks=False)
            name = prefix + entry.name
            found[name] = (
                status.st_mode,
                status.st_size if not stat.S_ISDIR(status.st_mode) else 0,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_ino,
            )
            if stat.S_ISDIR(status.st_mode):
                queue.append((entry.path, name + os.sep))
    return found


def _size(snapshot: _Snapshot) -> int:
    return sum(status[1] for status in snapshot.values())


def _remove(path: Path) -> None:
    if not path.is_symlink() and path.is_dir():
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
