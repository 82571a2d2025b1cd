"""Who plays agent, writer and oracle, from the configuration."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.config import Config, ModelConfig
from knitbone.errors import ConfigError
from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.agents.records import AgentUnderTest
from knitbone.fuzzing.agents.traced import CallableAgent
from knitbone.fuzzing.documentation.memory import AnswerMemory, RememberingModel
from knitbone.fuzzing.documentation.oracle import ModelOracle
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.loading.named import named_object
from knitbone.models.chat import ChatModel
from knitbone.models.factory import create_chat_model, warn_if_self_judging

__all__ = ["Players", "load_agent", "players_of"]

_CALLED_WITH = 2
"""What an agent that is a function is called with: query and tools."""
_STYLES: tuple[AgentStyle, ...] = ("react", "tool-calling")


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
    if kind in _STYLES:
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
        if kind in _STYLES:
            warn_if_self_judging(config.agent, config.oracle, "oracle")
    return Players(
        agent=played, writer=create_chat_model(writer, "writer"), oracle=oracle, memory=memory
    )


def _with_temperature(model: ModelConfig, temperature: float | None) -> ModelConfig:
    """ToolFuzz §5.2: temperature 0, unless another one is asked for."""
    return msgspec.structs.replace(model, temperature=temperature or 0.0)


def load_agent(name: str) -> AgentUnderTest:
    """The agent under test that ``module:name`` names: an object with ``name`` and ``work``, a
    function without parameters that makes one, or a function of query and tools that answers
    (``CallableAgent``).

    Raises:
        ConfigError: there is none.
    """
    known = f"Known: {', '.join(_STYLES)}, or module:name of an agent of your own."
    if ":" not in name.strip(":"):
        raise ConfigError(f"There is no agent {name!r}.", next_step=known)
    try:
        found = named_object(name)
        if inspect.isfunction(found) and found.__code__.co_argcount == _CALLED_WITH:
            return CallableAgent(found, name=name)
        made: Any = found() if inspect.isfunction(found) or inspect.isclass(found) else found
    except Exception as error:
        raise ConfigError(
            f"The agent {name!r} cannot be loaded: {type(error).__name__}: {error}.",
            next_step=known,
        ) from error
    if not callable(getattr(made, "work", None)) or not isinstance(
        getattr(made, "name", None), str
    ):
        raise ConfigError(
            f"The agent {name!r} has no method 'work' and name: it is a {type(made).__name__}.",
            next_step="See knitbone.fuzzing.agents.AgentUnderTest.",
        )
    return cast("AgentUnderTest", made)
