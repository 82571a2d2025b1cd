"""Answers that an expression reads once the text around them is left out.

This is the last form: the template's elements give a repair nothing to go by, so nothing is
rewritten. Marks and labels around the answer are left out, or the lines before the one at which
the expression begins to match; whatever the consumer then reads stands in the answer as it is.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.adaptation.consumers.readers import Record
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.layers import elements_in, peel
from knitbone.adaptation.text.wrappers.remarks import is_lead_in

__all__ = ["MAX_TEXT", "prepare_surroundings"]

MAX_TEXT = 65_536
"""Characters (ours)."""


_HEADING = re.compile(r"^(#{1,6})(?=[^\s#])", re.MULTILINE)
_HEADED = re.compile(r"^#{1,6}[^\S\n]", re.MULTILINE)
_ALONE = re.compile(
    r"\s{0,8}(?P<open>\*\*|__)(?P<title>[^\n*_]{1,120})(?P=open):?[^\S\n]*(?=\n|\Z)"
)


def prepare_surroundings(template: PositionalTemplate) -> Check | None:
    """Build the check of a template of which only the reader is known."""
    if template.reader is None:
        return None
    reader = template.reader

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        if reader.read(text):
            return conforming(text)
        if not invocation.uses("positional.frame"):
            return unmatched(text, "the consumer's expression does not match")
        for candidate, rule, edits in _candidates(text, template):
            invocation.deadline.check()
            records = reader.read(candidate)
            if (
                records
                and edits < invocation.config.tau_element
                and _keeps_numbers_whole(records, candidate)
            ):
                return repaired(candidate, rule, edits=edits)
        return unmatched(text, "the consumer's expression does not match")

    return check


def _candidates(text: str, template: PositionalTemplate) -> Iterator[tuple[str, str, int]]:
    """Yield the answer without some of the text around it, with what was left out and the edits."""
    core, layers = peel(text)
    if layers:
        yield core, f"{' and '.join(dict.fromkeys(layers))} left out", elements_in(layers)
    if not template.line_start:
        return
    if template.elements[0].kind == "delimiter" and template.elements[0].text[:1] == "#":
        mark = template.elements[0].text
        if len(_HEADING.findall(text)) == 1:  # of several, which one is meant is not told
            yield _HEADING.sub(r"\1 ", text), "blank behind the mark supplied", 1
        if (alone := _ALONE.match(text)) and not _HEADED.search(text):
            rest = text[alone.end() :]
            yield f"{mark} {alone['title']}{rest}", "emphasised line made the heading", 2
    announced, _, rest = text.lstrip().partition("\n")
    if is_lead_in(announced + "\n"):
        text, edits = rest.lstrip(), 1
        yield text, "text before the answer left out", edits
    else:
        text, edits = text.lstrip(), 0
        yield text, "blanks before the answer left out", 1
    line, found, rest = text.partition("\n")
    core, layers = peel(line)
    if layers and found:
        yield f"{core}\n{rest}", "marks around the answer left out", elements_in(layers) + edits


def _keeps_numbers_whole(records: list[Record], candidate: str) -> bool:
    """Return whether no number is cut in two."""
    for record in records:
        for group in record:
            behind = candidate.partition(group)[2]
            if group[-1:].isdigit() and behind[:1] in (".", ",") and behind[1:2].isdigit():
                return False
    return True
