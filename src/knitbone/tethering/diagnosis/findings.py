"""Facts about one step that a person would point at: what it did, what went wrong with it, what
later steps made of it. Each is read off the recorded events; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from knitbone.tethering.diagnosis.repetitions import restated
from knitbone.tethering.diagnosis.rules.breaches import NO_RECORD, UNSHOWN
from knitbone.tethering.diagnosis.rules.records import Violation
from knitbone.tethering.diagnosis.shown import Passed, Shown
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall, last_successes
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, waits
from knitbone.wire.fields import object_of

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = [
    "FindingKind",
    "RunFinding",
    "broken_rules",
    "describe",
    "findings_at",
    "mended_at",
    "missing_arguments",
    "outcome_of_calls",
    "quoted",
    "says_missing",
    "steps_text",
]

FindingKind = Literal[
    "missing argument",
    "broken rule",
    "failed call",
    "repeated action",
    "changed before",
    "error passed over",
    "value never observed",
    "state change",
    "ended with open error",
    "ended here",
    "built upon",
    "symptom",
]


class RunFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One fact, and the steps that show it."""

    kind: FindingKind
    text: str
    steps: tuple[int, ...] = ()
    """Source indices."""
    names: tuple[str, ...] = ()
    """Names of tools or arguments concerned; never values."""
    mended: bool = False
    """Whether it is about a failure, and what failed works later: no turning point."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,60}")
_MISSING = re.compile(
    r"\bmissing\b|\brequired\b|\bnot provided\b|\bmust (?:be given|provide)\b", re.IGNORECASE
)
_FIELD_REQUIRED = re.compile(r"([A-Za-z_][\w.]{0,60}):?\s+Field required\b")
"""pydantic's sentence behind the place of what is missing; it goes on with values that it got."""
_COMMON = {
    "missing", "required", "argument", "arguments", "positional", "keyword", "error", "typeerror",
    "field", "parameter", "parameters", "the", "and", "not", "provided", "must", "provide", "call",
    "function", "valueerror", "validation", "for", "value", "with", "unexpected", "invalid",
}  # fmt: skip
_NEAR = 200
"""Units around one among which its restatements, or the next try, are looked for (ours)."""


def quoted(text: str, limit: int = 120) -> str:
    """A piece of what was recorded, on one line, visibly cut."""
    line = " ".join(text[: limit * 4].split())
    return f'"{line[:limit]}..."' if len(line) > limit else f'"{line}"'


def describe(unit: TransitionUnit) -> str:
    """The action in a few words: the call with the names of its arguments, or what was said."""
    if unit.calls:
        shown = ", ".join(_call_text(call) for call in unit.calls[:3])
        return shown + (f" and {len(unit.calls) - 3} more" if len(unit.calls) > 3 else "")
    if unit.intent == "compute" and unit.action.startswith("```"):
        code = unit.action.strip("`\n").partition("\n")[2] or unit.action
        return f"{unit.agent} writes code {quoted(code, 70)}"
    if not unit.action.strip():
        failed = unit.status == "error"
        what = "gets no answer: its model call fails" if failed else "says nothing"
        return f"{unit.agent} {what}"
    to = f" to {unit.mode}" if unit.mode and unit.intent == "delegate" else ""
    return f"{unit.agent} says{to} {quoted(unit.action, 90)}"


def _call_text(call: UnitCall) -> str:
    return f"{call.tool}({', '.join(f'{name}=…' for name in _names(call)[:8])})"


def _names(call: UnitCall) -> list[str]:
    return [key[:60] for key in _arguments(call.arguments)]


def _arguments(value: Any) -> dict[str, Any]:
    return object_of(value)


def steps_text(steps: Sequence[int]) -> str:
    """``step 4``, ``steps 4, 5 and 9``."""
    shown = [str(step) for step in steps[:8]]
    if len(steps) > 8:
        shown.append(f"{len(steps) - 8} more")
    if len(shown) == 1:
        return f"step {shown[0]}"
    return f"steps {', '.join(shown[:-1])} and {shown[-1]}"


def findings_at(
    graph: CriticalTransitionGraph, unit: TransitionUnit, shown: Shown
) -> list[RunFinding]:
    """All facts about a unit, the most telling kinds first.

    Args:
        shown: what the run had shown up to each step.
    """
    repaired = mended_at(graph.units, unit, last_successes(graph.units))
    failure = (*missing_arguments(graph.units, unit), *_failure(unit, repaired))
    return [
        *(msgspec.structs.replace(fact, mended=repaired is not None) for fact in failure),
        *(() if repaired else _changed_before(graph, unit)),
        *(() if repaired else _repetition(graph.units, unit)),
        *(() if repaired else _passed_over(graph.units, unit)),
        *_unobserved(unit, shown),
        *_effect(unit),
        *_ending(graph.units, unit),
        *_dependents(graph, unit),
        *_symptom(graph, unit),
    ]


def broken_rules(unit: TransitionUnit, violations: Sequence[Violation]) -> list[RunFinding]:
    """The rules of the application's own that a unit breaks, with the sentence that says so.

    Of calls made at once it names the one that breaks the rule: ``names`` are its tool (empty
    where the rule is about the whole step), the kind of the rule and the argument, if it is one.
    """
    return [
        RunFinding(
            kind="broken rule",
            text=f"{violation.text} ({_source(violation)}: {quoted(violation.rule.evidence, 160)})",
            steps=(unit.index,),
            names=(violation.tool, violation.rule.kind, *filter(None, [violation.field])),
        )
        for violation in violations
        # What follows from the run's own values alone is said by the finding of the same kind.
        if violation.ordinal == unit.ordinal and violation.rule.source != "run"
    ]


def _source(violation: Violation) -> str:
    return "the tool's schema" if violation.rule.source == "schema" else "the policy"


def missing_arguments(
    units: Sequence[TransitionUnit], unit: TransitionUnit
) -> Iterator[RunFinding]:
    """Yield the argument that a tool says is missing in a call of a unit, and that it lacks."""
    for call in unit.calls:
        if not call.error or not says_missing(call.error):
            continue
        given = {*_names(call), call.tool}
        for name in dict.fromkeys(_missing_names(call.error)):
            if name in given:
                continue
            source = next(
                (u for u in reversed(units[: unit.ordinal]) if f'"{name}"' in u.feedback), None
            )
            had = f", which step {source.index} had returned" if source else ""
            yield RunFinding(
                kind="missing argument",
                text=f"step {unit.index} calls {call.tool} without {name}{had}",
                steps=(unit.index,) if source is None else (source.index, unit.index),
                names=(call.tool, name),
            )
            return


def says_missing(error: str) -> bool:
    """Whether an error says that something was not given, so that no given value is to blame."""
    return _MISSING.search(error) is not None


def _missing_names(error: str) -> list[str]:
    """The names in an error that says that something is missing, which may be what is missing."""
    if stated := _FIELD_REQUIRED.findall(error):
        return stated
    names = _NAME.findall(error)
    return [n for n in names if n.lower() not in _COMMON and _argument_like(n, error)]


def _argument_like(name: str, error: str) -> bool:
    return "_" in name or f"'{name}'" in error or f'"{name}"' in error or f"`{name}`" in error


def mended_at(
    units: Sequence[TransitionUnit],
    unit: TransitionUnit,
    worked: Mapping[tuple[int, str | None], int],
) -> TransitionUnit | None:
    """A later step at which what fails in a unit works; ``None`` where there is none.

    A tool that works later is mended. Of code that runs without a tool only the next try counts:
    other code that works says nothing of this one.

    Args:
        worked: see ``last_successes``.
    """
    if not unit.error:
        return None
    if unit.failed_tool is not None:
        last = worked.get((unit.family, unit.failed_tool), -1)
        return units[last] if last > unit.ordinal else None
    later = units[unit.ordinal + 1 : unit.ordinal + 1 + _NEAR]
    tries = (u for u in later if u.family == unit.family and not u.calls and u.status != "unknown")
    again = next(tries, None)
    return again if again is not None and again.status == "ok" else None


def _failure(unit: TransitionUnit, repaired: TransitionUnit | None) -> Iterator[RunFinding]:
    if unit.error:
        tool = unit.failed_tool
        what = tool or ("its code" if unit.intent == "compute" else "it")
        yield RunFinding(
            kind="failed call",
            text=f"{what} fails at step {unit.index}: {quoted(unit.error)}"
            + (f", and works at step {repaired.index}" if repaired else ""),
            steps=(unit.index,),
            names=(tool,) if tool else (),
        )


def _changed_before(graph: CriticalTransitionGraph, unit: TransitionUnit) -> Iterator[RunFinding]:
    if not unit.error:
        return
    sources = (graph.units[edge.source] for edge in graph.dependencies_into.get(unit.ordinal, []))
    changes = [u for u in sources if u.wrote and u.status != "unknown"]
    if changes:
        last = max(changes, key=lambda u: u.ordinal)
        yield RunFinding(
            kind="changed before",
            text=f"step {last.index} ({last.wrote}) had changed what it works on",
            steps=(last.index, unit.index),
            names=(unit.failed_tool or "", last.wrote or ""),
        )


def _repetition(units: Sequence[TransitionUnit], unit: TransitionUnit) -> Iterator[RunFinding]:
    same = [
        u.index for u in units
        if (u.action, u.agent, u.conversation) == (unit.action, unit.agent, unit.conversation)
        and (not unit.calls or outcome_of_calls(u) == outcome_of_calls(unit) != "")
    ]  # fmt: skip
    how, what = (
        ("repeats", "repeat"),
        f"the same {unit.tool} call" if unit.tool else "the same words",
    )
    if len(same) < 2 or len(unit.action) <= 20:
        near = () if unit.calls else units[max(0, unit.ordinal - _NEAR) : unit.ordinal + _NEAR]
        rows = [row for row in restated(near) if unit.ordinal in row]
        same = [units[k].index for row in rows for k in row]
        how, what = ("says", "say"), "nearly the same again"
    if len(same) > 1:
        others = [step for step in same if step != unit.index]
        yield RunFinding(
            kind="repeated action",
            text=f"{steps_text(others)} {how[len(others) > 1]} {what}",
            steps=tuple(same),
            names=(unit.tool,) if unit.tool else (),
        )


def outcome_of_calls(unit: TransitionUnit) -> str:
    """What came of a unit's calls, in one spelling; empty where nothing tells, or where the call
    waits for something."""
    said: list[str] = []
    for call in unit.calls:
        result = " ".join((call.error or call.result).split())
        failed = call.error is not None
        if not call.ran or waits(call.tool, call.signature, call.result, failed=failed):
            return ""
        said.append(result)
    return "\n".join(said).strip()


_TELLS_OF_IT = re.compile(
    r"(?<!no )(?<!not )(?<!never )(?<!nothing )(?<!without )"
    r"\b(?:unable|cannot|can't|could not|couldn't|fail\w*|refus\w*|reject\w*|denied)\b",
    re.IGNORECASE,
)
"""Words of a message that tells whoever asked of a failure."""


def _passed_over(units: Sequence[TransitionUnit], unit: TransitionUnit) -> Iterator[RunFinding]:
    after = next(iter(_after(units, unit)), None)
    if unit.error and after is not None and not _goes_on_with(after, unit.failed_tool):
        if not after.calls and _TELLS_OF_IT.search(after.action):
            return
        yield RunFinding(
            kind="error passed over",
            text=f"step {after.index} goes on with something else",
            steps=(unit.index, after.index),
            names=(unit.failed_tool,) if unit.failed_tool else (),
        )


def _after(units: Sequence[TransitionUnit], unit: TransitionUnit) -> list[TransitionUnit]:
    """What comes after a unit in its conversation."""
    return [u for u in units[unit.ordinal + 1 :] if u.conversation == unit.conversation]


def _goes_on_with(unit: TransitionUnit, tool: str | None) -> bool:
    """Whether the unit calls the tool; or none, where there is none to call."""
    return any(call.tool == tool for call in unit.calls) if unit.calls else tool is None


def _unobserved(unit: TransitionUnit, shown: Shown) -> Iterator[RunFinding]:
    if unit.calls:
        passed = [
            each for each in (*shown.unshown_arguments(unit), *shown.unshown_amounts(unit))
            if intent_of_tool(each.tool) not in NO_RECORD
        ]  # fmt: skip
        if passed:
            yield _given(unit, passed)
    # A report of what was looked up is where new values come from.
    elif unit.ordinal and unit.intent not in ("read", "plan", "compute"):
        fresh = shown.unshown_words(unit)
        if fresh:
            yield _stated(unit, fresh)


def _given(unit: TransitionUnit, passed: Sequence[Passed]) -> RunFinding:
    """Values that a call was given though nothing had shown them."""
    tool = passed[0].tool
    names = dict.fromkeys(each.name[:60] for each in passed if each.tool == tool and each.name)
    return RunFinding(
        kind="value never observed",
        text=f"{', '.join(names) or 'an argument'} of {tool} {UNSHOWN}",
        steps=(unit.index,),
        names=(tool, *names),
    )


def _stated(unit: TransitionUnit, fresh: Sequence[str]) -> RunFinding:
    """Values that an agent states though nothing had shown them."""
    values = ", ".join(quoted(value, 40) for value in fresh[:3])
    more = f" and {len(fresh) - 3} more" if len(fresh) > 3 else ""
    return RunFinding(
        kind="value never observed",
        text=f"step {unit.index} states {values}{more}, found nowhere before it",
        steps=(unit.index,),
    )


def _effect(unit: TransitionUnit) -> Iterator[RunFinding]:
    if unit.wrote:
        yield RunFinding(
            kind="state change",
            text=f"step {unit.index} changes state through {unit.wrote}",
            steps=(unit.index,),
            names=(unit.wrote,),
        )


def _ending(units: Sequence[TransitionUnit], unit: TransitionUnit) -> Iterator[RunFinding]:
    final = not _after(units, unit)
    if unit.intent != "finish" and not final:
        return
    made_good = set[str | None]().union(*map(_succeeded, [unit, *_after(units, unit)]))
    last = None
    before = [u for u in units[: unit.ordinal] if u.conversation == unit.conversation]
    for earlier in reversed(before):
        if earlier.status == "error" and earlier.failed_tool not in made_good:
            last = earlier
            break
        made_good |= _succeeded(earlier)
    if last is not None:
        yield RunFinding(
            kind="ended with open error",
            text=f"step {unit.index} ends the work although the failure of step {last.index}"
            f" ({quoted(last.error or '', 80)}) was never made good",
            steps=(last.index, unit.index),
        )
    elif final or unit.intent == "finish":
        how = f"by calling {unit.tool}" if unit.tool else "with this answer"
        yield RunFinding(
            kind="ended here", text=f"step {unit.index} ends the work {how}", steps=(unit.index,),
            names=(unit.tool,) if unit.tool else (),
        )  # fmt: skip


def _succeeded(unit: TransitionUnit) -> set[str | None]:
    """The tools that answered well in a unit; ``None`` stands for an action without a tool."""
    if not unit.calls:
        return {None} if unit.status == "ok" else set()
    return {call.tool for call in unit.calls if call.result and not call.error}


def _dependents(graph: CriticalTransitionGraph, unit: TransitionUnit) -> Iterator[RunFinding]:
    later = sorted({edge.target for edge in graph.dependencies_from.get(unit.ordinal, [])})
    if later:
        steps = tuple(graph.units[k].index for k in later)
        verb = "builds" if len(steps) == 1 else "build"
        yield RunFinding(
            kind="built upon",
            text=f"{steps_text(steps)} {verb} on it",
            steps=steps,
        )


def _symptom(graph: CriticalTransitionGraph, unit: TransitionUnit) -> Iterator[RunFinding]:
    """Where the trouble surfaces: the last failed unit after this one, else the last unit."""
    units = graph.units
    after = [u for u in units[unit.ordinal + 1 :] if u.family == unit.family]
    if not after:
        return
    failed = [u for u in after if u.status == "error"]
    for symptom in [*reversed(failed[-3:]), after[-1]]:
        path = graph.path_back(symptom.ordinal, unit.ordinal)
        if path:
            steps = tuple(units[k].index for k in path)
            surfaced = "fails" if symptom.status == "error" else "ends the run"
            way = " <- ".join(map(str, steps))
            yield RunFinding(
                kind="symptom",
                text=f"step {symptom.index} {surfaced} and depends on it ({way})",
                steps=steps,
            )
            return
