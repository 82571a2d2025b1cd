"""The records of a fuzzing campaign."""

from __future__ import annotations

import json
import math
from typing import Any, Literal, cast

import msgspec

from knitbone.record.events import Json

__all__ = [
    "AgentQuery",
    "Attempt",
    "CallBefore",
    "CallFinished",
    "CallOutcome",
    "Campaign",
    "CampaignFinished",
    "CampaignStarted",
    "Classification",
    "Estimate",
    "ExceptionOrigin",
    "Finding",
    "FindingFound",
    "FindingKind",
    "FuzzEvent",
    "SanityCheck",
    "Spent",
    "StackFrame",
    "Standing",
    "Status",
    "ToolUnderTest",
    "Variant",
    "json_text",
]

Status = Literal[
    "ok", "raised", "rejected", "denied", "exit", "crash", "hang", "memory", "output", "processes",
    "disk",
]  # fmt: skip
"""What came of one call. ``rejected``: argument validation refused it, which is right;
``denied``: it failed because the sandbox refused it something, which says nothing of the tool."""

FindingKind = Literal[
    "raised", "returned", "exit", "crash", "hang", "memory", "output", "processes", "disk",
    "threads", "files", "outside", "network", "output_type", "nondeterminism", "misleading",
]  # fmt: skip
"""``returned``: an error handed back as text; ``hang`` to ``disk``: more than the sandbox allows;
``threads``, ``files``: left running, left open; ``outside``, ``network``: files elsewhere than in
its directory, or a host that is not allowed, which the arguments did not name; ``output_type``:
not what is declared; ``nondeterminism``: other results for the same arguments; ``misleading``: the
documentation makes an agent call it in different ways for the same request."""


Standing = Literal["unhandled", "refused", "not run"]
"""``unhandled``: the author did not foresee it: an operation on the argument failed, the tool hung,
died or broke its promise. ``refused``: the tool says on purpose that it will not do it; this fails
no build. ``not run``: the machine lacked something, such as the network; never a finding."""


class ToolUnderTest(msgspec.Struct, frozen=True, kw_only=True):
    """A tool under test, as an agent sees it."""

    name: str
    target: str
    """What names exactly this tool on the command line."""
    documentation: str
    schema: dict[str, Json]
    """JSON schema of the arguments, an object."""
    unmade: tuple[str, ...] = ()
    """What the schema asks for and no argument is generated of, a short line each."""
    notes: tuple[str, ...] = ()
    """What else is known of the target, such as where a server's list of tools was left."""
    roots: tuple[str, ...] = ()
    """Files, or folders ending in a separator, that hold the tool's own code."""
    framework: Literal[
        "ag2", "autogen", "crewai", "function", "langchain", "llamaindex", "mcp", "schema",
        "smolagents",
    ] = "function"  # fmt: skip


class StackFrame(msgspec.Struct, frozen=True, kw_only=True):
    """A place in source code."""

    file: str
    line: int
    source: str
    """Text of the line, without indentation."""
    function: str = ""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the sandbox refused, or that would have touched the user's own files."""

    action: Literal["write", "delete", "connect", "signal", "program", "home"]
    """``home``: deleted or changed in the stand-in for the user's home folder."""
    object: str
    """The path, host, process or program."""
    frame: StackFrame | None = None
    """The tool's own line, where it was Python code that attempted it."""


class ExceptionOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Who raised an exception, as ``sandbox/exception_origins.py`` reads it off the traceback."""

    by: Literal["operation", "tool", "library", "argument"]
    """``operation``: an operator, or a function of Python's own, failed; ``tool``, ``library``: a
    ``raise`` in the tool's own code, or in an installed library's (its own types by C code too);
    ``argument``: of a cause, it was raised by code that the argument holds."""
    bases: tuple[str, ...] = ()
    """Names of its type and of those it derives from, but ``Exception``."""
    lacking: str | None = None
    """What the machine lacked, such as ``the network``."""
    cause: ExceptionOrigin | None = None
    """What a handler for everything caught, and raised anew with the same message."""
    said: str = ""
    """Message of a cause."""
    line: int = 0
    """Of a cause."""
    around: bool = False
    """Of what has a cause: a library's code put it around whatever the tool raised."""


class CallOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one call."""

    status: Status
    text: str = ""
    """What the tool returned, as an agent would be shown it; cut."""
    length: int = 0
    """Characters of the whole text."""
    exception: str | None = None
    message: str = ""
    frame: StackFrame | None = None
    leaked: int = 0
    """Processes that outlived the call."""
    leaked_threads: int = 0
    """Threads that each such call leaves running."""
    leaked_files: int = 0
    """Files and sockets that each such call leaves open."""
    attempts: tuple[Attempt, ...] = ()
    """What the sandbox refused, whether or not the call failed of it."""
    violation: str | None = None
    """How the result contradicts the tool's declared output."""
    tail: str = ""
    """End of what the call printed, where it crashed."""
    trace: dict[str, Json] | None = None
    """What the tool did with its arguments, as ``fuzzing/trace`` records it."""
    origin: ExceptionOrigin | None = None
    """Who raised the exception, if one was raised."""
    repeats: bool | None = None
    """Whether the text repeats an exception of this call; ``None`` where that was not asked."""


class Classification(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with the documentation that let the failure happen (ToolFuzz §2)."""

    verdict: Literal["under-specified", "over-specified", "ill-specified", "documented"]
    """``documented``: the documentation announces the failure, so it is correct behaviour."""
    sentence: str = ""
    """The sentence of the documentation that it contradicts, or that announces it."""
    lack: str = ""
    """What the documentation does not say, such as ``range of the second part``."""
    arguments: tuple[str, ...] = ()
    """The arguments that ``lack`` names."""
    tested: bool = False
    """Whether calls of the tool agree with ``lack``."""
    judge: str = "rules"
    """Who judged: ``rules``, or the name of the model."""
    reason: str = ""


class SanityCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the failing arguments keep to the documentation (ToolFuzz §4.1)."""

    refused: bool
    """They contradict it, so no query is written."""
    sentence: str = ""
    """The words of the documentation that they contradict."""
    reason: str = ""
    judge: str
    """Name of the model that judged."""


class AgentQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A user's words that made an agent call the tool with the failing arguments."""

    text: str
    agent: str = ""
    """How the agent works: ``react`` or ``tool-calling``."""
    model: str = ""
    """The agent's model, and behind a slash the writer's."""
    runs: int = 1
    """Runs of the agent on this query."""
    reproduced: int = 0
    """Those that ended in the failure."""
    steps: tuple[str, ...] = ()
    """What the agent did in one of these, a line a step."""
    run: str | None = None
    """That run's identifier in the store, where it was recorded."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """The same failure in other words."""

    id: str
    exception: str | None
    frame: StackFrame | None
    message: str
    arguments: dict[str, Json]
    """As first seen: not minimised."""
    call: int
    count: int = 1
    kind: FindingKind = "raised"


CallBefore = dict[str, Json] | tuple[str, dict[str, Json]]
"""Arguments of a call that goes before; of another tool's with its name, as ``[name, arguments]``
in JSON."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One unique failure of a tool."""

    id: str
    """Names the group: the same failure has the same id in every campaign."""
    kind: FindingKind
    exception: str | None
    frame: StackFrame | None
    message: str
    arguments: dict[str, Json]
    """The smallest arguments known to cause it."""
    call: int
    """Number of the call that found it, from 1."""
    count: int = 1
    """Calls that failed like this."""
    before: tuple[CallBefore, ...] = ()
    """Earlier calls in the same process without which it does not happen."""
    replays: bool | None = True
    """Whether it happened again in a fresh process; if not, it depends on earlier calls, on time
    or on chance. ``None``: no time was left to try."""
    reproducer: str = ""
    """A command that replays it."""
    fingerprint: str = ""
    """Names the failure in a baseline: like ``id``, but the same when lines shift."""
    standing: Standing = "unhandled"
    because: str = ""
    """Why it stands so, in a few words."""
    reason: str = ""
    """What the message says without what a framework puts before it; ``""``: the message."""
    ignored: str = ""
    """The rule of the configuration's ``ignore`` that it falls under."""
    origin: ExceptionOrigin | None = None
    variants: tuple[Variant, ...] = ()
    """The same reason in other words, the first ones."""
    known: bool = False
    """Whether a baseline names it: it is no news."""
    classification: Classification | None = None
    sanity: SanityCheck | None = None
    """``None`` where it was not asked for, or no model is configured for it."""
    query: AgentQuery | None = None
    """Without one the failure is known at the level of the tool only."""
    about: str = ""
    """What a misleading documentation leaves unsaid something of: an argument, or ``purpose``,
    ``steps``, ``use``."""

    @property
    def is_documented(self) -> bool:
        """Whether the documentation announces the failure: it is not counted then."""
        return self.classification is not None and self.classification.verdict == "documented"

    @property
    def counts(self) -> bool:
        """Whether it is a failure that someone should mend: unhandled, not announced by the
        documentation, not ignored. What a baseline accepts counts all the same."""
        return self.standing == "unhandled" and not self.is_documented and not self.ignored

    @property
    def says(self) -> str:
        """What the tool said, without what a framework puts before it."""
        return self.reason or self.message


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Chao1 estimate of the number of unique unhandled failures, with its 95 % interval."""

    value: float
    low: float
    high: float


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What the model stages of one campaign consumed."""

    tokens: int = 0
    usd: float = 0.0
    model_calls: int = 0
    unpriced: int = 0
    """Model calls whose price is not known."""
    over: tuple[str, ...] = ()
    """Soft budgets that were passed, such as ``26,120 of 25,000 tokens``."""


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """The result of fuzzing one tool."""

    tool: ToolUnderTest
    seed: int
    calls: int
    """Calls made for finding failures; those for minimising are counted apart."""
    findings: tuple[Finding, ...]
    rejected: int
    """Calls that argument validation refused: correct behaviour."""
    denied: int
    """Calls that were not run: the sandbox refused something, or the machine lacked it."""
    attempts: tuple[Attempt, ...] = ()
    """What the sandbox refused, each path and host once, also where the call went on."""
    companion_calls: dict[str, int] = {}
    """Those of ``calls`` that went to other tools that share its state, by name."""
    minimisation_calls: int
    chao1: Estimate | None
    """``None``: not reached; no call came to a normal result, so that nothing can be said."""
    normal: int | None = None
    """Calls that came to a normal result; ``None``: not known."""
    not_run: tuple[Finding, ...] = ()
    """Failures of what the machine lacked, or the sandbox refused: no findings."""
    stopped: str | None = None
    """Why the campaign ended before its last call."""
    confinement: tuple[str, ...] = ()
    """What enforced the sandbox, such as ``landlock 7``."""
    behaviours: tuple[str, ...] = ()
    """What was learned of the tool, a short line each, such as ``split on ";" into 3``."""
    spent: Spent = Spent()
    tool_level: str | None = None
    """Why findings without a query have none, such as ``no model is configured``."""
    rejection: str = ""
    """What argument validation said of the first call that it refused."""
    silence: str = ""
    """Why nothing was found, where the search can say so."""

    @property
    def calls_per_finding(self) -> float | None:
        """Tool calls per unique error (ToolFuzz, Table 1); ``None`` where nothing was found."""
        counted = sum(finding.counts for finding in self.findings)
        return self.calls / counted if counted else None


class CampaignStarted(msgspec.Struct, frozen=True, kw_only=True, tag="campaign_started"):
    """A tool was loaded and is about to be fuzzed."""

    tool: ToolUnderTest
    calls: int
    of: int = 1
    """How many tools the target names."""
    confinement: tuple[str, ...] = ()
    """What enforces the sandbox here."""
    missing: tuple[str, ...] = ()
    """What is not enforced here, and what that leaves open."""
    resumed: int = 0
    """Calls, those for minimising included, that are answered from the journal."""


class CallFinished(msgspec.Struct, frozen=True, kw_only=True, tag="call_finished"):
    """One call came to its end."""

    call: int
    status: Status
    unique: int
    """Unique failures so far."""
    tool: str = ""
    """Target of the tool: events of several tools may take turns."""


class FindingFound(msgspec.Struct, frozen=True, kw_only=True, tag="finding_found"):
    """A failure not seen before, as first seen: not yet minimised."""

    finding: Finding
    tool: str = ""
    """Target of the tool."""


class CampaignFinished(msgspec.Struct, frozen=True, kw_only=True, tag="campaign_finished"):
    """The tool was fuzzed; ``campaign`` holds everything."""

    campaign: Campaign


FuzzEvent = CampaignStarted | CallFinished | FindingFound | CampaignFinished


def json_text(value: Any) -> str:
    """``value`` as one line of ASCII JSON that every JSON parser accepts.

    Lone surrogates travel as escapes, infinities as numbers too large for a double (``1e999``),
    which parse back to infinity; not-a-number, which JSON cannot say, becomes ``null``.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "null" if math.isnan(value) else ("1e999" if value > 0 else "-1e999")
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{json.dumps(str(k))}: {json_text(v)}" for k, v in pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(json_text(item) for item in cast("list[Any]", value)) + "]"
    return json.dumps(value)
