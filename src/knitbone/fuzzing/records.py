"""The records of a fuzzing campaign."""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.core.events import Json

__all__ = [
    "CallFinished",
    "Campaign",
    "CampaignFinished",
    "CampaignStarted",
    "Estimate",
    "Finding",
    "FindingFound",
    "FindingKind",
    "Frame",
    "FuzzEvent",
    "Outcome",
    "Status",
    "ToolSpec",
]

Status = Literal[
    "ok", "raised", "rejected", "denied", "exit", "crash", "hang", "memory", "output", "processes",
    "disk",
]  # fmt: skip
"""What came of one call. ``rejected``: argument validation refused it, which is right;
``denied``: it failed because the sandbox refused it something, which says nothing of the tool."""

FindingKind = Literal[
    "raised", "returned", "exit", "crash", "hang", "memory", "output", "processes", "disk"
]
"""``returned``: an error handed back as text; the last four: more than the sandbox allows."""


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A tool under test, as an agent sees it."""

    name: str
    target: str
    """What names exactly this tool on the command line."""
    documentation: str
    schema: dict[str, Json]
    """JSON schema of the arguments, an object."""
    roots: tuple[str, ...] = ()
    """Files, or folders ending in a separator, that hold the tool's own code."""
    framework: Literal["function", "langchain"] = "function"


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A place in source code."""

    file: str
    line: int
    source: str
    """Text of the line, without indentation."""
    function: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one call."""

    status: Status
    text: str = ""
    """What the tool returned, as an agent would be shown it; cut."""
    length: int = 0
    """Characters of the whole text."""
    exception: str | None = None
    message: str = ""
    frame: Frame | None = None
    leaked: int = 0
    """Processes that outlived the call."""
    tail: str = ""
    """End of what the call printed, where it crashed."""
    trace: dict[str, Json] | None = None
    """What the tool did with its arguments, as ``fuzzing/trace`` records it."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One unique failure of a tool."""

    id: str
    """Names the group: the same failure has the same id in every campaign."""
    kind: FindingKind
    exception: str | None
    frame: Frame | None
    message: str
    arguments: dict[str, Json]
    """The smallest arguments known to cause it."""
    call: int
    """Number of the call that found it, from 1."""
    count: int = 1
    """Calls that failed like this."""
    replays: bool = True
    """Whether it happened again in a fresh process; if not, it depends on earlier calls, on time
    or on chance."""
    reproducer: str = ""
    """A command that replays it."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Chao1 estimate of the number of unique failures, with its 95 % interval."""

    value: float
    low: float
    high: float


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """The result of fuzzing one tool."""

    tool: ToolSpec
    seed: int
    calls: int
    """Calls made for finding failures; those for minimising are counted apart."""
    findings: tuple[Finding, ...]
    rejected: int
    """Calls that argument validation refused: correct behaviour."""
    denied: int
    """Calls that failed because the sandbox refused the network, or a place outside."""
    minimisation_calls: int
    chao1: Estimate
    stopped: str | None = None
    """Why the campaign ended before its last call."""
    confinement: tuple[str, ...] = ()
    """What enforced the sandbox, such as ``landlock 7``."""


class CampaignStarted(msgspec.Struct, frozen=True, kw_only=True, tag="campaign_started"):
    """A tool was loaded and is about to be fuzzed."""

    tool: ToolSpec
    calls: int
    of: int = 1
    """How many tools the target names."""


class CallFinished(msgspec.Struct, frozen=True, kw_only=True, tag="call_finished"):
    """One call came to its end."""

    call: int
    status: Status
    unique: int
    """Unique failures so far."""


class FindingFound(msgspec.Struct, frozen=True, kw_only=True, tag="finding_found"):
    """A failure not seen before, as first seen: not yet minimised."""

    finding: Finding


class CampaignFinished(msgspec.Struct, frozen=True, kw_only=True, tag="campaign_finished"):
    """The tool was fuzzed; ``campaign`` holds everything."""

    campaign: Campaign


FuzzEvent = CampaignStarted | CallFinished | FindingFound | CampaignFinished
