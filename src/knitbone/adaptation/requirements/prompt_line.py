"""The line of a prompt that says what form the answer has, for reports: does the code agree?"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.requirements import PositionalTemplate, StructuredTemplate
from knitbone.adaptation.requirements.findings import SiteFinding
from knitbone.adaptation.requirements.records import Requirement, Shape
from knitbone.adaptation.requirements.sites import Site

__all__ = ["PromptLine", "prompt_line"]

_FORM_WORDS = re.compile(
    r"\b(?:JSON|YAML|XML|CSV|SQL|markdown|code block|bullet\w*|numbered|comma[- ]separated)\b"
    r"|\b(?:one|each) (?:per|on (?:a|its)(?: own| new)?) line\b"
    r"|[\"'][A-Za-z_][\w-]*[\"']\s*:",
    re.IGNORECASE,
)
"""Words about the form of an answer, or a key in quotes."""
_EXAMPLE = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+\S")
"""A line that is an item of a list."""
_SENTENCE_END = re.compile(r"(?<=[\w}\])\"'][.!?])\s+(?=[A-Z])")
_MARKER_WORDS = {
    "number": re.compile(r"\bnumbered\b", re.IGNORECASE),
    "bullet": re.compile(r"\bbullet", re.IGNORECASE),
}
"""Marker of a template -> words by which a prompt asks for it."""
_MAX_CHARACTERS = 20_000
"""Of a prompt, that are looked at (ours): its form is said in its text, not in its data."""


class PromptLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a prompt about the form of the answer."""

    text: str
    file: str
    line: int
    agrees: bool | None
    """``None`` where it does not tell."""


def prompt_line(site: Site, findings: Sequence[SiteFinding]) -> PromptLine | None:
    """Return the line that says most, in the prompt that stands last; ``None`` where
    none says any."""
    disagrees = any("prompt" in finding.name for finding in findings)
    for prompt in reversed(site.prompts):
        text = prompt.text[:_MAX_CHARACTERS]
        lines = [part for line in text.splitlines() for part in _SENTENCE_END.split(line)]
        saying = next((line for line in lines if _FORM_WORDS.search(line)), None) or next(
            (line for line in lines if _EXAMPLE.match(line)), None
        )
        if saying is not None:
            agrees = False if disagrees else _agrees(text, saying, site.requirements) or None
            return PromptLine(
                text=saying.strip(), file=prompt.file, line=prompt.line, agrees=agrees
            )
    return None


def _agrees(text: str, saying: str, requirements: Sequence[Requirement]) -> bool:
    """Return whether the prompt names every key that the code needs, names the mark that records
    begin with, or shows a record that the code reads."""
    for requirement in requirements:
        if isinstance(requirement, StructuredTemplate):
            keys = _keys(requirement.shape)
            named = all(re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) for key in keys)
            if keys and named and requirement.format.upper() in text.upper():
                return True
        if isinstance(requirement, PositionalTemplate) and requirement.reader is not None:
            mark = _MARKER_WORDS.get(requirement.marker)
            if mark is not None and mark.search(saying):
                return True
            shown = "\n".join(line for line in text.splitlines() if _EXAMPLE.match(line))
            if shown and _reads(requirement.reader, shown):
                return True
    return False


def _reads(reader: Reader, shown: str) -> bool:
    """Return whether a reader finds a record in a text."""
    try:
        return bool(reader.read(shown))
    except TimeoutError:
        return False  # not known


def _keys(shape: Shape) -> list[str]:
    """Return the keys that must be there."""
    keys = [field.name for field in shape.fields if field.required]
    for inner in [*(f.shape for f in shape.fields if f.required), shape.items]:
        keys += _keys(inner) if inner is not None else []
    return keys
