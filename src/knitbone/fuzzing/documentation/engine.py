"""The search for documentation that misleads an agent: write -> run -> check -> report.

``fuzz_documentation`` has prompt sets written for each tool of a target, lets the agent work on
every prompt in the sandbox, puts the cascade of checks on what it did, and yields what happens. A
set that fails all checks is a fault of the documentation (ToolFuzz §4.2). ``tool_search.py`` is the
flow of one tool.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from knitbone.config import Config, ModelConfig
from knitbone.fuzzing.agents.callable_agent import load_agent
from knitbone.fuzzing.agents.dialogue import STYLES
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.agents.records import AgentUnderTest
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.cascade import Cascade
from knitbone.fuzzing.documentation.experiments import SandboxExperiments
from knitbone.fuzzing.documentation.memory import AnswerMemory, RememberingModel
from knitbone.fuzzing.documentation.oracle import ModelOracle, Oracle
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import (
    DocumentationEvent,
    DocumentationFinished,
    DocumentationStarted,
)
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.documentation.tool_search import DocumentationSearch, ToolSearch
from knitbone.fuzzing.documentation.writer import PromptWriter
from knitbone.fuzzing.engine import limits_of
from knitbone.fuzzing.journal import Header, Journal, Journals, header_of
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models.chat import ChatModel
from knitbone.models.factory import create_chat_model, warn_if_self_judging
from knitbone.record.events import Json
from knitbone.record.redaction import Redactor

__all__ = ["DocumentationSearch", "Players", "fuzz_documentation", "players_of"]


def fuzz_documentation(  # noqa: PLR0913 - all but the first four have defaults and names
    target: str,
    *,
    agent: AgentUnderTest,
    writer: ChatModel,
    oracle: Oracle | None,
    search: DocumentationSearch | None = None,
    files: Path | None = None,
    allow_hosts: Sequence[str] = (),
    reset: str | None = None,
    env: Sequence[str] = (),
    setup: str | None = None,
    journals: Journals | None = None,
    memory: AnswerMemory | None = None,
    redactor: Redactor | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[DocumentationEvent]:
    """Search the documentation of every tool that ``target`` names.

    Args:
        target: as ``knitbone.fuzzing.engine.fuzz``, as are ``files`` to ``setup``.
        agent: works on the prompts.
        writer: writes them; asked the same once, where ``search.temperature`` is 0.
        oracle: says what is to be expected; without one, its check decides nothing.
        journals: where every step is written down, to resume from; nowhere if not given.
        memory: answers that the models of agent and oracle were remembered to give
            (``RememberingModel``), so that they are journaled.
        redactor: takes secrets out of everything that is journaled and reported.
        clock: seconds, for budgets and reports.

    Raises:
        TargetError, SandboxError: as ``fuzz``.
        InputFormatError: a prompt file cannot be used; a journal is of another search, damaged, or
            cannot be written.
    """
    search = search or DocumentationSearch()
    config = search.config
    folder = None if config.prompt_folder is None else Path(config.prompt_folder)
    prompts = PromptFiles(folder)
    memory = memory or AnswerMemory()
    remembering = RememberingModel(writer, memory, role="writer", temperature=search.temperature)
    sandbox_of = partial(
        Sandbox,
        limits=limits_of(config),
        files=files,
        allow_hosts=allow_hosts,
        reset=reset,
        env=env,
        setup=setup,
    )
    parts = _SearchParts(
        agent, remembering, oracle, search, prompts, memory, redactor or Redactor(), clock
    )
    with sandbox_of(target) as sandbox:
        for index, tool in enumerate(sandbox.tools):
            with contextlib.ExitStack() as stack:
                journal: Journal | None = None
                if journals is not None:
                    journal = stack.enter_context(journals.open(parts.header(tool)))
                yield DocumentationStarted(
                    tool=tool,
                    sets=config.sets,
                    prompts=config.prompts,
                    resumed=0 if journal is None else journal.left,
                )
                # A server of its own draws its own lots, and takes long to start.
                is_server = tool.framework == "mcp"
                other = None if is_server else partial(sandbox_of, tool.target, chance=1)
                searched = parts.tool_search(sandbox, index, journal, other, stack)
                yield from searched.run()
                yield DocumentationFinished(
                    campaign=searched.conclude(
                        agent=agent.name,
                        writer=writer.name,
                        oracle="" if oracle is None else oracle.name,
                        versions=prompts.versions,
                        confinement=sandbox.confinement,
                    )
                )


class _SearchParts:
    """Who and what takes part in the search of every tool."""

    def __init__(
        self,
        agent: AgentUnderTest,
        writer: ChatModel,
        oracle: Oracle | None,
        search: DocumentationSearch,
        prompts: PromptFiles,
        memory: AnswerMemory,
        redactor: Redactor,
        clock: Callable[[], float],
    ) -> None:
        self._agent, self._writer, self._oracle = agent, writer, oracle
        self._search, self._prompts = search, prompts
        self._memory, self._redactor, self._clock = memory, redactor, clock

    def header(self, tool: ToolUnderTest) -> Header:
        """Whatever the steps of a tool's search depend on."""
        names: list[Json] = [self._agent.name, self._writer.name]
        if self._oracle is not None:
            names.append(self._oracle.name)
        settings: dict[str, Json] = {
            "search": msgspec.to_builtins(self._search),
            "prompts": dict(self._prompts.versions),
            "names": names,
        }
        return header_of(tool, seed=self._search.seed, calls=0, settings=settings)

    def tool_search(
        self,
        sandbox: Sandbox,
        index: int,
        journal: Journal | None,
        by_chance: Callable[[], Sandbox] | None,
        stack: contextlib.ExitStack,
    ) -> ToolSearch:
        """The search of one tool.

        Args:
            stack: ends what it opens.
        """
        search, config, tool = self._search, self._search.config, sandbox.tools[index]
        ledger = Ledger(config, clock=self._clock)
        steps = Steps(ledger, journal, self._memory, self._redactor)
        timeout_s = config.call_timeout_s
        experiments = SandboxExperiments(
            sandbox, index, by_chance=by_chance, timeout_s=timeout_s, steps=steps
        )
        stack.callback(experiments.close)
        offered = range(len(sandbox.tools)) if search.together else (index,)
        tools = [SandboxedTool(sandbox, place, timeout_s=timeout_s) for place in offered]
        cascade = Cascade(
            tool,
            name=tools[index if search.together else 0].spec.name,
            experiments=experiments,
            oracle=self._oracle,
            steps=steps,
            budget=ledger,
            checks=search.checks,
            normalise=config.normalise,
            rated=search.rated,
            exhaustive=search.exhaustive,
        )
        return ToolSearch(
            tool,
            tools,
            search,
            agent=self._agent,
            writer=PromptWriter(self._writer, self._prompts, context=search.context),
            cascade=cascade,
            steps=steps,
            ledger=ledger,
        )


class Players(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes part in a search."""

    agent: AgentUnderTest
    writer: ChatModel
    oracle: ModelOracle | None
    """``None`` where no model is configured for the role."""
    memory: AnswerMemory


def players_of(config: Config, *, agent: str | None = None, temperature: float = 0.0) -> Players:
    """The models of the roles writer, agent and oracle; nothing is sent yet.

    Args:
        agent: how the agent works, or ``module:name`` of one (``load_agent``); by default
            ``config.fuzz.agent``.
        temperature: of the writer.

    Raises:
        ConfigError: a role has no model, or the agent is not known.
        ModelError: a model's key is missing.
    """
    memory = AnswerMemory()
    kind = agent or config.fuzz.agent
    writer = _with_temperature(config.writer, temperature)
    if kind in STYLES:
        working = _with_temperature(config.agent, config.agent.temperature)
        model = RememberingModel(
            create_chat_model(working, "agent"),
            memory,
            role="agent",
            temperature=working.temperature,
        )
        played: AgentUnderTest = ModelAgent(model, style=kind)
    else:
        played = load_agent(kind)
    oracle: ModelOracle | None = None
    if config.oracle.name:
        judging = _with_temperature(config.oracle, config.oracle.temperature)
        model = RememberingModel(
            create_chat_model(judging, "oracle"),
            memory,
            role="oracle",
            temperature=judging.temperature,
        )
        folder = config.fuzz.prompt_folder
        oracle = ModelOracle(model, PromptFiles(None if folder is None else Path(folder)))
        if kind in STYLES:
            warn_if_self_judging(config.agent, config.oracle, "oracle")
    return Players(
        agent=played, writer=create_chat_model(writer, "writer"), oracle=oracle, memory=memory
    )


def _with_temperature(model: ModelConfig, temperature: float | None) -> ModelConfig:
    """ToolFuzz §5.2: temperature 0, unless another one is asked for."""
    return msgspec.structs.replace(model, temperature=temperature or 0.0)
