"""Chat models and embedders. Each provider's module loads its client library on first use."""

from knitbone.models.cassette import Recorded, request_hash
from knitbone.models.chat import (
    ChatModel,
    ChatRequest,
    Completion,
    ToolSpec,
    complete_sync,
)
from knitbone.models.factory import (
    SelfJudgingWarning,
    create_chat_model,
    warn_if_self_judging,
)

__all__ = [
    "ChatModel",
    "ChatRequest",
    "Completion",
    "Recorded",
    "SelfJudgingWarning",
    "ToolSpec",
    "complete_sync",
    "create_chat_model",
    "request_hash",
    "warn_if_self_judging",
]
