"""Why a search found nothing, in one line: silence is never good news."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.records import Check, SetResult

__all__ = ["silence_of"]

_SAID = 120


def silence_of(
    results: Sequence[SetResult],
    *,
    asked: int,
    checks: tuple[Check, ...],
    dropped: Mapping[str, int],
    runs: Mapping[str, int],
    stopped: str | None,
) -> str:
    """What came of the sets, where none is faulty.

    Args:
        asked: sets that were wanted.
        runs: as ``run_words`` counts them.
    """
    parts = [f"stopped early: {stopped}"] if stopped else []
    if not results:
        why = ", ".join(f"{number} times {reason}" for reason, number in dropped.items())
        return "; ".join([*parts, f"no usable prompt set was written{f': {why}' if why else ''}"])
    ended = sum(number for name, number in runs.items() if name in ("answered", "came to no end"))
    if runs.get("without a call", 0) == ended:
        parts.append(f"the agent called the tool for none of {ended} prompts")
    else:
        parts.append(", ".join(_ends(results, checks)))
    if len(results) < asked:
        parts.append(f"{len(results)} of {asked} sets were looked at")
    return "; ".join(parts)


def _ends(results: Sequence[SetResult], checks: tuple[Check, ...]) -> list[str]:
    """Which check ended how many sets."""
    words: dict[str, int] = {}
    for result in results:
        words[_end(result, checks)] = words.get(_end(result, checks), 0) + 1
    return [f"{number} {'set' if number == 1 else 'sets'} {end}" for end, number in words.items()]


def _refusal(result: SetResult) -> str:
    """How the tool refused all calls of a set; empty where it did not.

    The paper's cascade holds an agent that is misled in the same way every time for consistent.
    """
    calls = [call for run in result.runs for call in run.calls]
    if not calls or not all(call.failure for call in calls):
        return ""
    said = printable(calls[0].failure, limit=_SAID)
    return f", all of which the tool refused ({said}; --check refused,oracle judges such)"


def _end(result: SetResult, checks: tuple[Check, ...]) -> str:
    if result.documented:
        return "whose form the documentation names and the agent disregarded"
    for check in checks:
        verdict = result.verdict(check)
        if verdict is None:
            return "not judged any more"
        if verdict.failed is None:
            return f"not decided by the {check} check ({verdict.reason})"
        if not verdict.failed:
            if result.unstable:
                return "with results that differ for the same input"
            return {
                "refused": f"not refused altogether ({verdict.reason})",
                "input": f"with the same calls{_refusal(result)}",
                "output": "with the same results",
                "oracle": "with answers that were to be expected",
            }[check]
    return "that is faulty"
