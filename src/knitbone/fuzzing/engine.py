"""Fuzzing a tool: load -> generate -> call in the sandbox -> judge -> minimise -> estimate.

``fuzz`` yields events; whoever shows or stores them only consumes. Everything in the events is
the same in every run with the same seed: no times, process ids or names of temporary folders.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from knitbone.config import FuzzConfig
from knitbone.core.events import Json
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.findings import Verdict, judge
from knitbone.fuzzing.generate.schema import SchemaGenerator
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.minimise import minimise
from knitbone.fuzzing.records import (
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
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.wire import to_text

__all__ = ["GeneratorFactory", "Replay", "fuzz", "limits_of", "replay"]

GeneratorFactory = Callable[[ToolSpec, int, Sequence[str]], Generator]
"""Makes the generator of a tool from the tool, the seed and the files that exist."""

_QUICK = frozenset({"raised", "returned"})
"""Failures that cost no process and no waiting, and so may be minimised thoroughly."""
_HUNG_SHARE = 1 / 20
"""A tool that keeps hanging gets ever less time for a call, but never less than this share of what
is allowed: the failure is known, and the other calls matter more."""


def fuzz(
    target: str,
    *,
    calls: int | None = None,
    seed: int | None = None,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    generator: GeneratorFactory | None = None,
) -> Iterator[FuzzEvent]:
    """Fuzz every tool that ``target`` names, one after the other.

    Args:
        target: ``module:name`` or ``path/to/file.py:name``.
        calls: calls for each tool; from ``config`` when not given, as is ``seed``.
        files: a folder whose copy the tools work in; small sample files otherwise.
        allow_hosts: hosts that the tools may connect to.

    Raises:
        TargetError: the target cannot be found, imported or understood.
        SandboxError: the sandbox cannot be started or kept.
    """
    config = config or FuzzConfig()
    calls = config.calls if calls is None else calls
    seed = config.seed if seed is None else seed
    make = generator or _schema_generator
    with Sandbox(target, limits=limits_of(config), files=files, allow_hosts=allow_hosts) as sandbox:
        for index, tool in enumerate(sandbox.tools):
            yield CampaignStarted(tool=tool, calls=calls, of=len(sandbox.tools))
            options = _replay_options(config, files, allow_hosts)
            runner = _Runner(sandbox, index, config, options)
            source = make(tool, seed, sandbox.paths)
            yield from runner.search(source, calls)
            yield CampaignFinished(campaign=runner.conclude(seed))


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


def replay(
    target: str,
    arguments: dict[str, Json],
    *,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
) -> Replay:
    """Call the one tool that ``target`` names once, in a fresh process.

    Raises:
        TargetError: as for ``fuzz``.
        SandboxError: as for ``fuzz``.
    """
    config = config or FuzzConfig()
    with Sandbox(target, limits=limits_of(config), files=files, allow_hosts=allow_hosts) as sandbox:
        tool = sandbox.tools[0]
        outcome = sandbox.call(0, arguments, timeout_s=config.call_timeout_s, fresh=True)
        return Replay(tool, outcome, judge(outcome, arguments, roots=tool.roots))


class _Runner:
    """One tool's campaign."""

    def __init__(self, sandbox: Sandbox, index: int, config: FuzzConfig, options: str) -> None:
        self._sandbox = sandbox
        self._index = index
        self._tool = sandbox.tools[index]
        self._config = config
        self._options = options
        self._first: dict[str, tuple[int, Verdict, dict[str, Json]]] = {}
        self._counts: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._normal = 0
        self._hangs = 0
        self._extra = 0
        self._stopped: str | None = None

    def search(self, generator: Generator, calls: int) -> Iterator[FuzzEvent]:
        """Call the tool and collect its unique failures."""
        for number in range(1, calls + 1):
            arguments = generator.propose(number).arguments
            outcome = self._call(arguments, self._timeout())
            self._statuses[outcome.status] += 1
            verdict = judge(outcome, arguments, roots=self._tool.roots)
            generator.observe(arguments, outcome, None if verdict is None else verdict.id)
            if verdict is None:
                self._normal += outcome.status == "ok"
            else:
                self._counts[verdict.id] += 1
                if verdict.id not in self._first:
                    self._first[verdict.id] = (number, verdict, arguments)
                    if not verdict.weak:
                        yield FindingFound(finding=self._finding(verdict, arguments, number))
            yield CallFinished(call=number, status=outcome.status, unique=len(self._kept()))
            self._hangs += outcome.status == "hang"
            if self._hangs >= self._config.max_hangs:
                self._stopped = f"{self._hangs} calls hung"
                return

    def conclude(self, seed: int) -> Campaign:
        """Minimise and verify what was found."""
        findings: list[Finding] = []
        for number, verdict, arguments in self._kept():
            findings.append(self._smallest(number, verdict, arguments))
        return Campaign(
            tool=self._tool,
            seed=seed,
            calls=sum(self._statuses.values()),
            findings=tuple(findings),
            rejected=self._statuses["rejected"],
            denied=self._statuses["denied"],
            minimisation_calls=self._extra,
            chao1=chao1([finding.count for finding in findings]),
            stopped=self._stopped,
            confinement=self._sandbox.confinement,
        )

    def _kept(self) -> list[tuple[int, Verdict, dict[str, Json]]]:
        """Failures in the order they were found. A text that only may be an error is one where
        the tool has shown that its normal results look otherwise."""
        return [found for found in self._first.values() if not found[1].weak or self._normal]

    def _smallest(self, number: int, verdict: Verdict, arguments: dict[str, Json]) -> Finding:
        quick = verdict.kind in _QUICK
        budget = self._config.minimise_calls if quick else self._config.minimise_calls // 10
        timeout = self._config.call_timeout_s if verdict.kind != "hang" else self._timeout()
        seen: dict[str, Verdict] = {}

        def fails(candidate: dict[str, Json], *, fresh: bool = False) -> bool:
            limit = self._config.call_timeout_s if fresh else timeout
            self._extra += 1
            outcome = self._call(candidate, limit, fresh=fresh)
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
        return self._finding(
            verdict, arguments, number, count=self._counts[verdict.id], replays=False
        )

    def _finding(
        self,
        verdict: Verdict,
        arguments: dict[str, Json],
        number: int,
        *,
        count: int = 1,
        replays: bool = True,
    ) -> Finding:
        return Finding(
            id=verdict.id,
            kind=verdict.kind,
            exception=verdict.exception,
            frame=verdict.frame,
            message=verdict.message,
            arguments=arguments,
            call=number,
            count=count,
            replays=replays,
            reproducer=(
                f"knitbone fuzz {shlex.quote(self._tool.target)} "
                f"--replay {shlex.quote(to_text(arguments))} --expect {verdict.id}{self._options}"
            ),
        )

    def _call(
        self, arguments: dict[str, Json], timeout_s: float, *, fresh: bool = False
    ) -> Outcome:
        return self._sandbox.call(self._index, arguments, timeout_s=timeout_s, fresh=fresh)

    def _timeout(self) -> float:
        full = self._config.call_timeout_s
        return max(full / 2**self._hangs, full * _HUNG_SHARE)


def _schema_generator(tool: ToolSpec, seed: int, paths: Sequence[str]) -> Generator:
    return SchemaGenerator(tool, seed=seed, paths=paths)


def _replay_options(config: FuzzConfig, files: Path | None, allow_hosts: Sequence[str]) -> str:
    """What else the replaying command must be told."""
    parts: list[str] = []
    if config.call_timeout_s != FuzzConfig().call_timeout_s:
        parts += ["--timeout", f"{config.call_timeout_s:g}"]
    if files is not None:
        parts += ["--files", shlex.quote(str(files))]
    for host in allow_hosts:
        parts += ["--allow-host", shlex.quote(host)]
    return "".join(f" {part}" for part in parts)
