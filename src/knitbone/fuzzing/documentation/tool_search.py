"""The search of one tool's documentation: sets are written one after the other, each is looked at.

Whatever a model or an agent does, the search ends with what is known: failures are counted, three
in a row or a used-up budget stop it.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

import msgspec

from knitbone.common.printable import printable
from knitbone.config import FuzzConfig
from knitbone.errors import ModelAuthenticationError, ModelError
from knitbone.fuzzing.agents.records import AgentUnderTest
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.cascade import Cascade
from knitbone.fuzzing.documentation.faults import faults_of
from knitbone.fuzzing.documentation.oracle import Rated
from knitbone.fuzzing.documentation.records import (
    CHECKS,
    Check,
    DocumentationCampaign,
    DocumentationEvent,
    OtherToolUse,
    PromptRun,
    PromptRunFinished,
    PromptSet,
    PromptTemplate,
    SetJudged,
    SetResult,
    SetWritten,
)
from knitbone.fuzzing.documentation.runs import run_prompt, run_words
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.documentation.templates import plain
from knitbone.fuzzing.documentation.writer import PromptWriter, WrittenSet, WrittenTemplates
from knitbone.fuzzing.model_questions import BudgetUsedUp
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["DocumentationSearch", "ToolSearch"]


# What a search for misleading documentation is asked for.


class DocumentationSearch(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, besides the target and who plays which part."""

    config: FuzzConfig = FuzzConfig()
    """``sets``, ``prompts``, ``normalise``, ``prompt_folder``, the budgets and the limits of the
    sandbox."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    """ToolFuzz §5.2 (0), App. H.1 (0, 0.4, 0.8 and 1): temperature of the writer."""
    humanise: bool = False
    """ToolFuzz, App. J.2: have the prompts of a set put into a person's words."""
    seed: int = 0
    """Of the agent, where it draws by one; only named in the record of the search."""
    checks: tuple[Check, ...] = CHECKS
    """A set is faulty where all of these fail; ``("input", "output")`` is the paper's CC,
    ``("oracle",)`` its LLM."""
    exhaustive: bool = False
    """Make every check of every set, also after one that does not fail."""
    rated: Rated = "answer"
    """What the oracle rates."""
    context: str = ""
    """What else the writer is to know of the tools."""
    together: bool = False
    """Give the agent all tools of the target, in place of the one under test."""
    prompt_sets: dict[str, tuple[PromptSet, ...]] | None = None
    """Sets to use in place of written ones, by name of the tool."""

    def command(self, tool: ToolUnderTest) -> str:
        """What searches the documentation of one tool in the same way."""
        config = self.config
        options = f"--sets {config.sets} --prompts {config.prompts}"
        return f"knitbone fuzz-docs {shlex.quote(tool.target)} {options}"


# Calls of other tools than the one that a prompt was written for (ToolFuzz, App. H.3).
#
# With several tools in the agent's hands, a documentation that is too broad, or one too narrow,
# shows in which tool a request reaches.

_QUERIES = 3
"""Prompts that are kept as examples of one tool."""


def cross_calls(runs: Iterable[PromptRun], name: str) -> tuple[OtherToolUse, ...]:
    """The other tools that were called, those in most prompts first.

    Args:
        runs: on prompts that were written for one tool.
        name: of that tool, as the agent knows it.
    """
    prompts: dict[str, list[PromptRun]] = {}
    for run in runs:
        if run.stopped not in ("failed", "budget"):
            for tool in dict.fromkeys(call.tool for call in run.calls):
                prompts.setdefault(tool, []).append(run)
    own = {id(run) for run in prompts.pop(name, [])}
    found = [
        OtherToolUse(
            tool=tool,
            prompts=len(called),
            instead=sum(id(run) not in own for run in called),
            worked=sum(_works(run, tool) for run in called),
            queries=tuple(dict.fromkeys(run.query for run in called))[:_QUERIES],
        )
        for tool, called in prompts.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.prompts, -each.instead, each.tool)))


def _works(run: PromptRun, tool: str) -> bool:
    return any(call.tool == tool and not call.failure for call in run.calls)


# Why a search found nothing, in one line: silence is never good news.

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


_FAILURES = 3
"""Steps in a row that a model may fail in before the search of a tool ends."""
_Written = TypeVar("_Written", WrittenSet, WrittenTemplates)


class ToolSearch:
    """The search of one tool's documentation."""

    def __init__(
        self,
        tool: ToolUnderTest,
        tools: Sequence[SandboxedTool],
        search: DocumentationSearch,
        *,
        agent: AgentUnderTest,
        writer: PromptWriter,
        cascade: Cascade,
        steps: Steps,
        ledger: Ledger,
    ) -> None:
        self._tool, self._tools, self._search = tool, tools, search
        self._agent, self._writer, self._cascade = agent, writer, cascade
        self._steps, self._ledger = steps, ledger
        self._results: list[SetResult] = []
        self._dropped: Counter[str] = Counter()
        self._used: dict[str, list[str]] = {}
        self._failed = 0
        self._stopped: str | None = None

    def run(self) -> Iterator[DocumentationEvent]:
        """Write the sets one after the other, and look at each."""
        runs: list[PromptRun] = []
        begun: PromptSet | None = None
        try:
            for written in self._sets():
                yield SetWritten(set=written, tool=self._tool.target)
                begun, runs = written, []
                for place, prompt in enumerate(written.prompts):
                    runs.append(self._worked(place, prompt.text))
                    yield PromptRunFinished(run=runs[-1], tool=self._tool.target)
                    self._note(failed=runs[-1].stopped == "failed", why=runs[-1].error)
                result = self._judged(written, runs)
                self._results.append(result)
                begun = None
                yield SetJudged(result=result, tool=self._tool.target)
        except BudgetUsedUp as used:
            self._stopped = str(used)
        except ModelAuthenticationError as error:
            self._stopped = error.message
        except _TooManyFailures as failures:
            self._stopped = str(failures)
        if begun is not None and runs:
            # Paid for, and worth reading, though no check was made of it.
            self._results.append(SetResult(set=begun, runs=tuple(runs)))

    def _sets(self) -> Iterator[PromptSet]:
        given = self._search.prompt_sets
        if given is not None:
            yield from given.get(self._tool.name, ())
            return
        config = self._search.config
        templates = self._templates(config.sets)
        for number in range(config.sets if templates else 0):
            template = templates[number % len(templates)]
            written = self._asked(
                "infills",
                [number, template.text],
                WrittenSet,
                lambda template=template: self._writer.fill(
                    self._tool,
                    template,
                    count=config.prompts,
                    used=self._used,
                    budget=self._ledger,
                ),
            )
            if written is None:
                continue
            self._dropped.update(written.dropped)
            if written.set is not None:
                self._remember(written.set)
                yield self._humanised(written.set) if self._search.humanise else written.set

    def _wanted(self) -> int:
        """Sets that were asked for."""
        given = self._search.prompt_sets
        return self._search.config.sets if given is None else len(given.get(self._tool.name, ()))

    def _templates(self, count: int) -> Sequence[PromptTemplate]:
        written = self._asked(
            "templates",
            [self._tool.name, count],
            WrittenTemplates,
            lambda: self._writer.templates(self._tool, count=count, budget=self._ledger),
        )
        if written is None:
            return ()
        self._dropped.update(written.dropped)
        return written.templates

    def _humanised(self, written: PromptSet) -> PromptSet:
        changed = self._asked(
            "humanise",
            written.id,
            WrittenSet,
            lambda: self._writer.humanise(self._tool, written, budget=self._ledger),
        )
        if changed is None or changed.set is None:
            return written
        self._dropped.update(changed.dropped)
        return changed.set

    def _asked(
        self, stage: str, request: Json, kind: type[_Written], make: Callable[[], _Written]
    ) -> _Written | None:
        """What the writer wrote; ``None`` where its model failed, which is counted."""
        try:
            made = self._steps.take(stage, request, kind, make)
        except ModelAuthenticationError:
            raise
        except ModelError as error:
            self._dropped[f"{stage}: the writer gave no usable answer"] += 1
            self._note(failed=True, why=error.message)
            return None
        self._note(failed=False)
        return made

    def _remember(self, written: PromptSet) -> None:
        for prompt in written.prompts:
            for mask, infill in prompt.infills.items():
                values = self._used.setdefault(plain(mask), [])
                if infill not in values:
                    values.append(infill)

    def _worked(self, place: int, query: str) -> PromptRun:
        return self._steps.take(
            "agent",
            [place, query],
            PromptRun,
            lambda: run_prompt(self._agent, place, query, self._tools, ledger=self._ledger),
        )

    def _judged(self, written: PromptSet, runs: Sequence[PromptRun]) -> SetResult:
        try:
            return self._cascade.judge(written, runs)
        except ModelAuthenticationError:
            raise
        except ModelError as error:
            self._note(failed=True, why=error.message)
            return self._cascade.undecided(written, runs, error.message)

    def _note(self, *, failed: bool, why: str = "") -> None:
        self._failed = self._failed + 1 if failed else 0
        if self._failed >= _FAILURES:
            raise _TooManyFailures(f"{_FAILURES} steps failed in a row: {why}")

    def conclude(
        self,
        *,
        agent: str,
        writer: str,
        oracle: str,
        versions: dict[str, str],
        confinement: tuple[str, ...],
    ) -> DocumentationCampaign:
        """Everything that was found."""
        search = self._search
        made = [run for result in self._results for run in result.runs]
        runs = run_words(made, self._cascade.name)
        faults = faults_of(
            self._results,
            self._tool,
            checks=search.checks,
            agent=agent,
            command=search.command(self._tool),
        )
        silence = ""
        if not faults:
            silence = silence_of(
                self._results,
                asked=self._wanted(),
                checks=search.checks,
                dropped=self._dropped,
                runs=runs,
                stopped=self._stopped,
            )
        return DocumentationCampaign(
            tool=self._tool,
            seed=search.seed,
            agent=agent,
            writer=writer,
            oracle=oracle,
            checks=search.checks,
            normalise=search.config.normalise,
            prompts=versions,
            sets=tuple(self._results),
            faults=faults,
            dropped=dict(self._dropped),
            runs=runs,
            offered=tuple(each.spec.name for each in self._tools),
            others=cross_calls(made, self._cascade.name),
            stages=self._ledger.stages(),
            spent=self._ledger.spent(),
            stopped=self._stopped,
            silence=silence,
            confinement=confinement,
        )


class _TooManyFailures(Exception):  # noqa: N818 - it is no error, and never leaves this module
    """Models fail in a row: the rest would fail, too."""
