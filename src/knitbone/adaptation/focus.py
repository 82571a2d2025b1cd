"""The part of a text that a consumer sees, and how a change of that part is written back.

What the code does to an output before a consumer reads it (``steps`` of a requirement) is replayed:
steps that *locate* (strip, a regular expression's group, lines) give pieces of the text; steps
that *rewrite* (case, ``replace``) change what the consumer sees but not where it stands. A repair
is made in the pieces, and counts only where replaying the steps on the new text shows the consumer
exactly that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from knitbone.adaptation.checks import (
    Check,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.defects.positional.remarks import without_closing
from knitbone.adaptation.requirements.matching import find_all, find_one
from knitbone.adaptation.requirements.readers import FUNCTIONS, Step

__all__ = ["after_reasoning", "focused"]

_MAX_PIECES = 5_000
"""Pieces of one text that are looked at (ours)."""
_REWRITING = frozenset({"lower", "upper", "casefold", "replace", "expandtabs", *FUNCTIONS})
_TRIMMING = frozenset({"strip", "lstrip", "rstrip", "removeprefix", "removesuffix"})
_MATCHING = frozenset({"re.search", "re.match", "re.fullmatch"})
_FINDING = frozenset({"re.finditer", "re.findall"})

_FENCED = re.compile(r"\s*```[\w+-]*[ \t]*\n(.*?)\n```\s*", re.DOTALL)

_Apply: TypeAlias = Callable[[list[str]], "list[str]"]


def focused(check: Check, steps: Sequence[Step]) -> Check | None:
    """The check applied to what the consumer sees; ``None`` where the steps cannot be replayed."""
    if not steps:
        return check
    added = next((place for place, step in enumerate(steps) if step.name == "concat"), None)
    if added is not None:
        return _around(check, steps[:added], steps[added], steps[added + 1 :])
    locate = _compile(steps, rewrite=False)
    see = _compile(steps, rewrite=True)
    if locate is None or see is None:
        return None
    rewrites = any(step.name in _REWRITING for step in steps)
    by_line = any(step.name in ("splitlines", "split") for step in steps)
    last_line = any(step == Step("getitem", (-1,)) for step in steps) and by_line

    def look(text: str, invocation: Invocation) -> Verdict:
        seen = see([text])
        if len(seen) > _MAX_PIECES:
            return unread(text, f"it falls into {len(seen)} pieces; the bound is {_MAX_PIECES}")
        verdicts = [check(piece, invocation) for piece in seen]
        if all(verdict.disposition == "conforming" for verdict in verdicts):
            return conforming(text)
        block = _FENCED.fullmatch(text) if by_line else None
        if block is not None and "```" not in block[1]:
            # No line tells that it belongs to a fence around all of them.
            inside = look(block[1], invocation)
            if inside.disposition != "refused":
                rules = ("fence around the lines removed", *inside.rules)
                return repaired(inside.text, *rules, edits=inside.edits + 1)
        if rewrites:
            # What the consumer sees is not what stands in the text: repair that.
            verdicts = [check(piece, invocation) for piece in locate([text])]
        rules = tuple(dict.fromkeys(rule for verdict in verdicts for rule in verdict.rules))
        reason = next((verdict.reason for verdict in verdicts if verdict.reason), "")
        if not any(verdict.disposition == "repaired" for verdict in verdicts):
            if last_line and (shorter := without_closing(text)) is not None:
                behind = look(shorter, invocation)
                if behind.disposition != "refused":
                    rules = ("lines behind the last one left out", *behind.rules)
                    return repaired(behind.text, *rules, edits=behind.edits + 1)
            known = all(verdict.known for verdict in verdicts)
            reason = reason or "the consumer does not accept what it sees"
            return refused(text, reason) if known else unread(text, reason)
        candidate = _written(text, locate([text]), [verdict.text for verdict in verdicts])
        wanted = [verdict.disposition for verdict in verdicts]
        if candidate is None or not _holds(see([candidate]), wanted, check, invocation):
            return refused(text, "the repair cannot be written back into the whole answer")
        edits = sum(verdict.edits for verdict in verdicts)
        return repaired(candidate, *rules, edits=edits, reason=reason)

    return look


def _around(
    check: Check, before: Sequence[Step], adding: Step, behind: Sequence[Step]
) -> Check | None:
    """The check of a text to which the code adds something: ``"{" + text``. What is added stays."""
    whole = focused(check, behind)
    pieces = [argument for argument in adding.arguments if isinstance(argument, str)]
    if whole is None or len(pieces) != 2:
        return None
    start, end = pieces

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = whole(f"{start}{text}{end}", invocation)
        if verdict.disposition != "repaired":
            return msgspec.structs.replace(verdict, text=text)
        new = verdict.text
        if not (new.startswith(start) and new.endswith(end) and len(new) >= len(start + end)):
            return refused(text, "what the code adds would have to change")
        return msgspec.structs.replace(verdict, text=new[len(start) : len(new) - len(end)])

    return focused(look, before)


_REASONING = re.compile(r"\s{0,100}<(think|thinking|reasoning)>")


def after_reasoning(check: Check) -> Check:
    """The check applied to what stands behind a reasoning model's thoughts, where the consumer
    does not accept the answer together with them."""

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition != "refused" or (opened := _REASONING.match(text)) is None:
            return verdict
        end = text.find(f"</{opened[1]}>", opened.end())
        if end < 0:
            return verdict
        rest = text[end + len(opened[1]) + 3 :].lstrip("\r\n")
        behind = check(rest, invocation)
        if behind.disposition == "refused":
            return msgspec.structs.replace(behind, text=text)
        rule = "reasoning before the answer left out"
        return repaired(behind.text, rule, *behind.rules, edits=behind.edits + 1)

    look.reads_whole = getattr(check, "reads_whole", False)  # pyright: ignore[reportFunctionMemberAccess]
    return look


def _holds(seen: list[str], wanted: Sequence[str], check: Check, invocation: Invocation) -> bool:
    """Whether the consumer now accepts every piece but those that were refused."""
    if len(seen) != len(wanted):
        return False
    return all(
        before == "refused" or check(piece, invocation).disposition == "conforming"
        for piece, before in zip(seen, wanted, strict=True)
    )


def _written(text: str, pieces: list[str], new: list[str]) -> str | None:
    """The text with each piece replaced, in order; ``None`` where a piece is not found."""
    if len(pieces) == 1 and pieces[0] != new[0] and text.count(pieces[0]) != 1:
        return None
    done: list[str] = []
    place = 0
    for piece, replacement in zip(pieces, new, strict=True):
        found = text.find(piece, place)
        if found < 0:
            return None
        done += [text[place:found], replacement]
        place = found + len(piece)
    return "".join((*done, text[place:]))


def _compile(steps: Sequence[Step], *, rewrite: bool) -> _Apply | None:
    functions: list[_Apply] = []
    pending = list(steps)
    fenced = False
    while pending:
        step = pending.pop(0)
        mark = step.arguments[0] if step.arguments else None
        if step.name in _REWRITING and not rewrite:
            continue
        if step.name in _REWRITING | _TRIMMING:
            functions.append(_each(step.name, step.arguments))
        elif step.name == "splitlines" or (step.name == "split" and mark == "\n"):
            if pending and pending[0].name == "getitem":
                functions.append(_line_at(_number([pending.pop(0)])))
                continue
            functions.append(_lines)
            _taken(pending, "iterate")
        elif step.name == "split" and isinstance(mark, str) and "```" in mark:
            functions.append(_before(mark) if fenced else _after(mark))
            fenced = True
            _taken(pending, "getitem")
        elif step.name == "slice" and not step.arguments:
            functions.append(_braces)
        elif made := _matching(step, _taken(pending, "group", "groups", "getitem", "iterate")):
            whole = bool(_taken(pending, "otherwise"))
            functions.append(_or_whole(made) if whole else made)
        else:
            return None

    def apply(texts: list[str]) -> list[str]:
        for function in functions:
            texts = function(texts)
        return texts

    return apply


def _taken(pending: list[Step], *names: str) -> list[Step]:
    """The next steps that belong to the one before, taken out of the pending ones."""
    taken: list[Step] = []
    while pending and pending[0].name in names:
        taken.append(pending.pop(0))
    return taken


def _number(steps: Sequence[Step]) -> int:
    """The last number among the steps' arguments: the group that is read."""
    numbers = [step.arguments[0] for step in steps if step.arguments]
    return next((each for each in reversed(numbers) if isinstance(each, int)), 0)


def _each(name: str, arguments: Sequence[object]) -> _Apply:
    function = FUNCTIONS.get(name)
    if function is not None:
        return lambda texts: [function(text) for text in texts]
    return lambda texts: [getattr(text, name)(*arguments) for text in texts]


def _lines(texts: list[str]) -> list[str]:
    """Lines that hold something: consumers pass over empty ones or cannot read them anyway."""
    return [line for text in texts for line in text.split("\n") if line.strip()]


def _line_at(place: int) -> _Apply:
    """``text.splitlines()[-1]``: one line."""

    def apply(texts: list[str]) -> list[str]:
        of_each = [text.split("\n") for text in texts]
        return [lines[place] for lines in of_each if -len(lines) <= place < len(lines)]

    return apply


def _after(mark: str) -> _Apply:
    """``text.split("```python")[1]``: what stands behind the opening of a fence."""
    return lambda texts: [text.partition(mark)[2] for text in texts if mark in text]


def _before(mark: str) -> _Apply:
    """``.split("```")[0]`` of that."""
    return lambda texts: [text.partition(mark)[0] for text in texts]


def _braces(texts: list[str]) -> list[str]:
    """``text[text.find("{") : text.rfind("}") + 1]``, the cut whose bounds the code computes."""
    kept: list[str] = []
    for text in texts:
        starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
        start = min(starts, default=0)
        end = text.rfind("}" if text[start : start + 1] == "{" else "]")
        kept.append(text[start : end + 1] if end > start else text)
    return kept


def _or_whole(apply: _Apply) -> _Apply:
    """``match[1] if match else text``."""
    return lambda texts: [piece for text in texts for piece in apply([text]) or [text]]


def _matching(step: Step, taken: Sequence[Step]) -> _Apply | None:
    source, *rest = (*step.arguments, "", 0)[:2]
    if step.name not in _MATCHING | _FINDING or not isinstance(source, str) or not step.arguments:
        return None
    flags = rest[0]
    try:
        pattern = re.compile(source, flags if isinstance(flags, int) else 0)
    except (re.error, OverflowError, RecursionError):
        return None
    if step.name in _FINDING:
        return _finding(pattern, step.name, taken)
    group = _number(taken)
    if not 0 <= group <= pattern.groups:
        return None
    method = step.name.removeprefix("re.")
    return lambda texts: [
        match.group(group) or "" for text in texts if (match := find_one(pattern, method, text))
    ]


def _finding(pattern: re.Pattern[str], name: str, taken: Sequence[Step]) -> _Apply | None:
    """All matches, or the one whose place in the list the code names: ``findall(...)[-1]``."""
    first = taken[0] if taken else None
    which: int | None = None
    if first is not None and first.name in ("iterate", "getitem"):
        taken = taken[1:]
        if first.name == "getitem":
            which = _number((first,))
    if name == "re.findall" and pattern.groups <= 1:
        if taken:
            return None  # a character of the text that was found
        group = pattern.groups
    else:
        # Of several groups ``findall`` gives a tuple, which counts from 0.
        group = _number(taken) + (1 if name == "re.findall" and taken else 0)
    if not 0 <= group <= pattern.groups:
        return None

    def apply(texts: list[str]) -> list[str]:
        found = [[match.group(group) or "" for match in find_all(pattern, t)] for t in texts]
        if which is None:
            return [piece for pieces in found for piece in pieces]
        return [pieces[which] for pieces in found if -len(pieces) <= which < len(pieces)]

    return apply
