"""Where a sentence goes in a documentation: into the entry of its argument, or behind the text.

Google's ``Args``, NumPy's ``Parameters`` and Sphinx's ``:param`` are extended in place; where an
argument has no entry in such a section it gets one; elsewhere the sentence follows the text. All
that is proposed are edits: what nobody edits stays as it was.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

__all__ = ["TextEdit", "applied", "behind", "correction", "insertions", "replacement", "style_of"]

_WIDTH = 100
"""Columns; a source whose lines are longer already sets the width itself."""
_INDENT = "    "
_GOOGLE = re.compile(r"([ \t]*)(?:Args|Arguments|Parameters|Params|Inputs?):[ \t]*\Z")
_SECTION = re.compile(
    r"[ \t]*(?:Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Examples?|Notes?|See Also|"
    r"Attributes|Warnings?|References|Todo|Usage|Inputs?|Outputs?)(?:\[[^\]]*\])?:[ \t]*\Z"
)
_UNDERLINE = re.compile(r"[ \t]*-{3,}[ \t]*\Z")
_FIELD = re.compile(r"[ \t]*:(?:param|parameter|arg|type|returns?|rtype|raises?|yields?)\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_END = tuple(".!?:;")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_MARKED = re.compile(r"[ \t]*(?:`{3}|~{3}|>>>|\.\.\.[ \t]|\||\+[-=]|\$ )|.*\|[ \t]*\Z")
"""A line of a fenced block, a doctest, a table, a console."""

Style = Literal["google", "numpy", "sphinx", "plain"]


class TextEdit(msgspec.Struct, frozen=True, kw_only=True):
    """Characters of a text that are taken out, and what comes in their place."""

    start: int
    end: int
    text: str


class _Line(msgspec.Struct, frozen=True):
    """One line of a documentation and where it begins."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.text.lstrip())]

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def applied(text: str, edits: Sequence[TextEdit]) -> str:
    """The text with edits that do not overlap; of two at one place the first comes first."""
    for edit in reversed(sorted(edits, key=lambda e: (e.start, e.end))):  # noqa: C413 - stable
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def behind(text: str, sentence: str) -> TextEdit:
    """A sentence behind a short text."""
    written = text.rstrip()
    lines = written.split("\n")
    before = f"{_stop(lines)} " if _is_prose(lines) else "\n\n"
    return TextEdit(
        start=len(written), end=len(written), text=f"{before}{sentence}" if written else sentence
    )


def _stop(lines: Sequence[str]) -> str:
    """What ends the last sentence of a text where that is still open."""
    is_open = _is_prose(lines) and not lines[-1].rstrip().endswith(_END)
    return "." if is_open else ""


def _is_prose(lines: Sequence[str]) -> bool:
    """Whether a text ends with words, not with an example, a table or a literal block, to which a
    full stop or another sentence would belong, nor with the colon that announces one."""
    block = list(itertools.takewhile(str.strip, reversed(lines)))
    if any(map(_MARKED.match, block)) or (block and block[0].rstrip().endswith("::")):
        return False
    if sum(_FENCE.match(line) is not None for line in lines) % 2:
        return False
    depth = min((_depth(line) for line in block), default=0)
    outer = (line for line in reversed(lines) if line.strip() and _depth(line) < depth)
    return not next(outer, "").rstrip().endswith("::")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def style_of(text: str) -> Style:
    """How a documentation describes its arguments."""
    lines = _lines(text)
    if any(_FIELD.match(line.text) for line in lines):
        return "sphinx"
    if any(
        line.text.strip() in ("Parameters", "Other Parameters") and _UNDERLINE.match(after.text)
        for line, after in itertools.pairwise(lines)
    ):
        return "numpy"
    if any(_GOOGLE.match(line.text) for line in lines):
        return "google"
    return "plain"


def replacement(text: str, description: str, indent: str) -> TextEdit:
    """Another description in place of a documentation's text; its sections stay.

    Args:
        indent: as for ``insertions``.
    """
    lines = _lines(text)
    end = _text_end(lines)
    kept = [line for line in lines[:end] if not line.is_blank]
    if not kept:
        return TextEdit(start=0, end=0, text=description)
    start = kept[0].start + len(kept[0].indent)
    # The first line begins behind the quotation marks, or where the text's indentation ends.
    wrapped = _wrapped(description, indent).removeprefix(indent) if indent else description
    return TextEdit(start=start, end=kept[-1].end, text=wrapped)


def correction(text: str, name: str, old: float, new: str) -> TextEdit | None:
    """The edit that puts a number in place of the one that the entry of an argument states;
    ``None`` where the entry does not have it exactly once.

    Args:
        name: of the argument; empty where all of the text is about it.
    """
    start, end = 0, len(text)
    if name:
        lines = _lines(text)
        span = _entry(lines, style_of(text), name)
        if span is None:
            return None
        start, end = lines[span[0]].start, lines[span[1] - 1].end
    found = [m for m in _NUMBER.finditer(text, start, end) if float(m.group()) == old]
    return (
        TextEdit(start=found[0].start(), end=found[0].end(), text=new) if len(found) == 1 else None
    )


def insertions(
    text: str,
    entries: Mapping[str, str],
    *,
    naming: Mapping[str, str],
    indent: str = "",
) -> list[TextEdit]:
    """The edits that put sentences about arguments into a documentation.

    Args:
        entries: sentences by argument, as they read in the argument's own entry.
        naming: the same sentences by argument, where nothing else says which argument it is.
        indent: blanks before the documentation's lines, where the source indents them.
    """
    style = style_of(text)
    lines = _lines(text)
    edits: list[TextEdit] = []
    missing: dict[str, str] = {}
    for name, sentence in entries.items():
        span = _entry(lines, style, name)
        if span is None:
            missing[name] = sentence
        else:
            edits.append(_continued(lines[slice(*span)], sentence, style, name))
    if missing and style in ("google", "sphinx"):
        edits.append(_new_entries(lines, style, missing))
    elif missing:
        edits.append(_paragraph(lines, " ".join(naming[name] for name in missing), indent))
    return edits


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    start = 0
    for line in text.split("\n"):
        found.append(_Line(line, start))
        start += len(line) + 1
    return found


def _entry(lines: Sequence[_Line], style: Style, name: str) -> tuple[int, int] | None:
    """The lines of an argument's entry: the first one, and the one behind the last one."""
    escaped = re.escape(name)
    bare = rf"(?:[-*][ \t]+)?[`*]{{0,2}}{escaped}[`*]{{0,2}}"
    begins = {
        "google": rf"[ \t]+\*{{0,2}}{escaped}[ \t]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?[ \t]*:",
        "numpy": rf"[ \t]*{escaped}[ \t]*(?::.*)?\Z",
        "sphinx": rf"[ \t]*:(?:param|parameter|arg)[ \t]+(?:[\w\[\], .|]+[ \t]+)?{escaped}[ \t]*:",
        "plain": rf"[ \t]*{bare}[ \t]*(?:\([^()]*\))?[ \t]*:[ \t]*\S",
    }[style]
    pattern = re.compile(begins)
    for number, line in enumerate(lines):
        if pattern.match(line.text) and _is_within(lines, number, style):
            last = number + 1
            while last < len(lines) and not lines[last].is_blank:
                if len(lines[last].indent) <= len(line.indent) and style != "plain":
                    break
                if style == "plain" and len(lines[last].indent) <= len(line.indent):
                    break
                last += 1
            return number, last
    return None


def _is_within(lines: Sequence[_Line], number: int, style: Style) -> bool:
    """Whether a line lies in the section of arguments, where the style has one."""
    if style in ("sphinx", "plain"):
        return True
    for index in range(number - 1, -1, -1):
        line = lines[index]
        if style == "google" and _SECTION.match(line.text):
            return _GOOGLE.match(line.text) is not None
        if style == "numpy" and index and _UNDERLINE.match(line.text):
            return lines[index - 1].text.strip() in ("Parameters", "Other Parameters")
    return False


def _continued(entry: Sequence[_Line], sentence: str, style: Style, name: str) -> TextEdit:
    """The sentence behind an entry's text; before it where that ends with something else."""
    first, last = entry[0], entry[-1]
    written = last.text.rstrip()
    if style == "numpy" and first.start == last.start:
        return _below(last, sentence, first.indent + _INDENT)
    texts = [line.text for line in entry]
    if not _is_prose(texts):
        if style == "numpy":
            return _below(first, sentence, first.indent + _INDENT)
        named = first.text.index(name) + len(name)
        place = first.start + first.text.index(":", named) + 1
        return TextEdit(start=place, end=place, text=f" {sentence}")
    stop = _stop(texts)
    if len(written) + len(stop) + 1 + len(sentence) <= _WIDTH:
        return TextEdit(start=last.end, end=last.end, text=f"{stop} {sentence}")
    indent = last.indent if first.start != last.start else first.indent + _INDENT
    below = _below(last, sentence, indent)
    return TextEdit(start=below.start, end=below.end, text=stop + below.text)


def _below(line: _Line, sentence: str, indent: str) -> TextEdit:
    return TextEdit(start=line.end, end=line.end, text="\n" + _wrapped(sentence, indent))


def _wrapped(sentence: str, indent: str, *, hanging: str = "") -> str:
    return "\n".join(
        textwrap.wrap(
            sentence,
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _new_entries(lines: Sequence[_Line], style: Style, missing: Mapping[str, str]) -> TextEdit:
    """Entries for arguments that have none, behind the section's last one."""
    is_entry = _FIELD if style == "sphinx" else None
    begin = next(
        number for number, line in enumerate(lines) if (is_entry or _GOOGLE).match(line.text)
    )
    last = begin
    for number in range(begin + 1, len(lines)):
        line = lines[number]
        if line.is_blank or (style == "google" and len(line.indent) <= len(lines[begin].indent)):
            break
        if style == "sphinx" and _FIELD.match(line.text) and ":param" not in line.text:
            break
        last = number
    indent = lines[begin].indent
    if style == "google":
        indent = lines[begin + 1].indent if last > begin else indent + _INDENT
    made = [
        _wrapped(f":param {name}: {text}" if style == "sphinx" else f"{name}: {text}", indent,
                 hanging=_INDENT)
        for name, text in missing.items()
    ]  # fmt: skip
    end = lines[last].end
    return TextEdit(start=end, end=end, text="".join(f"\n{entry}" for entry in made))


def _paragraph(lines: Sequence[_Line], sentence: str, indent: str) -> TextEdit:
    """Sentences behind the documentation's text, before its first section."""
    end = _text_end(lines)
    last = max((n for n in range(end) if not lines[n].is_blank), default=0)
    line = lines[last]
    if line.is_blank:
        return TextEdit(start=line.start, end=line.start, text=sentence)
    texts = [each.text for each in lines[: last + 1]]
    stop = _stop(texts)
    if len(lines) == 1 and not indent and _is_prose(texts):
        return TextEdit(start=line.end, end=line.end, text=f"{stop} {sentence}")
    # The quotation marks that end a text of several lines have a line of their own.
    closing = f"\n{indent}" if len(lines) == 1 else ""
    said = f"{stop}\n\n{_wrapped(sentence, indent)}{closing}"
    return TextEdit(start=line.end, end=line.end, text=said)


def _text_end(lines: Sequence[_Line]) -> int:
    """The number of the line with which the first section begins."""
    for number, line in enumerate(lines):
        is_field = _SECTION.match(line.text) or _FIELD.match(line.text)
        underlined = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1].text)
        if number and (is_field or underlined):
            return number
    return len(lines)
