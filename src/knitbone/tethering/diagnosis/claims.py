"""What of a run may speak for a *turning point*: a claim of its own, beside the ranking.

A ranking is always there and blames nobody: some step always comes first. A claim says that a step
went wrong. It takes a fact that proves so by itself (``PROOFS``): the program raised, a call was
made again and again for the same result, the answer was cut off. Every other fact here is one that
successful runs hardly ever show (``knitbone_evals.diagnose.claims`` counts them), and yet it may
be innocent:
whether a refused call, a value that was chosen or a report of what was done is a mistake depends on
what was asked and meant, which no rule reads. Such a fact stands on record and blames nobody.

What was left out because successful runs show it as often: a call that is refused for a reason of
the business and given up, a call that fails and works the next time, an agent that says the same to
a person who says the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone.record.events import ModelCall, Outcome, ToolCall
from knitbone.tethering.diagnosis.case import Case
from knitbone.tethering.diagnosis.findings import (
    RunFinding,
    mended_at,
    missing_arguments,
    outcome_of_calls,
    quoted,
    steps_text,
)
from knitbone.tethering.diagnosis.lockouts import blocked
from knitbone.tethering.diagnosis.records import Claim, ClaimKind
from knitbone.tethering.diagnosis.repetitions import restated
from knitbone.tethering.diagnosis.rules.breaches import NOT_ASKED
from knitbone.tethering.diagnosis.suspicion import LOOP, repeated_failures
from knitbone.tethering.diagnosis.units import (
    CUT_OFF,
    TransitionUnit,
    UnitCall,
    asked,
    last_successes,
)
from knitbone.tethering.diagnosis.vocabulary import (
    READING,
    WRITING,
    asks_for_repetition,
    intent_of_tool,
    is_state_changing,
    participle,
    words_of,
)

__all__ = ["claims_of", "speaks_against"]

PROOFS: frozenset[ClaimKind] = frozenset(
    ["crash", "loop", "missing argument", "broken schema", "answer cut off", "stopped by a limit",
     "gave up", "named by the analyst"]
)  # fmt: skip
"""The kinds that are claimed. In runs of other authors whose step is known, the other kinds named
it in 3 of 23, and a fact at the step that ranks first in 10 of 24 (docs/explanation/claims.md)."""

_PROGRAMMING = re.compile(
    r"\b(?:TypeError|NameError|AttributeError|KeyError|IndexError|SyntaxError|IndentationError|"
    r"ModuleNotFoundError|ImportError|ZeroDivisionError|UnboundLocalError|RecursionError|"
    r"JSONDecodeError|UnicodeDecodeError|AssertionError|MemoryError|NotImplementedError|"
    r"ReferenceError|SegmentationFault)\b"
    r"|exit ?code: ?(?!0\b)-?\d+|execution failed",
    re.IGNORECASE,
)
"""Errors of code that cannot run. A tool that refuses, says so with a value error or in words of
its own, and a refusal is an answer."""

_PASSES = re.compile(
    r"\btime[ds]?[ -]?out\b|\b(?:408|425|429|50[0234])\b|\brate.?limit|\btemporar|\bunavailable\b"
    r"|\bconnection\b|\boverload|\bbusy\b|\btry again\b|\bretry\b",
    re.IGNORECASE,
)
"""Failures that pass by themselves, so that trying again is right: the statuses that OpenAI's and
Anthropic's clients try again, and the words of those who answer so."""

_LIMIT = re.compile(
    r"\b(?:max(?:imum)?|limit)\b[^.\n]{0,40}\b(?:rounds?|time|steps?|turns?|iterations?|calls)\b"
    r"[^.\n]{0,40}\b(?:reached|exceeded|hit)\b"
    r"|(?:^|\b(?:the|agent|run|graph)\s)\W*(?:iteration|recursion|time|turn|step) limit\b"
    r"[^.\n]{0,40}\b(?:reached|exceeded|hit)\b"
    r"|\bstopped due to (?:iteration|time|max)",
    re.IGNORECASE | re.MULTILINE,
)
"""How LangGraph, LangChain, AutoGen and Magentic-One say that they stopped a run."""

_FINAL = re.compile(r"\b(?:final answer|answer)\s*(?:is)?\s*:\s*([^\n]{0,200})", re.IGNORECASE)
_NOTHING = re.compile(
    r"\b(?:unable to|cannot be|can(?:no|')t|could not|couldn't|not (?:be )?(?:found|available|"
    r"determined?|possible)|no answer|undetermined|inconclusive)\b"
    r"|\A\W*(?:the answer is |it is )?unknown\b(?! \w)",
    re.IGNORECASE,
)
_MOST = 20
"""Claims kept of one run (ours): whoever reads the first five knows what to look at."""
_BACK = 40
"""Steps back in which a refused value may have been spoken of (ours)."""
_DIGITS = re.compile(r"\d{2,}")
_TAIL = 2_000
"""Characters of a run's last words that are read (ours)."""


_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|,? (?:and|but) (?=I |your |the |it )")
_DONE = re.compile(
    r"\b(?:is|are|has been|have been|was|were|i have|i've|we have|we've|successfully|done)\b"
    r"|^\W*\w+ed\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|no|cannot|never|unable|fail\w*|unless|until|if|once|when|before|after|will|would|"
    r"could|should|can|may|must|to be|already)\b|n't\b|\?",
    re.IGNORECASE,
)


def claims_of(case: Case) -> list[Claim]:
    """What speaks, of itself, for something having gone wrong; the most telling first.

    No verdict is read: a run that succeeded may show such a fact as well.
    """
    found = [
        msgspec.structs.replace(claim, proves=claim.kind in PROOFS)
        for kind in _KINDS for claim in kind(case)
    ]  # fmt: skip
    places = {unit.index: unit.ordinal for unit in case.graph.units}
    found.sort(key=lambda one: (not one.proves, not one.turning, -case.scores[places[one.step]]))
    return found[:_MOST]


def speaks_against(finding: RunFinding) -> bool:
    """Whether a finding says that something went wrong with its step, and not only where the step
    stands and what was made of it; an error that was mended later says nothing."""
    return finding.kind in _AGAINST and not finding.mended


_AGAINST = {
    "missing argument", "broken rule", "failed call", "repeated action", "changed before",
    "error passed over", "value never observed", "ended with open error",
}  # fmt: skip


def crash_of(case: Case) -> Claim | None:
    """How an exception ended the program: from the recorded verdict, which names its line."""
    verdict = case.run.outcome
    units = case.graph.units
    if verdict is None or not units:
        return None
    last = units[-1]
    kind = verdict.attributes.get("exception.type")
    if not isinstance(kind, str):
        if not verdict.reason.startswith(_RAISED):
            return None
        return Claim(
            kind="crash",
            text=f"step {last.index} is the last one: then the program {verdict.reason[:200]}",
            step=last.index, steps=(last.index,),
        )  # fmt: skip
    where = verdict.attributes.get("exception.place")
    place = f" at {where}" if isinstance(where, str) and where else ""
    said = verdict.attributes.get("exception.message")
    words = f": {quoted(said, 160)}" if isinstance(said, str) and said else ""
    return Claim(
        kind="crash",
        text=f"step {last.index} is the last one: then the program raised {kind}{place}{words}",
        step=last.index,
        steps=(last.index,),
    )


_RAISED = "raised "
"""How the verdict of a run begins that an exception ended."""


def _crash(case: Case) -> Iterator[Claim]:
    known = crash_of(case)
    if known is not None:
        yield known
        return
    units = case.graph.units
    if not units or not units[-1].error:
        return
    last = units[-1]
    events = [event for event in case.run.events if not isinstance(event, Outcome)]
    final = events[-1] if events else None
    raised = isinstance(final, (ModelCall, ToolCall)) and final.error is not None
    if raised or _PROGRAMMING.search(last.error or ""):
        what = last.failed_tool or ("the model call" if not last.calls else "it")
        yield Claim(
            kind="crash",
            text=f"step {last.index} is the last one, and {what} fails there:"
            f" {quoted(last.error or '', 160)}",
            step=last.index, steps=(last.index,),
        )  # fmt: skip


def _loops(case: Case) -> Iterator[Claim]:
    units = case.graph.units
    worked = last_successes(units)
    for same in repeated_failures(units):
        mended = worked.get((units[same[0]].family, units[same[0]].failed_tool), -1) > same[-1]
        if len(same) >= LOOP and not mended:
            first, steps = units[same[0]], tuple(units[k].index for k in same)
            what = first.failed_tool or first.tool
            # Another call may fail for the same reason because that is what is looked for, and
            # somebody who spoke may have asked for it.
            # A service that is down is no mistake of the agent's.
            vain = _PASSES.search(first.error or "") is None and all(
                units[k].action == first.action and not units[k].observed for k in same[1:]
            )
            yield Claim(
                kind="loop" if vain else "fails for one reason",
                text=f"step {first.index} calls {what}, which fails; {steps_text(steps[1:])}"
                f" {'fails' if len(steps) == 2 else 'fail'} again for the same reason:"
                f" {quoted(first.error or '', 120)}",
                step=first.index, steps=steps,
            )  # fmt: skip


def _vain_laps(case: Case) -> Iterator[Claim]:
    """Calls that were all made before, with the same results, until each has on average come
    ``LOOP`` times: a cycle, however long it is and in whatever order. A new call or a new result
    ends it, so does a change of state or somebody who speaks."""
    if asks_for_repetition(asked(case.run)):
        return
    units = case.graph.units
    laps: dict[tuple[int, str], _Laps] = {}
    for unit in units:
        lap = laps.setdefault((unit.conversation, unit.agent), _Laps())
        if unit.observed:
            yield from lap.ended(units)
        if not unit.calls:
            continue
        told = outcome_of_calls(unit)
        before = lap.first.get(unit.action)
        changed = before is not None and before[0] != told
        if changed or not told or unit.wrote or not all(map(_looks_up, unit.calls)):
            yield from lap.ended(units)
            lap.first.clear()
        elif before is not None:
            lap.again.append((unit.action, unit.ordinal))
        else:
            yield from lap.ended(units)
            lap.first[unit.action] = told, unit.ordinal
    for lap in laps.values():
        yield from lap.ended(units)


def _same_again(case: Case) -> Iterator[Claim]:
    """The very same call with the very same answer, ``LOOP`` times in a row and more, whatever it
    does; of one that only looks something up see ``_vain_laps``."""
    if asks_for_repetition(asked(case.run)):
        return
    rows: dict[tuple[int, str], list[TransitionUnit]] = {}
    for unit in case.graph.units:
        if not unit.calls:
            continue
        row = rows.setdefault((unit.conversation, unit.agent), [])
        same = row and (row[0].action, outcome_of_calls(row[0])) == (
            unit.action, outcome_of_calls(unit)
        )  # fmt: skip
        if not same or unit.observed or not outcome_of_calls(unit):
            yield from _repeated(row)
            row.clear()
        row.append(unit)
    for row in rows.values():
        yield from _repeated(row)


def _repeated(row: Sequence[TransitionUnit]) -> Iterator[Claim]:
    """What stands on record of a row of equal calls."""
    if len(row) < LOOP or row[0].error or all(map(_looks_up, row[0].calls)):
        return
    first, *again = (unit.index for unit in row)
    yield Claim(
        kind="same call again",
        text=f"step {first} calls {row[0].tool}; {steps_text(again)} make the same call and get the"
        f" same answer: {quoted(outcome_of_calls(row[0]), 120)}",
        step=first, steps=(first, *again),
    )  # fmt: skip


class _Laps:
    """The calls of one agent since the last change of state."""

    def __init__(self) -> None:
        self.first: dict[str, tuple[str, int]] = {}
        """By call, its result and where it came first."""
        self.again: list[tuple[str, int]] = []
        """Those that came in a row and brought nothing new."""

    def ended(self, units: Sequence[TransitionUnit]) -> Iterator[Claim]:
        """What is claimed of the row, which something new ends here."""
        again, self.again = self.again, []
        keys = dict.fromkeys(key for key, _ in again)
        failing = all(units[k].error for _, k in again)  # then one call or more fails in vain
        if not again or failing or len(again) < (LOOP - 1) * len(keys):
            return
        first = units[self.first[again[0][0]][1]]
        steps = tuple(units[k].index for _, k in again)
        what = f"its {first.tool} call" if len(keys) == 1 else f"{len(keys)} calls"
        yield Claim(
            kind="loop",
            text=f"step {steps[0]} repeats the {first.tool} call of step {first.index}, and"
            f" {steps_text(steps[1:])} {'goes' if len(steps) == 2 else 'go'} on so: {what}"
            f" made again and again, with the same results",
            step=steps[0], steps=(first.index, *steps),
        )  # fmt: skip


_MOVES = frozenset({"click", "continue", "navigate", "next", "press", "previous", "scroll", "swipe",
                    "tap", "type"})  # fmt: skip


def _looks_up(call: UnitCall) -> bool:
    """Whether a call reads what it names, so that made again it can bring nothing new. One that
    does something, or moves on from where the one before it left off, does another thing each
    time."""
    words = words_of(call.tool)
    reads = not READING.isdisjoint(words) and intent_of_tool(call.tool) == "read"
    return reads and _MOVES.isdisjoint(words) and bool(_values(call.arguments))


def _broken_schemas(case: Case) -> Iterator[Claim]:
    """Arguments that the tool's own schema forbids, in calls that it never took."""
    units = case.graph.units
    worked = last_successes(units)
    for violation in case.violations:
        unit = units[violation.ordinal]
        mended = worked.get((unit.family, violation.tool), -1) >= unit.ordinal
        if violation.rule.source == "schema" and not mended:
            yield Claim(
                kind="broken schema", text=violation.text, step=unit.index, steps=(unit.index,)
            )


def _missing_arguments(case: Case) -> Iterator[Claim]:
    """A call without an argument that the tool itself says is missing, and that never worked."""
    units = case.graph.units
    worked = last_successes(units)
    for unit in units:
        for fact in missing_arguments(units, unit):
            if mended_at(units, unit, worked) is None:
                text, steps = fact.text, fact.steps
                yield Claim(kind="missing argument", text=text, step=unit.index, steps=steps)


def _refused_then_changed(case: Case) -> Iterator[Claim]:
    """A state-changing call is refused, and goes through with other arguments although nobody was
    asked in between, and what was changed had been spoken of with the person."""
    units = case.graph.units
    done: dict[tuple[int, str, str], tuple[TransitionUnit, UnitCall]] = {}
    """By conversation, agent and tool: the next step that gets it through, unless somebody spoke
    before."""
    found: list[Claim] = []
    for unit in reversed(units):
        tool = unit.failed_tool
        later = done.get((unit.conversation, unit.agent, tool)) if tool else None
        refused = next((call for call in unit.calls if call.error), None)
        if later is not None and refused is not None and unit.side_effect:
            changed = _values(refused.arguments) - _values(later[1].arguments)
            if changed and not changed.isdisjoint(_spoken(units, unit, changed)):
                found.append(
                    Claim(
                        kind="refused, then changed",
                        text=f"step {unit.index} calls {tool} and is refused"
                        f" ({quoted(unit.error or '', 80)}); step {later[0].index} gets it through"
                        " with other arguments, and nobody was asked in between",
                        step=unit.index, steps=(unit.index, later[0].index),
                    )
                )  # fmt: skip
        for call in unit.calls:
            if not call.error:
                done[unit.conversation, unit.agent, call.tool] = (unit, call)
        if unit.observed:
            done = {key: step for key, step in done.items() if key[0] != unit.conversation}
    yield from reversed(found)


def _in_the_way(case: Case) -> Iterator[Claim]:
    """A change of state is what a later call is refused for."""
    units = case.graph.units
    for change, refused in blocked(units):
        early, late = units[change], units[refused]
        yield Claim(
            kind="change in the way",
            text=f"step {early.index} calls {early.wrote}, and for that step {late.index}"
            f" ({late.failed_tool}) is refused: {quoted(late.error or '', 120)}",
            step=early.index, steps=(early.index, late.index),
        )  # fmt: skip
        return


def _values(arguments: Any) -> set[str]:
    """The plain values in a call's arguments, wherever they stand, as texts."""
    if isinstance(arguments, dict):
        inner = list(cast("dict[str, Any]", arguments).values())
    elif isinstance(arguments, list):
        inner = cast("list[Any]", arguments)
    else:
        return set() if arguments is None else {str(arguments)[:60].lower()}
    return set[str]().union(*map(_values, inner[:_MOST]))


def _spoken(units: Sequence[TransitionUnit], before: TransitionUnit, values: set[str]) -> set[str]:
    """Those of the values that agent and person had spoken of: where the choice was left to the
    agent, another one is no departure from anything."""
    said: list[str] = []
    for unit in units[max(0, before.ordinal - _BACK) : before.ordinal + 1]:
        if unit.conversation == before.conversation:
            said.append(unit.observation[:_TAIL] if unit.observed else "")
            said.append("" if unit.calls else unit.action[:_TAIL])
    text = " ".join(said).lower()
    return {value for value in values if _stands_in(value, text)}


def _stands_in(value: str, text: str) -> bool:
    """Whether a text names a value: as it is, or an identifier by its digits."""
    digits = max(_DIGITS.findall(value), key=len, default="")
    names = [name for name in (value, digits) if name]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def _broken_rules(case: Case) -> Iterator[Claim]:
    """A state change that nobody was asked about where the policy demands it, and one with an
    identifier that nothing had shown; both only where no tool refused them.

    That somebody was asked, and answered in words that are not read as a yes, is no claim: of 56
    successful τ-bench runs three show it. It stays a fact.
    """
    units = case.graph.units
    for violation in case.violations:
        unit = units[violation.ordinal]
        called = [call for call in unit.calls if call.tool == violation.tool]
        if not unit.side_effect or any(call.error for call in called):
            continue
        writes = is_state_changing(intent_of_tool(violation.tool))
        if violation.rule.source == "run" and unit.wrote and writes:
            text = f"step {unit.index}: {violation.text}"
            yield Claim(kind="made-up value", text=text, step=unit.index, steps=(unit.index,))
        elif violation.rule.source == "policy" and violation.text.endswith(NOT_ASKED):
            yield Claim(
                kind="rule broken",
                text=f"{violation.text} (the policy: {quoted(violation.rule.evidence, 160)})",
                step=unit.index, steps=(unit.index,),
            )  # fmt: skip


def _never_mended(case: Case) -> Iterator[Claim]:
    units = case.graph.units
    worked = last_successes(units)
    for unit in units:
        error, mended = (
            unit.error or "",
            worked.get((unit.family, unit.failed_tool), -1) > unit.ordinal,
        )
        if _PROGRAMMING.search(error) and not mended:
            what = unit.failed_tool or ("its code" if unit.intent == "compute" else "it")
            yield Claim(
                kind="error never mended",
                text=f"step {unit.index}: {what} fails, and never works afterwards:"
                f" {quoted(error, 120)}",
                step=unit.index, steps=(unit.index,),
            )  # fmt: skip
            return


def _said_done(case: Case) -> Iterator[Claim]:
    """The agent says that something is done which a tool refused to do, and never did."""
    units = case.graph.units
    worked = last_successes(units)
    for unit in units:
        tool = unit.failed_tool
        if (
            tool is None
            or not unit.side_effect
            or worked.get((unit.family, tool), -1) > unit.ordinal
        ):
            continue
        verb = next((word for word in words_of(tool) if word in WRITING), "")
        said = participle(verb)
        for later in units[unit.ordinal + 1 :]:
            if later.family != unit.family:
                continue
            sentences = _SENTENCE.split(later.action[:_TAIL]) if verb and not later.calls else ()
            told = next((s for s in sentences if said.search(s) and _is_told_done(s)), None)
            if told is not None:
                yield Claim(
                    kind="said to be done",
                    text=f"step {later.index} says {quoted(told, 120)}, although {tool} failed at"
                    f" step {unit.index} and never worked",
                    step=unit.index, steps=(unit.index, later.index),
                )  # fmt: skip
                return


def _is_told_done(sentence: str) -> bool:
    return _DONE.search(sentence) is not None and _NOT_DONE.search(sentence) is None


def _restated(case: Case) -> Iterator[Claim]:
    units = case.graph.units
    for same in restated(units):
        if len(same) >= LOOP and not any(units[k].observed for k in same[1:]):
            steps = tuple(units[k].index for k in same)
            yield Claim(
                kind="says the same again",
                text=f"step {steps[0]} is said again in nearly the same words at"
                f" {steps_text(steps[1:])}, and nothing is done in between",
                step=steps[0], steps=steps,
            )  # fmt: skip


def _last_steps(case: Case) -> list[TransitionUnit]:
    """The last step of each conversation that no other one began."""
    last = {unit.family: unit for unit in case.graph.units if unit.conversation == unit.family}
    return list(last.values())


def _cut_off(case: Case) -> Iterator[Claim]:
    for last in _last_steps(case):
        if last.error in CUT_OFF.values():
            yield Claim(
                kind="answer cut off", text=f"step {last.index} is the last one: {last.error}",
                step=last.index, steps=(last.index,),
            )  # fmt: skip


def _stopped(case: Case) -> Iterator[Claim]:
    for last in _last_steps(case):
        said = (last.action[:_TAIL], last.action[-_TAIL:], last.feedback[-_TAIL:])
        found = _LIMIT.search("\n".join(said))
        if found:
            yield Claim(
                kind="stopped by a limit",
                text=f"step {last.index} is the last one because the run was stopped:"
                f" {quoted(found[0], 120)}",
                step=last.index, steps=(last.index,), turning=False,
            )  # fmt: skip


def _gave_up(case: Case) -> Iterator[Claim]:
    """The answer itself says that there is none. In a conversation with a person that is often
    right, so that it is read off marked answers only."""
    for last in _last_steps(case):
        answers = [] if last.calls else list(_FINAL.finditer(last.action[-_TAIL:]))
        if answers and _NOTHING.search(answers[-1][1]):
            yield Claim(
                kind="gave up",
                text=f"step {last.index} ends the run without an answer:"
                f" {quoted(answers[-1][0], 120)}",
                step=last.index, steps=(last.index,), turning=False,
            )  # fmt: skip


_KINDS: tuple[Callable[[Case], Iterator[Claim]], ...] = (
    _crash, _loops, _vain_laps, _same_again, _missing_arguments, _broken_schemas, _in_the_way,
    _refused_then_changed, _broken_rules, _said_done, _never_mended, _restated, _cut_off, _stopped,
    _gave_up,
)  # fmt: skip
