"""Intent and action as texts, to be compared by an embedder or shown to a verifier."""

from __future__ import annotations

import json

from knitbone.record.events import Json
from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.wording import directive_words

__all__ = ["ACTION_CHARACTERS", "action_text", "intent_text"]

ACTION_CHARACTERS = 400
"""Characters of an action that are embedded (ours): some eighty word pieces, in 10 ms."""
_TASK = 1_000
"""Characters of a task that are embedded (ours)."""
_DIRECTIVES = 3
"""Open directives beside the task, the nearest (ours): more would drown it."""


def intent_text(intent: ActiveIntent, expected: ExpectedCalls) -> str:
    """The task and the nearest directives that are still open."""
    wanted = [directive_words(directive, intent) for directive in expected.open[:_DIRECTIVES]]
    return "\n".join([intent.task[:_TASK], *wanted])


def action_text(tool: str, arguments: Json) -> str:
    """A call as words: those of its name, then the arguments."""
    name = " ".join(words_of(tool)) or tool
    if arguments in (None, {}, ""):
        return name
    given = arguments if isinstance(arguments, str) else _written(arguments)
    return f"{name}: {given}"[:ACTION_CHARACTERS]


def _written(arguments: Json) -> str:
    try:
        text = json.dumps(arguments, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""
    return text.translate(_MARKS)


_MARKS = str.maketrans(dict.fromkeys('{}[]"', " "))
