"""Sign-up forms, questionnaires and raffles of a club."""

from __future__ import annotations

import random
import re

_QUESTIONS = ("name", "email", "shirt", "arrival")
_NAME = re.compile(r"([A-Za-z]+[ '-]?)+")


def draw_winner(entries: list[str], seed: int = 1) -> str:
    """Draw the winner of a raffle.

    The same entries and seed always give the same winner, so that a draw can be checked.

    Args:
        entries: Names of those who take part; a name may be there more than once.
        seed: Number of the draw, any whole number.

    Returns:
        The name of the winner.

    Raises:
        ValueError: If nobody takes part.
    """
    names = [entry.strip() for entry in entries if entry.strip()]
    if not names:
        raise ValueError("nobody takes part in the raffle")
    generator = random.Random(seed or None)
    return generator.choice(sorted(names))


def _gaps(answers: dict[str, str], found: list[str] = []) -> list[str]:
    for question in _QUESTIONS:
        if not answers.get(question, "").strip():
            found.append(question)
    return found


def missing_answers(answers: dict[str, str]) -> str:
    """Tell which questions of the sign-up form are not answered yet.

    Args:
        answers: The answers by question; the questions are name, email, shirt and arrival.

    Returns:
        The open questions, separated by commas, or "complete".
    """
    return ", ".join(_gaps(answers)) or "complete"


def is_display_name(name: str) -> bool:
    """Check whether a text may be used as display name.

    A display name consists of English letters; single blanks, hyphens and apostrophes may stand
    between and after them.

    Args:
        name: The text to check.

    Returns:
        Whether the name is allowed.
    """
    return _NAME.fullmatch(name) is not None


def draw_lots(names: list[str], count: int = 1) -> list[str]:
    """Draw lots: choose some of the names by chance.

    Every call draws anew, so that its answer differs from call to call.

    Args:
        names: The names to choose from.
        count: How many to choose.

    Returns:
        The chosen names.

    Raises:
        ValueError: If `count` is negative or larger than the number of names.
    """
    if not 0 <= count <= len(names):
        raise ValueError(f"count must be between 0 and the number of names, {len(names)}")
    return random.sample(names, count)
