"""What a failure is about: the value that was looked up, and the arguments that may be to blame."""

from __future__ import annotations

import re
from typing import Any

from knitbone.fuzzing.classification.promises import leaves
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.record.events import Json

__all__ = ["SIZES", "Failure", "is_raised_on_purpose"]

SIZES = frozenset({"AssertionError", "BufferError", "MemoryError", "OverflowError"})
"""Errors of a size that is too large."""
_RAISE = re.compile(r"\s*(?:raise|sys\.exit|exit)\b")
_KEY = re.compile(r"\A['\"](.{0,200})['\"]\Z", re.DOTALL)
_ENTRANCES = frozenset({"_run", "_arun", "run", "forward", "call", "__call__", "invoke", "func"})
"""Names of a tool's own function, in the frameworks."""
_ABSENT = re.compile(
    r"\bno such (?:file|folder|director|path)|\b(?:not|n't|never) (?:be )?(?:found|exist)"
    r"|\b(?:is|are|was) (?:not a|no) (?:file|folder|directory)|\bmissing (?:file|folder|directory)"
    r"|\b(?:can ?not|can't|could not|couldn't|unable to|failed to) (?:be )?(?:open|read|find|load|"
    r"locate|access)|\bno (?:file|folder|directory) (?:named|called|at|of)|\bis missing\b",
    re.IGNORECASE,
)
"""Words by which tools say that a file is not there."""
_NAME = re.compile(r"[A-Za-z_]\w*")


def is_raised_on_purpose(finding: Finding) -> bool:
    """Whether the line that failed raises the error itself."""
    return finding.frame is not None and _RAISE.match(finding.frame.source) is not None


class Failure:
    """One finding, taken apart; what it says of arguments is supposed, not tested."""

    def __init__(self, tool: ToolUnderTest, finding: Finding) -> None:
        self._tool = tool
        self._finding = finding
        self.exception = (finding.exception or "").rpartition(".")[2]
        """Name of the exception's type, without its module."""
        self.key = self._missing_key()
        """What a failed look-up looked for."""
        self.blamed = self._blame()
        """The arguments that the failure is about; all of them where nothing tells."""

    @property
    def is_of_absence(self) -> bool:
        """Whether it is that a file, or what else is named, is not there."""
        origin = self._finding.origin
        by_system = origin is not None and "OSError" in origin.bases
        return by_system or _ABSENT.search(self._finding.message) is not None

    @property
    def key_is_given(self) -> bool:
        """Whether what was looked up came with the arguments; nothing comes with any."""
        key = self.key
        return key is not None and (
            not key.strip() or any(_contains(v, key) for v in self._finding.arguments.values())
        )

    def _missing_key(self) -> str | None:
        if self.exception != "KeyError":
            return None
        said = self._finding.message.strip()
        match = _KEY.match(said)
        return match.group(1) if match else said or None

    def _blame(self) -> dict[str, Json]:
        given = self._finding.arguments
        if len(given) <= 1:
            return dict(given)
        if self.key is not None:
            holding = {n: v for n, v in given.items() if _contains(v, self.key)}
            return holding or dict(given)
        message = self._finding.message
        told = {n: v for n, v in given.items() if _is_told(v, message)}
        if told:
            return told
        if self.exception == "ZeroDivisionError":
            zero = {n: v for n, v in given.items() if any(_is_nothing(x) for x in leaves(v))}
            if zero:
                return zero
        frame = self._finding.frame
        # The names in a helper are the helper's own.
        own = frame is not None and frame.function in {self._tool.name, *_ENTRANCES}
        words = set(_NAME.findall(frame.source)) if own and frame is not None else set[str]()
        named = {n: v for n, v in given.items() if n in words}
        return named or dict(given)


def _contains(value: Any, text: str) -> bool:
    wanted = text.casefold().strip()
    return bool(wanted) and any(wanted in str(leaf).casefold() for leaf in leaves(value))


def _is_told(value: Any, message: str) -> bool:
    """Whether an error message repeats an argument's value."""
    for leaf in leaves(value):
        text = str(leaf)
        if isinstance(leaf, str) and text and (repr(leaf) in message or f'"{text}"' in message):
            return True
        if len(text) > 2 and re.search(rf"(?<!\w){re.escape(text[:500])}(?!\w)", message):
            return True
    return False


def _is_nothing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip() or "0" in value
    return value in (0, None, [], {})
