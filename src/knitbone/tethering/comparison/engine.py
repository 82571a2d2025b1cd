"""Two runs, aligned: steps -> alignment -> rows -> where they part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

from knitbone.record.events import Json, ModelCall, Retrieval, Run, ToolCall
from knitbone.record.verdicts import set_by
from knitbone.tethering.comparison.canonical import argument_key, differences, result_key
from knitbone.tethering.diagnosis.case import outcome_of
from knitbone.tethering.diagnosis.drafts import UnitCall, UnitDraft, draft_units, unanswered
from knitbone.tethering.diagnosis.records import OutcomeName
from knitbone.tethering.diagnosis.units import asked

__all__ = [
    "MAX_KEYS",
    "AgentStep",
    "Comparison",
    "Departure",
    "Difference",
    "Facts",
    "Row",
    "compare",
    "matches",
    "steps_of",
]


# The longest common subsequence of two lists of keys, exactly and without a bad case.
#
# Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): a row of the table is
# one integer with a bit for each key of the first list, so that two lists of 10,000 keys take a
# tenth of a second. ``difflib`` is not it: agents repeat their calls, and on lists of a few keys
# that repeat it takes cubic time.

MAX_KEYS = 20_000
"""Keys of each list that are aligned: the rows of the table then take 50 MB (ours)."""


def common_prefix(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many keys both lists begin with."""
    shorter = min(len(a), len(b))
    return next((n for n in range(shorter) if a[n] != b[n]), shorter)


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence in both lists, in order.

    What both begin with and what both end with always matches. Of what lies between at most
    ``MAX_KEYS`` of each list are looked at; the caller says so.
    """
    start = common_prefix(a, b)
    end = common_prefix(a[start:][::-1], b[start:][::-1])
    middle_a = a[start : len(a) - end][:MAX_KEYS]
    middle_b = b[start : len(b) - end][:MAX_KEYS]
    between = [(start + i, start + j) for i, j in _longest(middle_a, middle_b)]
    return [
        *((n, n) for n in range(start)),
        *between,
        *((len(a) - end + n, len(b) - end + n) for n in range(end)),
    ]


def _longest(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    if not a or not b:
        return []
    places: dict[Hashable, int] = {}
    for place, key in enumerate(a):
        places[key] = places.get(key, 0) | 1 << place
    everything = (1 << len(a)) - 1
    row, rows = everything, [everything]
    for key in b:
        met = row & places.get(key, 0)
        row = ((row + met) | (row - met)) & everything
        rows.append(row)
    found: list[tuple[int, int]] = []
    i, j = len(a), len(b)
    while i and j:
        if rows[j] >> (i - 1) & 1:  # the key of ``a`` adds nothing here
            i -= 1
            continue
        j -= 1
        if rows[j] >> (i - 1) & 1:  # it did only with this key of ``b``
            i -= 1
            found.append((i, j))
    return found[::-1]


# What a run did, step by step, as two runs are compared: calls, searches and utterances.

Key = tuple[str, str]


class AgentStep(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the agent did."""

    index: int
    """The step's number, as a diagnosis counts."""
    kind: Literal["call", "search", "says"]
    tool: str = ""
    """The tool, or what was searched."""
    arguments: Json = None
    result: str = ""
    """What came back; of an utterance, what was said."""
    error: str | None = None

    @property
    def key(self) -> Key:
        """Equal for steps that do the same. Words are chosen anew each time: that the agent spoke
        is the step, not what it said."""
        if self.kind == "says":
            return ("says", "")
        return (f"{self.kind} {self.tool}", argument_key(self.arguments))

    @property
    def action(self) -> str:
        """The same without the arguments."""
        return "says" if self.kind == "says" else f"{self.kind} {self.tool}"


def steps_of(run: Run) -> list[AgentStep]:
    """The steps of a run, in order; linear in its length.

    Calls that a model asks for at once have no order of their own: they stand in that of their
    names and arguments.
    """
    return [step for draft in draft_units(run) for step in _steps(draft)]


def _steps(draft: UnitDraft) -> Iterator[AgentStep]:
    event = draft.event
    calls = [*draft.calls, *unanswered(draft.open)]
    if calls:
        # Sorting one call would cost its arguments for nothing.
        for call in sorted(calls, key=_order) if len(calls) > 1 else calls:
            yield AgentStep(
                index=draft.index,
                kind="call",
                tool=call.tool,
                arguments=call.arguments,
                result=call.result,
                error=call.error,
            )
    elif isinstance(event, Retrieval):
        found = "\n".join(document.text for document in event.documents)
        arguments = {"query": event.query}
        tool = event.source or ""
        yield AgentStep(
            index=draft.index, kind="search", tool=tool, arguments=arguments, result=found
        )
    elif isinstance(event, ModelCall):
        error = f"{event.error.type}: {event.error.message}" if event.error else None
        said = event.output.content if event.output else ""
        yield AgentStep(index=draft.index, kind="says", result=said, error=error)


def _order(call: UnitCall) -> Key:
    return (call.tool, argument_key(call.arguments))


_Number = TypeVar("_Number", int, float)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two runs in figures."""

    run: str
    name: str
    task: str
    outcome: OutcomeName
    outcome_reason: str
    outcome_set_by: str | None
    """Who gave it after the run (``command``, ``code``); ``None`` where it is of the run."""
    steps: int
    model_calls: int
    tool_calls: int
    errors: int
    """Steps that failed."""
    input_tokens: int | None
    """``None`` where no model call says."""
    output_tokens: int | None
    cost_usd: float | None
    seconds: float | None
    """From begin to end; ``None`` where the run does not say."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A value that is another in the second run."""

    place: str
    """Such as ``items[0].name``; empty where the whole value differs."""
    a: Json = None
    b: Json = None


RowKind = Literal["same", "arguments", "only a", "only b"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A step of one run, or a pair of both."""

    kind: RowKind
    """``arguments``: the same tool was given something else."""
    a: AgentStep | None = None
    b: AgentStep | None = None
    other_result: bool = False
    """The same call brought another answer, or failed in one of the runs."""
    other_words: bool = False
    """Both speak, in other words."""


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """Where the runs do something else for the first time; before it, they did the same."""

    shared: int
    """Steps before it."""
    a: AgentStep | None
    """What the first run does there; ``None`` where it has ended."""
    b: AgentStep | None
    arguments: tuple[Difference, ...] = ()
    """Where both call the same tool: what they give it."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs side by side."""

    a: Facts
    b: Facts
    departure: Departure | None
    """``None`` where both do the same from begin to end."""
    first_other_result: Row | None
    """The first step that both take and that brings another answer, before they part."""
    results: tuple[Difference, ...] = ()
    """What differs in it."""
    rows: tuple[Row, ...] = ()
    not_compared: int = 0
    """Steps of both runs behind the ``MAX_KEYS`` that are aligned after the departure."""


def compare(a: Run, b: Run) -> Comparison:
    """Align two runs by what they do: tool and arguments of each call, in their order.

    Identifiers and clocks that each run draws anew do not count, nor does in which words an agent
    speaks. Nearly linear in the length of the runs while they are alike.
    """
    first, second = steps_of(a), steps_of(b)
    keys = [step.key for step in first], [step.key for step in second]
    pairs = matches(*keys)
    shared = next((n for n, pair in enumerate(pairs) if pair != (n, n)), len(pairs))
    rows = list(_rows(first, second, pairs))
    parted = shared < max(len(first), len(second))
    other = next((row for row in rows[:shared] if row.other_result), None)
    return Comparison(
        a=_facts(a, first),
        b=_facts(b, second),
        departure=_departure(first, second, shared) if parted else None,
        first_other_result=other,
        results=_results(other),
        rows=tuple(rows),
        not_compared=_behind(keys, shared),
    )


def _behind(keys: tuple[Sequence[object], Sequence[object]], shared: int) -> int:
    return sum(max(0, len(each) - shared - MAX_KEYS) for each in keys) if min(
        len(each) - shared for each in keys) else 0  # fmt: skip


def _departure(a: Sequence[AgentStep], b: Sequence[AgentStep], shared: int) -> Departure:
    one = a[shared] if shared < len(a) else None
    other = b[shared] if shared < len(b) else None
    arguments: tuple[Difference, ...] = ()
    if one is not None and other is not None and one.action == other.action:
        arguments = _listed(differences(one.arguments, other.arguments))
    return Departure(shared=shared, a=one, b=other, arguments=arguments)


def _results(row: Row | None) -> tuple[Difference, ...]:
    if row is None or row.a is None or row.b is None:
        return ()
    return _listed(differences(row.a.result, row.b.result, clocks=True))


def _listed(found: Sequence[tuple[str, Json, Json]]) -> tuple[Difference, ...]:
    return tuple(Difference(place=place, a=a, b=b) for place, a, b in found)


def _rows(
    a: Sequence[AgentStep], b: Sequence[AgentStep], pairs: Sequence[tuple[int, int]]
) -> Iterator[Row]:
    """All steps of both runs, those that match side by side."""
    done_a = done_b = 0
    for i, j in [*pairs, (len(a), len(b))]:
        yield from _gap(a[done_a:i], b[done_b:j])
        if i < len(a):
            yield _same(a[i], b[j])
        done_a, done_b = i + 1, j + 1


def _gap(a: Sequence[AgentStep], b: Sequence[AgentStep]) -> Iterator[Row]:
    """Steps between two that match: those of the same tool side by side."""
    done_a = done_b = 0
    found = matches([step.action for step in a], [step.action for step in b])
    for i, j in [*found, (len(a), len(b))]:
        yield from (Row(kind="only a", a=step) for step in a[done_a:i])
        yield from (Row(kind="only b", b=step) for step in b[done_b:j])
        if i < len(a):
            same = a[i].key == b[j].key  # of steps that were too many to be aligned by it
            yield _same(a[i], b[j]) if same else Row(kind="arguments", a=a[i], b=b[j])
        done_a, done_b = i + 1, j + 1


def _same(a: AgentStep, b: AgentStep) -> Row:
    if a.kind == "says":
        return Row(kind="same", a=a, b=b, other_words=a.result != b.result,
                   other_result=bool(a.error) != bool(b.error))  # fmt: skip
    other = a.result != b.result and result_key(a.result) != result_key(b.result)
    return Row(kind="same", a=a, b=b, other_result=other or bool(a.error) != bool(b.error))


def _facts(run: Run, steps: Sequence[AgentStep]) -> Facts:
    calls = [event for event in run.events if isinstance(event, ModelCall)]
    used = [call.usage for call in calls if call.usage is not None]
    timed = run.ended_ns is not None and 0 < run.started_ns <= run.ended_ns
    return Facts(
        run=run.id, name=run.name, task=asked(run), outcome=outcome_of(run),
        outcome_reason=run.outcome.reason if run.outcome else "",
        outcome_set_by=set_by(run.outcome),
        steps=len(steps), model_calls=len(calls),
        tool_calls=sum(isinstance(event, ToolCall) for event in run.events),
        errors=sum(step.error is not None for step in steps),
        input_tokens=_total(usage.input_tokens for usage in used),
        output_tokens=_total(usage.output_tokens for usage in used),
        cost_usd=_total(usage.cost_usd for usage in used),
        seconds=((run.ended_ns or 0) - run.started_ns) / 1e9 if timed else None,
    )  # fmt: skip


def _total(numbers: Iterable[_Number | None]) -> _Number | None:
    """The sum of what is known; ``None`` where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known[1:], known[0]) if known else None
