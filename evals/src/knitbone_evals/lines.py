"""Files of JSON lines. What is long and kept is compressed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

__all__ = ["are_kept", "keep", "lines_of"]


def are_kept(path: Path) -> bool:
    """Whether ``lines_of`` has a file to read."""
    return path.exists() or Path(f"{path}.gz").exists()


def lines_of(path: Path) -> list[str]:
    """The lines of a file: of ``path`` with ``.gz`` behind it, where that is there, and then of
    ``path`` itself, where a run goes on."""
    kept = Path(f"{path}.gz")
    lines: list[str] = []
    if kept.exists():
        lines += gzip.decompress(kept.read_bytes()).decode("utf-8").split("\n")
    if path.exists():
        lines += path.read_text(encoding="utf-8").split("\n")
    # Not splitlines(), which parts lines at characters that JSON leaves as they are.
    return [line for line in lines if line]


def keep(path: Path, lines: Iterable[str]) -> None:
    """Write lines to ``path`` with ``.gz`` behind it, the same bytes for the same lines."""
    text = "".join(f"{line}\n" for line in lines)
    Path(f"{path}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
