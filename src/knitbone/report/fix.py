"""Fixed documentations for people. Whatever a tool said passes ``printable``."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.fixing.records import DocumentationFix, ErrorCount, Refusal
from knitbone.fuzzing.replays import campaign_record
from knitbone.record.events import Json
from knitbone.report.fuzz import Line, signature

__all__ = ["fix_lines", "fix_record"]

_LONGEST = 2_000


def fix_lines(fix: DocumentationFix, *, checked: bool, asked_to_write: bool) -> Iterator[Line]:
    """One tool's fix, a line each with its style; the diff is the last."""
    yield printable(signature(fix.tool), limit=300), "bold"
    count = len(fix.statements)
    if not count and not fix.rewritten:
        yield f"  nothing to state   {_nothing(fix)}", ""
    elif count:
        dropped = f", {len(fix.dropped)} dropped: the tool did not bear them out"
        yield (
            f"  {count} statement{'s' * (count > 1)}, each tried in the sandbox "
            f"({fix.trials} calls){dropped if fix.dropped else ''}",
            "",
        )
        for statement in fix.statements:
            tried = f"{statement.accepted} taken, {statement.refused} refused"
            yield f"  + {printable(statement.text, limit=300)}   {tried}", ""
    yield from _model(fix)
    if fix.refusal is not None:
        yield from _refusal(fix.refusal)
    if checked:
        yield from _counts(fix.before, fix.after)
    for patch in fix.patches:
        for line in patch.diff.splitlines():
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            yield printable(line, limit=_LONGEST), style
        if fix.written:
            yield f"  written to {printable(patch.file, limit=500)}", "bold"
        elif not asked_to_write:
            yield "  --write changes the file; --patch FILE keeps the diff for git apply", "dim"
    if fix.overlay is not None and not fix.patches:
        yield f"  description   {printable(fix.overlay.description, limit=_LONGEST)}", ""
        for name, text in fix.overlay.parameters.items():
            yield f"  {printable(name)}   {printable(text, limit=_LONGEST)}", ""
        if fix.overlay_file:
            yield f"  written to {printable(fix.overlay_file, limit=500)}", "bold"
        elif not asked_to_write:
            yield "  --write keeps it as an overlay", "dim"


def fix_record(fix: DocumentationFix) -> dict[str, Json]:
    """One tool's fix as the JSON that machines read."""
    return {
        "tool": fix.tool.name,
        "target": fix.tool.target,
        "statements": [msgspec.to_builtins(statement) for statement in fix.statements],
        "dropped": [msgspec.to_builtins(constraint) for constraint in fix.dropped],
        "known": fix.known,
        "example": fix.example,
        "description": fix.description,
        "parameters": dict(fix.parameters),
        "patches": [msgspec.to_builtins(patch) for patch in fix.patches],
        "overlay": msgspec.to_builtins(fix.overlay),
        "overlay_file": fix.overlay_file or None,
        "refusal": msgspec.to_builtins(fix.refusal),
        "written": fix.written,
        "before": msgspec.to_builtins(fix.before),
        "after": msgspec.to_builtins(fix.after),
        "writer": fix.writer,
        "rewritten": fix.rewritten or None,
        "score": msgspec.to_builtins(fix.score),
        "prompts": dict(fix.prompts),
        "candidates_dropped": dict(fix.candidates_dropped),
        "spent": msgspec.to_builtins(fix.spent),
        "trials": fix.trials,
        "campaign": None if fix.campaign is None else campaign_record(fix.campaign),
    }


def _model(fix: DocumentationFix) -> Iterator[Line]:
    """What a model had to do with it."""
    if not fix.spent.model_calls:
        return
    dropped = "".join(f", {n} {reason}" for reason, n in fix.candidates_dropped.items())
    cost = f"{fix.spent.model_calls} model calls, {fix.spent.tokens:,} tokens{dropped}"
    if fix.score is None:
        yield f"  no description of the model did better than these statements   {cost}", ""
        return
    yield (
        f"  written by {printable(fix.writer)}: {fix.score.test:.2f} of calls told apart rightly, "
        f"without a model {fix.score.without_model:.2f}   {cost}",
        "",
    )


def _nothing(fix: DocumentationFix) -> str:
    if fix.campaign is not None and fix.campaign.normal == 0:
        return "no call came to a normal result; one that works, with --examples, is what it needs"
    known = f"{fix.known} constraints are written already" if fix.known else ""
    dropped = f"{len(fix.dropped)} were supposed and not borne out" if fix.dropped else ""
    return "; ".join(filter(None, (known, dropped))) or "nothing was learned of its arguments"


def _refusal(refusal: Refusal) -> Iterator[Line]:
    where = f"   {printable(refusal.where, limit=500)}" if refusal.where else ""
    yield f"  not written: {printable(refusal.what, limit=500)}{where}", "yellow"
    if refusal.next_step:
        yield f"  {printable(refusal.next_step)}", "dim"


def _counts(before: ErrorCount | None, after: ErrorCount | None) -> Iterator[Line]:
    if before is None:
        return
    yield "  unique errors   in all   within what is documented   probably in all", ""
    for name, count in (("before", before), ("after", after)):
        if count is not None:
            yield f"    {name:<13} {count.unique:>6}   {count.within:>25}   {_estimate(count)}", ""


def _estimate(count: ErrorCount) -> str:
    """How many errors within the documentation there probably are in all (Chao1, 95 %)."""
    if count.chao1 is None:
        return "not known"
    return f"{count.chao1.value:g} [{count.chao1.low:g}, {count.chao1.high:g}]"
