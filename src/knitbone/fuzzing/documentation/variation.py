"""Which argument varies between synonymous prompts, and which of its forms the tool accepts.

The runs show which values were tried. Which of them is to blame is found out by experiment: one
argument of a call that worked is given each of its other values in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from knitbone.fuzzing.documentation.canonical import canonical_value, properties_of
from knitbone.fuzzing.documentation.consistency import ComparedRun, arguments_of
from knitbone.fuzzing.documentation.experiments import Experiments, TriedCall
from knitbone.fuzzing.documentation.records import ArgumentForm, ArgumentVariation, ToolUse
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["variations"]

_FORMS = 8
"""Values of one argument that are tried."""
_TRIED = 24
"""Calls that the experiments of one set may take."""
_SHOWN = 200


class _TriedForm(msgspec.Struct):
    """One value, while it is looked at."""

    value: Json = None
    absent: bool = False
    prompts: tuple[int, ...] = ()
    attempt: TriedCall | None = None
    """What came of it beside the other arguments of a call that worked."""
    seen_working: bool = False
    failure: str = ""


def variations(
    seen: Sequence[ComparedRun], tool: ToolUnderTest, experiments: Experiments
) -> tuple[ArgumentVariation, ...]:
    """The arguments whose values differ between the runs, the most telling first.

    An argument of which all values come to the same result is left out, where others are left.
    """
    calls = _own_calls(seen)
    names = dict.fromkeys(
        [*properties_of(tool.schema), *(n for _, call in calls for n in arguments_of(call))]
    )
    forms = {name: _forms(name, calls) for name in names}
    forms = {name: found for name, found in forms.items() if len(found) > 1}
    base = next((call for _, call in calls if not call.failure), None)
    if base is not None:
        _try(forms, base, experiments)
    ranked = sorted(forms, key=lambda name: -_weight(name, forms[name], calls))
    telling = [name for name in ranked if _matters(forms[name])] or ranked
    return tuple(
        ArgumentVariation(argument=name, forms=tuple(map(_record, forms[name]))) for name in telling
    )


def _own_calls(seen: Sequence[ComparedRun]) -> list[tuple[int, ToolUse]]:
    """The calls of each run without those that all runs have in common."""
    common: Counter[str] | None = None
    for run in seen:
        counted = Counter(run.inputs)
        common = counted if common is None else common & counted
    found: list[tuple[int, ToolUse]] = []
    for run in seen:
        left: Counter[str] = Counter() if common is None else common.copy()
        for call, key in zip(run.calls, run.inputs, strict=True):
            if left[key]:
                left[key] -= 1
            elif isinstance(call.arguments, dict):
                found.append((run.prompt, call))
    return found


def _forms(name: str, calls: Sequence[tuple[int, ToolUse]]) -> list[_TriedForm]:
    """The values that an argument was given, in order of appearance."""
    found: dict[str, _TriedForm] = {}
    for prompt, call in calls:
        given = arguments_of(call)
        absent = name not in given
        key = "absent" if absent else canonical_value(given[name])
        form = found.setdefault(key, _TriedForm(value=given.get(name), absent=absent))
        if prompt not in form.prompts:
            form.prompts = (*form.prompts, prompt)
        form.seen_working |= not call.failure
        form.failure = form.failure or call.failure
    return list(found.values())[:_FORMS]


def _try(forms: dict[str, list[_TriedForm]], base: ToolUse, experiments: Experiments) -> None:
    """Put each value into a call that worked."""
    given = arguments_of(base)
    tried = 0
    for name, found in forms.items():
        for form in found:
            if tried >= _TRIED:
                return
            changed = {key: value for key, value in given.items() if key != name}
            if not form.absent:
                changed[name] = form.value
            form.attempt = experiments.attempt(changed)
            tried += 1


def _works(form: _TriedForm) -> bool:
    return form.seen_working if form.attempt is None else not form.attempt.failure


def _matters(forms: Sequence[_TriedForm]) -> bool:
    """Whether the values come to different ends; nothing is known where none was tried."""
    ends = {None if form.attempt is None else _end(form, form.attempt) for form in forms}
    return len(ends) > 1 or None in ends


def _end(form: _TriedForm, attempt: TriedCall) -> str:
    """What came of a value, without the value itself: a tool that repeats it does nothing else."""
    value = form.value if isinstance(form.value, str) else canonical_value(form.value)
    return attempt.output.replace(value, "·") if value.strip() else attempt.output


def _weight(name: str, forms: Sequence[_TriedForm], calls: Sequence[tuple[int, ToolUse]]) -> int:
    works = [_works(form) for form in forms]
    told = any(name in call.failure for _, call in calls)
    apart = any(works) and not all(works)
    return 8 * apart + 4 * _matters(forms) + 2 * told + (len(forms) > 2)


def _record(form: _TriedForm) -> ArgumentForm:
    tried = form.attempt
    works = _works(form)
    failure = form.failure if tried is None else tried.failure
    return ArgumentForm(
        value=form.value,
        absent=form.absent,
        prompts=form.prompts,
        worked=works,
        failure="" if works else failure[:_SHOWN],
        output="" if tried is None or not works else tried.output[:_SHOWN],
    )
