"""Two runs side by side for people at a terminal, and as a JSON record for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knitbone.common.printable import printable
from knitbone.record.events import Json, encode_json
from knitbone.tethering.comparison.canonical import differences
from knitbone.tethering.comparison.engine import (
    MAX_KEYS,
    AgentStep,
    Comparison,
    Departure,
    Difference,
    Facts,
    Row,
)

__all__ = ["comparison_headline", "comparison_record", "show_comparison"]

_SHOWN_ROWS = 20
"""Steps after the departure that are shown to a person; --json has all."""
_SHOWN_VALUES = 4
"""Values that differ of one step."""
_OUTCOMES = {"failed": "failed", "succeeded": "succeeded", "unknown": "outcome unknown"}
_MARKS = {"same": " ", "arguments": "≠", "only a": "A", "only b": "B"}


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """The object that ``--json`` prints; docs/how-to/runs.md lists its fields."""
    record: dict[str, Any] = msgspec.structs.asdict(comparison)
    return {"headline": comparison_headline(comparison)} | record


def comparison_headline(comparison: Comparison) -> str:
    """In one line: where the runs part, and what came of it."""
    a, b = comparison.a.outcome, comparison.b.outcome
    ends = f"A {_OUTCOMES[a]}, B {_OUTCOMES[b]}." if a != b else f"Both: {_OUTCOMES[a]}."
    if comparison.departure is not None:
        return f"{_parted(comparison.departure)} {ends}"
    steps = comparison.a.steps
    text = f"The runs take the same {_count(steps, 'step')}" if steps else "Neither run has a step"
    words = next((row for row in comparison.rows if row.other_words), None)
    if comparison.first_other_result is not None:
        text += f"; at {_at(comparison.first_other_result)} the same call brings another answer"
    elif words is not None:
        text += f"; their words differ from {_at(words)} on"
    return f"{text}. {ends}"


def _parted(departure: Departure) -> str:
    a, b = departure.a, departure.b
    if a is None or b is None:
        goes, stays, step = ("B", "A", b) if a is None else ("A", "B", a)
        if step is None:
            return ""
        return f"{stays} ends where {goes} goes on at step {step.index}: {goes} {_does(step)}."
    at = f"at step {a.index}" + ("" if a.index == b.index else f" of A and {b.index} of B")
    if a.action == b.action and a.kind != "says":
        what = "search" if a.kind == "search" else f"call {_short(a.tool, 60)}"
        first = departure.arguments[:1]
        values = "".join(f": {_difference(each)}" for each in first)
        return f"The runs part {at}: both {what}, with other arguments{values}."
    return f"The runs part {at}: A {_does(a)}, B {_does(b)}."


def _does(step: AgentStep) -> str:
    match step.kind:
        case "call":
            return f"calls {_short(step.tool, 60)}"
        case "search":
            return "searches"
        case "says":
            return "speaks"


def _at(row: Row) -> str:
    a, b = row.a, row.b
    if a is None or b is None:
        return ""
    return f"step {a.index}" if a.index == b.index else f"step {a.index} of A ({b.index} of B)"


def show_comparison(screen: Console, comparison: Comparison) -> None:
    """Print a comparison, the answer first: where the runs part, both in figures, the steps."""
    screen.print(Text(printable(comparison_headline(comparison), limit=600), "bold"))
    screen.print()
    table = Table(box=None, pad_edge=False, show_header=True)
    for title in ("", "A", "B"):
        table.add_column(title, overflow="fold")
    for label, a, b in _figures(comparison.a, comparison.b):
        table.add_row(Text(label, "dim"), Text(a), Text(b, "" if a == b else "yellow"))
    screen.print(table)
    screen.print()
    for line, style in _steps(comparison):
        screen.print(Text(line, style))


def _figures(a: Facts, b: Facts) -> Iterator[tuple[str, str, str]]:
    yield "run", a.run, b.run
    if a.name or b.name:
        yield "name", printable(a.name, limit=60), printable(b.name, limit=60)
    if a.task == b.task:
        yield "asked", printable(a.task, limit=120) or "(not said)", "the same"
    else:
        yield "asked", printable(a.task, limit=120), printable(b.task, limit=120)
    yield "outcome", _outcome(a), _outcome(b)
    yield "steps", f"{a.steps:,}", f"{b.steps:,}"
    yield "failed steps", f"{a.errors:,}", f"{b.errors:,}"
    yield "model calls", f"{a.model_calls:,}", f"{b.model_calls:,}"
    yield "tokens", _tokens(a), _tokens(b)
    if a.cost_usd is not None or b.cost_usd is not None:
        yield "USD", _number(a.cost_usd, 4), _number(b.cost_usd, 4)
    yield "seconds", _number(a.seconds, 1), _number(b.seconds, 1)


def _outcome(facts: Facts) -> str:
    said = f": {printable(facts.outcome_reason, limit=120)}" if facts.outcome_reason else ""
    who = f", set by {facts.outcome_set_by}" if facts.outcome_set_by else ""
    return _OUTCOMES[facts.outcome] + who + said


def _tokens(facts: Facts) -> str:
    if facts.input_tokens is None and facts.output_tokens is None:
        return "unknown"
    return f"{facts.input_tokens or 0:,} in, {facts.output_tokens or 0:,} out"


def _number(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:,.{digits}f}"


def _steps(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """The steps in lines, with the style of each."""
    departure = comparison.departure
    shared = len(comparison.rows) if departure is None else departure.shared
    other = comparison.first_other_result
    if shared:
        yield f"{_count(shared, 'step')} the same", "dim"
    if other is not None and other.a is not None:
        yield (
            f"    already at {_at(other)} {_call(other.a)} brings another answer:"
            f" {_listed(comparison.results)}",
            "yellow",
        )
    if departure is None:
        return
    yield "they part here", "bold red"
    after = comparison.rows[shared:]
    shown = after[:_SHOWN_ROWS]
    for row in shown:
        yield _row(row), "dim" if row.kind == "same" and not row.other_result else ""
    left = len(after) - len(shown)
    if left:
        yield f"    … and {left:,} more (--json has all)", "dim"
    if comparison.not_compared:
        yield (
            f"    {comparison.not_compared:,} steps behind the first {MAX_KEYS:,} after the"
            " departure are not aligned",
            "yellow",
        )


def _row(row: Row) -> str:
    mark = _MARKS[row.kind]
    a, b = row.a, row.b
    if a is not None and b is not None:
        place = f"{a.index:>4} | {b.index:<4}"
        text = _call(a)
        if row.kind == "arguments" and a.kind != "says":
            text = f"{_short(a.tool, 60)}: {_listed(_arguments(a, b))}"
        elif row.other_result:
            text += "  another answer" + _failed(a, b)
        return f"{mark} {place}  {text}"
    step = a if a is not None else b
    if step is None:
        return ""
    place = f"{step.index:>4} |     " if a is not None else f"     | {step.index:<4}"
    failed = f"  ! {_short(step.error, 80)}" if step.error else ""
    return f"{mark} {place}  {_call(step)}{failed}"


def _failed(a: AgentStep, b: AgentStep) -> str:
    if bool(a.error) == bool(b.error):
        return ""
    return f": fails in {'A' if a.error else 'B'}: {_short(a.error or b.error, 80)}"


def _arguments(a: AgentStep, b: AgentStep) -> Sequence[Difference]:
    found = differences(a.arguments, b.arguments)
    return [Difference(place=place, a=one, b=other) for place, one, other in found]


def _call(step: AgentStep) -> str:
    if step.kind == "says":
        return f"says {_short(step.result, 100)}"
    name = "search" if step.kind == "search" else _short(step.tool, 60)
    return f"{name}({_short(step.arguments, 100)})"


def _listed(found: Sequence[Difference]) -> str:
    shown = "; ".join(_difference(each) for each in found[:_SHOWN_VALUES])
    more = len(found) - _SHOWN_VALUES
    return (shown or "(nothing that can be shown)") + (f"; {more} more" if more > 0 else "")


def _difference(each: Difference) -> str:
    name = f"{printable(each.place, limit=60)} " if each.place else ""
    return f"{name}{_short(each.a, 80)} ≠ {_short(each.b, 80)}"


def _short(value: Json, limit: int) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else encode_json(value).decode("utf-8", "replace")
    return printable(text, limit=limit)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
