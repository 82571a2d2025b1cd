"""What a call did beyond its result: what the sandbox refused it, and what it left behind.

An attempt that the arguments name (the path to write to, the host to ask) is what the tool was told
to do: it is reported, and no finding. One that the tool chose itself is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

from knitbone.fuzzing.records import Attempt, CallOutcome, FindingKind, StackFrame
from knitbone.record.events import Json

__all__ = ["describe_attempt", "effect_of"]

_SHORT = 3
"""A text shorter than this names a path or host only where it is the whole of it."""
_WORDS = {
    "write": "tried to write to {}, outside its directory",
    "delete": "tried to delete {}, outside its directory",
    "connect": "tried to reach {0}; --allow-host {0} allows it",
    "signal": "tried to signal another process",
    "program": "tried to start another program",
    "home": "deleted or changed {} in the user's home folder",
}


def effect_of(
    outcome: CallOutcome, arguments: dict[str, Json]
) -> tuple[FindingKind, StackFrame | None, str] | None:
    """The finding in a call's effects, or ``None``: its kind, the tool's line, and words."""
    if outcome.leaked:
        return "processes", None, "left processes running behind"
    if outcome.leaked_threads:
        return "threads", None, "leaves threads running with every such call"
    if outcome.leaked_files:
        return "files", None, "leaves files or sockets open with every such call"
    texts = list(_texts(arguments))
    for attempt in outcome.attempts:
        # Where no Landlock holds them, all programs are refused: that says nothing of the tool.
        if attempt.action != "program" and not _is_named(attempt, texts):
            kind = "network" if attempt.action == "connect" else "outside"
            return kind, attempt.frame, describe_attempt(attempt)
    return None


def describe_attempt(attempt: Attempt) -> str:
    """An attempt in words, for a report."""
    return _WORDS[attempt.action].format(attempt.object)


def _is_named(attempt: Attempt, texts: list[str]) -> bool:
    """Whether the arguments say what was attempted."""
    wanted = attempt.object.lower()
    if attempt.action == "home":
        return any("~" in text or wanted in text or "home" in text.lower() for text in texts)
    name = os.path.basename(wanted)  # noqa: PTH119 - the path may be of any kind
    for text in texts:
        given = text.strip().lower()
        if given == wanted or (len(given) >= _SHORT and (given in wanted or wanted in given)):
            return True
        if len(name) >= _SHORT and name in given:
            return True
    return False


def _texts(value: Any) -> Iterator[str]:
    queue: list[Any] = [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            queue.extend(cast("dict[str, Any]", item).values())
        elif isinstance(item, list):
            queue.extend(cast("list[Any]", item))
