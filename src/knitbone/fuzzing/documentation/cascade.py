"""The cascade of checks over one prompt set, cheapest first (ToolFuzz §4.2).

A set is faulty only if every check fails, so the first that does not ends it. Two things end it
before the oracle is asked: a tool that gives other results for the same input, whose results then
say nothing, and a documentation that names the very form that the agent disregarded.

Before the cascade come two parts that it uses: the sentence that the documentation lacks, and the
argument that varies between the prompts of a set.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.canonical import canonical_value
from knitbone.fuzzing.documentation.consistency import (
    ComparedRun,
    arguments_of,
    check_input,
    check_output,
    check_refused,
    seen_runs,
)
from knitbone.fuzzing.documentation.documented_values import announced_form, named_values
from knitbone.fuzzing.documentation.experiments import Experiments, TriedCall
from knitbone.fuzzing.documentation.oracle import THRESHOLD, Oracle, Rated, rate_answer
from knitbone.fuzzing.documentation.records import (
    CHECKS,
    EVERY_CHECK,
    REFUSED_ALIKE,
    ArgumentForm,
    ArgumentVariation,
    Check,
    CheckVerdict,
    Expectation,
    Lack,
    Normaliser,
    PromptRun,
    PromptSet,
    Rating,
    SetResult,
    ToolUse,
)
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import ToolUnderTest, json_text
from knitbone.record.events import Json

__all__ = ["Cascade"]


# The sentence that a documentation lacks, put together from what was tried.

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
            f"{printable(json_text(seen[0].calls[0].arguments), limit=_CALL)}, which all prompts "
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
        "leaving it out" if form.absent else printable(json_text(form.value), limit=_VALUE)
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


# Which argument varies between synonymous prompts, and which of its forms the tool accepts.
#
# The runs show which values were tried. Which of them is to blame is found out by experiment: one
# argument of a call that worked is given each of its other values in turn.

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


_NAMED_TRIED = 24
"""Values named by the documentation that are tried in place of refused ones."""


class Cascade:
    """The checks of one tool's sets.

    Args:
        name: of the tool, as the agent knows it.
        oracle: ``None``: the oracle check decides nothing.
        checks: a set is faulty where all of these fail.
        normalise: what results may differ in.
        rated: what the oracle rates.
        exhaustive: make every check of every set, also after one that does not fail: what an
            evaluation of single checks on the same runs needs.
    """

    def __init__(  # noqa: PLR0913 - all but the tool have names
        self,
        tool: ToolUnderTest,
        *,
        name: str,
        experiments: Experiments,
        oracle: Oracle | None,
        steps: Steps,
        budget: CampaignBudget,
        checks: Sequence[Check] = CHECKS,
        normalise: Collection[Normaliser] = (),
        rated: Rated = "answer",
        exhaustive: bool = False,
    ) -> None:
        self._tool = tool
        self.name = name
        self._experiments = experiments
        self._oracle = oracle
        self._steps = steps
        self._budget = budget
        self._checks: tuple[Check, ...] = tuple(check for check in EVERY_CHECK if check in checks)
        self._normalise = tuple(normalise)
        self._rated: Rated = rated
        self._exhaustive = exhaustive

    def judge(self, written: PromptSet, runs: Sequence[PromptRun]) -> SetResult:
        """Make the checks of one set.

        Raises:
            BudgetUsedUp: a hard budget is used up.
            ModelError: the oracle's model could not be asked.
            SandboxError: a sandbox cannot be started or kept.
        """
        seen = seen_runs(runs, self.name, self._tool)
        result = SetResult(set=written, runs=tuple(runs))
        wanted = EVERY_CHECK if self._exhaustive else self._checks
        for check in wanted:
            if check == "oracle" and not self._exhaustive:
                result = self._with_variation(result, seen)
                if result.documented:
                    return result
            verdict, unstable = self._made(check, written, runs, seen)
            result = msgspec.structs.replace(
                result,
                verdicts=(*result.verdicts, verdict),
                unstable=result.unstable or unstable,
            )
            if not verdict.failed and not self._exhaustive:
                return result
        if result.fails(self._checks) or result.fails(REFUSED_ALIKE):
            result = self._with_variation(result, seen)
        if result.documented or not result.fails(self._checks):
            return result
        return msgspec.structs.replace(result, lack=missing_sentence(seen, result.varies))

    def undecided(self, written: PromptSet, runs: Sequence[PromptRun], why: str) -> SetResult:
        """The set where the oracle's model failed: what the other checks say stands."""
        seen = seen_runs(runs, self.name, self._tool)
        verdicts = [self._made(c, written, runs, seen) for c in self._checks if c != "oracle"]
        oracle = CheckVerdict(check="oracle", failed=None, reason=why)
        return SetResult(
            set=written,
            runs=tuple(runs),
            verdicts=(*(verdict for verdict, _ in verdicts), oracle),
            unstable=any(unstable for _, unstable in verdicts),
        )

    def _made(
        self,
        check: Check,
        written: PromptSet,
        runs: Sequence[PromptRun],
        seen: Sequence[ComparedRun],
    ) -> tuple[CheckVerdict, bool]:
        """The verdict of a check, and whether the tool turned out to be unstable."""
        if check == "input":
            return check_input(seen), False
        if check == "output":
            return self._output(seen)
        if check == "refused":
            return check_refused(seen), False
        return self._oracle_verdict(written, runs), False

    def _output(self, seen: Sequence[ComparedRun]) -> tuple[CheckVerdict, bool]:
        """Results that differ count only where the same input comes to the same again."""
        verdict = check_output(seen, normalise=self._normalise)
        if not verdict.failed:
            return verdict, False
        same, same_but_for_times = True, True
        for calls in {run.inputs: run.calls for run in seen if run.calls}.values():
            repetition = self._experiments.repeat([arguments_of(call) for call in calls])
            same &= repetition.same
            same_but_for_times &= repetition.same_but_for_times
        if same:
            return verdict, False
        if same_but_for_times:
            masks: set[Normaliser] = {"times", "ids", *self._normalise}
            return check_output(seen, normalise=masks), False
        return check_output(seen, normalise=self._normalise, unstable=True), True

    def _with_variation(self, result: SetResult, seen: Sequence[ComparedRun]) -> SetResult:
        """With the arguments that vary, and the sentence that the agent disregarded, if any."""
        if result.varies or result.documented:
            return result
        varies: tuple[ArgumentVariation, ...] = ()
        if len({tuple(sorted(run.inputs)) for run in seen}) > 1:
            varies = variations(seen, self._tool, self._experiments)
        elif check_refused(seen).failed:
            return msgspec.structs.replace(result, documented=self._disregarded(seen))
        told = {each.argument: announced_form(self._tool, each) for each in varies}
        # What the documentation says of one argument excuses nothing that it leaves out of another.
        unsaid = tuple(each for each in varies if not told[each.argument])
        said = tuple(each for each in varies if told[each.argument])
        documented = told[said[0].argument] if said and not unsaid else ""
        return msgspec.structs.replace(result, varies=unsaid + said, documented=documented)

    def _disregarded(self, seen: Sequence[ComparedRun]) -> str:
        """The sentence that rules out a value which the tool refused every time, or that names
        another one which works in its place."""
        refused = {
            (name, canonical_value(value)): ArgumentForm(
                value=value, prompts=tuple(run.prompt for run in seen), worked=False
            )
            for run in seen
            for call in run.calls
            for name, value in arguments_of(call).items()
        }
        told = (
            announced_form(self._tool, ArgumentVariation(argument=name, forms=(form,)))
            for (name, _), form in refused.items()
        )
        return next((sentence for sentence in told if sentence), "") or self._unused_value(seen)

    def _unused_value(self, seen: Sequence[ComparedRun]) -> str:
        """The sentence that names a value with which the refused call works."""
        given = arguments_of(seen[0].calls[0])
        named = (
            (name, value, sentence)
            for name, refused in given.items()
            if isinstance(refused, str)
            for value, sentence in named_values(self._tool, name)
            if value != refused
        )
        for name, value, sentence in itertools.islice(named, _NAMED_TRIED):
            if not self._experiments.attempt(given | {name: value}).failure:
                return sentence
        return ""

    def _oracle_verdict(self, written: PromptSet, runs: Sequence[PromptRun]) -> CheckVerdict:
        if self._oracle is None:
            return CheckVerdict(
                check="oracle", failed=None, reason="no model is configured for the oracle"
            )
        ended = [run for run in runs if run.stopped not in ("failed", "budget")]
        if not ended:
            return CheckVerdict(check="oracle", failed=None, reason="no run came to an end")
        expectation = self._expectation(written)
        ratings = [
            self._rating(expectation, answer, prompts, written)
            for answer, prompts in self._answers(ended).items()
        ]
        low = [rating for rating in ratings if rating.score <= THRESHOLD]
        reason = f"all answers are rated over {THRESHOLD}" if not low else low[0].reason
        return CheckVerdict(
            check="oracle",
            failed=bool(low),
            reason=reason,
            expectation=expectation,
            ratings=tuple(ratings),
        )

    def _expectation(self, written: PromptSet) -> Expectation:
        oracle, questions = self._oracle, [prompt.text for prompt in written.prompts]
        assert oracle is not None  # noqa: S101 - the caller looked
        return self._steps.take(
            "expectation",
            questions,
            Expectation,
            lambda: oracle.expect(self._tool, questions, budget=self._budget),
        )

    def _answers(self, runs: Sequence[PromptRun]) -> dict[str | None, list[int]]:
        """What is rated, each once, with its prompts."""
        found: dict[str | None, list[int]] = {}
        for run in runs:
            text = run.answer
            if self._rated == "output":
                outputs = [call.output for call in run.calls if call.tool == self.name]
                text = outputs[-1] if outputs else None
            found.setdefault(text, []).append(run.prompt)
        return found

    def _rating(
        self,
        expectation: Expectation,
        answer: str | None,
        prompts: Sequence[int],
        written: PromptSet,
    ) -> Rating:
        oracle = self._oracle
        assert oracle is not None  # noqa: S101 - the caller looked
        question = written.prompts[prompts[0]].text

        def rate() -> Rating:
            return rate_answer(
                oracle,
                self._tool,
                question,
                expectation,
                answer,
                rated=self._rated,
                budget=self._budget,
            )

        rating = self._steps.take("rating", [question, expectation.text, answer], Rating, rate)
        return msgspec.structs.replace(rating, prompts=tuple(prompts))
