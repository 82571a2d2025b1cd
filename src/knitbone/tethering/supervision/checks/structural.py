"""Reminders: expected actions that are still open where the run would end, or once it took longer
than the attempt before.

Only of actions that the task's own words name: that an earlier attempt tried one shows no need of
it. Says the hint nearest to what is missing, each at most twice, three times a run. A question to
the person is no end of the run.
"""

from __future__ import annotations

import re
from collections import Counter

from knitbone.config import SupervisionSettings
from knitbone.tethering.diagnosis.vocabulary import intent_of_text, intent_of_tool
from knitbone.tethering.guidance.records import Directive
from knitbone.tethering.supervision.expected_calls import ExpectedCalls, expected_tool
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.wording import directive_words

__all__ = ["StructuralCheck"]

STEPS = 5
"""Steps before the first reminder (AgentTether §IV.A)."""
CALLS = 5
"""Tool calls before the first reminder (AgentTether §IV.A)."""
FIRES = 3
"""Reminders in one run (AgentTether §IV.A)."""
REPEATS = 1
"""How often one reminder may be repeated (AgentTether §IV.A)."""

_TAIL = 600
"""Characters at the end of a text in which it asks or says that it is done (ours)."""
_ASKS = re.compile(
    r"\?|\b(?:please (?:confirm|provide|tell|let me know|share|specify|verify|reply)|let me know"
    r"|could you|can you|would you|do you|which (?:one|of)|may i have|i(?:'ll)? need (?:your|you)"
    r"|(?:shall|should) i|awaiting|once you)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:(?:has|have) been (?:\w+ )?(?:successfully |now )?\w+ed|is (?:now )?(?:done|complete)"
    r"|(?:successfully|all) (?:\w+ed|done|set)|i(?:'ve| have) (?:\w+ )?(?:\w+ed|done|sent|made|put)"
    r"|task (?:is )?complete|finished|completed|final answer|here (?:is|are) the result)\b",
    re.IGNORECASE,
)


class StructuralCheck:
    """See ``SupervisionCheck``."""

    name: CheckName = "structural"

    def __init__(
        self, intent: ActiveIntent, expected: ExpectedCalls, settings: SupervisionSettings
    ) -> None:
        self._intent = intent
        self._expected = expected
        self._settings = settings
        self._calls = 0
        self._said: Counter[str] = Counter()

    def tool_returned(self, call: ReturnedCall, step: int) -> CheckSignal | None:
        """See ``SupervisionCheck``. It asks what the expectation check was told of the call."""
        self._calls += 1
        ends = intent_of_tool(call.tool) == "finish"
        return self._signal(call.tool) if ends or self._has_progressed(step) else None

    def text_answered(self, text: str, step: int) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        if asks_back(text) or not (says_done(text) or self._has_progressed(step)):
            return None
        return self._signal(None)

    def reminded(self, directive: str) -> None:
        """A reminder was given."""
        self._said[directive] += 1

    def _has_progressed(self, step: int) -> bool:
        """*Departure:* AgentTether reminds after five steps; a run that is no longer than the
        attempt before may still be on its way to the action."""
        calls = max(CALLS, self._intent.calls + 1)
        return step >= STEPS and self._calls >= calls

    def _signal(self, tool: str | None) -> CheckSignal | None:
        if sum(self._said.values()) >= FIRES:
            return None
        missing = next((d for d in self._expected.open if self._may_say(d)), None)
        if missing is None:
            return None
        return CheckSignal(
            check="structural", kind="open action", tool=tool, directive=missing.id,
            text=f"Not done yet: {directive_words(missing, self._intent)}",
        )  # fmt: skip

    def _may_say(self, directive: Directive) -> bool:
        if self._said[directive.id] > REPEATS:
            return False
        return self._intent.asks_for(expected_tool(directive))


def asks_back(text: str) -> bool:
    """Whether an answer asks its reader for something."""
    return _ASKS.search(text[-_TAIL:]) is not None


def says_done(text: str) -> bool:
    """Whether an answer says that the work is done."""
    return intent_of_text(text, None) == "finish" or _DONE.search(text[-_TAIL:]) is not None
