"""Expectations: calls that guidance or memory want otherwise, and destructive ones nobody expects.

A call of an expected tool that does not do what is expected is named by the guidance's own words;
a destructive call beside open expectations by the kind of action that is still to be done.
"""

from __future__ import annotations

from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.risk import ToolRisks
from knitbone.tethering.supervision.wording import directive_words, family_words

__all__ = ["ExpectationCheck"]


class ExpectationCheck:
    """See ``SupervisionCheck``.

    Args:
        expected: is told of every call here.
    """

    name: CheckName = "expectation"

    def __init__(self, intent: ActiveIntent, expected: ExpectedCalls, risks: ToolRisks) -> None:
        self._intent = intent
        self._expected = expected
        self._risks = risks

    def tool_returned(
        self,
        call: ReturnedCall,
        step: int,  # noqa: ARG002 - the contract
    ) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        planned = self._expected.around(call.tool) is not None
        short = self._expected.observe(call)
        risk = self._risks.of(call.tool)
        if short:
            directive, why = short[0]
            return CheckSignal(
                check="expectation", kind=why, tool=call.tool, directive=directive.id, risk=risk,
                text=directive_words(directive, self._intent),
            )  # fmt: skip
        left = self._expected.open
        if risk != "destructive" or planned or not left:
            return None
        return CheckSignal(
            check="expectation", kind="unexpected destructive call", tool=call.tool,
            directive=left[0].id, risk=risk,
            text="This call cannot be taken back, and the guidance for this attempt does not ask"
            f" for it. Still to be done: {family_words(left[0])}. Check against the task before"
            " changing more.",
        )  # fmt: skip

    def text_answered(self, text: str, step: int) -> CheckSignal | None:  # noqa: ARG002 - contract
        """See ``SupervisionCheck``; what is missing at the end is the structural check's."""
        return None
