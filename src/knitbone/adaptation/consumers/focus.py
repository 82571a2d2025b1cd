"""The part of a text that a consumer sees, and how a change of that part is written back.

What the code does to an output before a consumer reads it (``steps`` of a requirement) is replayed:
steps that *locate* (strip, a regular expression's group, lines) give pieces of the text; steps
that *rewrite* (case, ``replace``) change what the consumer sees but not where it stands. A repair
is made in the pieces, and counts only where replaying the steps on the new text shows the consumer
exactly that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.consumers.steps import cuts_lines, number_of, replay, rewrites
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.text.wrappers.fences import lines_of_block
from knitbone.adaptation.text.wrappers.remarks import without_closing

__all__ = ["after_reasoning", "focused", "without_reasoning"]

_MAX_PIECES = 5_000
"""Pieces of one text that are looked at (ours)."""


def focused(check: Check, steps: Sequence[Step]) -> Check | None:
    """Return the check applied to what the consumer sees; ``None`` where the steps cannot be
    replayed."""
    if not steps:
        return check
    perhaps = next((place for place, step in enumerate(steps) if step.name == "perhaps"), None)
    if perhaps is not None:
        either = _either(check, steps[perhaps + 1 :], number_of((steps[perhaps],)))
        return None if either is None else focused(either, steps[:perhaps])
    added = next((place for place, step in enumerate(steps) if step.name == "concat"), None)
    if added is not None:
        return _around(check, steps[:added], steps[added], steps[added + 1 :])
    return _behind(check, steps)


def _behind(check: Check, steps: Sequence[Step]) -> Check | None:
    """Return the check behind steps that the code takes in every case."""
    locate = replay(steps, rewrite=False)
    see = replay(steps, rewrite=True)
    if locate is None or see is None:
        return None
    rewritten = any(rewrites(step) for step in steps)
    by_line = any(cuts_lines(step) for step in steps)
    last_line = any(step == Step("getitem", (-1,)) for step in steps) and by_line

    @FunctionCheck
    def look(text: str, invocation: Invocation) -> Verdict:
        seen = see([text])
        if len(seen) > _MAX_PIECES:
            return unread(text, f"it falls into {len(seen)} pieces; the bound is {_MAX_PIECES}")
        verdicts = [check(piece, invocation) for piece in seen]
        if all(verdict.disposition == "conforming" for verdict in verdicts):
            return conforming(text)
        block = lines_of_block(text) if by_line else None
        if block is not None:
            # No line tells that it belongs to a fence around all of them.
            inside = look(block, invocation)
            if inside.disposition != "refused":
                rules = ("fence around the lines removed", *inside.rules)
                return repaired(inside.text, *rules, edits=inside.edits + 1)
        if rewritten:
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
        pieces = locate([text])
        new = [_padded(*each, check, invocation) for each in zip(pieces, verdicts, strict=False)]
        candidate = _written(text, pieces, new)
        wanted = [verdict.disposition for verdict in verdicts]
        if candidate is None or not _holds(see([candidate]), wanted, check, invocation):
            return refused(text, "the repair cannot be written back into the whole answer")
        edits = sum(verdict.edits for verdict in verdicts)
        return repaired(candidate, *rules, edits=edits, reason=reason)

    return look


def _either(check: Check, steps: Sequence[Step], left_out: int) -> Check | None:
    """Return the check of a text from which the code first takes something off in some cases only.
    One of both ways is enough for an answer to conform; a repair leaves nothing to be taken off."""
    always, taken = focused(check, steps[left_out:]), focused(check, steps)
    if always is None or taken is None:
        return None

    @FunctionCheck
    def look(text: str, invocation: Invocation) -> Verdict:
        # First the way that what stands there and what does not may both have gone: of the other
        # one a whole repair would be sought for what is only to be taken off.
        other = taken(text, invocation)
        return other if other.disposition == "conforming" else always(text, invocation)

    return look


def _around(
    check: Check, before: Sequence[Step], adding: Step, behind: Sequence[Step]
) -> Check | None:
    """Return the check of a text to which the code adds something: ``"{" + text``. What is added
    stays."""
    whole = focused(check, behind)
    pieces = [argument for argument in adding.arguments if isinstance(argument, str)]
    if whole is None or len(pieces) != 2:
        return None
    start, end = pieces

    @FunctionCheck
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
    """Return the check applied to what stands behind a reasoning model's thoughts, where the
    consumer does not accept the answer together with them."""

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition != "refused" or (rest := without_reasoning(text)) is text:
            return verdict
        behind = check(rest, invocation)
        if behind.disposition == "refused":
            return msgspec.structs.replace(behind, text=text)
        rule = "reasoning before the answer left out"
        return repaired(behind.text, rule, *behind.rules, edits=behind.edits + 1)

    return FunctionCheck(look, reads_whole=check.reads_whole)


def without_reasoning(text: str) -> str:
    """Return what stands behind a reasoning model's thoughts; the text itself where there are
    none."""
    opened = _REASONING.match(text)
    end = text.find(f"</{opened[1]}>", opened.end()) if opened is not None else -1
    if opened is None or end < 0:
        return text
    return text[end + len(opened[1]) + 3 :].lstrip("\r\n")


def _padded(piece: str, verdict: Verdict, check: Check, invocation: Invocation) -> str:
    """Return a repaired piece between the blanks that stood around it: what else reads the answer
    may need them, as the lines of a fence do."""
    if verdict.disposition != "repaired" or not piece.strip():
        return verdict.text
    start = len(piece) - len(piece.lstrip())
    whole = piece[:start] + verdict.text.strip() + piece[len(piece.rstrip()) :]
    kept = whole == verdict.text or check(whole, invocation).disposition == "conforming"
    return whole if kept else verdict.text


def _holds(seen: list[str], wanted: Sequence[str], check: Check, invocation: Invocation) -> bool:
    """Return whether the consumer now accepts every piece but those that were refused."""
    if len(seen) != len(wanted):
        return False
    return all(
        before == "refused" or check(piece, invocation).disposition == "conforming"
        for piece, before in zip(seen, wanted, strict=True)
    )


def _written(text: str, pieces: list[str], new: list[str]) -> str | None:
    """Return the text with each piece replaced, in order; ``None`` where a piece is not found."""
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
