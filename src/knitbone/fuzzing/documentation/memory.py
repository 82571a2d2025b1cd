"""Model calls that are asked in the very same words: answered once, where that is honest.

A model at temperature 0 is held to answer the same request in the same way, so that asking twice
tells nothing. At any other temperature every call is another draw, and every call is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from knitbone.fuzzing.documentation.spending import REPEATED
from knitbone.models.cassette import request_hash
from knitbone.models.chat import ChatModel, Completion, ToolSpec, chat_request
from knitbone.record.events import ChatMessage, Json

__all__ = ["AnswerMemory", "RememberingModel"]


class AnswerMemory:
    """The answers of one command's models, by request."""

    def __init__(self) -> None:
        self._answers: dict[str, Completion] = {}
        self._fresh: dict[str, Completion] = {}

    def get(self, key: str) -> Completion | None:
        """The answer to a request, if it was given."""
        return self._answers.get(key)

    def add(self, key: str, answer: Completion) -> None:
        """Keep the answer to a request."""
        self._answers[key] = self._fresh[key] = answer

    def take_fresh(self) -> dict[str, Completion]:
        """What was added since this was last asked: what a journal has to keep."""
        fresh, self._fresh = self._fresh, {}
        return fresh

    def restore(self, answers: Mapping[str, Completion]) -> None:
        """Keep what a journal kept."""
        self._answers |= answers


class RememberingModel:
    """A chat model that is asked each request once, where its temperature is 0.

    Args:
        role: models of different roles share no answers: their configurations may differ.
        temperature: of the model; above 0, and where it is not known, every call is made.
    """

    def __init__(
        self, model: ChatModel, memory: AnswerMemory, *, role: str, temperature: float | None
    ) -> None:
        self._model = model
        self._memory = memory
        self._role = role
        self._remembers = temperature == 0

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The answer, as ``ChatModel.complete``; one that is remembered has used nothing."""
        if not self._remembers:
            return await self._model.complete(messages, tools=tools, schema=schema)
        request = chat_request(messages, tools, schema)
        key = f"{self._role} {request_hash(self._model.name, request)}"
        if (known := self._memory.get(key)) is not None:
            return msgspec.structs.replace(known, usage=REPEATED)
        answer = await self._model.complete(messages, tools=tools, schema=schema)
        self._memory.add(key, answer)
        return answer
