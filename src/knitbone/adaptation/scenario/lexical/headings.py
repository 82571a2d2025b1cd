"""Headings of a text, and their form: uniform within an answer, and over a session.

Within an answer only these are aligned: what Markdown shows alike (underlined headings, closing
``#``), slips (``##Title``, one title that is also in bold type), and a series of numbered titles.
A line in bold type, or a heading at another level, may be meant as one below.

Source: Comfrey §4.4.2 (text structure).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.spans import Replacement, Spans

__all__ = [
    "align_headings",
    "find_headings",
    "forms_used",
    "has_headings",
    "may_differ",
    "uniform_form",
]

MIN_SERIES = 3
"""Headings from which one can stand out (ours)."""
MIN_FORM = 2
"""Headings of one form that settle it, or are written in the settled one (ours): a single one may
be the title of the whole answer."""
MAX_TITLE = 120
"""Characters of a title; a longer line is a sentence."""

_ANY = re.compile(r"^(?:#{1,6}[^#\s]|#{1,6} |\*\*[^*\n]|[=-]{3,} *$)", re.MULTILINE)
"""The beginning of a line that may be a heading, or its underline."""
_ODD = re.compile(r"^(?:#{1,6}(?:[^#\s]| [^\n]* #| +\*\*)|[=-]{3,} *$)", re.MULTILINE)
"""A heading in another form than the plain one, or an underline."""
_OPENS = re.compile(r"^(#{1,6}|\*\*)(?=[^\n#*])", re.MULTILINE)
"""The mark that opens a heading or a line in bold type."""
_LEVEL = re.compile(r"^(#{1,6} |\*\*)(?=[^\n]*[0-9])", re.MULTILINE)
"""The mark that opens a heading with a number."""
_ATX = re.compile(r"(#{1,6}) +(\S.*?)( +#+)? *")
"""``## Title``, or ``## Title ##``."""
_GLUED = re.compile(r"(#{2,6})([^\W\d_][^#]*)")
"""``##Title``, which Markdown shows as text."""
_BOLD = re.compile(r"\*\*([^*\s](?:[^*]*[^*\s])?)\*\*(:?) *")
"""A line in bold type: ``**Title**`` or ``**Title**:``."""
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}) *")
"""A line of signs below a heading."""
_NO_TITLE = re.compile(r"[\s>|#*+`~-]|[0-9]{1,3}[.)] |.*[.:;,!?]\s*$")
"""A line that is no title above an underline: then it is a rule."""
_NUMBERED = re.compile(
    r"(?:(Step|Part|Chapter|Section|Phase|Day|Week|Lesson|Module|Stage|Option) )?"
    r"([0-9]{1,3})\b(?!\.[0-9])"
)
"""The number of a title in a series: ``Step 1``, ``2``."""


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """One heading, or a line in bold type that may be one."""

    start: int
    end: int
    form: str
    """``#`` to ``######``, or ``**``."""
    title: str
    kind: str
    """``plain``, ``closed`` (``## A ##``), ``bold`` (``## **A**``), ``glued`` (``##A``) or
    ``underlined``."""
    apart: bool
    """Whether an empty line, or nothing, stands before it."""

    def written(self, form: str) -> str:
        """Return the heading in another form."""
        return f"**{self.title}**" if form == "**" else f"{form} {self.title}"


def has_headings(text: str) -> bool:
    """Return whether there may be a heading: the cheap test."""
    return ("#" in text or "**" in text or "---" in text or "===" in text) and (
        _ANY.search(text) is not None
    )


def may_differ(text: str) -> bool:
    """Return whether a heading may stand out within its answer: a cheap test with no false
    ``no``."""
    return _ODD.search(text) is not None or len(set(_LEVEL.findall(text))) > 1


def forms_used(text: str) -> set[str]:
    """Return the marks that open headings and lines in bold type, quoted and half ones included."""
    return set(_OPENS.findall(text))


def find_headings(text: str, protected: Spans, deadline: Deadline) -> list[Heading]:
    """Find the headings of a text, in order.

    Raises:
        TimeoutError: the deadline has passed.
    """
    found: list[Heading] = []
    position, before = 0, ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        deadline.check()
        start, position = position, position + len(line) + 1
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line.strip() and len(line) <= MAX_TITLE and not protected.covers(start):
            heading = _heading(line, before, below, start)
            if heading is not None:
                found.append(heading)
        before = line
    return found


def _heading(line: str, before: str, below: str, start: int) -> Heading | None:
    """Return the heading that a line is, told by the lines around it; ``None`` for other lines."""
    whole = start + len(line) + 1 + len(below.rstrip("\r"))
    line = line.rstrip("\r")
    end, apart = start + len(line), not before.strip()

    def of(form: str, title: str, kind: str = "plain", end: int = end) -> Heading:
        return Heading(start=start, end=end, form=form, title=title, kind=kind, apart=apart)

    if atx := _ATX.fullmatch(line):
        title, bold = atx.group(2), _BOLD.fullmatch(atx.group(2))
        if atx.group(3):
            return of(atx.group(1), title, "closed")
        if bold is not None:
            return of(atx.group(1), bold.group(1) + bold.group(2), "bold")
        return of(atx.group(1), title)
    if bold := _BOLD.fullmatch(line):
        # A colon may belong to the line below rather than to a title.
        colon = bold.group(2) or bold.group(1).endswith(":")
        return of("**:" if colon else "**", bold.group(1) + bold.group(2))
    if apart and (glued := _GLUED.fullmatch(line)):
        return of(glued.group(1), glued.group(2).rstrip(), "glued")
    if apart and _UNDERLINE.fullmatch(below.rstrip("\r")) and _NO_TITLE.match(line) is None:
        return of("#" if below.startswith("=") else "##", line.strip(), "underlined", whole)
    return None


def uniform_form(headings: Sequence[Heading]) -> str | None:
    """Return the form that all headings have; ``None`` where there are several, or too few
    headings."""
    forms = {heading.form if heading.kind == "plain" else "" for heading in headings}
    (form,) = forms if len(forms) == 1 else ("",)
    return form if len(headings) >= MIN_FORM and form.strip("#") in ("", "**") and form else None


def align_headings(
    text: str, protected: Spans, deadline: Deadline, standard: str | None
) -> list[Replacement]:
    """Write the headings that belong together in one form.

    With a session's standard, all headings of an answer that has one form of its own get that
    standard.
    """
    headings = find_headings(text, protected, deadline)
    own = uniform_form(headings)
    apart = all(heading.apart for heading in headings)
    if own is not None and standard is not None and own != standard and apart:
        return [_edit(heading, standard) for heading in headings]
    edits = _align_series(headings)
    taken = {edit.start for edit in edits}
    marked = [heading for heading in headings if heading.form.startswith("#")]
    kinds = Counter(heading.kind for heading in marked)
    if kinds["plain"] * 2 <= len(marked) or kinds["plain"] < MIN_SERIES - 1:
        return edits
    plain = {heading.form for heading in marked if heading.kind == "plain"}
    edits.extend(
        _edit(heading, heading.form)
        for heading in marked
        if heading.kind != "plain"
        and heading.start not in taken
        and (heading.kind != "glued" or heading.form in plain)
    )
    return edits


def _align_series(headings: Sequence[Heading]) -> list[Replacement]:
    """Write the titles of a series in one form: ``## Step 1``, ``## 2. Costs``."""
    series: dict[str, list[tuple[int, Heading]]] = {}
    for heading in headings:
        match = _NUMBERED.match(heading.title)
        if match is not None:
            series.setdefault(match.group(1) or "", []).append((int(match.group(2)), heading))
    edits: list[Replacement] = []
    for members in series.values():
        numbers = [number for number, _ in members]
        form, times = Counter(heading.form for _, heading in members).most_common(1)[0]
        counted = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        if (
            len(members) >= MIN_SERIES
            and counted
            and times * 2 > len(members)
            and form.startswith("#")
        ):
            edits.extend(_edit(heading, form) for _, heading in members if heading.form != form)
    return edits


def _edit(heading: Heading, form: str) -> Replacement:
    before = heading.form if heading.kind == "plain" else f"{heading.form} {heading.kind}"
    return Replacement(
        start=heading.start,
        end=heading.end,
        new=heading.written(form),
        rule=f'heading "{before}" -> "{form}"',
    )
