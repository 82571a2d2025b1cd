"""The paper's baselines: a model writes what should go wrong, and nothing checks it first.

Gray box (BG) shows the model the tool as an agent sees it, white box (BW) its source, too (ToolFuzz
§5.1, App. J.4). *Correctness*: requests that should get a wrong answer; a judge with no expectation
says whether the answer is right. *Runtime*: requests that should break the tool; its failures are
grouped as ``knitbone fuzz`` groups them. Degenerate requests are counted and not tried.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.common.printable import printable
from knitbone.config import FuzzConfig
from knitbone.errors import ModelAuthenticationError, ModelError
from knitbone.fuzzing.agents.records import AgentUnderTest
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import PromptRun, StageCost
from knitbone.fuzzing.documentation.runs import run_prompt
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.documentation.templates import is_degenerate, plain
from knitbone.fuzzing.engine import limits_of
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.model_questions import BudgetUsedUp, ask, tool_material
from knitbone.fuzzing.records import Spent, ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json
from knitbone_evals.fuzz_docs.source_code import source_of

__all__ = [
    "BaselineCampaign",
    "BaselineKind",
    "BaselineRun",
    "BaselineTechnique",
    "fuzz_baseline",
    "run_baseline",
]

BaselineKind = Literal["gray box", "white box"]
BaselineTechnique = Literal["correctness", "runtime"]

_AT_A_TIME = 10
"""Requests that one model call asks for."""
_ANSWER = 4_000
_SAID = 300
_PROMPTS: dict[BaselineTechnique, str] = {
    "correctness": "baseline_wrong",
    "runtime": "baseline_crash",
}
_REQUESTS: dict[str, Json] = {
    "type": "object",
    "properties": {"requests": {"type": "array", "items": {"type": "string"}}},
    "required": ["requests"],
    "additionalProperties": False,
}
_VERDICT: dict[str, Json] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "correct": {"type": "boolean"}},
    "required": ["reason", "correct"],
    "additionalProperties": False,
}


class _BaselineRequests(msgspec.Struct, frozen=True):
    requests: list[str]


class _BaselineVerdict(msgspec.Struct, frozen=True):
    correct: bool
    reason: str = ""


class BaselineRun(msgspec.Struct, frozen=True, kw_only=True):
    """One request and what came of it."""

    run: PromptRun
    wrong: bool | None = None
    """Correctness: whether the judge holds the answer for wrong; ``None``: not judged."""
    reason: str = ""
    failures: tuple[FailedCall, ...] = ()
    """Runtime: unhandled failures of the tool."""


class BaselineCampaign(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline on one tool."""

    tool: ToolUnderTest
    kind: BaselineKind
    technique: BaselineTechnique
    runs: tuple[BaselineRun, ...] = ()
    degenerate: int = 0
    """Requests that nobody would make, not tried."""
    repeated: int = 0
    """Requests that were written before, not tried."""
    stages: tuple[StageCost, ...] = ()
    spent: Spent = Spent()
    stopped: str | None = None

    @property
    def flagged(self) -> tuple[BaselineRun, ...]:
        """What the baseline claims: answers held for wrong, or runs in which the tool failed."""
        return tuple(each for each in self.runs if each.wrong or each.failures)

    @property
    def unique_failures(self) -> dict[str, int]:
        """Runtime: how often each unique failure occurred, by its identifier."""
        return dict(Counter(found.id for each in self.runs for found in each.failures))


def fuzz_baseline(
    target: str,
    *,
    kind: BaselineKind,
    technique: BaselineTechnique,
    count: int,
    agent: AgentUnderTest,
    writer: ChatModel,
    judging: ChatModel | None = None,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[BaselineCampaign]:
    """A baseline on every tool that ``target`` names; arguments as for ``run_baseline``.

    Raises:
        TargetError: the target cannot be found, imported or understood.
        SandboxError: the sandbox cannot be started or kept.
    """
    config = config or FuzzConfig()
    folder = None if config.prompt_folder is None else Path(config.prompt_folder)
    with Sandbox(target, limits=limits_of(config), files=files) as sandbox:
        for index, tool in enumerate(sandbox.tools):
            yield run_baseline(
                tool,
                SandboxedTool(sandbox, index, timeout_s=config.call_timeout_s),
                kind=kind,
                technique=technique,
                count=count,
                agent=agent,
                writer=writer,
                judging=judging,
                ledger=Ledger(config, clock=clock),
                prompts=PromptFiles(folder),
            )


def run_baseline(
    tool: ToolUnderTest,
    sandboxed: SandboxedTool,
    *,
    kind: BaselineKind,
    technique: BaselineTechnique,
    count: int,
    agent: AgentUnderTest,
    writer: ChatModel,
    judging: ChatModel | None,
    ledger: Ledger,
    prompts: PromptFiles | None = None,
) -> BaselineCampaign:
    """Have ``count`` requests written, and let the agent work on each.

    Args:
        sandboxed: the tool in the sandbox.
        judging: says whether an answer is right; needed for correctness.

    Raises:
        SandboxError: the sandbox cannot be kept.
    """
    baseline = _Baseline(tool, kind, technique, writer, ledger, prompts or PromptFiles())
    runs: list[BaselineRun] = []
    stopped: str | None = None
    try:
        for place, request in enumerate(baseline.requests(count)):
            with ledger.step("agent"):
                run = run_prompt(agent, place, request, [sandboxed], ledger=ledger)
            if technique == "runtime":
                runs.append(BaselineRun(run=run, failures=_failures(sandboxed)))
                continue
            runs.append(baseline.judged(run, judging))
    except BudgetUsedUp as used:
        stopped = str(used)
    except ModelError as error:
        stopped = error.message
    return BaselineCampaign(
        tool=tool,
        kind=kind,
        technique=technique,
        runs=tuple(runs),
        degenerate=baseline.degenerate,
        repeated=baseline.repeated,
        stages=ledger.stages(),
        spent=ledger.spent(),
        stopped=stopped,
    )


class _Baseline:
    """The model's two parts in a baseline: writing and judging."""

    def __init__(
        self,
        tool: ToolUnderTest,
        kind: BaselineKind,
        technique: BaselineTechnique,
        writer: ChatModel,
        ledger: Ledger,
        prompts: PromptFiles,
    ) -> None:
        self._tool = tool
        self._technique: BaselineTechnique = technique
        self._writer, self._ledger, self._prompts = writer, ledger, prompts
        self._source = source_of(tool) if kind == "white box" else ""
        self.degenerate = self.repeated = 0

    def requests(self, count: int) -> list[str]:
        """Up to ``count`` requests that can be tried; the model is asked until it brings nothing
        new, and at most as often as requests are wanted."""
        kept: dict[str, str] = {}
        for _ in range(count):
            if len(kept) >= count:
                break
            fresh = 0
            for text in self._written(min(_AT_A_TIME, count - len(kept)), list(kept.values())):
                request = text.strip()
                if is_degenerate(request):
                    self.degenerate += 1
                elif plain(request) in kept:
                    self.repeated += 1
                elif len(kept) < count:
                    kept[plain(request)] = request
                    fresh += 1
            if not fresh:
                break
        return list(kept.values())

    def _written(self, count: int, before: Sequence[str]) -> list[str]:
        name = _PROMPTS[self._technique]
        material: dict[str, Json] = {"task": name, **tool_material(self._tool)}
        if self._source:
            material["source"] = self._source
        if before:
            material["written_before"] = list(before)
        with self._ledger.step("requests"):
            answer = ask(
                self._writer,
                self._prompts.text(name, count=count),
                material,
                _BaselineRequests,
                _REQUESTS,
                budget=self._ledger,
            )
        return answer.requests[: 2 * _AT_A_TIME]

    def judged(self, run: PromptRun, judging: ChatModel | None) -> BaselineRun:
        """The run with the judge's verdict; without one where the judge failed."""
        if judging is None or run.answer is None:
            return BaselineRun(run=run, wrong=None if judging is None else True)
        material: dict[str, Json] = {
            "task": "baseline_judge",
            "question": run.query,
            "answer": run.answer[:_ANSWER],
        }
        text = self._prompts.text("baseline_judge")
        try:
            with self._ledger.step("judge"):
                said = ask(judging, text, material, _BaselineVerdict, _VERDICT, budget=self._ledger)
        except ModelAuthenticationError:
            raise
        except ModelError as error:
            return BaselineRun(run=run, reason=printable(error.message, limit=_SAID))
        return BaselineRun(
            run=run, wrong=not said.correct, reason=printable(said.reason, limit=_SAID)
        )


def _failures(sandboxed: SandboxedTool) -> tuple[FailedCall, ...]:
    found = (judge(outcome, given, roots=sandboxed.roots) for given, outcome in sandboxed.calls)
    return tuple(each for each in found if each is not None and each.standing == "unhandled")
