"""Actions of an agent, a name and its argument in brackets: ``finish[Paris]``, ``move(3, 4)``.

The code's own expression tells which brackets stand there, and what stands before the name. A
model writes the form that it knows from elsewhere: ``finish(Paris)``, ``Action 2: finish
[Paris]``, ``Action: finish`` with ``Action Input: Paris`` below. The one line that names an action
is written as the code reads it; name and argument stay as they are, except for the case of the
name.

Source: Comfrey §4.3.1 (positional templates, delimiter supplementation).
"""

# ruff: noqa: RUF001 - the dashes and full-width colons that models write
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict, repaired
from knitbone.adaptation.repair.positional.label_plan import key_of
from knitbone.adaptation.requirements import Element, PositionalTemplate

__all__ = ["MAX_LINE", "prepare_actions"]

MAX_LINE = 2_000
"""Characters of an action (ours)."""
_MAX_TEXT = 65_536
_CLOSING = {"[": "]", "(": ")", "{": "}", "<": ">"}
_BLANK = r"[^\S\n]"
_MARKS = r"[*_`]{0,3}"
_LEAD = rf"^{_BLANK}{{0,8}}(?:>{_BLANK}?)?(?:[-*+•]{_BLANK}{{1,4}})?{_MARKS}"
_LABELS = ("action", "next action", "tool", "tool call", "call", "command", "function", "move")
"""Labels that models write before an action where the code asks for none."""
_COLON = rf"{_MARKS}{_BLANK}{{0,4}}(?:[:：=]|->|=>|→|[-–—](?={_BLANK}))"
_NAME = r"(?P<name>[^\W\d]\w{0,63})"
_INPUT = rf"\n{_MARKS}(?:action )?(?:input|argument)s?{_COLON}{_MARKS}{_BLANK}{{0,4}}"
_PROSE = frozenset(
    {
        "the",
        "a",
        "an",
        "for",
        "to",
        "with",
        "by",
        "of",
        "in",
        "on",
        "and",
        "that",
        "this",
        "it",
        "my",
    }
)


class _Grammar(NamedTuple):
    """The way in which the code writes an action."""

    label: str
    """The text before the name, with its blanks."""
    names: tuple[str, ...]
    """The names that it knows; empty where any will do."""
    opening: str
    closing: str


def prepare_actions(template: PositionalTemplate, check: Check) -> Check:
    """Add the check of an action behind ``check``; return ``check`` itself where the template is
    no action."""
    grammar, reader = _grammar(template), template.reader
    if grammar is None or reader is None or template.repeated:
        return check
    line = re.compile(_line_pattern(grammar), re.MULTILINE | re.IGNORECASE)

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition != "refused" or len(text) > _MAX_TEXT:
            return verdict
        if not invocation.uses("positional.delimiters"):
            return verdict
        found = list(_actions(text, line, grammar, invocation))
        if len(found) != 1:
            return verdict
        (action,) = found
        for candidate, groups in _rewritings(text, action, grammar):
            if reader.read(candidate) == [groups]:
                return repaired(candidate, "action written as the code reads it", edits=1)
        return verdict

    return FunctionCheck(look, reads_whole=check.reads_whole)


class _Action(NamedTuple):
    """An action at a place of the answer."""

    start: int
    end: int
    name: str
    argument: str


def _grammar(template: PositionalTemplate) -> _Grammar | None:
    """Return the grammar of a template that is a name and an argument in brackets; ``None`` for
    others."""
    elements = list(template.elements)
    while elements and elements[-1].kind == "space":
        elements.pop()
    if len(elements) < 4:
        return None
    *before, name, opening, argument, closing = elements
    named = name.captured and name.kind in ("slot", "words")
    if not named or argument.kind != "slot" or not argument.captured:
        return None
    if _CLOSING.get(opening.text) != closing.text:
        return None
    if not all(e.kind in ("words", "delimiter", "space") and not e.captured for e in before):
        return None
    label = "".join(e.text for e in before if not e.optional or e.kind == "space")
    if label and not label.rstrip().endswith(":"):
        return None
    return _Grammar(label, _names(name), opening.text, closing.text)


def _names(name: Element) -> tuple[str, ...]:
    return name.options if name.kind == "words" else ()


def _line_pattern(grammar: _Grammar) -> str:
    """Return an expression for the lines that may be an action."""
    labels = (key_of(grammar.label),) if grammar.label else _LABELS
    label = "|".join(re.escape(each).replace(r"\ ", r"[ _-]?") for each in labels)
    label = rf"(?P<label>(?:{label})(?:{_BLANK}?\d{{1,3}})?{_COLON}{_MARKS}{_BLANK}{{0,4}}{_MARKS})"
    end = rf"{_MARKS}[.;]?{_MARKS}{_BLANK}{{0,8}}$"
    inner = rf"(?P<inner>[^\n]{{0,{MAX_LINE}}})"
    bracket = rf"{_BLANK}{{0,2}}(?P<open>[\[({{<]){inner}(?P<close>[\])}}>]){end}"
    below = rf"{_MARKS}{_BLANK}{{0,4}}{_INPUT}(?P<below>\S[^\n]{{0,{MAX_LINE}}})\s*\Z"
    bare = (
        rf"(?P<colon>{_BLANK}{{0,2}}:)?{_BLANK}{{1,4}}(?P<bare>[^\s\[({{<:][^\n]{{0,{MAX_LINE}}})$"
    )
    optional = "" if grammar.label else "?"
    return rf"{_LEAD}{label}{optional}{_NAME}(?:{bracket}|{below}|{bare})"


def _actions(
    text: str, line: re.Pattern[str], grammar: _Grammar, invocation: Invocation
) -> Iterator[_Action]:
    """Yield the lines that are actions."""
    known = {name.casefold(): name for name in grammar.names}
    for match in line.finditer(text):
        invocation.deadline.check()
        name = match["name"]
        if known and name.casefold() not in known:
            continue
        opened, argument = match["open"], match["inner"]
        if opened is None:
            argument = match["below"] or match["bare"]
            if match["label"] is None or (
                match["below"] is None and not (known and _is_argument(match))
            ):
                continue
        elif _CLOSING[opened] != match["close"] or not _keeps_bracket_open(argument, opened):
            continue
        if not argument.strip():
            continue
        start = match.start()
        yield _Action(start, match.end(), known.get(name.casefold(), name), argument.strip())


def _is_argument(match: re.Match[str]) -> bool:
    """Return whether the text behind a name without brackets is an argument and no prose:
    ``finish: Paris``, but not ``finish the task``."""
    words = match["bare"].split()
    return bool(match["colon"]) or (len(words) <= 3 and words[0].casefold() not in _PROSE)


def _keeps_bracket_open(argument: str, opening: str) -> bool:
    """Return whether the outer bracket is not closed inside an argument, as it is in ``a] and
    search[b``."""
    depth = 0
    for character in argument:
        depth += (character == opening) - (character == _CLOSING[opening])
        if depth < 0:
            return False
    return depth == 0


def _rewritings(
    text: str, action: _Action, grammar: _Grammar
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the answer with the action as the code reads it, and what the code takes of it then."""
    before, behind = text[: action.start], text[action.end :]
    for name in dict.fromkeys((action.name, action.name.lower())):
        written = f"{grammar.label}{name}{grammar.opening}{action.argument}{grammar.closing}"
        yield f"{before}{written}{behind}", (name, action.argument)
