"""Fixing a documentation: fuzz -> constraints -> text -> patch -> check.

A campaign is made and overheard; what it learned becomes suppositions, the sandbox proves or drops
them, what is proven and not written yet becomes sentences, and these an edit of the source, or an
overlay where there is none. Nothing is written that was not asked for, and nothing is stated that
the tool contradicted (ToolFuzz §5.3; the part without a model is ours).
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from knitbone.config import FuzzConfig
from knitbone.errors import KnitboneError
from knitbone.fuzzing.asking import BudgetUsedUp
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import FIX_PROMPT_NAMES, PromptFiles
from knitbone.fuzzing.engine import fuzz, limits_of
from knitbone.fuzzing.fixing.composition import composed_edits, composed_words, opening_sentence
from knitbone.fuzzing.fixing.concerned import descriptions_of
from knitbone.fuzzing.fixing.counting import count_errors
from knitbone.fuzzing.fixing.docstrings import TextEdit, applied, replacement
from knitbone.fuzzing.fixing.literals import EditError
from knitbone.fuzzing.fixing.observation import Observations, promised_errors
from knitbone.fuzzing.fixing.origin import SourceConstants
from knitbone.fuzzing.fixing.overlays import validated_overlay, with_overlay
from knitbone.fuzzing.fixing.patches import ChangedFile, changed_file, git_diff, write_file
from knitbone.fuzzing.fixing.reading import read_constraints
from knitbone.fuzzing.fixing.records import (
    CandidateScore,
    DocumentationFix,
    ErrorCount,
    Overlay,
    Refusal,
    TextPlace,
)
from knitbone.fuzzing.fixing.rewriting import CANDIDATES, Rewriter, choose, separation
from knitbone.fuzzing.fixing.shadow import PatchedTarget, patched_target, unchanged
from knitbone.fuzzing.fixing.sources import SourceUnreadableError, obstacle
from knitbone.fuzzing.fixing.statements import chosen_statements, live_values
from knitbone.fuzzing.fixing.text_places import find_places
from knitbone.fuzzing.fixing.trials import ConstraintTrials
from knitbone.fuzzing.records import Campaign, CampaignFinished, FuzzEvent, ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.trials import sandbox_trial
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json

__all__ = ["DocumentationFixed", "EarlierFixes", "FixSetting", "fix"]

TRIALS = 300
"""Calls that proving the constraints of one tool may take: as many as half again a campaign."""


@dataclass(frozen=True, kw_only=True)
class FixSetting:
    """How the tools are called, and what is to happen with a fix."""

    config: FuzzConfig = field(default_factory=FuzzConfig)
    calls: int | None = None
    seed: int | None = None
    files: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    reset: str | None = None
    env: tuple[str, ...] = ()
    setup: str | None = None
    examples: tuple[tuple[str | None, dict[str, Json]], ...] = ()
    """Calls to begin with, such as those of findings of an earlier campaign."""
    check: bool = False
    """Fuzz the patched tool, too, and count."""
    write: bool = False
    """Change the source files."""
    trials: int = TRIALS
    writer: ChatModel | None = None
    """Writes descriptions; none is asked otherwise."""
    candidates: int = CANDIDATES


@dataclass(frozen=True)
class EarlierFixes:
    """What the fixes before made of their files: the next one goes on from there, so that all
    patches of a file apply one after the other, and what was written counts as no change of
    somebody else's."""

    changed: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    written: set[Path] = field(default_factory=set[Path])


class DocumentationFixed(msgspec.Struct, frozen=True, kw_only=True, tag="documentation_fixed"):
    """What came of one tool's documentation."""

    fix: DocumentationFix


def fix(
    target: str, setting: FixSetting, *, earlier: EarlierFixes | None = None
) -> Iterator[FuzzEvent | DocumentationFixed]:
    """Fuzz every tool that ``target`` names and fix its documentation.

    Args:
        earlier: of other targets, whose tools may stand in the same files.

    Raises:
        TargetError, SandboxError, InputFormatError: as ``knitbone.fuzzing.engine.fuzz``; a file of
            ``prompt_folder`` cannot be used.
        MissingExtraError: libcst is not installed.
    """
    if setting.writer is not None:
        _prompts(setting)  # what is wrong with them is told before a campaign is run
    heard = Observations(examples=[arguments for _, arguments in setting.examples])
    earlier = EarlierFixes() if earlier is None else earlier
    for event in _fuzz(unchanged(target), setting, heard):
        yield event
        if isinstance(event, CampaignFinished):
            made = _fix_tool(event.campaign, heard, setting, earlier)
            yield DocumentationFixed(fix=made)


def _fix_tool(
    campaign: Campaign, heard: Observations, setting: FixSetting, earlier: EarlierFixes
) -> DocumentationFix:
    tool = campaign.tool
    made = _stated(campaign, heard, setting)
    made = msgspec.structs.replace(
        made,
        before=count_errors(campaign, heard.of(tool), read_constraints(tool)),
        campaign=campaign,
    )
    if setting.writer is not None:
        made = _written_by_model(made, heard, setting)
    if not made.statements and not made.rewritten:
        return made
    return _delivered(made, setting, earlier)


# -- constraints ----------------------------------------------------------------------------------


def _stated(campaign: Campaign, heard: Observations, setting: FixSetting) -> DocumentationFix:
    """What is to be stated, proven in a sandbox of this one tool."""
    tool = campaign.tool
    with _sandbox(unchanged(tool.target), setting) as sandbox:
        trial = sandbox_trial(
            sandbox,
            0,
            timeout_s=setting.config.call_timeout_s,
            fresh=tool.framework != "mcp",
        )
        ends = time.monotonic() + setting.config.time_s
        trials = ConstraintTrials(
            trial,
            roots=tool.roots,
            promised=promised_errors(tool),
            most=setting.trials,
            is_late=lambda: time.monotonic() >= ends,
        )
        stated = chosen_statements(
            tool,
            heard.of(tool),
            campaign.findings,
            trials,
            paths=sandbox.paths,
            today=dt.datetime.now(dt.UTC).date(),
        )
    return DocumentationFix(
        tool=tool,
        statements=stated.chosen,
        dropped=stated.dropped,
        known=stated.known,
        example=stated.example,
        trials=trials.calls,
    )


# -- text of a model ---------------------------------------------------------------------------


def _written_by_model(
    made: DocumentationFix, heard: Observations, setting: FixSetting
) -> DocumentationFix:
    """The description of the candidate that validates best, where one does better than what is
    stated without a model; calls that chose nothing report it."""
    tool, model = made.tool, setting.writer
    assert model is not None  # noqa: S101 - whoever calls has looked
    campaign = made.campaign
    # Every third call writes, validates, tests: no call does two of these.
    calls = heard.of(tool)
    shown, validating, testing = (calls[start::3] for start in range(3))
    started = time.monotonic()
    budget = CampaignBudget(setting.config, elapsed=lambda: time.monotonic() - started)
    findings = () if campaign is None else campaign.findings
    rewriter = Rewriter(
        tool,
        model,
        calls=shown,
        findings=findings,
        budget=budget,
        prompts=_prompts(setting),
    )
    own, _ = composed_words(tool, made.statements, made.example)
    by_rules = "\n\n".join([tool.documentation, *own.values()])
    try:
        found = rewriter.candidates("argument", count=setting.candidates)
    except BudgetUsedUp:
        found = []
    live = live_values(tool, SourceConstants(tool), calls, findings)
    chosen = choose(
        [candidate for candidate in found if not live.stand_in(candidate.text)],
        original=by_rules,
        validation=separation(tool, validating),
        test=separation(tool, testing),
    )
    made = msgspec.structs.replace(
        made,
        spent=budget.spent(),
        candidates_dropped=dict(rewriter.dropped),
        prompts=_prompts(setting).versions,
    )
    if chosen is None:
        return made
    return msgspec.structs.replace(
        made,
        writer=model.name,
        rewritten=chosen.candidate.text,
        score=CandidateScore(
            validation=chosen.validation,
            test=chosen.test,
            without_model=chosen.original,
            tried=chosen.tried,
        ),
    )


def _prompts(setting: FixSetting) -> PromptFiles:
    """What the writer's model is told.

    Raises:
        InputFormatError: a file of the user's folder cannot be used.
    """
    folder = setting.config.prompt_folder
    return PromptFiles(None if folder is None else Path(folder), names=FIX_PROMPT_NAMES)


# -- text and patch -------------------------------------------------------------------------------


def _delivered(
    made: DocumentationFix, setting: FixSetting, earlier: EarlierFixes
) -> DocumentationFix:
    """The fix as a patch, or as an overlay where the source is out of reach."""
    tool = made.tool
    if tool.framework == "mcp":
        return _with_overlay(made, setting, None)
    places = find_places(tool, earlier.changed)
    if isinstance(places, Refusal):
        return _with_overlay(made, setting, places)
    try:
        changed = changed_file(list(places.values()), _edits(made, places), earlier.changed)
        return _with_patch(made, changed, setting, earlier)
    except (EditError, SourceUnreadableError) as error:
        refusal = Refusal(what=f"the source cannot be edited: {error}", where=places[""].file)
        return _with_overlay(made, setting, refusal)


def _edits(made: DocumentationFix, places: dict[str, TextPlace]) -> dict[str, list[TextEdit]]:
    main = places[""]
    if made.rewritten:
        return {"": [replacement(main.text, made.rewritten, main.indent)]}
    own, naming = composed_words(made.tool, made.statements, made.example)
    return composed_edits(places, own, naming, opening=opening_sentence(made.tool))


def _with_patch(
    made: DocumentationFix, changed: ChangedFile, setting: FixSetting, earlier: EarlierFixes
) -> DocumentationFix:
    """The patch, once it is seen that an agent reads it; written where that is asked for."""
    tool = made.tool
    patch = git_diff(changed, name=_name_in_diff(changed.source.path))
    with patched_target(tool.target, changed) as patched:
        try:
            seen = _resolved(patched, tool, setting)
        except KnitboneError as error:
            seen = None
            problem = error.message
        else:
            problem = "an agent would not read it: the tool shows another text"
        if seen is None or not _reaches(made, seen):
            refusal = Refusal(what=f"the patch is not offered; {problem}", where=patch.file)
            return _with_overlay(made, setting, refusal)
        made = msgspec.structs.replace(
            made,
            patches=(patch,),
            description=seen.documentation,
            parameters=descriptions_of(seen),
            after=_recounted(patched, setting) if setting.check else None,
        )
    path = changed.source.path
    earlier.changed[path] = changed.content
    if not setting.write:
        return made
    if path not in earlier.written and (found := obstacle(changed.source)) is not None:
        return msgspec.structs.replace(made, refusal=found)
    try:
        write_file(changed)
    except EditError as error:
        refusal = Refusal(what=str(error), where=patch.file, next_step="Run the command again.")
        return msgspec.structs.replace(made, refusal=refusal)
    except OSError as error:
        refusal = Refusal(what=f"the file cannot be written: {error}", where=patch.file)
        return msgspec.structs.replace(made, refusal=refusal)
    earlier.written.add(path)
    return msgspec.structs.replace(made, written=True)


def _resolved(
    patched: PatchedTarget, tool: ToolUnderTest, setting: FixSetting
) -> ToolUnderTest | None:
    """The tool as its changed source makes it."""
    with _sandbox(patched, setting) as sandbox:
        return next((each for each in sandbox.tools if each.name == tool.name), None)


def _reaches(made: DocumentationFix, seen: ToolUnderTest) -> bool:
    """Whether all that was stated can be read of the tool, and the rest of it is as it was."""
    told = " ".join([seen.documentation, *descriptions_of(seen).values()])
    plain = _plain(told)
    if made.rewritten:
        return _plain(made.rewritten) in plain
    own, naming = composed_words(made.tool, made.statements, made.example)
    return all(_plain(own[name]) in plain or _plain(naming[name]) in plain for name in own)


def _plain(text: str) -> str:
    """A text without its line breaks and kinds of quotation marks."""
    return " ".join(text.split()).replace('"', "'")


def _with_overlay(
    made: DocumentationFix, setting: FixSetting, refusal: Refusal | None
) -> DocumentationFix:
    """The fix as an overlay of what an agent is shown."""
    tool = made.tool
    places = {"": TextPlace(file="", spans=(), kind="docstring", text=tool.documentation)}
    for name, text in descriptions_of(tool).items():
        places[name] = TextPlace(file="", spans=(), kind="description", text=text, argument=name)
    if not tool.documentation:
        places[""] = TextPlace(file="", spans=(), kind="missing")
    edits = _edits(made, places)
    overlay = validated_overlay(
        Overlay(
            server=tool.target.partition("#")[0],
            tool=tool.name,
            description=applied(tool.documentation, edits.get("", ())).strip(),
            parameters={
                name: applied(places[name].text, made) for name, made in edits.items() if name
            },
        ),
        [tool],
    )
    seen = with_overlay(tool, overlay)
    return msgspec.structs.replace(
        made,
        overlay=overlay,
        refusal=refusal,
        description=seen.documentation,
        parameters=descriptions_of(seen),
        after=_recounted(unchanged(tool.target), setting, overlay) if setting.check else None,
    )


# -- check ----------------------------------------------------------------------------------------


def _recounted(
    target: PatchedTarget, setting: FixSetting, overlay: Overlay | None = None
) -> ErrorCount | None:
    """The unique errors of the tool with its fixed documentation, from a campaign of its own."""
    heard = Observations(
        examples=[arguments for _, arguments in setting.examples],
        seen_as=None if overlay is None else lambda tool: with_overlay(tool, overlay),
    )
    for event in _fuzz(target, setting, heard):
        if isinstance(event, CampaignFinished):
            tool = event.campaign.tool
            seen = tool if overlay is None else with_overlay(tool, overlay)
            return count_errors(event.campaign, heard.of(tool), read_constraints(seen))
    return None


# -- the sandbox ----------------------------------------------------------------------------------


def _fuzz(target: PatchedTarget, setting: FixSetting, heard: Observations) -> Iterator[FuzzEvent]:
    return fuzz(
        target.target,
        calls=setting.calls,
        seed=setting.seed,
        config=setting.config,
        files=setting.files,
        allow_hosts=setting.allow_hosts,
        reset=setting.reset,
        env=setting.env,
        setup=setting.setup,
        generator=heard.generator,
        changed=target.folder,
    )


def _sandbox(target: PatchedTarget, setting: FixSetting) -> Sandbox:
    return Sandbox(
        target.target,
        limits=limits_of(setting.config),
        files=setting.files,
        allow_hosts=setting.allow_hosts,
        reset=setting.reset,
        env=setting.env,
        setup=setting.setup,
        changed=target.folder,
    )


def _name_in_diff(path: Path) -> str:
    """A file's name in a diff: from the top of its repository, or from here, or whole."""
    for root in (_repository(path), Path.cwd()):
        if root is not None and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.as_posix().lstrip("/")


def _repository(path: Path) -> Path | None:
    return next((folder for folder in path.parents if (folder / ".git").exists()), None)
