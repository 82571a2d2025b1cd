"""Fuzzing a tool: load -> generate -> call -> judge -> minimise -> examine -> estimate.

Every call goes through ``CampaignCalls``, which journals it, so an interrupted campaign resumes.
``fuzz`` yields events; whoever shows or stores them only consumes. Everything in the events is
the same in every run with the same seed: no times, process ids or names of temporary folders.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from knitbone.common.printable import printable
from knitbone.config import Config, FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing.calls import CampaignCalls
from knitbone.fuzzing.confirmation import trials_of
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.examine import Roles, examine, roles_of
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.generate.directed import DirectedGenerator
from knitbone.fuzzing.generate.examples import Examples, chosen
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.journal import Journals, header_of
from knitbone.fuzzing.records import (
    CallBefore,
    CallOutcome,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    FuzzEvent,
    ToolUnderTest,
)
from knitbone.fuzzing.redacted import without_secrets
from knitbone.fuzzing.runner import Runner
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.walls import missing_walls
from knitbone.fuzzing.sequences import split_call
from knitbone.fuzzing.settling import settle
from knitbone.fuzzing.stability import draws_lots, instability
from knitbone.record.events import Json
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore

__all__ = ["GeneratorFactory", "Replay", "fuzz", "limits_of", "replay"]

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
        processes=config.processes,
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
        "max_hangs": config.max_hangs,
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
