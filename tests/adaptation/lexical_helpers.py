"""What the tests of lexical features share: a check, and the circumstances of an answer."""

from knitbone import Session
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    PromptMessage,
    ScenarioRequirement,
    prepare_check,
)
from knitbone.config import AdaptConfig

__all__ = ["asked", "check_for", "judge"]

ENGLISH = "What are the best ways to keep the plants in my kitchen alive?"


def check_for(standard=""):
    return prepare_check(
        ScenarioRequirement(
            name="consistent_lexical_features",
            standard=standard,
            evidence=Evidence(file="app.py", line=1, expression="print(answer)"),
        )
    )


def asked(*said, session=None, budget_ms=2_000, **config):
    """An invocation; ``said`` are texts of the user, or ``(role, text)``."""
    messages = tuple(
        PromptMessage(role="user", text=one)
        if isinstance(one, str)
        else PromptMessage(role=one[0], text=one[1])
        for one in said
    )
    return Invocation(
        AdaptConfig(budget_ms=budget_ms, **config),
        asked=lambda: messages,
        session=session if session is not None else Session(),
    )


def judge(text, *said, standard="", session=None, **config):
    return check_for(standard)(text, asked(*said, session=session, **config))
