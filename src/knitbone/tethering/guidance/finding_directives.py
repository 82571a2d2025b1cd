"""Facts about one step -> what to do otherwise.

A sentence is ours; names of tools and arguments stand in it between backticks, where they may be
told at all (``disclosure.RunNames``), so that a tighter disclosure can take them out again
(``wording.py``). Where a name may not be told, the kind of action stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from knitbone.tethering.diagnosis.findings import FindingKind, RunFinding, says_missing
from knitbone.tethering.diagnosis.records import Claim
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool
from knitbone.tethering.guidance.error_words import error_words
from knitbone.tethering.guidance.failed_run import FailedRun, expected, quoted_words, shown
from knitbone.tethering.guidance.records import ConstraintClass, Directive
from knitbone.wire.fields import object_of

__all__ = ["CONFIRM", "checked_first", "ended", "failed_call", "made_up", "of_finding", "ordered"]

_FEWEST_LETTERS = 3
"""Shorter values stand in too many errors to be what one speaks of (ours)."""
CONFIRM = "Before {step}, say what will be done and wait for an explicit yes."


def of_finding(failed: FailedRun, unit: TransitionUnit, finding: RunFinding) -> Iterator[Directive]:
    """The directives that a finding at a unit gives; one on where a step stands gives none."""
    maker = _MAKERS.get(finding.kind)
    return iter(()) if maker is None else maker(failed, unit, finding)


def _missing_argument(
    failed: FailedRun, unit: TransitionUnit, fact: RunFinding
) -> Iterator[Directive]:
    tool, wanted = fact.names[0], failed.arguments(fact.names[1:])
    known = len(fact.steps) > 1  # an earlier step had returned it
    whence = "taken from a record read before" if known else "looked up or asked for first"
    yield failed.directive(
        unit, fact, "required argument", tool=tool, about=wanted,
        do=f"Give {failed.step(unit, tool)} every argument that it requires{shown(wanted)},"
        f" {whence}.",
        expectation=expected(tool, arguments=wanted),
    )  # fmt: skip


def failed_call(
    failed: FailedRun, unit: TransitionUnit, fact: RunFinding | Claim
) -> Iterator[Directive]:
    """A call, or code, that failed: what it was refused for, as far as that may be told. One that
    was made good later is expected no more, and yet should be right at once; neither is one whose
    tool had worked before: the refusal may have said that it was done."""
    tool = unit.failed_tool
    if tool is None and (unit.calls or unit.intent != "compute"):
        return  # a model call that fails is nothing that the agent can do otherwise
    call = next((call for call in unit.calls if call.error), None)
    step = failed.step(unit, tool) if tool else "running code"
    said = error_words(call.error if call else unit.error, failed.names, call)
    mended = tool is not None and failed.worked(tool, unit.ordinal)
    if not said and mended:
        return
    yield failed.directive(
        unit, fact, "unresolved error", tool=tool,
        do_first=f"Before {step}, put right what made it fail last time{quoted_words(said)}."
        if said else "",
        do="" if said else f"If {step} fails, read the error and mend its cause before going on.",
        expectation=None if tool is not None and failed.worked(tool)
        else expected(tool, changed=_blamed(failed, call) if call else {}),
    )  # fmt: skip


def _blamed(failed: FailedRun, call: UnitCall) -> dict[str, str]:
    """The argument that an error speaks of, with the hash of its value; none where it speaks of
    several: one of them may have been right."""
    error = (call.error or "").lower()
    if says_missing(error):  # such errors repeat what was given
        return {}
    given = object_of(call.arguments)
    named = [
        name for name, value in given.items()
        if isinstance(value, (str, int, float)) and len(str(value)) >= _FEWEST_LETTERS
        and re.search(rf"(?<![\w.]){re.escape(str(value).lower())}(?![\w])", error)
    ]  # fmt: skip
    return failed.hashes(given, named) if len(named) == 1 else {}


def ordered(
    failed: FailedRun, unit: TransitionUnit, fact: RunFinding | Claim, *, early: str, late: str
) -> Directive:
    first, then = failed.step(unit, late), failed.step(unit, early)
    return failed.directive(
        unit, fact, "order", tool=early, about=(late,),
        do_first=f"Take {first} before {then}, which can rule it out.",
        expectation=expected(early, after=(late,)),
    )  # fmt: skip


def _repeated(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    tool = unit.tool
    yield failed.directive(
        unit, fact, "repetition", tool=tool,
        do_not=f"Do not repeat {failed.step(unit, tool)} unchanged: change the call, or find out"
        " more first." if tool
        else "Do not say the same again: do something new, or find out more first.",
    )  # fmt: skip


def _passed_over(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    yield from failed_call(failed, unit, fact)


def _unread_value(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    tool = next(iter(fact.names), "") or None
    if tool is None:
        yield failed.directive(
            unit, fact, "unread value",
            do="State only what was read or told before; look up what is missing.",
        )  # fmt: skip
        return
    if intent_of_tool(tool) == "compute":
        return  # an expression is not read anywhere
    names = failed.arguments(fact.names[1:])
    given = next((object_of(c.arguments) for c in unit.calls if c.tool == tool), object_of(None))
    if given and names and all(failed.was_shown(unit, given.get(name)) for name in names):
        return  # in another form, which the finding does not know
    if failed.need(tool) == "unclear" and unit.failed_tool != tool:  # else its error names it
        yield made_up(failed, unit, fact)
        return
    # A number may have been computed rightly; a text that nothing showed was made up, and what a
    # tool refused is to be another one in any case.
    wrong = [name for name in names if unit.failed_tool == tool or _is_text(given.get(name))]
    yield failed.directive(
        unit, fact, "unread value", tool=tool, about=names,
        do=f"Use in {failed.step(unit, tool)} only values that were read, told, or computed from"
        f" these{shown(names)}.",
        expectation=expected(tool, arguments=names, changed=failed.hashes(given, wrong)),
    )  # fmt: skip


def made_up(failed: FailedRun, unit: TransitionUnit, fact: RunFinding | Claim) -> Directive:
    """Of a value that nothing showed, in a call of which nobody knows whether it was asked for:
    its tool is not named, so that nothing suggests it."""
    return failed.directive(
        unit, fact, "unread value", subject="calls",
        do="Use in calls only values that were read or told before; look up what is missing.",
    )  # fmt: skip


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not value.strip().replace(".", "", 1).isdigit()


def checked_first(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    tool = unit.wrote
    yield failed.directive(
        unit, fact, "check first", tool=tool,
        do_first=f"Before {failed.step(unit, tool)}, check need, target and arguments against"
        " the request and the rules.",
    )  # fmt: skip


_OF_RULE: Mapping[str, tuple[ConstraintClass, str, str]] = {
    "missing argument": (
        "required argument", "do", "Give {step} every argument that it requires{names}."
    ),
    "unknown argument": (
        "argument value", "do_not", "Do not give {step} an argument that it does not have{names}."
    ),
    "wrong type": (
        "argument value", "do", "Give {step} arguments of the types that its schema states{names}."
    ),
    "value not allowed": (
        "argument value", "do", "Give {step} only values that are allowed there{names}."
    ),
    "write before confirmation": (
        "rule", "do_first", CONFIRM
    ),
    "write before identification": (
        "rule", "do_first", "Before {step}, establish who is asking, as the rules demand."
    ),
    "wrong state": (
        "rule", "do_first",
        "Before {step}, read the state of what it changes and see that the rules allow it{names}.",
    ),
    "called again": (
        "rule", "do_not",
        "Do not call {step} a second time for the same thing: gather first all that it needs.",
    ),
}  # fmt: skip
"""Constraint, field and sentence by the kind of the rule. Rules on the form of a step lead no run
astray (``rules.records.FORM``), and one on unseen values is said by its finding."""


def _broken_rule(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    known = _OF_RULE.get(fact.names[1]) if len(fact.names) > 1 else None
    if known is None:
        return
    constraint, place, sentence = known
    tool = next(iter(fact.names)) or unit.tool
    names = failed.arguments(fact.names[2:])
    said = sentence.format(step=failed.step(unit, tool), names=shown(names))
    required = constraint == "required argument"
    yield failed.directive(
        unit, fact, constraint, tool=tool, about=names,
        **{place: said},
        expectation=expected(tool, arguments=names if required else ())
        if constraint != "rule" else None,
    )  # fmt: skip


def _open_error(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    earlier = failed.unit(fact.steps[0])
    tool = earlier.failed_tool if earlier else None
    step = failed.step(earlier, tool) if earlier else "a failed step"
    yield failed.directive(
        unit, fact, "completion", tool=tool,
        do_not=f"Do not end while a failure of {step} is open: make it good, or say that it could"
        " not be done.",
    )  # fmt: skip


def ended(failed: FailedRun, unit: TransitionUnit, fact: RunFinding) -> Iterator[Directive]:
    """How a failed run ended: by handing over, without a change of anything, or at all."""
    if unit.intent == "finish" and unit.tool:
        yield failed.directive(
            unit, fact, "completion", tool=unit.tool,
            do_first=f"Before {failed.step(unit, unit.tool)}, see that the rules leave nothing"
            " else to do: the last attempt ended with it.",
        )  # fmt: skip
    if not any(each.wrote for each in failed.units) and any(each.calls for each in failed.units):
        yield failed.directive(
            unit, fact, "missing step", about=("change",),
            do="If the request asks for a change, make it: the last attempt ended without one.",
        )  # fmt: skip
    yield failed.directive(
        unit, fact, "completion", about=("ending",),
        do_first="Before ending, check that every part of the request is done and confirmed.",
    )  # fmt: skip


_Maker = Callable[[FailedRun, TransitionUnit, RunFinding], Iterator[Directive]]
_MAKERS: Mapping[FindingKind, _Maker] = {
    "missing argument": _missing_argument, "broken rule": _broken_rule,
    "failed call": failed_call, "repeated action": _repeated,
    "error passed over": _passed_over, "value never observed": _unread_value,
    "state change": checked_first, "ended with open error": _open_error, "ended here": ended,
}  # fmt: skip
"""By kind of finding. "built upon" and "symptom" say where a step stands, not what to do."""
