"""Tools that give other results for the same arguments: a sample of normal calls, made again.

Both calls start from the same state (fresh process, directory) but for chance: what ``random``
draws and the order of sets are others in the second. Times, random identifiers and addresses are
what such results rightly differ in: they are masked first. A tool whose documentation says that it
draws at random, and does not promise the same result, is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Literal

from knitbone.fuzzing.findings import FailedCall, verdict_of
from knitbone.fuzzing.normalise import normalise
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.worker import DIRECTORY_TOKEN
from knitbone.record.events import Json

__all__ = ["MaskKind", "Sample", "differ", "draws_lots", "instability", "masked"]

_MOST = 5
"""Calls made again, each of another behaviour: 10 calls in fresh processes a campaign."""
_LOOKED_AT = 64 * 1024

MaskKind = Literal["ids", "times"]
"""``ids``: identifiers, addresses, what is named like one; ``times``: moments and durations."""

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_UNIT = r"(?:ns|µs|us|ms|s|sec|secs|seconds?|milliseconds?|minutes?|min|hours?)"
_TIMED = (
    r"(?:elapsed|took|taken|duration|latency|time|timestamp|uptime|runtime|age|expires|ttl|date|"
    r"created|updated|modified)"
)
_NUMBERED = r"(?:pid|process|port|thread|nonce|seed|token|id|uuid|session|request)"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_PATTERNS: tuple[tuple[MaskKind, str], ...] = (
    ("ids", r"\b0x[0-9a-f]{4,}\b"),  # address
    ("ids", r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"),  # UUID
    # A digest, also a number of eight digits: an identifier.
    ("ids", r"\b(?=[a-f]*\d)[0-9a-f]{8,}\b"),
    # Random text.
    ("ids", r"\b(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Za-z])[\w-]{16,}={0,2}"),
    (
        "times",
        rf"\b\d{{4}}-\d{{1,2}}-\d{{1,2}}(?:[T ]{_CLOCK}(?:Z|[+-]\d{{2}}:?\d{{2}})?)?",
    ),
    ("times", rf"\b{_CLOCK}(?:\s?[ap]m\b)?"),
    # Seconds to nanoseconds since 1970.
    ("times", r"\b1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d+)?\b"),
    (
        "times",
        rf"\b(?:{_DAY},?\s+)?(?:\d{{1,2}}\s+{_MONTH}|{_MONTH}\s+\d{{1,2}}),?\s+\d{{4}}\b",
    ),
    ("times", rf"\b{_NUMBER}\s?{_UNIT}\b"),
    ("times", rf"(?<![A-Za-z]){_TIMED}(?:[_ ](?:{_UNIT}|id))?\W{{0,5}}[-+]?{_NUMBER}"),
    ("ids", rf"(?<![A-Za-z]){_NUMBERED}(?:[_ ](?:{_UNIT}|id))?\W{{0,5}}[-+]?{_NUMBER}"),
    ("times", rf"(?<![A-Za-z]){_TIMED}[\"']?\s?[:=]\s?[\"']?[\w-]{{6,}}"),
    ("ids", rf"(?<![A-Za-z]){_NUMBERED}[\"']?\s?[:=]\s?[\"']?[\w-]{{6,}}"),
    ("times", r"\bdatetime\.(?:datetime|date|time)\([\d, ]+"),
    ("ids", r"/(?:tmp|proc)[\w./-]*"),  # temporary file
)
_MASKS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)


class Sample:
    """The calls of a campaign that ended well; of these the first of each kind of result."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, dict[str, Json]]] = {}
        self._all: list[dict[str, Json]] = []

    def saw(self, number: int, arguments: dict[str, Json], outcome: CallOutcome) -> None:
        """Consider a call that was no failure; the path of its own directory is never the same."""
        if DIRECTORY_TOKEN in json.dumps(arguments):
            return
        if outcome.status != "ok":
            return
        self._all.append(arguments)
        if len(self._kept) < _MOST:
            self._kept.setdefault(normalise(outcome.text, arguments)[:200], (number, arguments))

    def calls(self) -> Iterator[tuple[int, dict[str, Json]]]:
        """Number and arguments of what was kept."""
        yield from self._kept.values()

    def all(self) -> list[dict[str, Json]]:
        """Arguments of all that ended well, those of each kind first."""
        return [*(arguments for _, arguments in self.calls()), *self._all]


_RANDOM = re.compile(r"\b(?:random(?:ly)?|dice|shuffles?d?|by chance|coin)\b", re.IGNORECASE)
_SAME = re.compile(
    r"\b(?:same|reproducib\w+|determinist\w+|stable|repeatab\w+|seed\w*)\b", re.IGNORECASE
)


def draws_lots(documentation: str) -> bool:
    """Whether the documentation says that results are a matter of chance."""
    return bool(_RANDOM.search(documentation)) and not _SAME.search(documentation)


def instability(
    arguments: dict[str, Json],
    call: Callable[[dict[str, Json]], CallOutcome],
    by_chance: Callable[[dict[str, Json]], CallOutcome],
) -> FailedCall | None:
    """Make one call twice, and judge whether it tells two different things.

    Args:
        call: makes a call in a fresh state.
        by_chance: the same, with another random seed.
    """
    first, second = call(arguments), by_chance(arguments)
    if first.status != "ok" or second.status != "ok" or not differ(first, second):
        return None
    # The values themselves differ in every run of the campaign, so they are not shown.
    message = "gives other results for the same arguments"
    return verdict_of("nondeterminism", None, None, message, arguments)


def differ(first: CallOutcome, second: CallOutcome) -> bool:
    """Whether two results differ in more than times, identifiers and addresses."""
    if first.text == second.text:
        return False
    return masked(first.text) != masked(second.text)


def masked(text: str, kinds: Collection[MaskKind] = ("ids", "times")) -> str:
    """``text`` without times, identifiers and addresses."""
    text = text[:_LOOKED_AT]
    for kind, pattern in _MASKS:
        if kind in kinds:
            text = pattern.sub("·", text)
    return text
