"""A run as lines of text, for the terminal: safe to print, one event a line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from knitbone.common.printable import printable
from knitbone.record.events import (
    DAMAGE,
    LOST_EVENTS,
    LOST_REASON,
    MISSING_EVENTS,
    Adaptation,
    ErrorInfo,
    Event,
    Intervention,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    encode_json,
)
from knitbone.record.store_check import StoreReport
from knitbone.record.verdicts import set_by
from knitbone.tethering.diagnosis.drafts import new_messages

__all__ = ["check_lines", "describe", "given_by", "lost_line", "run_lines", "time_text", "totals"]

_LIMIT = 160
_VERDICTS = {True: "succeeded", False: "failed", None: "unknown"}


def run_lines(run: Run) -> Iterator[str]:
    """The events, each with its number; what only the input of a recorded model call shows (words
    of the user, answers of tools that were not recorded) stands before it, without a number."""
    recorded = {event.call_id for event in run.events if isinstance(event, ToolCall)}
    spoken = {event.content for event in run.events if isinstance(event, Message)}
    heard: str | None = None
    for number, event in enumerate(run.events):
        for message in new_messages(event) if isinstance(event, ModelCall) else ():
            if message.tool_call_id is not None and message.tool_call_id in recorded:
                continue
            line = f"{message.role:<7} {message.content}"
            if line != heard and message.content not in spoken:
                yield f"{'':>5}  {printable(line, limit=_LIMIT)}"
            heard = line if message.role == "user" else heard
        yield f"{number:>5}  {describe(event)}"


def describe(event: Event) -> str:
    """One line about an event."""
    match event:
        case ModelCall():
            said = event.output.content if event.output else ""
            calls = ", ".join(call.name for call in event.output.tool_calls) if event.output else ""
            who = f"{event.agent}: " if event.agent else ""
            text = f"model   {who}{event.model}  {said}" + (f"  -> {calls}" if calls else "")
            if event.attributes.get("knitbone.stream.unfinished") and event.error is None:
                text += "  (left before its end)"
            text += _failure(event.error)
        case ToolCall():
            outcome = _failure(event.error).strip() or _short(event.result)
            text = f"tool    {event.name}({_short(event.arguments)})  {outcome}"
        case Retrieval():
            text = f"search  {event.query}  {len(event.documents)} documents"
        case Message():
            text = f"{event.role:<7} {event.content}"
        case Adaptation():
            text = (
                f"adapt   {event.action} at {event.site}: {', '.join(event.rules) or event.reason}"
            )
        case Intervention():
            text = f"inject  {event.signal}: {event.content}"
        case Outcome():
            reward = "" if event.reward is None else f", reward {event.reward:g}"
            given = f"{_VERDICTS[event.success]}{reward}{given_by(event)}"
            text = f"verdict {given}  {event.reason}".rstrip()
    return printable(text, limit=_LIMIT)


def given_by(outcome: Outcome | None) -> str:
    """Who gave a verdict after the run, as it is put behind it; empty where it is of the run."""
    who = set_by(outcome)
    return f", set by {who}" if who else ""


def lost_line(run: Run) -> str:
    """What a run says itself is missing of it, in one line; empty where nothing is."""
    lost, damage = run.attributes.get(LOST_EVENTS), run.attributes.get(DAMAGE)
    parts: list[str] = []
    if isinstance(lost, int) and lost > 0:
        events = "1 event is" if lost == 1 else f"{lost:,} events are"
        parts.append(f"{events} not in this record: {run.attributes.get(LOST_REASON, 'unknown')}")
    if missing := run.attributes.get(MISSING_EVENTS):
        parts.append(f"{missing} of its events were not in the traces that it was read from")
    if damage:
        parts.append(f"damaged: {damage}")
    return "; ".join(parts)


def check_lines(report: StoreReport) -> Iterator[str]:
    """What was found in a store: a line a problem, and at last how many runs are whole."""
    for problem in report.problems:
        yield f"{report.store}: {problem}"
    for run in report.runs:
        for damage in run.damage:
            yield f"run {run.id}: {damage.part}: {damage.why}"
        for damage in run.restored:
            yield f"run {run.id}: {damage.part}: {damage.why}; a copy of it is whole"
        if run.lost:
            lost = f"{run.lost:,} events were lost when it was recorded"
            yield f"run {run.id}: {lost}: {run.lost_reason}"
        if not run.finished:
            there = f"{run.events:,} events, and no end"
            yield f"run {run.id}: {there}: whether more followed is not known"
    damaged = sum(bool(run.damage) for run in report.runs)
    total = len(report.runs)
    yield f"{total:,} run{'' if total == 1 else 's'}: {damaged:,} damaged"


def totals(run: Run) -> str:
    """What the model calls of a run consumed, in one line; empty where nothing is known."""
    calls = [event for event in run.events if isinstance(event, ModelCall)]
    used = [call.usage for call in calls if call.usage is not None]
    if not used:
        return ""
    given = sum(usage.input_tokens or 0 for usage in used)
    made = sum(usage.output_tokens or 0 for usage in used)
    parts = [f"{len(calls)} model calls", f"{given:,} tokens in, {made:,} out"]
    costs = [usage.cost_usd for usage in used if usage.cost_usd is not None]
    if costs:
        parts.append(f"{sum(costs):.4f} USD" + (" or more" if len(costs) < len(calls) else ""))
    elif len(used) < len(calls):
        parts.append(f"usage known of {len(used)}")
    return ", ".join(parts)


def _failure(error: ErrorInfo | None) -> str:
    if error is None:
        return ""
    return f"  ! {error.type}: {error.message}" if error.message else f"  ! {error.type}"


def _short(value: object) -> str:
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def time_text(ns: int) -> str:
    """A time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(ns / 1e9, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):  # an imported run may say any number
        return f"{ns} ns"
