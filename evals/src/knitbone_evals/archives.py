"""Corpora of Python programs that nobody edits, kept as one archive each.

Python imports from a zip file that stands on a path. To read one, unpack it; to change it, pack the
folder again:

    python -m zipfile -e FILE.zip FOLDER
    python -m knitbone_evals.archives FOLDER FILE.zip
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

__all__ = ["pack"]


def pack(folder: Path, archive: Path) -> None:
    """Pack all ``.py`` files below a folder; the same files give the same bytes."""
    files = sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as into:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())  # dated 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            into.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    pack(*map(Path, sys.argv[1:3]))
