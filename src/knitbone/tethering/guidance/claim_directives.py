"""Claims of a run -> what to do otherwise. Each claim says itself at which step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from knitbone.tethering.diagnosis.records import Claim, ClaimKind
from knitbone.tethering.diagnosis.units import CUT_OFF, TransitionUnit
from knitbone.tethering.guidance.failed_run import FailedRun, expected
from knitbone.tethering.guidance.finding_directives import CONFIRM, failed_call, made_up, ordered
from knitbone.tethering.guidance.records import Directive

__all__ = ["of_claim"]


def of_claim(failed: FailedRun, claim: Claim) -> Iterator[Directive]:
    """The directives that a claim gives. One that rests on a finding is said by that finding, the
    analyst's by its hints."""
    maker, unit = _MAKERS.get(claim.kind), failed.unit(claim.step)
    return iter(()) if maker is None or unit is None else maker(failed, unit, claim)


def _crash(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    if unit.failed_tool:  # else the program broke: nothing for the agent to do otherwise
        yield from failed_call(failed, unit, fact)


def _loop(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool or unit.tool
    worked = tool is not None and failed.worked(tool)
    yield failed.directive(
        unit, fact, "repetition", tool=tool,
        do_not=f"Do not repeat {failed.step(unit, tool)} after it failed for the same reason:"
        " change the call, or find out more first.",
        expectation=None if worked else expected(tool),
    )  # fmt: skip


def _broken_schema(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool or unit.tool
    yield failed.directive(
        unit, fact, "argument value", tool=tool,
        do=f"Give {failed.step(unit, tool)} exactly the arguments that its schema asks for.",
        expectation=expected(tool),
    )  # fmt: skip


def _in_the_way(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    refused = failed.unit(fact.steps[-1])
    if unit.wrote and refused is not None and refused.failed_tool:
        yield ordered(failed, unit, fact, early=unit.wrote, late=refused.failed_tool)


def _refused(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool
    yield failed.directive(
        unit, fact, "rule", tool=tool,
        do_not=f"When {failed.step(unit, tool)} is refused, do not try other values on your own:"
        " say why it was refused, and ask.",
    )  # fmt: skip


def _unconfirmed(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.wrote or unit.tool
    sentence = CONFIRM
    yield failed.directive(
        unit, fact, "rule", tool=tool,
        do_first=sentence.format(step=failed.step(unit, tool)),
    )  # fmt: skip


def _made_up(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.wrote or unit.tool
    if tool is not None and failed.need(tool) == "unclear":
        yield made_up(failed, unit, fact)
        return
    yield failed.directive(
        unit, fact, "unread value", tool=tool,
        do=f"Use in {failed.step(unit, tool)} only values that were read or told before.",
    )  # fmt: skip


def _said_done(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool
    yield failed.directive(
        unit, fact, "completion", tool=tool,
        do_not=f"Do not report {failed.step(unit, tool)} as done unless it returned without an"
        " error.",
    )  # fmt: skip


def _said_again(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "repetition",
        do_not="Do not say the same again: do something new, or find out more first.",
    )  # fmt: skip


def _cut_off(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    if unit.error == CUT_OFF["length"]:
        yield failed.directive(
            unit, fact, "completion", about=("brief",),
            do="Answer more briefly: the last answer was cut off at its greatest length.",
        )  # fmt: skip


def _stopped(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "completion", about=("limit",),
        do="Go straight to what the request needs: the last attempt was stopped at a limit before"
        " it was done.",
    )  # fmt: skip


def _gave_up(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "completion", about=("answer",),
        do_not="Do not end without an answer before another way to it was tried.",
    )  # fmt: skip


_Maker = Callable[[FailedRun, TransitionUnit, Claim], Iterator[Directive]]
_MAKERS: Mapping[ClaimKind, _Maker] = {
    "crash": _crash, "loop": _loop, "fails for one reason": _loop, "broken schema": _broken_schema,
    "refused, then changed": _refused, "change in the way": _in_the_way,
    "rule broken": _unconfirmed, "made-up value": _made_up, "error never mended": failed_call,
    "said to be done": _said_done, "says the same again": _said_again, "answer cut off": _cut_off,
    "stopped by a limit": _stopped, "gave up": _gave_up,
}  # fmt: skip
