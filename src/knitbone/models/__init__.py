"""Chat models and embedders. Each provider's module loads its client library on first use."""

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
from knitbone.models.recorded import Recorded, request_hash

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
