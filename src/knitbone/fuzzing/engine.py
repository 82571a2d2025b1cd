"""Fuzzing a tool: load -> generate -> call -> judge -> minimise -> examine -> estimate.

Every call goes through ``Calls``, which journals it, so an interrupted campaign resumes.
``fuzz`` yields events; whoever shows or stores them only consumes. Everything in the events is
the same in every run with the same seed: no times, process ids or names of temporary folders.
"""

from __future__ import annotations

import contextlib
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from knitbone.config import Config, FuzzConfig
from knitbone.core.events import Json
from knitbone.core.printable import printable
from knitbone.core.store import SqliteStore
from knitbone.errors import TargetError
from knitbone.fuzzing.baseline import with_fingerprints
from knitbone.fuzzing.budget import Budget
from knitbone.fuzzing.calls import Calls
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.examine import Roles, examine, roles_of
from knitbone.fuzzing.findings import Verdict, judge
from knitbone.fuzzing.generate.directed import DirectedGenerator
from knitbone.fuzzing.generate.schema import SchemaGenerator
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.journal import Journals, header_of
from knitbone.fuzzing.minimise import minimise
from knitbone.fuzzing.records import (
    Attempt,
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    Finding,
    FindingFound,
    FuzzEvent,
    Outcome,
    ToolSpec,
)
from knitbone.fuzzing.returned import NormalResults
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.fuzzing.sequences import find_earlier
from knitbone.fuzzing.stability import Sample, draws_lots, instability

__all__ = ["GeneratorFactory", "Replay", "fuzz", "limits_of", "replay"]

GeneratorFactory = Callable[[ToolSpec, int, Sequence[str]], Generator]
"""Makes the generator of a tool from the tool, the seed and the files that exist."""

_QUICK = frozenset({"raised", "returned"})
"""Failures that cost no process and no waiting, and so may be minimised thoroughly."""
_HUNG_SHARE = 1 / 20
"""A tool that keeps hanging gets ever less time for a call, but never less than this share of what
is allowed: the failure is known, and the other calls matter more."""
_MOST_ATTEMPTS = 50
"""Distinct refusals that a campaign tells of: each path of a tool that is told paths is one."""
_SEQUENCES = 80
"""Sequences of calls that are run to find what a failure needs to have happened before."""
_SEARCH_SHARE = 0.8
"""Of the wall clock; the rest is for minimising and confirming what was found."""


def fuzz(  # noqa: PLR0913 - all but the target have defaults and names
    target: str,
    *,
    calls: int | None = None,
    seed: int | None = None,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    generator: GeneratorFactory | None = None,
    journals: Journals | None = None,
    models: Config | None = None,
) -> Iterator[FuzzEvent]:
    """Fuzz every tool that ``target`` names, one after the other.

    Args:
        target: ``module:name`` or ``path/to/file.py:name``.
        calls: calls for each tool; from ``config`` when not given, as is ``seed``.
        files: a folder whose copy the tools work in; small sample files otherwise.
        allow_hosts: hosts that the tools may connect to.
        reset: ``module:name`` or ``file.py:name`` of a function without parameters, called before
            each call to put the tools' own state back.
        journals: where every call is written down, to resume from; nothing is written otherwise.
        models: names the models of the stages that use one; no model is used otherwise.

    Raises:
        TargetError: the target cannot be found, imported or understood.
        SandboxError: the sandbox cannot be started or kept.
        ConfigError: a model cannot be made as configured.
        ModelError: a model's key is missing.
        InputFormatError: a journal is of another campaign, damaged, or cannot be written.
    """
    config = config or FuzzConfig()
    calls = config.calls if calls is None else calls
    seed = config.seed if seed is None else seed
    make = generator or directed
    limits = limits_of(config)
    settings = _settings(config, files, allow_hosts, reset)
    options = _replay_options(config, files, allow_hosts, reset)

    def alone(tool: ToolSpec, chance: int = 0) -> Sandbox:
        return Sandbox(
            tool.target,
            limits=limits,
            files=files,
            allow_hosts=allow_hosts,
            reset=reset,
            chance=chance,
        )

    roles = Roles() if models is None else roles_of(models)
    store = SqliteStore(models.record.store) if models is not None and roles.agent else None
    with Sandbox(
        target, limits=limits, files=files, allow_hosts=allow_hosts, reset=reset, trace=True
    ) as sandbox:
        for index, tool in enumerate(sandbox.tools):
            with contextlib.ExitStack() as stack:
                journal = None
                if journals is not None:
                    header = header_of(tool, seed=seed, calls=calls, settings=settings)
                    journal = stack.enter_context(journals.open(header))
                yield CampaignStarted(
                    tool=tool,
                    calls=calls,
                    of=len(sandbox.tools),
                    resumed=0 if journal is None else journal.left,
                )
                # A server of its own draws its own lots, and takes long to start.
                other = None if tool.framework == "mcp" else partial(alone, tool, 1)
                tool_calls = Calls(sandbox, index, journal, by_chance=other)
                stack.callback(tool_calls.close)
                runner = _Runner(tool_calls, config, options)
                yield from runner.search(make(tool, seed, sandbox.paths), calls)
                campaign = examine(
                    runner.conclude(seed),
                    roles,
                    config=config,
                    budget=runner.budget,
                    sandbox=partial(alone, tool),
                    store=store,
                    record=None if models is None else models.record,
                )
                yield CampaignFinished(campaign=_estimated(campaign))


def _estimated(campaign: Campaign) -> Campaign:
    """With Chao1 over the failures that count: not those that the documentation announces."""
    counts = [finding.count for finding in campaign.findings if not finding.is_documented]
    return msgspec.structs.replace(campaign, chao1=chao1(counts))


def limits_of(config: FuzzConfig) -> Limits:
    """The sandbox limits that a configuration asks for."""
    return Limits(
        call_timeout_s=config.call_timeout_s,
        cpu_s=config.cpu_s,
        memory_mb=config.memory_mb,
        file_size_mb=config.file_size_mb,
        output_mb=config.output_mb,
        processes=config.processes,
    )


class Replay:
    """What came of one replayed call."""

    def __init__(self, tool: ToolSpec, outcome: Outcome, verdict: Verdict | None) -> None:
        self.tool = tool
        self.outcome = outcome
        self.verdict = verdict

    @property
    def failure(self) -> str | None:
        """The failure in words, or ``None`` where the tool did not fail."""
        verdict = self.verdict
        if verdict is None:
            return None
        words = " ".join(part for part in (verdict.kind, verdict.exception) if part)
        frame = verdict.frame
        where = "" if frame is None else f" at {frame.file}:{frame.line}: {frame.source}"
        return printable(f"{words}: {verdict.message}{where}", limit=1_000)


def replay(
    target: str,
    arguments: dict[str, Json],
    *,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    before: Sequence[dict[str, Json]] = (),
) -> Replay:
    """Call the one tool that ``target`` names once, in a fresh process.

    Args:
        before: arguments of calls that go before it in the same process.

    Raises:
        TargetError: as for ``fuzz``; also where the target names several tools.
        SandboxError: as for ``fuzz``.
    """
    config = config or FuzzConfig()
    limits = limits_of(config)
    with Sandbox(
        target, limits=limits, files=files, allow_hosts=allow_hosts, reset=reset
    ) as sandbox:
        tool = sandbox.tools[0]
        if len(sandbox.tools) > 1:
            raise TargetError(
                f"{target!r} names {len(sandbox.tools)} tools.",
                next_step=f"Replay one of them, such as {tool.target!r}.",
            )
        for index, earlier in enumerate(before):
            sandbox.call(0, earlier, timeout_s=config.call_timeout_s, fresh=index == 0)
        fresh = not before
        outcome = sandbox.call(0, arguments, timeout_s=config.call_timeout_s, fresh=fresh)
        verdict = judge(outcome, arguments, roots=tool.roots)

        if verdict is None and outcome.status == "ok" and not before:
            with Sandbox(
                target, limits=limits, files=files, allow_hosts=allow_hosts, reset=reset, chance=1
            ) as other:
                verdict = instability(
                    arguments,
                    lambda _: outcome,
                    lambda same: other.call(0, same, timeout_s=config.call_timeout_s, fresh=True),
                )
        return Replay(tool, outcome, verdict)


class _Runner:
    """One tool's campaign."""

    def __init__(self, calls: Calls, config: FuzzConfig, options: str) -> None:
        self._calls = calls
        self._tool = calls.tool
        self._config = config
        self._options = options
        self.budget = Budget(config, elapsed=calls.now)
        self._behaviours: tuple[str, ...] = ()
        self._first: dict[str, tuple[int, Verdict, dict[str, Json]]] = {}
        self._history: list[dict[str, Json]] = []
        self._counts: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._attempts: dict[tuple[str, str], Attempt] = {}
        self._sample = Sample()
        self._normal = NormalResults()
        self._hangs = 0
        self._extra = 0
        self._stopped: str | None = None

    def search(self, generator: Generator, calls: int) -> Iterator[FuzzEvent]:
        """Call the tool and collect its unique failures."""
        for number in range(1, calls + 1):
            arguments = generator.propose(number).arguments
            outcome = self._calls.call(arguments, timeout_s=self._timeout(), trace=True)
            self._history.append(arguments)
            self._statuses[outcome.status] += 1
            verdict = judge(outcome, arguments, roots=self._tool.roots)
            generator.observe(arguments, outcome, None if verdict is None else verdict.id)
            for attempt in outcome.attempts:
                self._attempts.setdefault((attempt.action, attempt.object), attempt)
            if verdict is None and outcome.status == "ok":
                self._normal.saw(outcome.text, arguments)
            if verdict is None:
                self._sample.saw(number, arguments, outcome)
            else:
                self._counts[verdict.id] += 1
                if verdict.id not in self._first:
                    self._first[verdict.id] = (number, verdict, arguments)
                    if not verdict.weak:
                        found = self._finding(verdict, arguments, number)
                        yield FindingFound(finding=found, tool=self._tool.target)
            unique = len(self._kept())
            yield CallFinished(
                call=number, status=outcome.status, unique=unique, tool=self._tool.target
            )
            self._hangs += outcome.status == "hang"
            if self._must_stop():
                break
        self._behaviours = generator.behaviours()

    def conclude(self, seed: int) -> Campaign:
        """Minimise and verify what was found."""
        findings: list[Finding] = []
        for number, verdict, arguments in self._kept():
            findings.append(self._smallest(number, verdict, arguments))
        findings.extend(self._unstable())
        return Campaign(
            tool=self._tool,
            seed=seed,
            calls=sum(self._statuses.values()),
            findings=with_fingerprints(self._tool, findings),
            rejected=self._statuses["rejected"],
            denied=self._statuses["denied"],
            attempts=tuple(self._attempts.values())[:_MOST_ATTEMPTS],
            minimisation_calls=self._extra,
            chao1=chao1(()),
            stopped=self._stopped,
            confinement=self._calls.confinement,
            behaviours=self._behaviours,
            spent=self.budget.spent(),
        )

    def _unstable(self) -> Iterator[Finding]:
        """The first normal call of which two repetitions differ."""
        if draws_lots(self._tool.documentation):
            return
        for number, arguments in self._sample.calls():
            if self._is_late():
                return
            self._extra += 2
            if (verdict := instability(arguments, self._repeat, self._by_chance)) is not None:
                yield self._finding(verdict, arguments, number)
                return

    def _repeat(self, arguments: dict[str, Json]) -> Outcome:
        return self._calls.call(arguments, timeout_s=self._config.call_timeout_s, fresh=True)

    def _by_chance(self, arguments: dict[str, Json]) -> Outcome:
        limit = self._config.call_timeout_s
        return self._calls.call(arguments, timeout_s=limit, fresh=True, by_chance=True)

    def _must_stop(self) -> bool:
        if self._hangs >= self._config.max_hangs:
            self._stopped = f"{self._hangs} calls hung"
        elif self._calls.elapsed >= self._config.time_s * _SEARCH_SHARE:
            self._stopped = f"its {self._config.time_s:g} s were used up"
        return self._stopped is not None

    def _kept(self) -> list[tuple[int, Verdict, dict[str, Json]]]:
        """Failures in the order they were found. A text that only may be an error is one where
        the tool has shown that its normal results look otherwise."""
        return [
            found
            for found in self._first.values()
            if not found[1].weak
            or self._normal.show_as_error(found[1].message, times=self._counts[found[1].id])
        ]

    def _smallest(self, number: int, verdict: Verdict, arguments: dict[str, Json]) -> Finding:
        quick = verdict.kind in _QUICK
        budget = self._config.minimise_calls if quick else self._config.minimise_calls // 10
        timeout = self._config.call_timeout_s if verdict.kind != "hang" else self._timeout()
        seen: dict[str, Verdict] = {}

        def fails(candidate: dict[str, Json], *, fresh: bool = False) -> bool:
            if self._is_late():
                return False
            limit = self._config.call_timeout_s if fresh else timeout
            self._extra += 1
            outcome = self._calls.call(candidate, timeout_s=limit, fresh=fresh)
            again = judge(outcome, candidate, roots=self._tool.roots)
            if again is None or again.id != verdict.id:
                return False
            seen[repr(candidate)] = again
            return True

        smallest = minimise(arguments, fails=fails, budget=budget)
        for candidate in (smallest, arguments):
            if fails(candidate, fresh=True):
                found = seen[repr(candidate)]
                return self._finding(found, candidate, number, count=self._counts[verdict.id])
        if self._is_late():
            # What was found in a worker that had made other calls before; nothing more is known.
            verdict, arguments, replays = seen.get(repr(smallest), verdict), smallest, None
        elif earlier := self._earlier(number, verdict, arguments):
            count = self._counts[verdict.id]
            return self._finding(verdict, arguments, number, count=count, before=earlier)
        else:
            replays = False
        count = self._counts[verdict.id]
        return self._finding(verdict, arguments, number, count=count, replays=replays)

    def _earlier(
        self, number: int, verdict: Verdict, arguments: dict[str, Json]
    ) -> tuple[dict[str, Json], ...]:
        """The earlier calls that the failure needs, where the tool keeps something of them."""
        if verdict.kind not in _QUICK:
            return ()

        def fails(sequence: Sequence[dict[str, Json]]) -> bool:
            if self._is_late():
                return False
            outcome = None
            for index, call in enumerate(sequence):
                limit = self._config.call_timeout_s
                self._extra += 1
                outcome = self._calls.call(call, timeout_s=limit, fresh=index == 0)
            again = outcome and judge(outcome, sequence[-1], roots=self._tool.roots)
            return again is not None and again.id == verdict.id

        history = self._history[: number - 1]
        return find_earlier(history, arguments, fails=fails, budget=_SEQUENCES) or ()

    def _is_late(self) -> bool:
        """Whether the wall clock of this tool has run out, as of the last call."""
        return self._calls.elapsed >= self._config.time_s

    def _finding(
        self,
        verdict: Verdict,
        arguments: dict[str, Json],
        number: int,
        *,
        count: int = 1,
        before: tuple[dict[str, Json], ...] = (),
        replays: bool | None = True,
    ) -> Finding:
        calls = [*before, arguments] if before else arguments
        return Finding(
            id=verdict.id,
            kind=verdict.kind,
            exception=verdict.exception,
            frame=verdict.frame,
            message=verdict.message,
            arguments=arguments,
            call=number,
            count=count,
            before=before,
            replays=replays,
            reproducer=(
                f"knitbone fuzz {shlex.quote(self._tool.target)} "
                f"--replay {shlex.quote(to_text(calls))} --expect {verdict.id}{self._options}"
            ),
        )

    def _timeout(self) -> float:
        full = self._config.call_timeout_s
        return max(full / 2**self._hangs, full * _HUNG_SHARE)


def directed(tool: ToolSpec, seed: int, paths: Sequence[str]) -> Generator:
    """The generator that goes by what the tool does with its arguments."""
    return DirectedGenerator(tool, seed=seed, paths=paths)


def undirected(tool: ToolSpec, seed: int, paths: Sequence[str]) -> Generator:
    """The generator that goes by the schema alone; to compare with."""
    return SchemaGenerator(tool, seed=seed, paths=paths)


def _settings(
    config: FuzzConfig, files: Path | None, allow_hosts: Sequence[str], reset: str | None
) -> dict[str, Json]:
    """Whatever the outcomes of a campaign depend on, besides tool and seed."""
    limits: dict[str, Json] = msgspec.to_builtins(limits_of(config))
    return limits | {
        "max_hangs": config.max_hangs,
        "minimise_calls": config.minimise_calls,
        "time_s": config.time_s,
        "files": None if files is None else str(files.resolve()),
        "allow_hosts": list(allow_hosts),
        "reset": reset,
    }


def _replay_options(
    config: FuzzConfig, files: Path | None, allow_hosts: Sequence[str], reset: str | None
) -> str:
    """What else the replaying command must be told."""
    parts: list[str] = []
    if config.call_timeout_s != FuzzConfig().call_timeout_s:
        parts += ["--timeout", f"{config.call_timeout_s:g}"]
    if files is not None:
        parts += ["--files", shlex.quote(str(files))]
    for host in allow_hosts:
        parts += ["--allow-host", shlex.quote(host)]
    if reset is not None:
        parts += ["--reset", shlex.quote(reset)]
    return "".join(f" {part}" for part in parts)
