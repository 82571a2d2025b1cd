"""The patched tool beside the original: a folder of links with the one changed file in place.

What is imported from the folder is the package as it is, with other words in one file; nothing of
the user's is touched. ``--check`` fuzzes that.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from knitbone.fuzzing.fixing.patches import ChangedFile

__all__ = ["PatchedTarget", "patched_target", "unchanged"]


class PatchedTarget(NamedTuple):
    """How the patched tool is named, and the folder that takes the place of its package."""

    target: str
    folder: Path | None


def unchanged(target: str) -> PatchedTarget:
    """A tool as it is."""
    return PatchedTarget(target, None)


@contextlib.contextmanager
def patched_target(target: str, changed: ChangedFile) -> Generator[PatchedTarget]:
    """The same tool with the changed documentation, as long as this lasts."""
    path = changed.source.path
    with tempfile.TemporaryDirectory(prefix="knitbone-fix-") as made:
        folder = Path(made).resolve()
        root = _import_root(target, path)
        _link_all(root, folder, path.relative_to(root), changed.content)
        place, colon, name = target.partition(":")
        if place.endswith(".py") and Path(place).resolve().is_relative_to(root):
            place = str(folder / Path(place).resolve().relative_to(root))
        yield PatchedTarget(f"{place}{colon}{name}", folder)


def _import_root(target: str, path: Path) -> Path:
    """The folder from which the file's package is imported."""
    head = target.partition(":")[0]
    if head.endswith(".py") and path == Path(head).resolve():
        return path.parent
    on_path = [Path(entry or ".").resolve() for entry in ("", *sys.path)]
    holding = [root for root in on_path if path.is_relative_to(root)]
    # The deepest entry that holds it is the one it is found by, unless that is inside a package.
    outside = [root for root in holding if not (root / "__init__.py").exists()]
    if outside:
        return max(outside, key=lambda root: len(root.parts))
    folder = path.parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _link_all(root: Path, folder: Path, changed: Path, content: bytes) -> None:
    """Links to what is beside the file, folder by folder down to it, and the file itself."""
    here, there = root, folder
    for number, part in enumerate(changed.parts):
        # Of the outermost folder only the one package is needed, or the neighbours of a module.
        if number or len(changed.parts) == 1:
            for entry in os.scandir(here):
                if entry.name not in (part, "__pycache__"):
                    (there / entry.name).symlink_to(entry.path)
        here, there = here / part, there / part
        if number < len(changed.parts) - 1:
            there.mkdir()
    there.write_bytes(content)
