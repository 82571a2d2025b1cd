"""The sentence that a documentation lacks, put together from what was tried."""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.consistency import ComparedRun
from knitbone.fuzzing.documentation.records import ArgumentForm, ArgumentVariation, Lack
from knitbone.fuzzing.sandbox.wire import to_text

__all__ = ["missing_sentence"]

_VALUE = 60
_SAID = 100
_CALL = 200
_LISTED = 4
"""Forms that a sentence names."""


def missing_sentence(seen: Sequence[ComparedRun], varies: Sequence[ArgumentVariation]) -> Lack:
    """What the documentation leaves unsaid, by what synonymous prompts became.

    Args:
        varies: the arguments that vary, the most telling first.
    """
    if varies and not all(form.worked for form in varies[0].forms):
        return _of_argument(varies[0])
    without = [run for run in seen if not run.calls]
    if without and len(without) < len(seen):
        return Lack(
            kind="purpose",
            text=f"The documentation does not say that the tool is made for this: "
            f"{len(without)} of {len(seen)} prompts were answered without it{_by_others(without)}.",
        )
    if varies:
        return _of_argument(varies[0])
    agreed = len({tuple(sorted(run.inputs)) for run in seen}) == 1
    refusals = [call.failure for run in seen for call in run.calls]
    if agreed and refusals and all(refusals):
        return Lack(
            kind="limits",
            text="The documentation does not say what the tool accepts: it refused "
            f"{printable(to_text(seen[0].calls[0].arguments), limit=_CALL)}, which all prompts "
            f"became ({printable(refusals[0], limit=_SAID)}).",
        )
    numbers = sorted({len(run.calls) for run in seen})
    if len(numbers) > 1:
        return Lack(
            kind="steps",
            text=f"The documentation does not say how many calls a request takes: "
            f"it became {_listed([str(number) for number in numbers], 'or')} of them.",
        )
    return Lack(
        kind="use",
        text="The documentation does not say which calls answer such a request.",
    )


def _by_others(without: Sequence[ComparedRun]) -> str:
    """The tools that were called in its place."""
    names = dict.fromkeys(name for run in without for name in run.others)
    shown = [f"`{printable(name, limit=_VALUE)}`" for name in list(names)[:_LISTED]]
    return f", by {_listed(shown, 'and')}" if shown else ""


def _of_argument(varies: ArgumentVariation) -> Lack:
    name = printable(varies.argument, limit=_VALUE)
    worked = [form for form in varies.forms if form.worked]
    failed = [form for form in varies.forms if not form.worked]
    if worked and failed:
        text = (
            f"The documentation does not say the form of `{name}`: {_values(worked)} worked, "
            f"{_values(failed)} failed{_because(failed)}."
        )
        return Lack(kind="form", argument=varies.argument, text=text)
    if failed:
        text = (
            f"The documentation does not say which values of `{name}` there are: "
            f"{_values(failed)} failed{_because(failed)}."
        )
        return Lack(kind="limits", argument=varies.argument, text=text)
    if any(form.absent for form in worked):
        given = _values([form for form in worked if not form.absent])
        text = f"The documentation does not say what leaving `{name}` out means, beside {given}."
        return Lack(kind="omission", argument=varies.argument, text=text)
    text = (
        f"The documentation does not say what the forms of `{name}` mean: "
        f"{_values(worked)} all work{_results(worked)}."
    )
    return Lack(kind="meaning", argument=varies.argument, text=text)


def _values(forms: Sequence[ArgumentForm]) -> str:
    shown = [
        "leaving it out" if form.absent else printable(to_text(form.value), limit=_VALUE)
        for form in forms[:_LISTED]
    ]
    if len(forms) > _LISTED:
        shown.append(f"{len(forms) - _LISTED} more")
    return _listed(shown, "and")


def _because(failed: Sequence[ArgumentForm]) -> str:
    said = next((form.failure for form in failed if form.failure), "")
    return f" ({printable(said, limit=_SAID)})" if said else ""


def _results(worked: Sequence[ArgumentForm]) -> str:
    outputs = list(dict.fromkeys(form.output for form in worked if form.output))
    if len(outputs) < 2:
        return ", and were given for the same request"
    shown = [printable(output, limit=_VALUE) for output in outputs[:_LISTED]]
    return f", with other results: {_listed(shown, 'and')}"


def _listed(words: Sequence[str], joint: str) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}"
