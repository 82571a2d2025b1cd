"""The first line of a diagnosis: what is wrong, or that nothing on record says so."""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.tethering.diagnosis.findings import quoted
from knitbone.tethering.diagnosis.records import Claim, OutcomeName

__all__ = ["headline", "sentence"]


def headline(
    outcome: OutcomeName,
    made: Claim | None,
    cause: str,
    on_record: Sequence[Claim],
    *,
    verdict: str = "",
) -> str:
    """One line.

    Args:
        made: what is claimed of the run; ``cause`` says it.
        on_record: what could be claimed.
        verdict: the words of whoever judged the run.
    """
    if made is not None:
        return cause
    said = f" ({quoted(verdict, 120)})" if verdict and outcome == "failed" else ""
    text = {
        "failed": f"The run failed{said}; nothing on record says at which step.",
        "succeeded": "The run succeeded; nothing on record speaks against a step.",
        "unknown": "Nothing on record says that something went wrong.",
    }[outcome]
    if not on_record or outcome == "failed":
        return text
    known = "The run succeeded" if outcome == "succeeded" else "Whether it failed is not on record"
    return f"{known}, but a fact speaks against step {on_record[0].step} (--claim says which)."


def sentence(text: str) -> str:
    """With a capital, unless it begins with a name from the run; with a full stop."""
    head = text[:1].upper() if text.startswith(_OWN) else text[:1]
    return head + text[1:] + "."


_OWN = ("step", "among", "the ", "no fact", "unlike")
