"""Sections below headings of one level: ``re.split(r"^## (.+)$", text, flags=re.MULTILINE)``.

Headings in another form are written as the code looks for them: of another level, in emphasis,
without the blank, indented. It must be clear which lines are headings; where the model was asked
for headings by name, only lines with those names are, and their names are written as they were
asked.

Source: Comfrey §4.3.1 (positional templates, clustering of identifiers).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import LINE_STEPS, STEPS
from knitbone.adaptation.repair.checks import (
    Check,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.fences import begins_with_fence, without_markdown_fence
from knitbone.common.edit_distance import distance_within, tolerance

__all__ = ["MAX_TEXT", "prepare_sections"]

MAX_TEXT = 1_000_000
"""Characters (ours)."""
_MAX_TITLE = 80
_MAX_LINE = 160
_LINE = re.compile(
    r"(?P<indent>[^\S\n]{0,8})(?:(?P<mark>#{1,6})(?P<blank>[^\S\n]{0,4})(?P<title>[^\s#][^\n]{0,120})"
    r"|(?P<open>\*\*|__)(?P<bold>[^\s*_][^\n*_]{0,80})(?P=open):?"
    r"|(?P<plain>[^\W_][^\n]{0,80}))[^\S\n]{0,8}"
)
_UNDERLINE = re.compile(r"[^\S\n]{0,3}(?:-{3,}|={3,})[^\S\n]{0,8}")
_DECORATION = re.compile(r"[\W_]{0,6}(?:\(?\d{1,2}[.):][^\S\n]{1,4})?[\W_]{0,6}")
"""Numbers and emphasis in front of a title."""
_ASKED = re.compile(r"(?P<quote>['\"`]?)(?<!#)#{1,6}[ ](?P<title>[^\n#'\"`<>{}\[\],;|]{1,80})")


class _Heading(NamedTuple):
    """A line that is or may be a heading."""

    line: int
    """Index of its line."""
    level: int
    """The level of Markdown; 0 for a line in emphasis, -1 for a plain line."""
    exact: bool
    """Whether the code finds it."""
    title: str
    underlined: bool = False
    """Whether the line below is nothing but its mark."""


def prepare_sections(template: PositionalTemplate) -> Check | None:
    """Build the check of headings of one level, each before its section."""
    mark = _mark(template)
    if mark is None or template.reader is not None:
        return None
    if not all(step.name in STEPS | LINE_STEPS | {"iterate"} for step in template.steps):
        return None
    return _Sections(mark, optional=template.confidence != "high")


def _mark(template: PositionalTemplate) -> str | None:
    first = template.elements[0]
    others = [e.kind for e in template.elements[1:]]
    if template.separator:
        mark = template.separator.strip() if [first.kind, *others] == ["slot"] else ""
    else:
        alone = template.repeated and template.line_start and set(others) <= {"space", "slot"}
        mark = first.text if first.kind == "delimiter" and alone else ""
    return mark if mark and set(mark) == {"#"} else None


class _Sections:
    """The check of sections below headings that begin with ``mark``."""

    reads_whole = True
    """Which lines are headings is told by all of them."""

    def __init__(self, mark: str, *, optional: bool) -> None:
        self._mark = mark
        self._optional = optional

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        """Find the headings, write them as the code looks for them, and prove it."""
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        inner = without_markdown_fence(text)
        lines = inner.split("\n")
        if any(line.strip() == self._mark for line in lines):
            return conforming(text)  # the mark parts the text, it heads no section
        asked, named = _asked_titles(invocation)
        headings = self._headings(lines, asked, invocation)
        if isinstance(headings, str):
            return conforming(text) if self._optional else unmatched(text, headings)
        present = {asked.get(_key(heading.title)) for heading in headings}
        absent = [title for title in named if title not in present]
        if absent and len(named) - len(absent) > 1:
            return refused(text, f"the section {absent[0][:40]!r} is missing")
        changed = self._rewrite(lines, headings)
        fenced = inner is not text and bool(headings)
        if not changed and not fenced:
            return conforming(text)
        if not invocation.uses("positional.sections"):
            return unmatched(text, "the headings are not as the code looks for them")
        rules = [f'{changed} headings written as "{self._mark} "'] * bool(changed)
        rules += ["fence left out"] * fenced
        return repaired("\n".join(lines), *rules, edits=changed + fenced)

    def _rewrite(self, lines: list[str], headings: Sequence[_Heading]) -> int:
        """Write the headings as the code finds them; return how many were not written so."""
        changed = 0
        for heading in reversed(headings):
            written = f"{self._mark} {heading.title}"
            if lines[heading.line].rstrip() != written or heading.underlined:
                lines[heading.line] = written
                changed += 1
            if heading.underlined:
                del lines[heading.line + 1]
        return changed

    def _headings(
        self, lines: Sequence[str], asked: dict[str, str], invocation: Invocation
    ) -> list[_Heading] | str:
        """Return the lines that are headings, with the titles to write, or why it is not clear
        which they are."""
        found = self._candidates(lines, invocation)
        known = [h._replace(title=title) for h in found if (title := _asked_title(h.title, asked))]
        if len(known) > 1 or (known and not any(h.exact for h in found)):
            return _choose_asked(found, known)
        return self._choose_level(found)

    def _choose_level(self, found: Sequence[_Heading]) -> list[_Heading] | str:
        """Choose the headings by their level, where the prompt names none."""
        # Lines that the code finds win, then the one level that comes more than once, then bold.
        marked = [h for h in found if h.level > 0]
        if any(h.exact for h in marked):
            return [h for h in marked if h.exact or h.level == len(self._mark)]
        levels = [h.level for h in marked]
        often = {level for level in levels if levels.count(level) > 1}
        if len(often) == 1:
            (level,) = often
            return [h for h in marked if h.level == level]
        if len(levels) == 1:
            return marked
        bold = [h for h in found if h.level == 0]
        if not levels and len(bold) > 1:
            return bold
        return f'no line begins with "{self._mark} "' if found else "there is no heading"

    def _candidates(self, lines: Sequence[str], invocation: Invocation) -> list[_Heading]:
        found: list[_Heading] = []
        in_fence = False
        for index, line in enumerate(lines):
            if begins_with_fence(line):
                in_fence = not in_fence
            if in_fence or len(line) > _MAX_LINE:
                continue
            invocation.deadline.check()
            if (heading := self._heading(lines, index)) is not None:
                found.append(heading)
        return found

    def _heading(self, lines: Sequence[str], index: int) -> _Heading | None:
        """Read a line as a heading; ``None`` where it cannot be one."""
        match = _LINE.fullmatch(lines[index])
        if match is None:
            return None
        mark: str = match["mark"] or ""
        title = match["title"] or (match["bold"] or "").rstrip(":") or match["plain"]
        if mark and not match["blank"] and not title[:1].isalpha():
            return None  # ``#1`` and ``#!`` are no headings
        exact = mark == self._mark and not match["indent"] and match["blank"] == " "
        underlined = match["plain"] is not None and _is_underlined(title, lines, index)
        level = len(mark) or (-1 if match["plain"] is not None and not underlined else 0)
        return _Heading(index, level, exact, title.rstrip(), underlined)


def _choose_asked(found: Sequence[_Heading], known: Sequence[_Heading]) -> list[_Heading] | str:
    """Choose the headings that were asked for, and those that the code finds beside them."""
    exact = [h for h in found if h.exact and all(h.line != k.line for k in known)]
    chosen = [h for h in known if h.level >= 0 or not _is_lesser_repeat(h, known)]
    if len({h.title for h in chosen}) < len(chosen):
        return [h for h in found if h.exact] or "a section stands twice"
    return sorted([*chosen, *exact])


def _is_underlined(title: str, lines: Sequence[str], index: int) -> bool:
    """Return whether a plain line is a heading of Markdown by the line below it.

    A rule below a sentence makes no heading.
    """
    below = lines[index + 1] if index + 1 < len(lines) else ""
    alone = index == 0 or not lines[index - 1].strip()
    return (
        alone
        and title.rstrip()[-1:] not in tuple(".!?:;,")
        and _UNDERLINE.fullmatch(below) is not None
    )


def _key(title: str) -> str:
    """Return a title without numbers, emphasis, marks and case."""
    begun = _DECORATION.match(title)
    bare = title[begun.end() :] if begun else title
    return re.sub(r"[\W_]+", " ", bare).strip().casefold()


def _asked_titles(invocation: Invocation) -> tuple[dict[str, str], list[str]]:
    """Return the headings that the messages name, by key, and those that stand in quotes there.

    The others may be the headings of the prompt itself.
    """
    asked: dict[str, str] = {}
    named: list[str] = []
    for message in invocation.messages:
        for match in _ASKED.finditer(message.text):
            title = match["title"].strip()
            end = message.text[match.end() : match.end() + 1]
            if not _key(title):
                continue
            asked.setdefault(_key(title), title)
            if match["quote"] and end == match["quote"] and title not in named:
                named.append(title)
    return asked, named


def _asked_title(title: str, asked: dict[str, str]) -> str | None:
    """Return the title that was asked for and is meant, misspelt or not."""
    key = _key(title)
    if key in asked:
        return asked[key]
    if len(key) > _MAX_TITLE:
        return None
    near = [
        other
        for other in asked
        if (bound := tolerance(other)) and distance_within(key, other, bound) is not None
    ]
    return asked[near[0]] if len(near) == 1 else None


def _is_lesser_repeat(heading: _Heading, known: Sequence[_Heading]) -> bool:
    """Return whether another line with the same title is more of a heading."""
    return any(o.title == heading.title and o.level > heading.level for o in known)
