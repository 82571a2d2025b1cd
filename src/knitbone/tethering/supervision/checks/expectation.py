"""Expectations: calls that guidance or memory want otherwise, and destructive ones nobody expects.

A call of an expected tool that does not do what is expected is named by the guidance's own words;
a destructive call that neither they nor the task ask for by the kind of action that is still to be
done.
"""

from __future__ import annotations

from collections import Counter

from knitbone.tethering.guidance.records import Directive
from knitbone.tethering.supervision.expected_calls import ExpectedCalls, Shortfall, expected_tool
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.risk import ToolRisks
from knitbone.tethering.supervision.wording import directive_words, family_words

__all__ = ["ExpectationCheck"]


_ERRORS = 2
"""Errors of an expected call from which on it is named (ours)."""


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
        self._errors: Counter[str] = Counter()

    def tool_returned(
        self,
        call: ReturnedCall,
        step: int,  # noqa: ARG002 - the contract
    ) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        planned = self._expected.around(call.tool) is not None
        short = self._worth_saying(self._expected.observe(call))
        risk = self._risks.of(call.tool)
        if short:
            directive, why = short[0]
            return CheckSignal(
                check="expectation", kind=why, tool=call.tool, directive=directive.id, risk=risk,
                text=directive_words(directive, self._intent),
            )  # fmt: skip
        left = [d for d in self._expected.open if self._intent.asks_for(expected_tool(d))]
        if risk != "destructive" or planned or not left or self._intent.asks_for(call.tool):
            return None
        return CheckSignal(
            check="expectation", kind="unexpected destructive call", tool=call.tool,
            directive=left[0].id, risk=risk,
            text="This call cannot be taken back, and the guidance for this attempt does not ask"
            f" for it. Still to be done: {family_words(left[0])}. Check against the task before"
            " changing more.",
        )  # fmt: skip

    def _worth_saying(
        self, short: tuple[tuple[Directive, Shortfall], ...]
    ) -> tuple[tuple[Directive, Shortfall], ...]:
        """An error says itself what is wrong, and a retry is fair: the second one is named."""
        kept: list[tuple[Directive, Shortfall]] = []
        for directive, why in short:
            if why == "returned an error":
                self._errors[directive.id] += 1
                if self._errors[directive.id] < _ERRORS:
                    continue
            kept.append((directive, why))
        return tuple(kept)

    def text_answered(self, text: str, step: int) -> CheckSignal | None:  # noqa: ARG002 - contract
        """See ``SupervisionCheck``; what is missing at the end is the structural check's."""
        return None
