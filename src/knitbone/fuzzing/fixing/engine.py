"""Fixing a documentation: fuzz -> constraints -> text -> patch -> check.

A campaign is made and overheard; what it learned becomes suppositions, the sandbox proves or drops
them, what is proven and not written yet becomes sentences, and these an edit of the source, or an
overlay where there is none. Nothing is written that was not asked for, and nothing is stated that
the tool contradicted (ToolFuzz §5.3; the part without a model is ours).
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from knitbone.config import FuzzConfig
from knitbone.errors import KnitboneError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import FIX_PROMPT_NAMES, PromptFiles
from knitbone.fuzzing.engine import fuzz, limits_of
from knitbone.fuzzing.fixing.constraint_values import descriptions_of
from knitbone.fuzzing.fixing.docstrings import (
    TextEdit,
    applied,
    behind,
    correction,
    insertions,
    replacement,
)
from knitbone.fuzzing.fixing.error_counts import count_errors
from knitbone.fuzzing.fixing.literals import EditError
from knitbone.fuzzing.fixing.observation import Observations, promised_errors
from knitbone.fuzzing.fixing.origin import SourceConstants
from knitbone.fuzzing.fixing.overlays import validated_overlay, with_overlay
from knitbone.fuzzing.fixing.patches import ChangedFile, changed_file, git_diff, write_file
from knitbone.fuzzing.fixing.records import (
    CandidateScore,
    Constraint,
    DocumentationFix,
    ErrorCount,
    Overlay,
    ProvenStatement,
    Refusal,
    TextPlace,
)
from knitbone.fuzzing.fixing.rewriting import CANDIDATES, Rewriter, choose, separation
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.fixing.sources import SourceUnreadableError, obstacle
from knitbone.fuzzing.fixing.statements import (
    MOST_WORDS,
    bound_in_words,
    chosen_statements,
    live_values,
    sentences,
    shown_values,
)
from knitbone.fuzzing.fixing.text_places import find_places
from knitbone.fuzzing.fixing.trials import ConstraintTrials
from knitbone.fuzzing.model_questions import BudgetUsedUp
from knitbone.fuzzing.records import Campaign, CampaignFinished, FuzzEvent, ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.trials import sandbox_trial
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json

__all__ = ["DocumentationFixed", "EarlierFixes", "FixSetting", "composed_words", "fix", "unchanged"]


_NUMBERS = frozenset({"minimum", "maximum", "above", "below", "shortest", "longest"})
"""Constraints that state a number."""

# From statements to edits: each goes where its argument is described, or into the main text.


def composed_words(
    tool: ToolUnderTest, statements: Sequence[ProvenStatement], example: dict[str, Json] | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Sentences by argument, as they read in its entry and elsewhere.

    Args:
        example: a call that the tool takes, of which the values are shown whose format is stated:
            each with its argument, since a whole call is what small models copy.
    """
    own, naming = sentences(tool, statements)
    words = sum(len(text.split()) for text in own.values())
    for name, shown in shown_values(statements, example or {}).items():
        said = f"For example {shown}."
        words += len(said.split())
        if words <= MOST_WORDS:
            own[name], naming[name] = f"{own[name]} {said}", f"{naming[name]} {said}"
    return own, naming


def composed_edits(
    places: Mapping[str, TextPlace],
    own: Mapping[str, str],
    naming: Mapping[str, str],
    *,
    opening: str = "",
) -> dict[str, list[TextEdit]]:
    """The edits of each place, by its argument.

    Args:
        places: the main text under ``""``, and descriptions of arguments.
        opening: what a documentation that there is none of begins with.
    """
    main = places[""]
    edits: dict[str, list[TextEdit]] = {}
    for name, place in places.items():
        if name and name in own:
            edits[name] = [behind(place.text, own[name])]
    rest = {name: text for name, text in own.items() if name not in edits}
    if main.kind == "missing":
        said = " ".join(naming[name] for name in rest)
        text = f"{opening}\n\n{main.indent}{said}" if said else opening
        edits[""] = [TextEdit(start=0, end=0, text=f"{text}\n{main.indent}" if said else text)]
    elif main.kind == "docstring":
        edits[""] = insertions(main.text, rest, naming=naming, indent=main.indent)
    elif rest:
        said = " ".join(naming[name] for name in rest)
        made = insertions(main.text, rest, naming=naming)
        edits[""] = made if "\n" in main.text else [behind(main.text, said)]
    return {name: made for name, made in edits.items() if made}


class _Composition(NamedTuple):
    """What is written: sentences by argument, as in its entry and elsewhere, and numbers that take
    the place of those that are documented."""

    own: dict[str, str]
    naming: dict[str, str]
    corrections: dict[str, list[TextEdit]]
    """By the argument whose text they change, the main one under ``""``."""
    corrected: tuple[Constraint, ...]

    def edits(
        self, tool: ToolUnderTest, places: Mapping[str, TextPlace]
    ) -> dict[str, list[TextEdit]]:
        """All edits of each place."""
        made = composed_edits(places, self.own, self.naming, opening=opening_sentence(tool))
        for name, edits in self.corrections.items():
            made[name] = [*edits, *made.get(name, ())]
        return made

    def reaches(self, seen: ToolUnderTest) -> bool:
        """Whether all of it can be read of a tool."""
        plain = _plain(" ".join([seen.documentation, *descriptions_of(seen).values()]))
        stated = {(c.kind, c.of): c.value for c in read_constraints(seen)} if self.corrected else {}
        return all(
            _plain(self.own[name]) in plain or _plain(self.naming[name]) in plain
            for name in self.own
        ) and all(stated.get((c.kind, c.of)) == c.value for c in self.corrected)


def _composition(made: DocumentationFix, places: Mapping[str, TextPlace]) -> _Composition:
    """The statements as they are written: one that narrows a bound takes the place of its number,
    since two bounds would contradict each other."""
    documented = {
        (each.kind, each.of): each.value
        for each in read_constraints(made.tool)
        if each.kind in _NUMBERS
    }
    corrections: dict[str, list[TextEdit]] = {}
    corrected: list[Constraint] = []
    for constraint in (statement.constraint for statement in made.statements):
        old: Any = documented.get((constraint.kind, constraint.of))
        if old is None or old == constraint.value:
            continue
        name = constraint.of.argument
        place, where = (name, "") if name in places else ("", name)
        number = bound_in_words(constraint)
        if (edit := correction(places[place].text, where, old, number)) is not None:
            corrections.setdefault(place, []).append(edit)
            corrected.append(constraint)
    rest = [each for each in made.statements if each.constraint not in corrected]
    own, naming = composed_words(made.tool, rest, made.example)
    return _Composition(own, naming, corrections, tuple(corrected))


def opening_sentence(tool: ToolUnderTest) -> str:
    """The first sentence of a documentation that there is none of: the tool's name in words."""
    words = tool.name.replace("_", " ").replace("-", " ").strip()
    return f"{words[:1].upper()}{words[1:]}." if words else "Tool."


# The patched tool beside the original: a folder of links with the one changed file in place.
#
# What is imported from the folder is the package as it is, with other words in one file; nothing of
# the user's is touched. ``--check`` fuzzes that.


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
        found = rewriter.candidates(count=setting.candidates)
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
        words = _composition(made, places)
        edits = _edits(made, places, words)
        changed = changed_file(list(places.values()), edits, earlier.changed)
        return _with_patch(made, words, changed, setting, earlier)
    except (EditError, SourceUnreadableError) as error:
        refusal = Refusal(what=f"the source cannot be edited: {error}", where=places[""].file)
        return _with_overlay(made, setting, refusal)


def _edits(
    made: DocumentationFix, places: dict[str, TextPlace], words: _Composition
) -> dict[str, list[TextEdit]]:
    main = places[""]
    if made.rewritten:
        return {"": [replacement(main.text, made.rewritten, main.indent)]}
    return words.edits(made.tool, places)


def _with_patch(
    made: DocumentationFix,
    words: _Composition,
    changed: ChangedFile,
    setting: FixSetting,
    earlier: EarlierFixes,
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
        if seen is None or not _reaches(made, words, seen):
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


def _reaches(made: DocumentationFix, words: _Composition, seen: ToolUnderTest) -> bool:
    """Whether all that was stated can be read of the tool, and the rest of it is as it was."""
    if made.rewritten:
        told = " ".join([seen.documentation, *descriptions_of(seen).values()])
        return _plain(made.rewritten) in _plain(told)
    return words.reaches(seen)


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
    edits = _edits(made, places, _composition(made, places))
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
