"""The chat model of a role, from its configuration."""

from __future__ import annotations

import warnings

from knitbone.config import ModelConfig
from knitbone.errors import ConfigError
from knitbone.models.anthropic import anthropic_chat_model
from knitbone.models.cassette import Recorded
from knitbone.models.chat import ChatModel
from knitbone.models.openai import openai_chat_model

__all__ = ["SelfJudgingWarning", "create_chat_model", "warn_if_self_judging"]


class SelfJudgingWarning(UserWarning):
    """A model judges its own answers."""


def create_chat_model(config: ModelConfig, role: str) -> ChatModel:
    """The chat model that is configured for a role, such as ``"oracle"``.

    Nothing is sent yet, and nothing ever is until the role has a model's name. A recorded model
    only replays.

    Raises:
        ConfigError: the role has no ``name``, or a recorded model no ``cassette``.
        MissingExtraError: the provider's client library is not installed.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    if not config.name:
        raise ConfigError(
            f"No model is configured for the role {role!r}; nothing is sent anywhere without one.",
            next_step=f"Set KNITBONE_{role.upper()}_NAME, or name in [tool.knitbone.{role}].",
        )
    if config.provider == "anthropic":
        return anthropic_chat_model(config)
    if config.provider == "openai":
        return openai_chat_model(config)
    if not config.cassette:
        raise ConfigError(
            f"The model of the role {role!r} is recorded, and no cassette is configured.",
            next_step=f"Set KNITBONE_{role.upper()}_CASSETTE, or cassette in "
            f"[tool.knitbone.{role}].",
        )
    return Recorded(config.cassette, name=config.name)


def warn_if_self_judging(agent: ModelConfig, judge: ModelConfig, role: str) -> bool:
    """Warn when the judge is the model it judges, which favours its own mistakes.

    The same name behind another address is still the same model.

    Returns:
        Whether it is.
    """
    same = bool(agent.name and judge.name and agent.name.casefold() == judge.name.casefold())
    if same:
        warnings.warn(
            f"The model {judge.name!r} of the role {role!r} judges the agent, which is the same "
            f"model. Set KNITBONE_{role.upper()}_NAME to another one.",
            SelfJudgingWarning,
            stacklevel=2,
        )
    return same
