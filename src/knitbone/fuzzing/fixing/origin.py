"""Whether a value is the tool's own, or came from where it ran.

A tool that lists a folder, a table of a database or the rows of a file tells names that exist here
and now. Only what its own source says may stand in its documentation. Of a server whose source is
out of reach nothing can be told apart; its overlay is for this server alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from knitbone.fuzzing.fixing.records import Constraint
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["is_of_source"]

_MOST_FILES = 2_000
_LARGEST = 2_000_000
_KINDS = frozenset({"values", "prefix", "suffix"})


def is_of_source(constraint: Constraint, tool: ToolUnderTest) -> bool:
    """Whether every text that a constraint lists stands in the tool's own source, in quotation
    marks or as a name (a dictionary or an enumeration may be made by keyword)."""
    if constraint.kind not in _KINDS or tool.framework == "mcp":
        return True
    listed: Any = constraint.value
    items: list[Any] = cast("list[Any]", listed) if isinstance(listed, list) else []
    wanted: set[str] = {item for item in items if isinstance(item, str) and item}
    for path in _files(tool.roots):
        if not wanted:
            break
        try:
            if path.stat().st_size > _LARGEST:
                continue
            content = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        wanted = {text for text in wanted if not _holds(content, text)}
    return not wanted


def _holds(content: str, text: str) -> bool:
    return any(f"{mark}{text}{mark}" in content for mark in "\"'") or f"{text}=" in content


def _files(roots: tuple[str, ...]) -> Iterator[Path]:
    """The tool's own files, those named outright first."""
    yield from (Path(root) for root in roots if not root.endswith(os.sep))
    count = 0
    for folder in (root for root in roots if root.endswith(os.sep)):
        for place, inner, names in os.walk(folder):
            inner[:] = sorted(n for n in inner if not n.startswith(".") and n != "site-packages")
            for name in sorted(names):
                if name.endswith(".py") and count < _MOST_FILES:
                    count += 1
                    yield Path(place, name)
