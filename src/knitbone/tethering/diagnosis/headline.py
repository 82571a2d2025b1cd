"""The first line of a diagnosis: what is wrong, or that nothing on record says so."""

from __future__ import annotations

from knitbone.tethering.diagnosis.findings import quoted
from knitbone.tethering.diagnosis.records import Claim, OutcomeName

__all__ = ["headline", "sentence"]


def headline(
    outcome: OutcomeName, made: Claim | None, cause: str, fact: str, *, verdict: str = ""
) -> str:
    """One line.

    Args:
        made: what is claimed of the run; ``cause`` says it.
        fact: what on record speaks against the run, claimed or not; empty where nothing does.
        verdict: the words of whoever judged the run.
    """
    if made is not None:
        return cause
    if outcome == "failed":
        said = f" ({quoted(verdict, 120)})" if verdict else ""
        if not fact:
            return f"The run failed{said}; nothing on record says at which step."
        return f"The run failed{said}. On record, though it need not be why: {fact}."
    if outcome == "succeeded":
        if not fact:
            return "The run succeeded; nothing on record speaks against a step."
        return f"The run succeeded, but on record: {fact}."
    if not fact:
        return "Nothing on record says that something went wrong."
    return f"{sentence(fact)} Whether the run failed is not on record."


def sentence(text: str) -> str:
    """With a capital, unless it begins with a name from the run; with a full stop."""
    head = text[:1].upper() if text.startswith(_OWN) else text[:1]
    return head + text[1:] + "."


_OWN = ("step", "among", "the ", "no fact", "unlike", "it ", "its code ")
