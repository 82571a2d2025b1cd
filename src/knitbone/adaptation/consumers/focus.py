"""Checks of the part of an answer that a consumer sees, with repairs written back into the whole
answer.

``json.loads(text.split("Answer:")[1].strip())`` demands JSON of a part of the answer only. The
steps before the consumer are replayed (``step_replay.py``): those that *locate* (strip, a regular
expression's group, lines) give pieces of the text, those that *rewrite* (case, ``replace``) change
what the consumer sees but not where it stands. A repair is made in the pieces, and counts only
where replaying the steps on the new text shows the consumer exactly that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.consumers.step_replay import cuts_lines, number_of, replay, rewrites
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.text.wrappers.fences import lines_of_block
from knitbone.adaptation.text.wrappers.remarks import without_closing

__all__ = ["after_reasoning", "focus_check", "without_reasoning"]

_MAX_PIECES = 5_000
"""Pieces of one text that are looked at (ours)."""


def focus_check(check: Check, steps: Sequence[Step]) -> Check | None:
    """Wrap a check so that it looks at what the steps leave of a text; ``None`` where they cannot
    be replayed."""
    if not steps:
        return check
    optional = next((index for index, step in enumerate(steps) if step.name == "perhaps"), None)
    if optional is not None:
        either = _behind_optional_steps(check, steps[optional + 1 :], number_of((steps[optional],)))
        return None if either is None else focus_check(either, steps[:optional])
    added = next((index for index, step in enumerate(steps) if step.name == "concat"), None)
    if added is not None:
        return _behind_addition(check, steps[:added], steps[added], steps[added + 1 :])
    return _behind_certain_steps(check, steps)


def _behind_certain_steps(check: Check, steps: Sequence[Step]) -> Check | None:
    """Return the check behind steps that the code takes in every case."""
    locate = replay(steps, rewrite=False)
    see = replay(steps, rewrite=True)
    if locate is None or see is None:
        return None
    rewritten = any(rewrites(step) for step in steps)
    by_line = any(cuts_lines(step) for step in steps)
    last_line = any(step == Step("getitem", (-1,)) for step in steps) and by_line

    def look_without_fence(text: str, invocation: Invocation) -> Verdict | None:
        """Check the lines inside a fence around all of them, to which no line belongs."""
        block = lines_of_block(text) if by_line else None
        inside = look(block, invocation) if block is not None else None
        if inside is None or inside.disposition == "refused":
            return None
        rules = ("fence around the lines removed", *inside.rules)
        return repaired(inside.text, *rules, edits=inside.edits + 1)

    def look_without_closing(text: str, invocation: Invocation) -> Verdict | None:
        """Check the text without a remark in which it ends, where the last line is read."""
        shorter = without_closing(text) if last_line else None
        behind = look(shorter, invocation) if shorter is not None else None
        if behind is None or behind.disposition == "refused":
            return None
        rules = ("lines behind the last one left out", *behind.rules)
        return repaired(behind.text, *rules, edits=behind.edits + 1)

    @FunctionCheck
    def look(text: str, invocation: Invocation) -> Verdict:
        seen = see([text])
        if len(seen) > _MAX_PIECES:
            return unread(text, f"it falls into {len(seen)} pieces; the bound is {_MAX_PIECES}")
        verdicts = [check(piece, invocation) for piece in seen]
        if all(verdict.disposition == "conforming" for verdict in verdicts):
            return conforming(text)
        if (unfenced := look_without_fence(text, invocation)) is not None:
            return unfenced
        if rewritten:
            # What the consumer sees is not what stands in the text: repair that.
            verdicts = [check(piece, invocation) for piece in locate([text])]
        rules = tuple(dict.fromkeys(rule for verdict in verdicts for rule in verdict.rules))
        reason = next((verdict.reason for verdict in verdicts if verdict.reason), "")
        repairs = any(verdict.disposition == "repaired" for verdict in verdicts)
        if not repairs or _final_refusal(verdicts) is not None:
            if (shortened := look_without_closing(text, invocation)) is not None:
                return shortened
            return _refused_pieces(text, verdicts, reason)
        pieces = locate([text])
        new = [
            _with_outer_blanks(*each, check, invocation)
            for each in zip(pieces, verdicts, strict=False)
        ]
        candidate = _written_back(text, pieces, new)
        wanted = [verdict.disposition for verdict in verdicts]
        if candidate is None or not _accepts_pieces(see([candidate]), wanted, check, invocation):
            return refused(text, "the repair cannot be written back into the whole answer")
        edits = sum(verdict.edits for verdict in verdicts)
        return repaired(candidate, *rules, edits=edits, reason=reason)

    return look


def _final_refusal(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the refusal of a piece that counts for the whole answer."""
    return next(
        (each for each in verdicts if each.disposition == "refused" and each.known and each.final),
        None,
    )


def _refused_pieces(text: str, verdicts: Sequence[Verdict], reason: str) -> Verdict:
    """Return the verdict on an answer of which a piece is refused, or none was repaired."""
    if (lost := _final_refusal(verdicts)) is not None:
        return refused(text, lost.reason)
    reason = reason or "the consumer does not accept what it sees"
    if not all(verdict.known for verdict in verdicts):
        return unread(text, reason)
    if any(verdict.disposition == "refused" for verdict in verdicts):
        return unmatched(text, reason)
    return refused(text, reason)


def _behind_optional_steps(check: Check, steps: Sequence[Step], left_out: int) -> Check | None:
    """Return the check behind steps that the code takes in some cases only: ``if
    text.startswith("```")``.

    An answer conforms if it does with or without these steps. A repair leaves nothing to be taken
    off.
    """
    without_removal, with_removal = focus_check(check, steps[left_out:]), focus_check(check, steps)
    if without_removal is None or with_removal is None:
        return None

    @FunctionCheck
    def look(text: str, invocation: Invocation) -> Verdict:
        # First with the removal: the other check would look for a whole repair of what the code
        # itself takes off.
        verdict = with_removal(text, invocation)
        return verdict if verdict.disposition == "conforming" else without_removal(text, invocation)

    return look


def _behind_addition(
    check: Check, before: Sequence[Step], adding: Step, behind: Sequence[Step]
) -> Check | None:
    """Return the check of a text to which the code adds something, which stays: ``"{" + text``."""
    whole = focus_check(check, behind)
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

    return focus_check(look, before)


_REASONING = re.compile(r"\s{0,100}<(think|thinking|reasoning)>")


def after_reasoning(check: Check) -> Check:
    """Wrap a check so that it leaves out a reasoning model's thoughts where the consumer does not
    accept the answer together with them."""

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
    """Return the text behind a reasoning model's thoughts; the text itself where there are none."""
    opened = _REASONING.match(text)
    end = text.find(f"</{opened[1]}>", opened.end()) if opened is not None else -1
    if opened is None or end < 0:
        return text
    return text[end + len(opened[1]) + 3 :].lstrip("\r\n")


def _with_outer_blanks(piece: str, verdict: Verdict, check: Check, invocation: Invocation) -> str:
    """Return a repaired piece with the blanks that stood around it.

    What else reads the answer may need them, as the lines of a fence do.
    """
    if verdict.disposition != "repaired" or not piece.strip():
        return verdict.text
    start = len(piece) - len(piece.lstrip())
    whole = piece[:start] + verdict.text.strip() + piece[len(piece.rstrip()) :]
    kept = whole == verdict.text or check(whole, invocation).disposition == "conforming"
    return whole if kept else verdict.text


def _accepts_pieces(
    seen: list[str], wanted: Sequence[str], check: Check, invocation: Invocation
) -> bool:
    """Return whether the consumer now accepts every piece but those that were refused before."""
    if len(seen) != len(wanted):
        return False
    return all(
        before == "refused" or check(piece, invocation).disposition == "conforming"
        for piece, before in zip(seen, wanted, strict=True)
    )


def _written_back(text: str, pieces: list[str], new: list[str]) -> str | None:
    """Return the text with each piece replaced, in order; ``None`` where a piece is not in the
    text."""
    if len(pieces) == 1 and pieces[0] != new[0] and text.count(pieces[0]) != 1:
        return None
    parts: list[str] = []
    position = 0
    for piece, replacement in zip(pieces, new, strict=True):
        start = text.find(piece, position)
        if start < 0:
            return None
        parts += [text[position:start], replacement]
        position = start + len(piece)
    return "".join((*parts, text[position:]))
