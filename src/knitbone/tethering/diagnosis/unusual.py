"""In what a step is unlike others, in words, and unlike which others: those of its own run, or
those of successful runs of other agents; and what the run itself says against it."""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.tethering.diagnosis.detect.conduct import PLANE as CONDUCT
from knitbone.tethering.diagnosis.detect.conduct import SIGNALS as CONDUCT_SIGNALS
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence

__all__ = ["signals_of", "stands_out"]

_MOST = 3
"""Signals told of a step."""

_SIGNAL_WORDS = {
    "in_degree": "it builds on more earlier steps than most",
    "in_weight": "it builds on more specific earlier values than most",
    "out_degree": "more later steps build on it than on most",
    "out_weight": "more specific values of it are used later than of most",
    "longest_back": "it reaches far back for what it uses",
    "longest_forward": "steps far later still use what it brought",
    "action_length": "it does more at once than most",
    "belief_length": "it reasons longer than most",
    "feedback_length": "more came back than from most",
    "artifacts_used": "it carries more values than most",
    "artifacts_new": "it brings in more new values than most",
    "unsupported_share": "more of its values appear first in it than in most",
    "artifacts_returned": "it returned more new values than most",
    "failed": "it failed",
    "inconsistent": "what followed does not fit its result",
    "repeats": "it had been done before",
    "kind_rarity": "this agent seldom does this here",
    "side_effect": "it changes state",
    "macro_rarity": "it stands in a rare kind of phase",
    "macro_errors": "its neighbours in the same phase fail",
    "macro_repeats": "its phase repeats itself",
    "neighbour_errors": "the steps tied to it fail",
    "neighbour_effects": "the steps tied to it change state",
}


def signals_of(evidence: Sequence[PlaneEvidence]) -> tuple[str, ...]:
    """In what a unit stands out, in words, at most three; its records of all planes."""
    words = _words()
    facts_first = sorted(evidence, key=lambda item: item.plane != CONDUCT)
    names = (name for item in facts_first for name in item.signals)
    return tuple(dict.fromkeys(words[name] for name in names if name in words))[:_MOST]


def stands_out(evidence: Sequence[PlaneEvidence], *, others: int) -> tuple[str, ...]:
    """The same by what it is unlike, a clause each.

    Args:
        others: how many other steps the run has.
    """
    words, told = _words(), set(signals_of(evidence))
    clauses: list[str] = []
    for item in evidence:
        said = dict.fromkeys(words[name] for name in item.signals if words.get(name) in told)
        told -= set(said)
        if said:
            clauses.append(f"{_against(item.plane, others)}: {', '.join(said)}")
    return tuple(clauses)


def _against(plane: str, others: int) -> str:
    if plane == CONDUCT:
        return "by what it says and does"
    if plane == "offline":
        return "unlike what successful runs of other agents do next"
    return f"unlike the other {others} steps of this run"


def _words() -> dict[str, str]:
    # Loaded here: it brings numpy.
    from knitbone.tethering.diagnosis.detect.offline import SIGNALS  # noqa: PLC0415

    return _SIGNAL_WORDS | SIGNALS | CONDUCT_SIGNALS
