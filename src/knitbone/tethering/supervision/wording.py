"""What the agent is told: fixed sentences, and those of the guidance it already has.

No value of the run gets in: a check hands over its kind and a directive, never a text of the run.
"""

from __future__ import annotations

from knitbone.common.printable import printable
from knitbone.tethering.guidance.records import Directive
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.records import CheckSignal

__all__ = ["appended_text", "directive_words", "family_words", "rerouting_text"]

_SENTENCE = 300
"""Characters of one sentence of a directive that are repeated (ours)."""
_FAMILY = 60
"""Characters of the name of a kind of action (ours)."""


def appended_text(signal: CheckSignal) -> str:
    """What goes behind a tool's result, told apart from it."""
    return f"\n\n[Supervision, not part of the result: {signal.text}]"


def rerouting_text(signal: CheckSignal) -> str:
    """The user message that an answer is sent back with."""
    return f"[Supervision] {signal.text}"


def directive_words(directive: Directive, intent: ActiveIntent) -> str:
    """A directive in the words that the guidance gave the agent; of one that is only remembered,
    the kind of action."""
    if directive.id in intent.told:
        words = directive.do_first or directive.do or directive.do_not
        return printable(" ".join(words.split()), limit=_SENTENCE)
    return f"From an earlier attempt, this is still open: {family_words(directive)}."


def family_words(directive: Directive) -> str:
    """The kind of action that a directive is about, on one line: ``deposit check``."""
    return printable(" ".join(directive.family.split()), limit=_FAMILY)
