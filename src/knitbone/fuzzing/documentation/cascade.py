"""The cascade of checks over one prompt set, cheapest first (ToolFuzz §4.2).

A set is faulty only if every check fails, so the first that does not ends it. Two things end it
before the oracle is asked: a tool that gives other results for the same input, whose results then
say nothing, and a documentation that names the very form that the agent disregarded.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import msgspec

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
from knitbone.fuzzing.documentation.experiments import Experiments
from knitbone.fuzzing.documentation.missing import missing_sentence
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
    Normaliser,
    PromptRun,
    PromptSet,
    Rating,
    SetResult,
)
from knitbone.fuzzing.documentation.stated import announced_form, named_values
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.documentation.variation import variations
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["Cascade"]

_TRIED = 24
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
        for name, value, sentence in itertools.islice(named, _TRIED):
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
