"""Fuzzing a tool: load -> generate -> call -> judge -> minimise -> examine -> estimate.

Every call goes through ``CampaignCalls``, which journals it, so an interrupted campaign resumes.
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

from knitbone.common.printable import printable
from knitbone.config import Config, FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing.baseline import with_fingerprints
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.calls import CampaignCalls, without_secrets
from knitbone.fuzzing.confirmation import Confirmation, new_finding, trials_of
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.examine import Roles, examine, roles_of
from knitbone.fuzzing.final_verdicts import settle
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.generate.bounded_generator import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.directed_generator import DirectedGenerator
from knitbone.fuzzing.generate.examples import Examples, chosen
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.grouping import Reason, Reasons
from knitbone.fuzzing.journal import Journals, header_of
from knitbone.fuzzing.orders import CallSequences, Proposing, SequenceStep
from knitbone.fuzzing.records import (
    Attempt,
    CallBefore,
    CallFinished,
    CallOutcome,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    Finding,
    FindingFound,
    FuzzEvent,
    ToolUnderTest,
)
from knitbone.fuzzing.returned_errors import NormalResults
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.walls import missing_walls
from knitbone.fuzzing.sequences import CallHistory, split_call
from knitbone.fuzzing.stability import Sample, draws_lots, instability
from knitbone.record.events import Json
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore

__all__ = ["Replay", "Runner", "directed", "fuzz", "limits_of", "replay"]


# One tool's campaign: call, judge, group; then minimise and confirm what was found.

_HUNG_SHARE = 1 / 20
"""A tool that keeps hanging gets ever less time for a call, but never less than this share of what
is allowed: the failure is known, and the other calls matter more."""
_MOST_HANGS = 40
"""A campaign ends after this many calls that hung."""
_MOST_ATTEMPTS = 50
"""Distinct refusals that a campaign tells of: each path of a tool that is told paths is one."""
_GOES_ON = frozenset({"ok", "raised", "rejected", "denied"})
"""Ends of a companion's call after which the process, and what is kept in it, goes on."""
_SEARCH_SHARE = 0.8
"""Of the wall clock; the rest is for minimising and confirming what was found."""


class Runner:
    """One tool's campaign: ``search``, then ``conclude``."""

    def __init__(self, calls: CampaignCalls, config: FuzzConfig, options: str) -> None:
        self._calls = calls
        self._tool = calls.tool
        self._config = config
        self._options = options
        self.budget = CampaignBudget(config, elapsed=calls.now)
        self._behaviours: tuple[str, ...] = ()
        self._reasons = Reasons()
        self._history = CallHistory()
        self._orders: CallSequences | None = None
        self._companion_calls: Counter[str] = Counter()
        self._not_run = 0
        self._statuses: Counter[str] = Counter()
        self._attempts: dict[tuple[str, str], Attempt] = {}
        self._sample = Sample()
        self._normal = NormalResults()
        self._hangs = 0
        self._stopped: str | None = None
        self._rejection = ""

    def search(
        self, make: Callable[[ToolUnderTest], Generator], calls: int, seed: int
    ) -> Iterator[FuzzEvent]:
        """Call the tool, and companions where it has some, and collect its unique failures.

        Args:
            make: makes the generator of a tool's arguments.
        """
        try:
            own = Proposing(BoundedGenerator(make, self._tool, time_s=self._config.time_s))
            if self._calls.companions:
                self._orders = CallSequences(
                    self._tool,
                    own,
                    self._calls.companions,
                    make=make,
                    seed=seed,
                    time_s=self._config.time_s,
                )
            yield from self._search(own, calls)
        except CannotGenerateError as reason:
            self._stopped = str(reason)

    def _search(self, own: Proposing, calls: int) -> Iterator[FuzzEvent]:
        for number in range(1, calls + 1):
            step = None if self._orders is None else self._orders.step()
            if step is not None and step.tool:
                outcome = self._call_companion(number, step)
            else:
                arguments = own.propose() if step is None else step.arguments
                outcome = self._call(number, arguments, step)
                yield from self._judged(number, arguments, outcome, own.generator)
            unique = sum(reason.verdict.standing == "unhandled" for reason in self._kept())
            yield CallFinished(
                call=number, status=outcome.status, unique=unique, tool=self._tool.target
            )
            self._hangs += outcome.status == "hang"
            if self._must_stop():
                break
        self._behaviours = own.generator.behaviours()

    def _call(
        self, number: int, arguments: dict[str, Json], step: SequenceStep | None
    ) -> CallOutcome:
        # Campaigns of other tools may have gone before in the same process.
        fresh = self._begin(number, step) or (number == 1 and self._orders is not None)
        outcome = self._calls.call(arguments, timeout_s=self._timeout(), trace=True, fresh=fresh)
        self._history.add(arguments)
        self._statuses[outcome.status] += 1
        if outcome.status == "rejected":
            self._rejection = self._rejection or outcome.message
        return outcome

    def _call_companion(self, number: int, step: SequenceStep) -> CallOutcome:
        """A call of another tool: what is wrong with it, its own campaign tells."""
        assert self._orders is not None  # noqa: S101 - they made the step
        self._begin(number, step)
        outcome = self._calls.call(
            step.arguments,
            timeout_s=self._timeout(),
            trace=True,
            fresh=step.fresh,
            companion=step.tool,
        )
        self._history.add((step.tool, step.arguments))
        self._companion_calls[step.tool] += 1
        failed = judge(outcome, step.arguments, roots=self._tool.roots)
        well = outcome.status == "ok" and failed is None
        self._orders.observe(step.tool, step.arguments, outcome, well=well)
        if outcome.status not in _GOES_ON:
            self._orders.drop(step.tool)
        return outcome

    def _begin(self, number: int, step: SequenceStep | None) -> bool:
        """Note where a process or a sequence begins; whether it is a process."""
        if step is not None and step.begins:
            self._history.begin(number, fresh=step.fresh)
        return step is not None and step.fresh

    def _judged(
        self, number: int, arguments: dict[str, Json], outcome: CallOutcome, generator: Generator
    ) -> Iterator[FuzzEvent]:
        """Take in what came of a call of the tool itself; its failure, where it is a new one."""
        verdict = judge(outcome, arguments, roots=self._tool.roots)
        well = verdict is None and outcome.status == "ok"
        generator.observe(arguments, outcome, None if verdict is None else verdict.id)
        if self._orders is not None:
            self._orders.observe("", arguments, outcome, well=well)
        for attempt in outcome.attempts:
            self._attempts.setdefault((attempt.action, attempt.object), attempt)
        if well:
            self._normal.saw(outcome.text, arguments)
        if verdict is None:
            self._sample.saw(number, arguments, outcome)
            return
        self._not_run += verdict.standing == "not run" and outcome.status != "denied"
        is_new = self._reasons.saw(number, verdict, arguments) is not None
        if is_new and not verdict.weak and verdict.standing != "not run":
            found = new_finding(self._tool, verdict, arguments, number, options=self._options)
            yield FindingFound(finding=found, tool=self._tool.target)

    def conclude(self, seed: int) -> Campaign:
        """Minimise and verify what was found."""
        confirmation = Confirmation(
            self._calls,
            self._config,
            self._history,
            in_order=self._orders is not None,
            hang_timeout_s=self._timeout(),
            options=self._options,
        )
        findings: list[Finding] = []
        not_run: list[Finding] = []
        for reason in self._kept():
            if reason.verdict.standing == "not run":
                not_run.append(confirmation.as_seen(reason))
            elif (found := confirmation.confirmed(reason)) is not None:
                findings.append(found)
        findings.extend(confirmation.unstable(self._sample))
        return Campaign(
            tool=self._tool,
            seed=seed,
            calls=len(self._history),
            companion_calls=dict(self._companion_calls),
            findings=with_fingerprints(self._tool, findings),
            rejected=self._statuses["rejected"],
            rejection=self._rejection,
            denied=self._statuses["denied"] + self._not_run,
            attempts=tuple(self._attempts.values())[:_MOST_ATTEMPTS],
            minimisation_calls=confirmation.extra,
            chao1=None,
            normal=self._normal.count,
            not_run=with_fingerprints(self._tool, not_run),
            stopped=self._stopped,
            confinement=self._calls.confinement,
            behaviours=self._behaviours,
            spent=self.budget.spent(),
        )

    def normal_calls(self) -> list[dict[str, Json]]:
        """Calls that the tool took, those of different behaviour first."""
        return self._sample.all()

    def _must_stop(self) -> bool:
        if self._hangs >= _MOST_HANGS:
            self._stopped = f"{self._hangs} calls hung"
        elif self._calls.elapsed >= self._config.time_s * _SEARCH_SHARE:
            self._stopped = f"its {self._config.time_s:g} s were used up"
        return self._stopped is not None

    def _kept(self) -> list[Reason]:
        """Failures in the order they were found. A text that only may be an error is one where
        the tool has shown that its normal results look otherwise."""
        return [reason for reason in self._reasons if self._is_failure(reason)]

    def _is_failure(self, reason: Reason) -> bool:
        verdict = reason.verdict
        if verdict.weak:
            return self._normal.show_as_error(verdict.message, times=reason.count)
        if verdict.kind != "returned":
            return True
        return not self._normal.show_as_label(verdict.message, times=reason.count)

    def _timeout(self) -> float:
        full = self._config.call_timeout_s
        return max(full / 2**self._hangs, full * _HUNG_SHARE)


GeneratorFactory = Callable[[ToolUnderTest, int, Sequence[str]], Generator]
"""Makes the generator of a tool from the tool, the seed and the files that exist."""


def fuzz(  # noqa: PLR0913 - all but the target have defaults and names
    target: str,
    *,
    calls: int | None = None,
    seed: int | None = None,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    env: Sequence[str] = (),
    setup: str | None = None,
    examples: Examples = (),
    generator: GeneratorFactory | None = None,
    journals: Journals | None = None,
    models: Config | None = None,
    changed: Path | None = None,
) -> Iterator[FuzzEvent]:
    """Fuzz every tool that ``target`` names, one after the other.

    Args:
        target: ``module:name`` or ``path/to/file.py:name``.
        calls: calls for each tool; from ``config`` when not given, as is ``seed``.
        files: a folder whose copy the tools work in; small sample files otherwise.
        allow_hosts: hosts that the tools may connect to.
        reset: ``module:name`` or ``file.py:name`` of a function without parameters, called before
            each call to put the tools' own state back.
        env: names of variables of this process that the tools see; their values are masked in
            whatever comes back.
        setup: ``module:name`` or ``file.py:name`` of a function without parameters that makes the
            instance where the target names its class.
        examples: calls to begin with, each for the tools whose schema it fits.
        journals: where every call is written down, to resume from; nothing is written otherwise.
        models: names the models of the stages that use one; no model is used otherwise.
        changed: a folder whose modules take the place of those of the same name.

    Raises:
        TargetError: the target cannot be found, imported or understood.
        SandboxError: the sandbox cannot be started or kept.
        ConfigError: a model cannot be made as configured.
        ModelError: a model's key is missing.
        InputFormatError: an example fits no tool; a journal is of another campaign, damaged, or
            cannot be written.
    """
    config = config or FuzzConfig()
    calls = config.calls if calls is None else calls
    seed = config.seed if seed is None else seed
    limits = limits_of(config)
    settings = _settings(config, files, allow_hosts, reset, env, setup)
    if examples:
        settings["examples"] = [arguments for _, arguments in examples]
    options = _replay_options(config, files, allow_hosts, reset, env, setup)

    def alone(tool: ToolUnderTest, chance: int = 0) -> Sandbox:
        return Sandbox(
            tool.target,
            limits=limits,
            files=files,
            allow_hosts=allow_hosts,
            reset=reset,
            env=env,
            setup=setup,
            chance=chance,
            changed=changed,
        )

    # Other tools are called where that reaches nothing outside, and where what they keep lasts.
    isolated = not allow_hosts and reset is None
    roles = Roles() if models is None else roles_of(models)
    with (
        _store(models, roles) as store,
        Sandbox(
            target,
            limits=limits,
            files=files,
            allow_hosts=allow_hosts,
            reset=reset,
            env=env,
            setup=setup,
            trace=True,
            companions=isolated,
            changed=changed,
        ) as sandbox,
    ):
        beginnings = chosen(examples, sandbox.tools)
        for index, tool in enumerate(sandbox.tools):
            make = generator or partial(directed, examples=beginnings[index])
            with contextlib.ExitStack() as stack:
                journal = None
                names = sandbox.companions_of(index) if isolated else {}
                if journals is not None:
                    others: dict[str, Json] = {"companions": list(names)} if names else {}
                    header = header_of(tool, seed=seed, calls=calls, settings=settings | others)
                    journal = stack.enter_context(journals.open(header))
                yield CampaignStarted(
                    tool=tool,
                    calls=calls,
                    of=len(sandbox.tools),
                    confinement=sandbox.confinement,
                    missing=missing_walls(sandbox.confinement, network=bool(allow_hosts)),
                    resumed=0 if journal is None else journal.left,
                )
                # A server of its own draws its own lots, and takes long to start.
                other = None if tool.framework == "mcp" else partial(alone, tool, 1)
                tool_calls = CampaignCalls(
                    sandbox, index, journal, by_chance=other, companions=names
                )
                stack.callback(tool_calls.close)
                runner = Runner(tool_calls, config, options)
                yield from runner.search(partial(_of, make, seed, sandbox.paths), calls, seed)
                campaign = examine(
                    runner.conclude(seed),
                    roles,
                    config=config,
                    budget=runner.budget,
                    sandbox=partial(alone, tool),
                    trials=partial(trials_of, tool_calls, config, runner.normal_calls()),
                    store=store,
                    record=None if models is None else models.record,
                )
                campaign = settle(campaign, ignore=config.ignore)
                yield CampaignFinished(campaign=_estimated(campaign))


def _store(
    models: Config | None, roles: Roles
) -> contextlib.AbstractContextManager[SqliteStore | None]:
    """Where the agent's runs go, if there is an agent."""
    if models is None or roles.agent is None:
        return contextlib.nullcontext()
    return contextlib.closing(SqliteStore(models.record.store))


def _estimated(campaign: Campaign) -> Campaign:
    """With Chao1 over the failures that count; without where no call came to a normal result:
    what a tool does that never got anywhere says nothing of what it does otherwise."""
    counts = [finding.count for finding in campaign.findings if finding.counts]
    reached = campaign.normal is None or campaign.normal > 0
    return msgspec.structs.replace(campaign, chao1=chao1(counts) if reached else None)


def limits_of(config: FuzzConfig) -> Limits:
    """The sandbox limits that a configuration asks for."""
    return Limits(
        call_timeout_s=config.call_timeout_s,
        memory_mb=config.memory_mb,
        file_size_mb=config.file_size_mb,
    )


class Replay:
    """What came of one replayed call."""

    def __init__(
        self, tool: ToolUnderTest, outcome: CallOutcome, verdict: FailedCall | None
    ) -> None:
        self.tool = tool
        self.outcome = outcome
        self.verdict = verdict

    @property
    def failure(self) -> str | None:
        """The failure in words, or ``None`` where the tool did not fail, or refused on purpose."""
        verdict = self.verdict
        return None if verdict is None or verdict.standing != "unhandled" else self._words(verdict)

    @property
    def refusal(self) -> str | None:
        """In words how the tool refused the arguments on purpose, if it did."""
        verdict = self.verdict
        return None if verdict is None or verdict.standing != "refused" else self._words(verdict)

    @staticmethod
    def _words(verdict: FailedCall) -> str:
        words = " ".join(part for part in (verdict.kind, verdict.exception) if part)
        frame = verdict.frame
        where = "" if frame is None else f" at {frame.file}:{frame.line}: {frame.source}"
        return printable(f"{words}: {verdict.message}{where}", limit=1_000)


def replay(  # noqa: PLR0913 - as above
    target: str,
    arguments: dict[str, Json],
    *,
    config: FuzzConfig | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    env: Sequence[str] = (),
    setup: str | None = None,
    before: Sequence[CallBefore | list[Json]] = (),
) -> Replay:
    """Call the one tool that ``target`` names once, in a fresh process.

    Args:
        before: arguments of calls that go before it in the same process; of another tool that
            shares its state, ``(name, arguments)``.

    Raises:
        TargetError: as for ``fuzz``; also where the target names several tools, or one that is
            called before is not there.
        SandboxError: as for ``fuzz``.
    """
    config = config or FuzzConfig()
    limits = limits_of(config)
    new_sandbox = partial(
        Sandbox,
        target,
        limits=limits,
        files=files,
        allow_hosts=allow_hosts,
        reset=reset,
        env=env,
        setup=setup,
    )
    sequence = [split_call(call) for call in before]
    with new_sandbox(companions=any(name for name, _ in sequence)) as sandbox:
        tool = sandbox.tools[0]
        if len(sandbox.tools) > 1:
            raise TargetError(
                f"{target!r} names {len(sandbox.tools)} tools.",
                next_step=f"Replay one of them, such as {tool.target!r}.",
            )
        places = {"": 0, **sandbox.companions_of(0)}
        for index, (name, earlier) in enumerate(sequence):
            if name not in places:
                raise TargetError(
                    f"{name!r}, which is called before {tool.name!r}, shares no state with it.",
                    next_step=f"These do: {', '.join(filter(None, places)) or 'none'}.",
                )
            limit = config.call_timeout_s
            sandbox.call(places[name], earlier, timeout_s=limit, fresh=index == 0)
        fresh, redactor = not before, Redactor()
        outcome = sandbox.call(0, arguments, timeout_s=config.call_timeout_s, fresh=fresh)
        outcome = without_secrets(outcome, redactor)
        verdict = judge(outcome, arguments, roots=tool.roots)

        if outcome.status == "ok" and not before and not draws_lots(tool.documentation):
            verdict = verdict or _other_result(
                sandbox, outcome, arguments, config, new_sandbox, redactor
            )
        return Replay(tool, outcome, verdict)


def _other_result(
    sandbox: Sandbox,
    outcome: CallOutcome,
    arguments: dict[str, Json],
    config: FuzzConfig,
    new_sandbox: Callable[..., Sandbox],
    redactor: Redactor,
) -> FailedCall | None:
    """Whether the same call with other chance gives another result than ``outcome``; as in a
    campaign, a server draws its own lots and is only started anew."""

    def once(other: Sandbox) -> FailedCall | None:
        return instability(
            arguments,
            lambda _: outcome,
            lambda same: without_secrets(
                other.call(0, same, timeout_s=config.call_timeout_s, fresh=True), redactor
            ),
        )

    if sandbox.tools[0].framework == "mcp":
        return once(sandbox)
    with new_sandbox(chance=1) as other:
        return once(other)


def _of(make: GeneratorFactory, seed: int, paths: Sequence[str], tool: ToolUnderTest) -> Generator:
    return make(tool, seed, paths)


def directed(
    tool: ToolUnderTest,
    seed: int,
    paths: Sequence[str],
    *,
    examples: Sequence[dict[str, Json]] = (),
) -> Generator:
    """The generator that goes by what the tool does with its arguments."""
    return DirectedGenerator(tool, seed=seed, paths=paths, examples=examples)


def _settings(
    config: FuzzConfig,
    files: Path | None,
    allow_hosts: Sequence[str],
    reset: str | None,
    env: Sequence[str],
    setup: str | None,
) -> dict[str, Json]:
    """Whatever the outcomes of a campaign depend on, besides tool and seed."""
    limits: dict[str, Json] = msgspec.to_builtins(limits_of(config))
    return limits | {
        "minimise_calls": config.minimise_calls,
        "time_s": config.time_s,
        "files": None if files is None else str(files.resolve()),
        "allow_hosts": list(allow_hosts),
        "reset": reset,
        "env": list(env),
        "setup": setup,
    }


def _replay_options(
    config: FuzzConfig,
    files: Path | None,
    allow_hosts: Sequence[str],
    reset: str | None,
    env: Sequence[str],
    setup: str | None,
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
    for name in env:
        parts += ["--env", shlex.quote(name)]
    if setup is not None:
        parts += ["--setup", shlex.quote(setup)]
    return "".join(f" {part}" for part in parts)
