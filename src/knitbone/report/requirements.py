"""Requirements and findings of an application as text: one block a site, read in seconds.

Source text, prompts and paths are untrusted: all of it goes through ``printable``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType

from knitbone.adaptation.requirements import Requirement, ScenarioRequirement, Unknown, describe
from knitbone.adaptation.requirements.file import kind_of
from knitbone.adaptation.requirements.findings import (
    JudgedFinding,
    PromptLine,
    Review,
    ReviewedSite,
    ReviewNote,
    prompt_line,
    ranked_findings,
)
from knitbone.adaptation.requirements.merge import RequirementChange
from knitbone.adaptation.requirements.sites import Site
from knitbone.common.printable import printable
from knitbone.report.wording import count

__all__ = [
    "OFF_WORDS",
    "Line",
    "change_lines",
    "first_lines",
    "note_lines",
    "origin_of",
    "short",
    "site_lines",
    "summary",
]

Line = tuple[str, str]
"""Text, and the style it has on a terminal."""

_FEW_FINDINGS = 4
"""Fewer findings are seen at a glance where they stand (ours)."""
_SHOWN_FIRST = 10
"""Findings that are listed by their order (ours)."""
_MANY_FILES = 4
"""From so many files on, sites stand under the name of their file (ours)."""
_LONG_PATH = 40
"""Characters from which on a path is not repeated within a block (ours)."""
_WIDTH = 50
_STYLES = {"error": "bold red", "warning": "red", "note": "yellow"}
OFF_WORDS = {
    "file": "switched off in the requirements file",
    "comment": "switched off by a comment",
}
"""Why a site is not adapted, by where a person said so."""
_CHANGES: dict[str, tuple[str, str, str]] = {
    "added": ("-", "+", ""),
    "removed": ("-", "+", ""),
    "changed": ("-", "+", ""),
    "overtaken": ("!", "+", ""),
    "gone": ("-", "+", "the code has no such site any more"),
    "back": ("-", "+", "the site is marked stale, and the code has it"),
}
"""Marks of what the file says and of what the code says, and what is said of the whole site."""


def short(file: str) -> str:
    """A path as it is seen from here."""
    relative = os.path.relpath(file)
    return printable(file if relative.startswith("..") else relative, limit=200)


def site_lines(
    reviewed: Review, not_adapted: Mapping[str, str], unenforced: Mapping[str, Sequence[str]]
) -> Iterator[Line]:
    """All sites: those with a consumer one by one, the others in a list behind them.

    Args:
        not_adapted: id of a site -> why it cannot be instrumented.
        unenforced: id of a site -> for each of its requirements, why nothing enforces it.
    """
    consumed = [each for each in reviewed.sites if _is_consumed(each)]
    others = [each for each in reviewed.sites if not _is_consumed(each)]
    grouped = len({each.site.file for each in consumed}) >= _MANY_FILES
    file = ""
    for each in consumed:
        if grouped and each.site.file != file:
            file = each.site.file
            here = [other for other in consumed if other.site.file == file]
            findings = sum(len(other.remaining) for other in here)
            yield (
                f"== {short(file)}: {count(len(here), 'site')}, {count(findings, 'finding')}",
                "bold cyan",
            )
            yield "", ""
        yield from _site(each, not_adapted.get(each.id), unenforced.get(each.id, ()))
        yield "", ""
    if others:
        yield "No code was found that reads the output of:", "bold"
        for each in others:
            yield from _unread(each)
        yield from _scenario(others)
        yield "", ""


def first_lines(reviewed: Review) -> Iterator[Line]:
    """The findings in the order in which they are worth a look; nothing where there are few."""
    ranked = ranked_findings(reviewed.sites)
    if len(ranked) < _FEW_FINDINGS:
        return
    yield "Look at these first:", "bold"
    for each in ranked[:_SHOWN_FIRST]:
        finding = each.judged.finding
        where = f"{short(finding.file)}:{finding.line}" if finding.file else ""
        many = f"  ({count(each.sites, 'site')})" if each.sites > 1 else ""
        text = f"  {finding.severity:<8} {where}  {printable(finding.text, limit=120)}{many}"
        yield text, _STYLES[finding.severity]
    if len(ranked) > _SHOWN_FIRST:
        yield f"  and {count(len(ranked) - _SHOWN_FIRST, 'other')}", ""
    yield "", ""


def _is_consumed(reviewed: ReviewedSite) -> bool:
    return any(not isinstance(r, ScenarioRequirement) for r in reviewed.site.requirements)


def _site(
    reviewed: ReviewedSite, not_adapted: str | None, unenforced: Sequence[str]
) -> Iterator[Line]:
    site = reviewed.site
    yield f"{_where(site)}{origin_of(site)}", "bold"
    left = list(reviewed.remaining)
    shown: set[str] = set()
    before: Requirement | None = None
    for requirement, reason in zip_longest(site.requirements, unenforced, fillvalue=""):
        if isinstance(requirement, str | ScenarioRequirement):
            continue
        evidence = requirement.evidence
        if before is None or before.evidence != evidence:
            where = f"{_near(evidence.file, site)}:{evidence.line}"
            yield f"  consumed at {where}  {printable(evidence.expression, limit=120)}", ""
        yield _expectation(requirement, shown)
        if reason:
            yield f"  unenforced  {printable(reason, limit=300)}", "yellow"
        before = requirement
        here = [j for j in left if (j.finding.file, j.finding.line) == _place(requirement)]
        # Findings stand under the last requirement of their line.
        if not any(_place(later) == _place(requirement) for later in _after(site, requirement)):
            yield from map(_finding, here)
            left = [judged for judged in left if judged not in here]
    said = prompt_line(site, [judged.finding for judged in reviewed.findings])
    if said is not None and said.agrees is not None:
        yield _prompt(said)
    yield from map(_finding, left)
    yield from _scenario([reviewed])
    if reviewed.switched_off:
        yield f"  not adapted {OFF_WORDS[reviewed.switched_off]}", "yellow"
    elif not_adapted:
        yield f"  not adapted {printable(not_adapted)}", "yellow"


def _after(site: Site, requirement: Requirement) -> Sequence[Requirement]:
    index = next(i for i, each in enumerate(site.requirements) if each is requirement)
    later = site.requirements[index + 1 :]
    return [each for each in later if not isinstance(each, ScenarioRequirement)]


def _place(requirement: Requirement) -> tuple[str, int]:
    return requirement.evidence.file, requirement.evidence.line


def _near(file: str, site: Site) -> str:
    """A path below the site's own line, which has said a long one already."""
    shown = short(file)
    long_known = file == site.file and len(shown) > _LONG_PATH
    return printable(os.path.basename(file)) if long_known else shown  # noqa: PTH119


def _where(site: Site) -> str:
    return f"{short(site.file)}:{site.line}  "


def origin_of(site: Site) -> str:
    """The expression that brings the output, and what produces it where that is not the same."""
    expression = printable(site.expression, limit=60)
    origin = printable(site.origin, limit=80)
    shown = expression if site.expression.startswith(site.origin) else f"{expression} -> {origin}"
    return shown + (" (streamed)" if site.streamed else "")


def _expectation(requirement: Requirement, shown: set[str]) -> Line:
    if isinstance(requirement, Unknown):
        return f"  expects     unknown: {printable(requirement.reason)}", "yellow"
    word = "expects"
    if requirement.alternative:
        beside = f"{requirement.alternative}\0{requirement.branch}"
        word = "or" if requirement.alternative in shown else "either"
        word = "and" if requirement.branch and beside in shown else word
        shown |= {requirement.alternative, beside}
    marks = f"[{kind_of(requirement)}, {requirement.confidence}]"
    if requirement.when:
        marks += f"  when {printable(requirement.when, limit=80)}"
    return f"  {word:<11} {printable(describe(requirement), limit=300):<{_WIDTH}}  {marks}", ""


def _finding(judged: JudgedFinding) -> Line:
    text = printable(judged.finding.text, limit=300)
    shown = f"  {text:<{_WIDTH + 12}}  ! {printable(judged.finding.name)}"
    return shown, _STYLES[judged.finding.severity]


def _prompt(said: PromptLine) -> Line:
    verdict = "agrees" if said.agrees else "! disagrees"
    text = f'"{printable(said.text, limit=60)}"  ({short(said.file)}:{said.line})'
    return f"  prompt says {text:<{_WIDTH}}  {verdict}", "" if said.agrees else "yellow"


def _scenario(sites: Sequence[ReviewedSite]) -> Iterator[Line]:
    """What follows from the use: what is looked at, and what the configuration leaves out."""
    on: dict[str, None] = {}
    for each in sites:
        for requirement in each.acting:
            standard = printable(requirement.standard, limit=60)
            on[requirement.name.replace("_", " ") + (f" ({standard})" if standard else "")] = None
    off = dict.fromkeys(name for each in sites for name in each.off)
    if on:
        yield f"  also        {', '.join(on)}  [scenario]", "dim"
    if off:
        yield f"  off         {', '.join(off)}  [adapt.scenario]", "dim"


def _unread(reviewed: ReviewedSite) -> Iterator[Line]:
    site = reviewed.site
    off = f"  ({OFF_WORDS[reviewed.switched_off]})" if reviewed.switched_off else ""
    yield f"  {_where(site)}{origin_of(site)}{off}", ""
    yield from map(_finding, reviewed.remaining)


def note_lines(notes: Sequence[ReviewNote]) -> Iterator[Line]:
    """What is to be tidied up: comments, baseline, stale entries."""
    for note in notes:
        where = short(note.file) + (f":{note.line}" if note.line else "")
        kind = note.kind.replace("-", " ")
        yield f"{where}  {kind}: {printable(note.text)}", "yellow"


def change_lines(changes: Sequence[RequirementChange]) -> Iterator[Line]:
    """Drift, site by site: what the file says and what the code says."""
    before = None
    for change in changes:
        site = change.site
        if site != before:
            where = short(site.file) + (f":{change.line}" if change.line else "")
            expression = printable(site.expression or site.origin, limit=80)
            yield f"{where}  {printable(site.function)}: {expression}", "bold"
        before = site
        in_file, in_code, about = _CHANGES[change.kind]
        if about:
            yield f"  {about}", "yellow"
        if change.file:
            yield f"  {in_file} {printable(change.file, limit=300)}", "red"
        if change.code:
            yield f"  {in_code} {printable(change.code, limit=300)}", "green"


def summary(
    reviewed: Review, files: int, unenforced: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> str:
    """``2 sites, 2 requirements (1 unenforced), 1 finding (1 silenced) in 3 files.``"""
    requirements = [
        requirement
        for each in reviewed.sites
        for requirement in each.site.requirements
        if not isinstance(requirement, ScenarioRequirement)
    ]
    unknown = sum(isinstance(requirement, Unknown) for requirement in requirements)
    findings = [judged for each in reviewed.sites for judged in each.findings]
    silenced = len(findings) - len(reviewed.remaining)
    left = sum(bool(reason) for reasons in unenforced.values() for reason in reasons)
    return (
        f"{count(len(reviewed.sites), 'site')}, "
        f"{count(len(requirements) - unknown, 'requirement')}"
        + (f" ({left} unenforced)" if left else "")
        + f", {unknown} unknown, "
        f"{count(len(reviewed.remaining), 'finding')}"
        + (f" ({silenced} silenced)" if silenced else "")
        + f" in {count(files, 'file')}."
    )
