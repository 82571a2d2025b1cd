"""The records of the search for documentation that misleads an agent (ToolFuzz §4.2)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from knitbone.fuzzing.records import Finding, Spent, ToolUnderTest
from knitbone.record.events import ErrorInfo, Json

__all__ = [
    "CHECKS",
    "EVERY_CHECK",
    "REFUSED_ALIKE",
    "ArgumentForm",
    "ArgumentVariation",
    "Bucket",
    "Check",
    "CheckVerdict",
    "DocumentationCampaign",
    "DocumentationEvent",
    "DocumentationFault",
    "DocumentationFinished",
    "DocumentationStarted",
    "Expectation",
    "FilledPrompt",
    "Lack",
    "Normaliser",
    "OtherToolUse",
    "PromptRun",
    "PromptRunFinished",
    "PromptSet",
    "PromptTemplate",
    "Rating",
    "SetJudged",
    "SetResult",
    "SetWritten",
    "StageCost",
    "ToolUse",
]

Check = Literal["input", "output", "oracle", "refused"]
"""``input``: synonymous prompts become other calls; ``output``: the tool returns something else;
``oracle``: an answer is not what was to be expected; ``refused``: no call of any prompt worked."""
CHECKS: tuple[Check, ...] = ("input", "output", "oracle")
"""Those of the paper's cascade, in the order of what they cost."""
EVERY_CHECK: tuple[Check, ...] = ("refused", *CHECKS)
REFUSED_ALIKE: tuple[Check, ...] = ("refused", "oracle")
"""A rule beside the cascade, ours: the tool refused every call although an answer was to be
expected. It does not rest on inconsistency, and so finds what misleads all wordings alike."""

Normaliser = Literal["times", "ids", "order"]
"""What outputs may differ in: times and dates; identifiers and addresses; the order of lines and of
list entries."""


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """A user's question with masks, such as ``Find a [venue] in [city].``"""

    text: str
    masks: tuple[str, ...]
    """Names of the masks without brackets, each once, in order of appearance."""


class FilledPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """One question of a set."""

    text: str
    """As the agent is asked."""
    infills: dict[str, str]
    """What each mask got."""
    plain: str = ""
    """The filled template, where ``text`` was put into a person's words; ``""``: it was not."""


class PromptSet(msgspec.Struct, frozen=True, kw_only=True):
    """Synonymous prompts: with sound documentation an agent does the same for each."""

    id: str
    """Digest of the prompts."""
    template: PromptTemplate
    prompts: tuple[FilledPrompt, ...]


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """One call that an agent made while it worked on a prompt."""

    tool: str
    """As the agent names it."""
    arguments: Json
    """An object; raw text where the agent wrote no object."""
    output: str
    """What the agent was shown."""
    error: ErrorInfo | None = None
    """Where the call failed."""
    failure: str = ""
    """How the tool said that it could not do it, raised or returned as text; ``""``: it worked."""


class PromptRun(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent made of one prompt."""

    prompt: int
    """Position of the prompt in its set, from 0."""
    query: str
    calls: tuple[ToolUse, ...] = ()
    """Calls of the tools that it was given, in order."""
    answer: str | None = None
    """``None``: it gave none."""
    stopped: Literal["answered", "steps", "budget", "failed"]
    """``steps``: it did not come to an end; ``failed``: its model could not be asked."""
    error: str = ""
    """Why it failed."""
    invented: int = 0
    """Calls of tools that it was not given."""


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """Prompts of a set of which a check sees the same."""

    kind: Literal["no call", "one call", "several calls"]
    text: str
    """What they have in common: the calls, or the outputs."""
    prompts: tuple[int, ...]
    """Positions of the prompts in their set."""


class ArgumentForm(msgspec.Struct, frozen=True, kw_only=True):
    """One value that an argument was given for synonymous prompts."""

    value: Json = None
    absent: bool = False
    """The argument was left out."""
    prompts: tuple[int, ...]
    worked: bool
    """Whether a call with it came to a normal result."""
    failure: str = ""
    """What the tool said where none did."""
    output: str = ""
    """What the tool returned for it beside the same other arguments as the other forms, where that
    was tried."""


class ArgumentVariation(msgspec.Struct, frozen=True, kw_only=True):
    """An argument that synonymous prompts were given different values for."""

    argument: str
    forms: tuple[ArgumentForm, ...]


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """How well an answer fits an expectation."""

    score: Annotated[int, msgspec.Meta(ge=1, le=10)]
    """1 to 10; at 5 or less it does not (ToolFuzz §4.2)."""
    reason: str
    judge: str
    """Name of the model, ``10 % margin`` or ``no answer``."""
    prompts: tuple[int, ...] = ()
    """Positions of the prompts that were answered so."""


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be expected of the tool for a set of prompts."""

    text: str
    """The one answer that the set's prompts have in common."""
    answers: tuple[str, ...] = ()
    """What it was made of: one answer a prompt."""


class CheckVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What one check says of a set."""

    check: Check
    failed: bool | None = None
    """``None``: it could not be told; ``reason`` says why."""
    reason: str = ""
    buckets: tuple[Bucket, ...] = ()
    """Of the input and output check; more than one where it failed. Of a failed ``refused``: what
    the tool said."""
    expectation: Expectation | None = None
    ratings: tuple[Rating, ...] = ()
    """Of the oracle check, one for each distinct answer."""


LackKind = Literal["form", "meaning", "use", "omission", "limits", "purpose", "steps"]
"""What the documentation leaves unsaid. ``form``: which values of an argument are accepted;
``meaning``: which of several accepted ones is meant; ``use``: which calls answer a request, where
no single argument varies; ``omission``: what leaving an argument out means; ``limits``: all forms
failed; ``purpose``: whether the tool can do it at all; ``steps``: how many calls it takes."""


class Lack(msgspec.Struct, frozen=True, kw_only=True):
    """The sentence that is missing in a documentation."""

    kind: LackKind
    argument: str = ""
    text: str
    """In words, with the forms that were tried."""


class SetResult(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt set, the agent's runs on it, and what the checks say."""

    set: PromptSet
    runs: tuple[PromptRun, ...]
    verdicts: tuple[CheckVerdict, ...] = ()
    """Of the checks that were made; a cascade ends with the first that does not fail."""
    varies: tuple[ArgumentVariation, ...] = ()
    """Arguments whose values differ between the prompts, the most telling first."""
    lack: Lack | None = None
    """Of a faulty set."""
    unstable: bool = False
    """The tool gives other results for the same input, so that its outputs say nothing."""
    documented: str = ""
    """The sentence of the documentation that says what the agent disregarded; such a set is not
    faulty."""

    def verdict(self, check: Check) -> CheckVerdict | None:
        """What one check said; ``None`` where it was not made."""
        return next((each for each in self.verdicts if each.check == check), None)

    def fails(self, checks: tuple[Check, ...] = CHECKS) -> bool:
        """Whether all of some checks fail: with ``("input", "output")`` the paper's CC, with
        ``("oracle",)`` its LLM."""
        found = [self.verdict(check) for check in checks]
        return bool(found) and all(each is not None and each.failed is True for each in found)


class DocumentationFault(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence that is missing in a documentation, with the prompt sets that show it."""

    id: str
    """The same for the same lack of the same tool in every campaign."""
    lack: Lack
    sets: tuple[str, ...]
    """Identifiers of the faulty sets."""
    varies: tuple[ArgumentVariation, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    """Of the calls in the first of the sets."""
    queries: tuple[str, ...] = ()
    """The prompts of the first of the sets."""
    finding: Finding
    """The same as a finding of the kind ``misleading``, for the reports that all findings share."""


class StageCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one stage of a campaign consumed."""

    stage: str
    seconds: float = 0.0
    model_calls: int = 0
    repeated: int = 0
    """Model calls that were asked before in the very words, and not asked again."""
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Model calls whose price is not known."""


class OtherToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of another tool for prompts that were written for this one (ToolFuzz, App. H.3)."""

    tool: str
    """As the agent knows it."""
    prompts: int
    """Prompts that led to a call of it."""
    instead: int
    """Those of ``prompts`` for which the tool that they were written for was not called."""
    worked: int
    """Those of ``prompts`` for which a call of it came to a normal result."""
    queries: tuple[str, ...] = ()
    """The first of the prompts."""


class DocumentationCampaign(msgspec.Struct, frozen=True, kw_only=True):
    """The search for faults in the documentation of one tool."""

    tool: ToolUnderTest
    seed: int
    agent: str
    """The agent and its model."""
    writer: str
    oracle: str
    checks: tuple[Check, ...]
    """A set is faulty where all of these fail."""
    normalise: tuple[Normaliser, ...] = ()
    prompts: dict[str, str] = {}
    """Versions of the prompt files that were used."""
    sets: tuple[SetResult, ...] = ()
    faults: tuple[DocumentationFault, ...] = ()
    dropped: dict[str, int] = {}
    """Templates and infills that the writer got wrong twice, by reason."""
    runs: dict[str, int] = {}
    """How the agent's runs ended, and what was odd in them, by name: ``answered``, ``no call``,
    ``invented a tool``, ..."""
    offered: tuple[str, ...] = ()
    """Tools that the agent was given, as it knows them."""
    others: tuple[OtherToolUse, ...] = ()
    """Those of them that it called though the prompts were not written for them."""
    stages: tuple[StageCost, ...] = ()
    spent: Spent = Spent()
    stopped: str | None = None
    """Why it ended early."""
    silence: str = ""
    """Why nothing was found, where nothing was."""
    confinement: tuple[str, ...] = ()


class DocumentationStarted(
    msgspec.Struct, frozen=True, kw_only=True, tag="documentation_started"
):  # fmt: skip
    """A tool was loaded."""

    tool: ToolUnderTest
    sets: int
    prompts: int
    resumed: int = 0
    """Steps that are answered from the journal."""


class SetWritten(msgspec.Struct, frozen=True, kw_only=True, tag="set_written"):
    """A prompt set passed the checks by code."""

    set: PromptSet
    tool: str = ""
    """Target of the tool."""


class PromptRunFinished(msgspec.Struct, frozen=True, kw_only=True, tag="prompt_run_finished"):
    """The agent worked on one prompt."""

    run: PromptRun
    tool: str = ""


class SetJudged(msgspec.Struct, frozen=True, kw_only=True, tag="set_judged"):
    """The checks of a set were made."""

    result: SetResult
    tool: str = ""


class DocumentationFinished(
    msgspec.Struct, frozen=True, kw_only=True, tag="documentation_finished"
):
    """Everything of one tool."""

    campaign: DocumentationCampaign


DocumentationEvent = (
    DocumentationStarted | SetWritten | PromptRunFinished | SetJudged | DocumentationFinished
)
